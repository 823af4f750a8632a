//! From a peer's model and its parameters to a curve; one file a family.

mod algebra;
mod amazon;
pub(crate) mod go;
mod kubernetes;
mod others;

use crate::case::Fields;
use crate::curve::Curve;
use crate::findings::{Checked, failed, not_applicable};

/// From the name of a model and its parameters to its curve.
type Read = fn(&str, &Fields) -> Checked<Curve>;

/// The models that are a curve.
const FAMILIES: [(&[&str], Read); 5] = [
    (&algebra::MODELS, algebra::curve),
    (&amazon::MODELS, amazon::curve),
    (&go::MODELS, go::curve),
    (&kubernetes::MODELS, kubernetes::curve),
    (&others::MODELS, others::curve),
];

/// The models that have a check of their own.
const RULES: [&str; 10] = [
    "all",
    "any",
    "busy-poll",
    "cenkalti-v7",
    "grpc-service-config",
    "intensity",
    "never",
    "stop-after-attempt",
    "stop-after-delay",
    "stop-before-delay",
];

/// The curve of a policy, by its `model`.
pub(crate) fn curve(policy: &Fields) -> Checked<Curve> {
    let Some(model) = policy.text("model") else { return failed("policy.model is missing") };
    if let Some(reason) = not_built(model) {
        return not_applicable(reason);
    }
    match FAMILIES.iter().find(|(models, _)| models.contains(&model)) {
        Some((_, read)) => read(model, policy),
        None => failed(format!("the model {model:?} has no curve here")),
    }
}

/// Whether the runner knows the model at all: as a curve, as a rule of its own, or as not built.
pub(crate) fn is_known(model: &str) -> bool {
    let has_a_curve = FAMILIES.iter().any(|(models, _)| models.contains(&model));
    has_a_curve || not_built(model).is_some() || RULES.contains(&model)
}

/// What the product does not have yet.
pub(crate) fn not_built(model: &str) -> Option<&'static str> {
    Some(match model {
        "max-of" => "not built: the longest of several limiters",
        "quota" | "aws-quota" | "aws-c-io-standard" | "aws-token-bucket" | "grpc-throttle"
        | "finagle-budget" | "envoy-budget" => "not built: budgets",
        "aws-cubic" | "aws-adaptive" | "aws-rate-clocker" | "aws-client-rate-limiter" => {
            "not built: adaptive rates"
        }
        "sre-adaptive" => "not built: budgets (adaptive throttling)",
        "aws-2015" | "brooker-retry" | "brooker-collapse" => "not built: simulations",
        _ => return None,
    })
}
