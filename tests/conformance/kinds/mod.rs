//! One file a kind of case; the way from a case to its answer.

pub(crate) mod delay_at;
pub(crate) mod delays;
mod keyed;
mod property;
mod quota;
mod recovery;
mod rules;
mod run;
mod script;
mod stop;
mod totals;
mod validation;

use crate::case::Fields;
use crate::findings::{Answer, Checked, End, Findings, Record, ensure, failed, not_applicable};
use crate::models;
use serde_json::Value;
use std::panic::AssertUnwindSafe;

/// Runs one case.
pub(crate) fn answer(case: &Value, number: usize) -> Record {
    let id = case["id"].as_str().map_or_else(|| format!("case {number}"), str::to_string);
    let mut found = Findings::default();
    let examined = std::panic::catch_unwind(AssertUnwindSafe(|| examine(case, &mut found)));
    let answer = match examined.unwrap_or_else(|_| failed("a panic; see above")) {
        Ok(()) if found.laws.is_empty() => Answer::Passed,
        Ok(()) => Answer::Settled(found.laws),
        Err(End::NotApplicable(reason)) => Answer::NotApplicable(reason),
        Err(End::Failed(words)) => Answer::Failed(words),
    };
    Record { id, answer, remarks: found.remarks }
}

fn examine(case: &Value, found: &mut Findings) -> Checked {
    let case = Fields::of_case(case)?;
    case.informative(&["id", "test", "provenance", "title"]);
    let (Some(kind), Some(policy), Some(expect)) =
        (case.text("kind"), case.object("policy"), case.object("expect"))
    else {
        return failed("a case needs a kind, a policy and what to expect");
    };
    let Some(model) = policy.text("model") else { return failed("policy.model is missing") };
    if !models::is_known(model) {
        return failed(format!("the model {model:?} is not known to this runner"));
    }
    ensure(!expect.is_empty(), || "something in `expect`; it is empty".to_string())?;
    if case.is_scaled() {
        found.remark("below a microsecond: run with 1 ns as 1 us");
    }
    let defect = case.has("upstream_defect");
    kinds(kind, model, &case, &policy, &expect, found)?;
    if model == "polly" && policy.text("type") == Some("exponential") && policy.flag("jitter") {
        found.remark("decorrelated jitter V2 is run as full jitter above 1 us: the same bounds");
    }
    let unread = case.unread();
    if !unread.is_empty() {
        return not_applicable(format!("not understood: {}; the rest agrees", unread.join(", ")));
    }
    if defect && found.laws.is_empty() {
        found.remark("its defect is in no number that is compared");
    }
    Ok(())
}

fn kinds(
    kind: &str,
    model: &str,
    case: &Fields,
    policy: &Fields,
    expect: &Fields,
    found: &mut Findings,
) -> Checked {
    if let Some(reason) = models::not_built(model) {
        return match KINDS.contains(&kind) {
            true => not_applicable(reason),
            false => failed(format!("the kind {kind:?} is not known to this runner")),
        };
    }
    match kind {
        "accept" => validation::accept(case, policy, expect, found),
        "bucket" if model == "intensity" => recovery::intensity(case, policy, expect),
        "bucket" => not_applicable("not built: budgets"),
        "delay_at" => delay_at::check(case, policy, expect, found),
        "delays" => delays::check(case, policy, expect, found),
        // The waits of one key, also without the table.
        "keyed" if !case.has("input") => {
            delays::check(case, policy, expect, found)?;
            keyed::waits(policy, expect)
        }
        "keyed" => keyed::script(case, policy, expect, found),
        "property" => property::check(case, policy, expect, found),
        "rate" => not_applicable("not built: adaptive rates"),
        "reject" => validation::reject(case, policy, expect, found),
        "run" => run::check(case, policy, expect, found),
        "script" => script::check(case, policy, expect, found),
        "simulation" => not_applicable("not built: simulations"),
        "stop" => stop::check(case, policy, expect, found),
        "totals" => totals::check(case, policy, expect, found),
        _ => failed(format!("the kind {kind:?} is not known to this runner")),
    }
}

/// All kinds of the cases' own description.
const KINDS: [&str; 13] = [
    "bucket",
    "delay_at",
    "delays",
    "keyed",
    "property",
    "rate",
    "reject",
    "run",
    "script",
    "simulation",
    "stop",
    "totals",
    "accept",
];
