// says: named `default` found for struct `Rng`
use undaunted::Rng;

pub fn same_on_every_device() -> Rng {
    Rng::default()
}
