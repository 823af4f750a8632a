//! Faults whose part of the product is not built. They are listed, never left out.

/// A fault that cannot be tested yet.
pub(crate) struct Waiting {
    /// What it will be called.
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) seen: &'static [&'static str],
    pub(crate) law: &'static str,
    pub(crate) input: &'static str,
    /// What is right then.
    pub(crate) right: &'static str,
    pub(crate) no_peer: Option<&'static str>,
    /// The part of the product that it waits for.
    pub(crate) waits_for: &'static str,
}

const BUDGETS: &str = "budgets";

pub(crate) const WAITING: &[Waiting] = &[
    Waiting {
        name: "the_token_bucket_is_never_asked",
        what: "The token bucket is there and never consulted.",
        seen: &["awslabs/aws-sdk-rust#1234"],
        law: "13",
        input: "a bucket of 500, always failing",
        right: "stops on the quota long before the attempts are used",
        no_peer: Some("not run here: the bucket is private to a client, which needs a service"),
        waits_for: BUDGETS,
    },
    Waiting {
        name: "the_percentage_is_an_integer_division",
        what: "The percentage of a retry budget is computed by an integer division.",
        seen: &["tower-rs/tower#130", "tower 0.5 budget (run)"],
        law: "13",
        input: "60 % extra load, 1000 deposits",
        right: "600 retries",
        no_peer: None,
        waits_for: BUDGETS,
    },
    Waiting {
        name: "half_open_admits_everybody",
        what: "A half-open circuit breaker admits every call.",
        seen: &["failsafe 1.3 (run)", "reliakit-circuit 1.1 (run)"],
        law: "13",
        input: "opened by a failure, its pause over; 1000 calls at once",
        right: "the configured probes",
        no_peer: None,
        waits_for: "breakers",
    },
    Waiting {
        name: "the_header_is_not_read",
        what: "The text of Retry-After itself: seconds, a date, a date that has passed, garbage. (What is done with a hint is tested above.)",
        seen: &["kubescape/kubevuln#754", "superglue-ai/superglue#699", "tobert/kaibo#171"],
        law: "5",
        input: "\"0\", \"-1\", \"NaN\", \"99999999999999999999\", a date in the past",
        right: "no hint, or a saturated one",
        no_peer: Some("loops inside applications or clients, not to be called alone"),
        waits_for: "HTTP hints",
    },
];
