//! Policies in a TOML file: one as `policy`, or several by name in the table `policies`; each is a line
//! of text or a table with the same words. Other keys are somebody else's.

use super::preset::did_you_mean;
use super::{Kind, Named, home};
use crate::Trouble;
use std::{fs, ops::Range};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// The policy of `FILE[#NAME]`.
pub(super) fn one<K: Kind>(said: &str) -> Result<K, Trouble> {
    let (file, name) = parts(said)?;
    let file = File::read(file)?;
    let table = file.parse()?;
    match name {
        Some(name) => file.named(&table, name),
        None => file.top(&table)?.ok_or_else(|| file.no_policy(&table)),
    }
}

/// As [`one`]; where neither a name nor a `policy` is there, all those with names.
pub(super) fn all<K: Kind>(said: &str) -> Result<Vec<Named<K>>, Trouble> {
    let (path, name) = parts(said)?;
    let file = File::read(path)?;
    let table = file.parse()?;
    if let Some(name) = name {
        return Ok(vec![Named::new(said, file.named(&table, name)?)]);
    }
    if let Some(policy) = file.top(&table)? {
        return Ok(vec![Named::new(said, policy)]);
    }
    let names = file.names(&table)?;
    if names.is_empty() {
        return Err(file.no_policy(&table));
    }
    names.iter().map(|name| Ok(Named::new(&format!("{path}#{name}"), file.named(&table, name)?))).collect()
}

/// The path, and what follows the last `#`.
fn parts(said: &str) -> Result<(&str, Option<&str>), Trouble> {
    match said.rsplit_once('#') {
        None => Ok((said, None)),
        Some((file, name)) if !file.is_empty() && !name.is_empty() => Ok((file, Some(name))),
        Some(_) => Err(Trouble::Usage(format!("expected FILE or FILE#NAME after --file, not {said:?}"))),
    }
}

/// A file and its text, to say where in it something is wrong.
struct File<'a> {
    path: &'a str,
    text: String,
}

type Table<'a> = DeTable<'a>;
type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> File<'a> {
    fn read(path: &'a str) -> Result<File<'a>, Trouble> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(File { path, text }),
            Err(error) => Err(Trouble::Usage(format!("cannot read {path}: {error}"))),
        }
    }

    fn parse(&self) -> Result<Table<'_>, Trouble> {
        match DeTable::parse(&self.text) {
            Ok(table) => Ok(table.into_inner()),
            Err(error) => Err(self.wrong(error.span(), "the file cannot be read", error.message())),
        }
    }

    /// What the file says of itself, if it does.
    fn top<K: Kind>(&self, table: &Table<'_>) -> Result<Option<K>, Trouble> {
        table.get("policy").map(|value| self.value(value, "`policy`")).transpose()
    }

    fn named<K: Kind>(&self, table: &Table<'_>, name: &str) -> Result<K, Trouble> {
        match self.policies(table)?.and_then(|policies| policies.get(name)) {
            Some(value) => self.value(value, &format!("`{name}` of `policies`")),
            None => {
                let names = self.names(table)?;
                let meant = did_you_mean(name, names.iter().copied());
                let there = list("it has", &names);
                let path = self.path;
                Err(Trouble::Usage(format!("{path} has no {name:?} in `[policies]`: {there}.{meant}")))
            }
        }
    }

    fn policies<'t>(&self, table: &'t Table<'_>) -> Result<Option<&'t DeTable<'t>>, Trouble> {
        let Some(value) = table.get("policies") else { return Ok(None) };
        match value.get_ref() {
            DeValue::Table(policies) => Ok(Some(policies)),
            _ => Err(self.wrong(
                Some(value.span()),
                "`policies` cannot be read",
                "expected a table of policies",
            )),
        }
    }

    fn names<'t>(&self, table: &'t Table<'_>) -> Result<Vec<&'t str>, Trouble> {
        let policies = self.policies(table)?;
        Ok(policies.map_or(Vec::new(), |policies| policies.keys().map(|key| &**key.get_ref()).collect()))
    }

    /// Neither a name was said nor is there one to fall back on.
    fn no_policy(&self, table: &Table<'_>) -> Trouble {
        let path = self.path;
        let names = self.names(table).unwrap_or_default();
        if let Some(name) = names.first() {
            let there = list("`[policies]` has", &names);
            return Trouble::Usage(format!("{path} has no `policy`; {there}. Say which: {path}#{name}"));
        }
        let there = list("it has", &table.keys().map(|key| &**key.get_ref()).collect::<Vec<_>>());
        Trouble::Usage(format!("{path} has neither a `policy` nor `[policies]`: {there}"))
    }

    fn value<K: Kind>(&self, value: &Value<'_>, what: &str) -> Result<K, Trouble> {
        let what = format!("{what} cannot be read");
        match value.get_ref() {
            DeValue::String(text) => K::parse_in(text, home(text)).map_err(|error| {
                // Where the text stands as it is, without escapes, the caret can point into it.
                let raw = self.text.get(value.span()).unwrap_or_default();
                match raw.find(&**text) {
                    Some(lead) => {
                        self.wrong_at(value.span().start + lead + error.at, &what, &error.problem.to_string())
                    }
                    None => self.wrong(Some(value.span()), &what, &error.to_string()),
                }
            }),
            DeValue::Table(keys) => K::from_table(keys, ValueDeserializer::from(value.clone()))
                .map_err(|error| self.wrong(error.span(), &what, &in_words(error.message()))),
            _ => Err(self.wrong(
                Some(value.span()),
                &what,
                "expected a text or a table with the words of a policy",
            )),
        }
    }

    fn wrong(&self, span: Option<Range<usize>>, what: &str, problem: &str) -> Trouble {
        self.wrong_at(span.map_or(0, |span| span.start), what, problem)
    }

    /// The place, the line, and a caret below what is wrong in it.
    fn wrong_at(&self, at: usize, what: &str, problem: &str) -> Trouble {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let shown: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let (number, column) =
            (before.matches('\n').count() + 1, self.text[start..before.len()].chars().count());
        Trouble::Usage(format!(
            "{}, line {number}, column {}: {what}\n  {shown}\n  {:column$}^ {problem}",
            self.path,
            column + 1,
            ""
        ))
    }
}

/// The library's word for it speaks to programmers.
fn in_words(message: &str) -> String {
    match message.starts_with("schedule: ") {
        true => "expected another shape: a schedule is written as one text, \"schedule 1s,5s,30s\"".into(),
        false => message.into(),
    }
}

fn list(lead: &str, names: &[&str]) -> String {
    if names.is_empty() { format!("{lead} nothing") } else { format!("{lead} {}", names.join(", ")) }
}
