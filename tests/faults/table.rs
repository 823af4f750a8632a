//! The form of a fault: one row for the page and one test, from one declaration.

/// A fault, as the page shows it.
pub(crate) struct Fault {
    /// The name of its test.
    pub(crate) test: &'static str,
    /// What went wrong.
    pub(crate) what: &'static str,
    /// Public reports as `owner/repository#number`, or a peer that was run.
    pub(crate) seen: &'static [&'static str],
    /// The laws that it falls under.
    pub(crate) law: &'static str,
    /// What it is shown on.
    pub(crate) input: &'static str,
    /// Why no peer was asked, where none was.
    pub(crate) no_peer: Option<&'static str>,
    /// What is right, worked out by hand, or by another program where it is many numbers.
    pub(crate) right: &'static str,
    /// Asks the product.
    pub(crate) ours: fn() -> String,
}

/// The product's answer is the right one.
pub(crate) fn check(faults: &[Fault], test: &str) {
    let fault = faults.iter().find(|fault| fault.test == test).expect("a row for each test");
    assert_eq!((fault.ours)(), fault.right, "{}", fault.what);
}

/// Makes of each function a test of that name and a row of `FAULTS`. The function answers what the
/// product does, in words; beyond that it may assert whatever belongs to the same kind of fault.
macro_rules! faults {
    ($(
        $(#[doc = $what:literal])+
        #[seen($($seen:literal),+)]
        #[law($law:literal)]
        #[input($input:literal)]
        $(#[no_peer($no_peer:literal)])?
        #[right($right:literal)]
        fn $name:ident() -> String $body:block
    )+) => {
        pub(crate) const FAULTS: &[crate::table::Fault] = &[$(crate::table::Fault {
            test: stringify!($name),
            what: concat!($($what),+),
            seen: &[$($seen),+],
            law: $law,
            input: $input,
            no_peer: faults!(@option $($no_peer)?),
            right: $right,
            ours: || $body,
        }),+];

        $(
            #[test]
            fn $name() {
                crate::table::check(FAULTS, stringify!($name));
            }
        )+
    };
    (@option) => { None };
    (@option $value:literal) => { Some($value) };
}
