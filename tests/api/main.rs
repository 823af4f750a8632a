//! The public API as lists in the repository, and what must hold for all of it.
//!
//! `tests/run api` compares, `tests/run --update api` writes. A line more is a promise more, a line less a promise broken;
//! either is to be seen in a review.

use public_api::{Builder, Error, PublicApi};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::{env, fs};

/// A package with features, and the list that it must be.
struct Listed {
    package: &'static str,
    features: &'static str,
    list: &'static str,
}

const LISTED: [Listed; 2] = [
    Listed { package: "undaunted-core", features: "--all-features", list: "tests/api/undaunted-core.txt" },
    Listed { package: "undaunted", features: "--all-features", list: "tests/api/undaunted.txt" },
];

/// Whose traits the core implements under a feature. Their types appear in the methods of these impls and nowhere else.
const DERIVED: [&str; 3] = ["defmt", "serde", "serde_core"];

type Problems = Vec<String>;

fn main() -> ExitCode {
    let update = match env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [word] if word == "--update" => true,
        words => {
            eprintln!("api: {words:?} is not understood; expected nothing, or --update");
            return ExitCode::from(2);
        }
    };
    match run(update) {
        Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
        Ok(problems) => {
            problems.iter().for_each(|problem| eprintln!("{problem}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("api: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(update: bool) -> Result<Problems, String> {
    let mut problems = Problems::new();
    for listed in &LISTED {
        let lines = lines(&api(listed.package, listed.features)?);
        println!("{} {}: {} lines", listed.package, listed.features, lines.len());
        problems.extend(compare(listed, &lines, update)?);
    }
    let core = lines(&api("undaunted-core", "--no-default-features")?);
    problems.extend(foreign(&core, &[]));
    let core = lines(&api("undaunted-core", "--all-features")?);
    problems.extend(foreign(&core, &DERIVED));
    problems
        .extend(core.iter().filter(|line| line.starts_with("impl !")).map(|line| format!("core: {line}")));
    Ok(problems)
}

/// What rustdoc says of a package. Its format is unstable: a stable compiler writes it when told that it may.
fn api(package: &str, features: &str) -> Result<PublicApi, String> {
    let target =
        PathBuf::from(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into())).join("api");
    let mut rustdoc = Command::new("cargo");
    rustdoc
        .args(["rustdoc", "--locked", "-q", "--lib", "-p", package, features, "--target-dir"])
        .arg(&target);
    rustdoc.args(["--", "-Zunstable-options", "--output-format", "json", "--cap-lints", "allow"]);
    let status = rustdoc.env("RUSTC_BOOTSTRAP", "1").status().map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err(format!("cargo rustdoc -p {package} {features}: {status}"));
    }
    let json = target.join("doc").join(package.replace('-', "_")).with_extension("json");
    Builder::from_rustdoc_json(&json).omit_blanket_impls(true).build().map_err(|error| match error {
        Error::SerdeJsonError(error) => format!(
            "{}: {error}: the version of public-api in tests/api/Cargo.toml reads another compiler's format than this one's",
            json.display()
        ),
        error => format!("{}: {error}", json.display()),
    })
}

/// One line an item. Of the auto traits only what does not hold: that they do is the rule.
fn lines(api: &PublicApi) -> BTreeSet<String> {
    let is_told = |line: &String| {
        !AUTO.iter().any(|name| line.starts_with("impl") && line.contains(name)) || line.contains("impl !")
    };
    api.items().map(ToString::to_string).filter(is_told).collect()
}

const AUTO: [&str; 6] = [
    "core::marker::Freeze for",
    "core::marker::Send for",
    "core::marker::Sync for",
    "core::marker::Unpin for",
    "core::panic::unwind_safe::RefUnwindSafe for",
    "core::panic::unwind_safe::UnwindSafe for",
];

fn compare(listed: &Listed, lines: &BTreeSet<String>, update: bool) -> Result<Problems, String> {
    if update {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(listed.list, text).map_err(|error| format!("{}: {error}", listed.list))?;
        return Ok(Problems::new());
    }
    let written = fs::read_to_string(listed.list).map_err(|error| format!("{}: {error}", listed.list))?;
    let written: BTreeSet<String> = written.lines().map(str::to_owned).collect();
    let more = lines.difference(&written).map(|line| format!("{}: not listed: {line}", listed.list));
    let less = written.difference(lines).map(|line| format!("{}: not there any more: {line}", listed.list));
    Ok(more.chain(less).collect())
}

/// Names of other crates in a list.
fn foreign(lines: &BTreeSet<String>, derived: &[&str]) -> Problems {
    let is_ours = |name: &str| ["undaunted_core", "core"].contains(&name);
    let is_derived = |line: &str| derived.iter().any(|name| line.contains(&format!("{name}::")));
    let mut problems = Problems::new();
    for line in lines {
        for name in crates(line).filter(|name| !is_ours(name)) {
            // The methods of a derived impl name their crate; whatever else does is a type in a signature.
            if !(derived.contains(&name) && is_derived(line) && is_of_a_derived_impl(line)) {
                problems.push(format!("undaunted-core has a name of the crate {name}: {line}"));
            }
        }
    }
    problems
}

fn is_of_a_derived_impl(line: &str) -> bool {
    let methods = ["::deserialize<", "::serialize<", "::format(", "::_format_tag(", "::_format_data("];
    line.starts_with("impl") || methods.iter().any(|method| line.contains(method))
}

/// The first names of all paths in a line.
fn crates(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    words
        .filter_map(|word| word.split_once("::"))
        .map(|(first, _)| first)
        .filter(|first| first.starts_with(|c: char| c.is_ascii_lowercase()) && *first != "self")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str, derived: &[&str]) -> usize {
        foreign(&BTreeSet::from([line.to_owned()]), derived).len()
    }

    #[test]
    fn a_foreign_type_is_found() {
        let own =
            "pub const fn undaunted_core::Policy::cap(self, core::time::Duration) -> undaunted_core::Policy";
        assert_eq!(found(own, &[]), 0);
        let foreign = "pub fn undaunted_core::Trail<N>::items(&self) -> &heapless::Vec<u8, N>";
        assert_eq!(found(foreign, &DERIVED), 1);
        let derived = "pub fn undaunted_core::Policy::serialize<S>(&self, S) -> core::result::Result<<S as serde_core::ser::Serializer>::Ok, ()>";
        assert_eq!((found(derived, &[]), found(derived, &DERIVED)), (1, 0));
        let smuggled = "pub fn undaunted_core::Policy::value(&self) -> serde_core::de::Unexpected";
        assert_eq!(found(smuggled, &DERIVED), 1);
    }
}
