//! The product's waits, one failure after another, against what a case expects and what the laws say.

use crate::curve::{Bound, Curve, SATURATED, Shape, Waits};
use crate::findings::{Checked, Findings, ensure, failed, not_applicable};
use undaunted::{Draft, Instant, Micros, Outcome, Policy, Reason, Retry, Rule, Verdict};

/// What a case expects of one wait (from 0); exact numbers have one length twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Want {
    pub(crate) at: usize,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The draw behind an exact number, in [0, 1].
    pub(crate) draw: Option<f64>,
}

impl Want {
    /// Exactly this.
    pub(crate) fn exactly(at: usize, length: f64, draw: Option<f64>) -> Want {
        Want { at, low: length, high: length, draw }
    }
}

/// The `u32` of a uniform draw; 1 is the top.
pub(crate) fn draw(uniform: f64) -> u32 {
    (uniform * 4_294_967_296.0).floor().clamp(0.0, f64::from(u32::MAX)) as u32
}

/// The first waits in nanoseconds, each from the draw of its number, and what a further failure brings.
pub(crate) fn walk(policy: &Policy, waits: usize, draw: impl Fn(usize) -> u32) -> (Vec<f64>, Verdict) {
    let now = Instant::from_micros(0);
    let mut retry = Retry::start(policy, now);
    let mut lengths = Vec::new();
    loop {
        let verdict = retry.next(policy, Outcome::Fail, now, draw(lengths.len()));
        match verdict {
            Verdict::RetryAfter(wait) if lengths.len() < waits => lengths.push(wait.as_micros() as f64 * 1e3),
            verdict => return (lengths, verdict),
        }
    }
}

/// Compares waits: the product with the laws always, and with the case; where the case states what the
/// peer's own rule gives and a law says otherwise, the law is noted.
pub(crate) fn compare(curve: &Curve, wants: &[Want], found: &mut Findings) -> Checked {
    if is_hot_loop(curve) {
        return refused_hot_loop(curve, wants, found);
    }
    if let Some(rule) = zero_within(curve) {
        return refused_zero(curve, rule, wants, found);
    }
    let wants = shifted(curve, wants, found)?;
    let Some(last) = wants.iter().map(|want| want.at).max() else { return Ok(()) };
    if last > FARTHEST {
        return not_applicable("a wait beyond the millionth is not walked to");
    }
    let policy = curve.policy(last + 1)?;
    let lowest = walk(&policy, last + 1, |_| 0).0;
    let highest = walk(&policy, last + 1, |_| u32::MAX).0;
    for want in &wants {
        let Some((&low, &high)) = lowest.get(want.at).zip(highest.get(want.at)) else {
            return failed(format!("a wait {}; got: given up after {} waits", want.at + 1, lowest.len()));
        };
        let got = match want.draw {
            None => (low, high),
            Some(uniform) => {
                let drawn = walk(&policy, want.at + 1, |_| draw(uniform)).0[want.at];
                (drawn, drawn)
            }
        };
        one(curve, want, got, found)?;
    }
    Ok(())
}

/// How far a curve is walked.
pub(crate) const FARTHEST: usize = 1_000_000;

fn one(curve: &Curve, want: &Want, got: (f64, f64), found: &mut Findings) -> Checked {
    let at = want.at;
    let lawful = drawn(curve.lawful(at), want.draw);
    let tolerance = tolerance(curve, at, want.draw);
    ensure(near(got, lawful, tolerance), || {
        format!("wait {} by the laws {}; got {}", at + 1, range(lawful), range(got))
    })?;
    if want.high >= SATURATED {
        found.law(2, "lengths end at a cap, here 2^63 - 1 ns");
        found.law(7, "huge values saturate");
        if got.0 >= SATURATED * (1.0 - 1e-5) {
            return Ok(());
        }
    }
    if near(got, (want.low, want.high), tolerance) {
        return Ok(());
    }
    let (low, high) = curve.theirs(at);
    let theirs = match (want.draw, curve.bound) {
        // Where the value drawn is cut off, the draw comes first.
        (Some(_), Bound::Draw(cap)) => {
            let whole = Curve { bound: Bound::None, ..curve.clone() };
            let (value, _) = drawn(whole.theirs(at), want.draw);
            (value.min(cap), value.min(cap))
        }
        _ => drawn((low, high), want.draw),
    };
    let laws = curve.deciding(at);
    let by_their_rule = near(theirs, (want.low, want.high), (tolerance.0, tolerance.1 + curve.slack));
    if laws.is_empty() || !by_their_rule {
        let expected = range((want.low, want.high));
        return failed(format!("wait {} expected {expected}; got {}", at + 1, range(got)));
    }
    for (law, decided) in laws {
        found.law(law, decided);
    }
    Ok(())
}

/// Relative, and nanoseconds: 0.001 % and 1 us a step, or next to nothing where nothing is rounded.
fn tolerance(curve: &Curve, at: usize, draw: Option<f64>) -> (f64, f64) {
    if curve.is_exact(at) && draw.is_none() { (1e-12, 0.5) } else { (1e-5, 1e3 * (at.min(100) + 1) as f64) }
}

fn near(a: (f64, f64), b: (f64, f64), (relative, absolute): (f64, f64)) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= relative * b.abs() + absolute;
    near(a.0, b.0) && near(a.1, b.1)
}

fn drawn((low, high): (f64, f64), draw: Option<f64>) -> (f64, f64) {
    match draw {
        None => (low, high),
        Some(uniform) => {
            let value = low + uniform * (high - low);
            (value, value)
        }
    }
}

/// Lengths for people.
pub(crate) fn range((low, high): (f64, f64)) -> String {
    let seconds = |nanos: f64| format!("{} s", nanos / 1e9);
    if low == high { seconds(low) } else { format!("{} to {}", seconds(low), seconds(high)) }
}

/// A first retry without a delay is law 4's: the builder refuses it, and the rest is the curve.
fn shifted(curve: &Curve, wants: &[Want], found: &mut Findings) -> Checked<Vec<Want>> {
    if !curve.leading_zero {
        return Ok(wants.to_vec());
    }
    for want in wants.iter().filter(|want| want.at == 0) {
        ensure(want.high == 0.0, || format!("wait 1 expected {}; theirs is none", want.high))?;
    }
    const ZERO_FIRST: &[Micros] = &[Micros::ZERO, Micros::new(1)];
    refused(Policy::draft().schedule(ZERO_FIRST), Rule::ScheduleZero)?;
    found.law(4, "no first wait of zero in a curve: it begins with the second");
    let later = wants.iter().filter(|want| want.at > 0);
    Ok(later.map(|want| Want { at: want.at - 1, ..*want }).collect())
}

/// No delay, for ever.
pub(crate) fn is_hot_loop(curve: &Curve) -> bool {
    matches!((&curve.shape, curve.waits), (Shape::Immediate, Waits::Unlimited)) && curve.floor == 0.0
}

fn refused_hot_loop(curve: &Curve, wants: &[Want], found: &mut Findings) -> Checked {
    for want in wants {
        ensure(want.high == 0.0, || format!("wait {} expected {}; theirs is none", want.at + 1, want.high))?;
    }
    refused(curve.draft(1), Rule::HotLoop)?;
    refused(Policy::draft().constant(std::time::Duration::ZERO).unlimited_attempts(), Rule::FirstZero)?;
    found.law(4, "no delay without a limit of attempts is refused");
    Ok(())
}

/// The rule against a delay of zero in a curve that has others.
fn zero_within(curve: &Curve) -> Option<Rule> {
    match &curve.shape {
        Shape::Linear { first, .. } if *first <= 0.0 => Some(Rule::FirstZero),
        Shape::List(steps) if steps.iter().any(|step| *step <= 0.0) => Some(Rule::ScheduleZero),
        _ => None,
    }
}

fn refused_zero(curve: &Curve, rule: Rule, wants: &[Want], found: &mut Findings) -> Checked {
    for want in wants {
        let theirs = curve.theirs(want.at);
        let agrees = near(theirs, (want.low, want.high), (1e-5, 1e3));
        ensure(agrees, || format!("wait {} expected {}; theirs is {}", want.at + 1, want.high, theirs.0))?;
    }
    refused(curve.draft(1), rule)?;
    found.law(4, "a delay of zero is refused, unless the policy says `immediate`");
    Ok(())
}

/// The builder refuses it by this rule.
pub(crate) fn refused(draft: Draft, rule: Rule) -> Checked {
    match draft.build() {
        Err(invalid) if invalid.rule == rule => Ok(()),
        Err(invalid) => failed(format!("refused by {rule:?}; got {:?}", invalid.rule)),
        Ok(policy) => failed(format!("refused by {rule:?}; got a policy: {policy}")),
    }
}

/// After so many waits comes the end, or does not.
pub(crate) fn ends(curve: &Curve, waits: usize, stops: bool) -> Checked {
    let policy = curve.policy(waits)?;
    let (lengths, verdict) = walk(&policy, waits, |_| 0);
    let expected = if stops { "no more" } else { "another" };
    let stopped = verdict == Verdict::GiveUp(Reason::Attempts);
    ensure(lengths.len() == waits && stopped == stops, || {
        format!("{waits} waits and {expected}; got {} and {verdict:?}", lengths.len())
    })
}
