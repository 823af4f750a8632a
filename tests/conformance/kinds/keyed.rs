//! A backoff for each key: operations on a table, beside the peer's own rule in plain code.

use crate::build::duration;
use crate::case::Fields;
use crate::curve::Curve;
use crate::findings::{Checked, Findings, ensure, failed, not_applicable};
use crate::models;
use std::collections::HashMap;
use undaunted::{Instant, Keyed, Micros, Outcome, Recovery, Verdict};

/// Keys in a case are few.
type Table = Keyed<String, 8>;

/// What a case asks and what it expects, both in nanoseconds where they are lengths.
enum Ask {
    /// A failure, and what its wait must be, if that is said.
    Fail(Option<f64>),
    Forget,
    /// The wait of the latest failure.
    Got(f64),
    InBackoff(bool),
    Requeues(u32),
}

/// Runs the operations on the product, by the law, and by the peer's rule. The case must agree with the peer's
/// rule, the product with the law's; where these differ, law 10 decides.
pub(crate) fn script(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let curve = models::curve(policy)?;
    let recovery = recovery(&curve, policy)?;
    let reset_after = recovery.settings().reset_after.as_micros() as f64 * 1e3;
    let mut world = World {
        table: Table::start(&recovery).expect("it has no intensity"),
        recovery: &recovery,
        lawful: Naive {
            curve: &curve,
            reset_after,
            counts_sleep: false,
            strict: false,
            keys: HashMap::new(),
        },
        theirs: Naive {
            curve: &curve,
            reset_after,
            counts_sleep: true,
            strict: policy.text("expired_rule").is_none(),
            keys: HashMap::new(),
        },
        now: 0.0,
        marks: HashMap::new(),
    };
    if policy.number_or("max_jitter_factor", 0.0)? > 0.0 {
        return jittered(case, expect, &curve, &recovery, found);
    }
    let mut settled = false;
    for operation in case.objects("input")? {
        settled |= world.operate(&operation)?;
    }
    if settled {
        found.law(10, "the time slept in backoff is not health: a streak is over so long after its wait");
    }
    expect.all_true(&["all_wants"])
}

/// The waits of a key that fails each time it is due, beside another key that fails less.
pub(crate) fn waits(policy: &Fields, expect: &Fields) -> Checked {
    let curve = models::curve(policy)?;
    let recovery = recovery(&curve, policy)?;
    let mut table = Table::start(&recovery).expect("it has no intensity");
    let mut now = Instant::default();
    for (at, want) in expect.lengths("delays")?.unwrap_or_default().into_iter().enumerate() {
        if at % 3 == 0 {
            let _ = table.next(&recovery, "other".to_string(), Outcome::Fail, now, 0);
        }
        let verdict = table.next(&recovery, "one".to_string(), Outcome::Fail, now, 0);
        let wait = Micros::from_duration(duration(want));
        ensure(verdict == Verdict::RetryAfter(wait), || {
            format!("wait {} of the table {wait}; got {verdict:?}", at + 1)
        })?;
        now = now + wait;
    }
    Ok(())
}

fn recovery(curve: &Curve, policy: &Fields) -> Checked<Recovery> {
    let draft = Recovery::draft(curve.policy(usize::MAX >> 1)?);
    let draft = match reset_after(policy)? {
        Some(length) => draft.reset_after(duration(length)),
        None => draft,
    };
    draft.build().or_else(|_| failed("the builder refuses it"))
}

/// After how long a key is forgotten: said in the case, or in words; never, where nothing expires.
fn reset_after(policy: &Fields) -> Checked<Option<f64>> {
    match (policy.text("model"), policy.text("expired_rule")) {
        (Some("k8s-item-exponential" | "k8s-fast-slow"), _) => Ok(Some(f64::INFINITY)),
        (_, Some(rule)) => {
            let seconds = rule.strip_prefix("event-last >= ").and_then(|rule| rule.strip_suffix('s'));
            match seconds.and_then(|seconds| seconds.parse::<f64>().ok()) {
                Some(seconds) => Ok(Some(seconds * 1e9)),
                None => not_applicable(format!("the rule {rule:?} is not understood")),
            }
        }
        (_, None) => policy.length("reset_after"),
    }
}

struct World<'a> {
    table: Table,
    recovery: &'a Recovery,
    lawful: Naive<'a>,
    theirs: Naive<'a>,
    now: f64,
    marks: HashMap<String, f64>,
}

impl World<'_> {
    /// One operation; whether the law decided otherwise than the peer's rule.
    fn operate(&mut self, operation: &Fields) -> Checked<bool> {
        match operation.text("op").unwrap_or_default() {
            "advance" => self.now += operation.needed("ns")? * operation.scale(),
            "set_time" => self.now = operation.needed("ns")? * operation.scale(),
            "mark" => {
                self.marks.insert(operation.text("name").unwrap_or_default().to_string(), self.now);
            }
            word => {
                let Some(key) = operation.text("key") else { return failed("an operation needs a key") };
                let Some(ask) = self.ask(word, key, operation)? else {
                    return failed(format!("the operation {word:?} is not understood"));
                };
                let mut settled = false;
                for _ in 0..operation.count("repeat")?.unwrap_or(1) {
                    settled |= self.both(key, &ask)?;
                }
                return Ok(settled);
            }
        }
        Ok(false)
    }

    fn ask(&self, word: &str, key: &str, operation: &Fields) -> Checked<Option<Ask>> {
        let want = || match operation.value("want").and_then(|want| want.as_bool()) {
            Some(want) => Ok(Some(Ask::InBackoff(want))),
            None => failed("an operation needs what it wants"),
        };
        match word {
            "when" | "next" => Ok(Some(Ask::Fail(operation.length("want")?))),
            "forget" | "reset" => Ok(Some(Ask::Forget)),
            "get" => Ok(Some(Ask::Got(operation.needed_length("want")?))),
            "requeues" => Ok(operation.count("want")?.map(Ask::Requeues)),
            "in_backoff_since_update" => want(),
            // An event of that time; the table knows of one, the latest failure.
            "in_backoff_since" => {
                let event = match operation.text("event").unwrap_or_default() {
                    "now" => Some(self.now),
                    mark => self.marks.get(mark).copied(),
                };
                match event == self.theirs.keys.get(key).map(|kept| kept.updated) {
                    true => want(),
                    false => not_applicable("a table knows of no other event than the latest failure"),
                }
            }
            _ => Ok(None),
        }
    }

    fn both(&mut self, key: &str, ask: &Ask) -> Checked<bool> {
        let lawful = self.lawful.answer(key, ask, self.now);
        let theirs = self.theirs.answer(key, ask, self.now);
        let got = self.product(key, ask)?;
        ensure(got == lawful, || format!("{key:?} at {} s, by the law {lawful}; got {got}", self.now / 1e9))?;
        let want = match ask {
            Ask::Fail(None) | Ask::Forget => return Ok(lawful != theirs),
            Ask::Fail(Some(length)) | Ask::Got(length) => *length,
            Ask::InBackoff(want) => f64::from(u8::from(*want)),
            Ask::Requeues(want) => f64::from(*want),
        };
        ensure(want == theirs, || format!("{key:?} at {} s expected {want}; got {theirs}", self.now / 1e9))?;
        Ok(lawful != theirs)
    }

    fn product(&mut self, key: &str, ask: &Ask) -> Checked<f64> {
        let (name, recovery) = (key.to_string(), self.recovery);
        let now = Instant::default() + Micros::from_duration(duration(self.now));
        Ok(match ask {
            Ask::Fail(_) => match self.table.next(recovery, name, Outcome::Fail, now, 0) {
                Verdict::RetryAfter(wait) => wait.as_micros() as f64 * 1e3,
                other => return failed(format!("a wait; got {other:?}")),
            },
            // A success is what forgets.
            Ask::Forget => match self.table.next(recovery, name, Outcome::Succeed, now, 0) {
                Verdict::Done => 0.0,
                other => return failed(format!("done; got {other:?}")),
            },
            // What it was told is with the caller; here the law keeps it.
            Ask::Got(_) => self.lawful.keys.get(key).map_or(0.0, |kept| kept.wait),
            Ask::InBackoff(_) => f64::from(u8::from(!self.table.is_due(recovery, &name, now))),
            Ask::Requeues(_) => f64::from(self.table.attempts(recovery, &name, now)),
        })
    }
}

/// A table in plain code; nothing here looks at the product.
struct Naive<'a> {
    curve: &'a Curve,
    reset_after: f64,
    /// Being unused counts from the latest failure, and not from the end of its wait.
    counts_sleep: bool,
    /// It must have been longer.
    strict: bool,
    keys: HashMap<String, Kept>,
}

struct Kept {
    failures: usize,
    updated: f64,
    wait: f64,
}

impl Naive<'_> {
    fn is_over(&self, kept: &Kept, now: f64) -> bool {
        let unused = now - kept.updated - if self.counts_sleep { 0.0 } else { kept.wait };
        if self.strict { unused > self.reset_after } else { unused >= self.reset_after }
    }

    fn answer(&mut self, key: &str, ask: &Ask, now: f64) -> f64 {
        let kept = self.keys.get(key);
        let live = kept.filter(|kept| !self.is_over(kept, now));
        match ask {
            Ask::Fail(_) => {
                let failures = live.map_or(0, |kept| kept.failures);
                let wait = self.curve.theirs(failures).0.min(self.curve.cap());
                self.keys.insert(key.to_string(), Kept { failures: failures + 1, updated: now, wait });
                wait
            }
            Ask::Forget => {
                self.keys.remove(key);
                0.0
            }
            Ask::Got(_) => kept.map_or(0.0, |kept| kept.wait),
            Ask::InBackoff(_) => f64::from(u8::from(live.is_some_and(|kept| now - kept.updated < kept.wait))),
            Ask::Requeues(_) => live.map_or(0.0, |kept| kept.failures as f64),
        }
    }
}

/// With jitter the peer's waits grow by their jitter too, and lose it at the cap. Here each is drawn from the range
/// of its place on the curve, the cap included.
fn jittered(
    case: &Fields,
    expect: &Fields,
    curve: &Curve,
    recovery: &Recovery,
    found: &mut Findings,
) -> Checked {
    const RULE: &str = "first in (100ms,110ms]; then each in (2*prev, 2.1*prev] or == 60s";
    ensure(expect.text("rule") == Some(RULE), || format!("the rule {RULE:?}"))?;
    let operations = case.objects("input")?;
    let mut ways = Vec::new();
    for random in [0, u32::MAX] {
        let (mut table, mut now) = (Table::start(recovery).expect("it has no intensity"), Instant::default());
        let mut waits = Vec::new();
        for operation in &operations {
            match (operation.text("op"), operation.text("key")) {
                (Some("advance"), None) => {
                    now = now + Micros::from_duration(duration(operation.needed("ns")?));
                }
                (Some("next"), Some(key)) => {
                    let verdict = table.next(recovery, key.to_string(), Outcome::Fail, now, random);
                    let Verdict::RetryAfter(wait) = verdict else { return failed("a wait") };
                    waits.push(wait.as_micros() as f64 * 1e3);
                }
                _ => return failed("only `advance` and `next` are understood here"),
            }
        }
        ways.push(waits);
    }
    let (lowest, highest) = (&ways[0], &ways[1]);
    let attempts = expect.count("attempts")?.unwrap_or(0) as usize;
    ensure(lowest.len() == attempts, || format!("{attempts} attempts; got {}", lowest.len()))?;
    for (at, (low, high)) in lowest.iter().zip(highest).enumerate() {
        let (lawful_low, lawful_high) = curve.lawful(at);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b + 2e3;
        ensure(near(*low, lawful_low) && near(*high, lawful_high), || {
            format!("wait {} by the laws {lawful_low} to {lawful_high} ns; got {low} to {high}", at + 1)
        })?;
        ensure(low < high && *high <= curve.cap() * 1.000_01, || {
            "jitter at the cap, and no more".to_string()
        })?;
    }
    found.law(2, "a computed delay never exceeds the cap, jitter included");
    found.law(3, "jitter survives at the cap: a draw is not carried into the next delay");
    Ok(())
}
