//! Scripts of the AWS SDKs: waits under a quota. The waits are run; the quota is a budget.

use crate::case::Fields;
use crate::curve::{Curve, Shape};
use crate::findings::{Checked, Findings, ensure, not_applicable};
use crate::kinds::script::walked;
use crate::models;

/// The reason for all of these.
const QUOTA: &str = "not built: budgets (the quota)";

pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let curve = models::curve(policy)?;
    let error = case.object("input").and_then(|input| input.text("error")).unwrap_or("server");
    let curve = match (&curve.shape, policy.text("spec")) {
        (Shape::Exponential { factor, .. }, Some("2.1")) if error.starts_with("throttling") => {
            Curve { shape: Shape::Exponential { first: 1e9, factor: *factor }, ..curve.clone() }
        }
        _ => curve,
    };
    let mut at = 0;
    for step in expect.objects("steps")? {
        if step.flag("new_call") {
            at = 0;
        }
        let Some(want) = step.length("delay")? else { continue };
        if error.contains("carries") {
            break; // one of its errors has a hint
        }
        let got = walked(&curve.policy(at + 1)?, at + 1).0.get(at).copied().unwrap_or(-1.0);
        ensure((got - want).abs() <= 1e-5 * want + 1e3, || {
            format!("wait {} of {want} ns; got {got} ns", at + 1)
        })?;
        at += 1;
    }
    if at > 0 {
        found.remark("the waits beside the quota were run and agree");
    }
    not_applicable(QUOTA)
}
