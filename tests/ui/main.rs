//! What must not compile, and what the compiler says then.
//!
//! Each file of `cases` is compiled as a user's crate would be. Its first lines say what is expected:
//! `// says: FRAGMENT` for a piece of the compiler's message (all of them must be there), or
//! `// compiles`. Fragments and not whole messages, since those change with the compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[test]
fn every_case_compiles_or_not_as_it_says() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let user = user_crate(here);
    let mut cases: Vec<PathBuf> =
        fs::read_dir(here.join("ui/cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 7, "the cases are missing");
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(&user, case)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A crate that depends on the product by path, without features.
fn user_crate(here: &Path) -> PathBuf {
    let user = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    fs::create_dir_all(user.join("src")).unwrap();
    let root = here.parent().unwrap().display();
    let manifest = format!(
        "[package]\nname = \"user\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         undaunted-core = {{ path = \"{root}/core\" }}\nundaunted = {{ path = \"{root}/adapters\" }}\n"
    );
    fs::write(user.join("Cargo.toml"), manifest).unwrap();
    fs::copy(here.parent().unwrap().join("Cargo.lock"), user.join("Cargo.lock")).unwrap();
    user
}

/// What is wrong with a case, if anything is.
fn check(user: &Path, case: &Path) -> Option<String> {
    let text = fs::read_to_string(case).unwrap();
    let says: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// says: ")).collect();
    let compiles = text.starts_with("// compiles\n");
    let name = case.file_name().unwrap().display();
    if compiles != says.is_empty() {
        return Some(format!("{name}: must say either `// compiles` or `// says: ..`"));
    }
    fs::write(user.join("src/lib.rs"), &text).unwrap();
    // `build`, not `check`: a constant that nobody uses is evaluated only when code is made.
    let output = Command::new(env::var("CARGO").unwrap_or("cargo".into()))
        .args(["build", "--quiet", "--offline", "--target-dir"])
        .arg(user.join("target"))
        .current_dir(user)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() != compiles {
        return Some(format!(
            "{name}: compiles: {}, and should: {compiles}\n{message}",
            output.status.success()
        ));
    }
    let missing: Vec<&&str> = says.iter().filter(|fragment| !message.contains(**fragment)).collect();
    (!missing.is_empty()).then(|| format!("{name}: the compiler does not say {missing:?}:\n{message}"))
}
