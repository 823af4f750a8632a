//! What the observers for `log`, `tracing` and `metrics` emit: lines, levels, fields and counters, exactly.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::future::{poll_fn, ready};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;
use undaunted::{Event, Instant, Last, Micros, Observe, Policy, Reason, Silent, Verdict, asynch, blocking};
use undaunted_tests::simulated::{World, block_on};

const WRITE: Policy =
    Policy::linear(Duration::from_millis(500), Duration::from_millis(250)).no_jitter().attempts(3);

/// Nothing of an error may be in a label, or in a line above `debug` before it gives up.
const SECRET: &str = "token 4711 refused";

/// An operation that fails so many times, and takes 10 ms.
fn failing(times: u32, world: &World) -> impl FnMut() -> Result<u32, &'static str> + use<> {
    let (world, mut calls) = (world.clone(), 0);
    move || {
        world.pass(10_000);
        calls += 1;
        if calls > times { Ok(calls) } else { Err(SECRET) }
    }
}

/// The life of each kind of operation, told to the observer that `make` makes.
fn tell_all<H: FnMut(&Event<'_, &'static str>)>(make: impl Fn() -> H) {
    for times in [0, 2, 3] {
        let world = World::default();
        let _ = blocking::retry(world.clone(), &WRITE, failing(times, &world)).on_event(make()).run();
    }
    let world = World::default();
    let retry = blocking::retry(world.clone(), &WRITE, failing(9, &world)).on_event(make());
    let _ = retry.when(|error| *error != SECRET).run();
    let retry = blocking::retry(World::default(), &WRITE, failing(9, &world)).on_event(make());
    let _ = retry.deadline(Instant::default()).run();
    // Cancelled in its wait: the attempt before it is told of once more.
    let world = World::default();
    let (token, mut operation) = (world.clone(), failing(9, &world));
    let token = poll_fn(move |_| if token.now() > 100_000 { Poll::Ready(()) } else { Poll::Pending });
    let retry = asynch::retry(world, &WRITE, || ready(operation())).on_event(make());
    let _ = block_on(retry.cancel(token));
    // What the other runs do not show.
    let mut observer = make();
    let told =
        |attempt, last, verdict| Event { attempt, limit: None, last, verdict, elapsed: Micros::new(7) };
    observer(&told(1, Last::Cut, Verdict::RetryAfter(Micros::from_secs(2))));
    observer(&told(2, Last::NotYet(()), Verdict::RetryAfter(Micros::from_secs(2))));
    observer(&told(3, Last::NotYet(()), Verdict::GiveUp(Reason::Hint)));
}

/// The lines of `tell_all`, in order, and how loud each is.
const LINES: [(&str, &str); 14] = [
    ("TRACE", "attempt 1/3 succeeded after 10 ms"),
    ("DEBUG", "attempt 1/3 failed: token 4711 refused; next in 500 ms"),
    ("DEBUG", "attempt 2/3 failed: token 4711 refused; next in 750 ms"),
    ("INFO", "attempt 3/3 succeeded after 1.28 s"),
    ("DEBUG", "attempt 1/3 failed: token 4711 refused; next in 500 ms"),
    ("DEBUG", "attempt 2/3 failed: token 4711 refused; next in 750 ms"),
    ("ERROR", "attempt 3/3 failed: token 4711 refused; giving up after 1.28 s: no attempts left"),
    ("ERROR", "attempt 1/3 failed: token 4711 refused; giving up after 10 ms: not worth retrying"),
    ("ERROR", "no attempt made; giving up after 0 us: no time left"),
    ("DEBUG", "attempt 1/3 failed: token 4711 refused; next in 500 ms"),
    ("INFO", "attempt 1/3 failed: token 4711 refused; giving up after 510 ms: cancelled"),
    ("DEBUG", "attempt 1 was cut at its limit; next in 2 s"),
    ("DEBUG", "attempt 2 not yet; next in 2 s"),
    ("ERROR", "attempt 3 not yet; giving up after 7 us: asked to wait longer than the hint ceiling"),
];

fn lines() -> Vec<(String, String)> {
    LINES.into_iter().map(|(level, line)| (level.to_string(), line.to_string())).collect()
}

/// Whoever wakes people up at `warn` hears of the end alone.
#[test]
fn nothing_is_at_warn_or_above_before_it_gives_up() {
    let loud = |level: &str| ["WARN", "ERROR"].contains(&level);
    for (level, line) in lines() {
        assert_eq!(
            loud(&level),
            line.contains("giving up") && !line.ends_with("cancelled"),
            "{level} {line}"
        );
    }
}

mod log {
    use super::*;

    thread_local! {
        static SEEN: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
    }

    struct Recording;

    impl ::log::Log for Recording {
        fn enabled(&self, _: &::log::Metadata<'_>) -> bool {
            true
        }

        fn log(&self, record: &::log::Record<'_>) {
            assert_eq!(record.target(), "undaunted");
            let line = (record.level().to_string(), record.args().to_string());
            SEEN.with_borrow_mut(|seen| seen.push(line));
        }

        fn flush(&self) {}
    }

    fn recorded(run: impl FnOnce()) -> Vec<(String, String)> {
        // The second one is told that there is one.
        let _ = ::log::set_logger(&Recording);
        ::log::set_max_level(::log::LevelFilter::Trace);
        run();
        SEEN.take()
    }

    #[test]
    fn each_event_is_one_line() {
        assert_eq!(recorded(|| tell_all(|| undaunted::log::events)), lines());
    }

    #[test]
    fn a_name_comes_first() {
        let named = lines().into_iter().map(|(level, line)| (level, format!("kubeadm.write: {line}")));
        let seen = recorded(|| tell_all(|| undaunted::log::named("kubeadm.write")));
        assert_eq!(seen, named.collect::<Vec<_>>());
        let seen = recorded(|| tell_all(|| undaunted::log::named(format!("node {}", 7))));
        assert!(seen.iter().all(|(_, line)| line.starts_with("node 7: ")));
    }

    /// The same lines, and none of them is heard at `info`.
    #[test]
    fn what_is_nested_is_heard_by_nobody_but_at_debug() {
        let named =
            lines().into_iter().map(|(level, line)| (quiet(&level).to_string(), format!("link: {line}")));
        let seen = recorded(|| tell_all(|| undaunted::log::nested("link")));
        assert_eq!(seen, named.collect::<Vec<_>>());
    }
}

/// How loud a line is in something larger.
fn quiet(level: &str) -> &str {
    if level == "TRACE" { level } else { "DEBUG" }
}

mod tracing {
    use super::*;
    use ::tracing::field::{Field, Visit};
    use ::tracing::span::{Attributes, Id, Record};
    use ::tracing::{Instrument, Metadata, Subscriber, info_span, subscriber};
    use tracing_core::span::Current;

    /// Writes down what it is told, one line each; span n is `#n`.
    #[derive(Clone, Default)]
    struct Recording(Arc<Mutex<Seen>>);

    #[derive(Default)]
    struct Seen {
        lines: Vec<String>,
        entered: Vec<u64>,
        spans: Vec<&'static Metadata<'static>>,
    }

    struct Fields(String);

    impl Visit for Fields {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            write!(self.0, " {}={value:?}", field.name()).unwrap();
        }
    }

    impl Recording {
        fn write(&self, what: std::fmt::Arguments<'_>, record: impl FnOnce(&mut Fields)) {
            let mut fields = Fields(what.to_string());
            record(&mut fields);
            self.0.lock().unwrap().lines.push(fields.0);
        }
    }

    impl Subscriber for Recording {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "undaunted" || metadata.target() == "test"
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let (metadata, mut seen) = (span.metadata(), self.0.lock().unwrap());
            seen.spans.push(metadata);
            let id = seen.spans.len() as u64;
            drop(seen);
            let what = format_args!("#{id} {} {}", metadata.level(), metadata.name());
            self.write(what, |fields| span.record(fields));
            Id::from_u64(id)
        }

        fn record(&self, span: &Id, values: &Record<'_>) {
            self.write(format_args!("#{} has", span.into_u64()), |fields| values.record(fields));
        }

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &::tracing::Event<'_>) {
            let at = self.0.lock().unwrap().entered.last().copied().unwrap_or(0);
            let what = format_args!("#{at} {}", event.metadata().level());
            self.write(what, |fields| event.record(fields));
        }

        fn enter(&self, span: &Id) {
            self.0.lock().unwrap().entered.push(span.into_u64());
        }

        fn exit(&self, _: &Id) {
            self.0.lock().unwrap().entered.pop();
        }

        fn current_span(&self) -> Current {
            let seen = self.0.lock().unwrap();
            match seen.entered.last() {
                None => Current::none(),
                Some(&id) => Current::new(Id::from_u64(id), seen.spans[id as usize - 1]),
            }
        }
    }

    fn recorded(run: impl FnOnce()) -> Vec<String> {
        let recording = Recording::default();
        subscriber::with_default(recording.clone(), run);
        std::mem::take(&mut recording.0.lock().unwrap().lines)
    }

    #[test]
    fn each_event_is_one_event_with_the_line_and_its_fields() {
        let fields = [
            r#"retry.attempt=1 retry.limit=3 retry.last="finished" retry.elapsed_us=10000"#,
            r#"retry.attempt=1 retry.limit=3 retry.last="error" error=token 4711 refused retry.wait_us=500000 retry.elapsed_us=10000"#,
            r#"retry.attempt=2 retry.limit=3 retry.last="error" error=token 4711 refused retry.wait_us=750000 retry.elapsed_us=520000"#,
            r#"retry.attempt=3 retry.limit=3 retry.last="finished" retry.elapsed_us=1280000"#,
            r#"retry.attempt=1 retry.limit=3 retry.last="error" error=token 4711 refused retry.wait_us=500000 retry.elapsed_us=10000"#,
            r#"retry.attempt=2 retry.limit=3 retry.last="error" error=token 4711 refused retry.wait_us=750000 retry.elapsed_us=520000"#,
            r#"retry.attempt=3 retry.limit=3 retry.last="error" error=token 4711 refused retry.reason="attempts" retry.elapsed_us=1280000"#,
            r#"retry.attempt=1 retry.limit=3 retry.last="error" error=token 4711 refused retry.reason="permanent" retry.elapsed_us=10000"#,
            r#"retry.attempt=0 retry.limit=3 retry.last="nothing" retry.reason="deadline" retry.elapsed_us=0"#,
            r#"retry.attempt=1 retry.limit=3 retry.last="error" error=token 4711 refused retry.wait_us=500000 retry.elapsed_us=10000"#,
            r#"retry.attempt=1 retry.limit=3 retry.last="error" error=token 4711 refused retry.reason="cancelled" retry.elapsed_us=510000"#,
            r#"retry.attempt=1 retry.last="cut" retry.wait_us=2000000 retry.elapsed_us=7"#,
            r#"retry.attempt=2 retry.last="not_yet" retry.wait_us=2000000 retry.elapsed_us=7"#,
            r#"retry.attempt=3 retry.last="not_yet" retry.reason="hint" retry.elapsed_us=7"#,
        ];
        let expected = lines().into_iter().zip(fields);
        let expected = expected.map(|((level, line), fields)| format!("#0 {level} message={line} {fields}"));
        let seen = recorded(|| tell_all(|| undaunted::tracing::events));
        assert_eq!(seen, expected.collect::<Vec<_>>());
    }

    /// The span has the name and the policy from the start, and at the end what came of it.
    #[test]
    fn a_span_tells_what_came_of_an_operation() {
        let run = |times| {
            let world = World::default();
            let span = undaunted::tracing::span("kubeadm.write", &WRITE);
            let blocking = blocking::retry(world.clone(), &WRITE, failing(times, &world));
            let _ = span.in_scope(|| blocking.on_event(undaunted::tracing::events).run());
        };
        let start = r#"INFO retry otel.name="kubeadm.write" retry.policy=linear 500ms +250ms cap 30s jitter none attempts 3"#;
        let told = recorded(|| [1, 3].into_iter().for_each(run));
        let spans: Vec<_> = told.iter().filter(|line| !line.contains("message=")).collect();
        assert_eq!(
            spans,
            [
                &format!("#1 {start}"),
                "#1 has retry.attempts=2",
                "#1 has retry.elapsed_us=520000",
                &format!("#2 {start}"),
                "#2 has retry.attempts=3",
                r#"#2 has retry.reason="attempts""#,
                "#2 has retry.elapsed_us=1280000",
            ]
        );
        assert!(told[1].starts_with("#1 DEBUG message=attempt 1/3 failed"), "{told:?}");
    }

    #[test]
    fn a_future_is_instrumented_with_it() {
        let told = recorded(|| {
            let world = World::default();
            let mut operation = failing(1, &world);
            let retry = asynch::retry(world, &WRITE, || ready(operation()));
            let retry = retry.on_event(undaunted::tracing::events);
            assert_eq!(block_on(retry.instrument(undaunted::tracing::span("kubeadm.write", &WRITE))), Ok(2));
        });
        let ends = told.iter().map(|line| &line[..line.find('=').unwrap_or(line.len())]);
        assert_eq!(
            ends.collect::<Vec<_>>(),
            [
                "#1 INFO retry otel.name",
                "#1 DEBUG message",
                "#1 INFO message",
                "#1 has retry.attempts",
                "#1 has retry.elapsed_us",
            ]
        );
    }

    /// Its span is that of the larger thing, which has its own end.
    #[test]
    fn what_is_nested_is_quiet_and_leaves_the_span_alone() {
        let told = recorded(|| {
            let span = undaunted::tracing::span("kubeadm.write", &WRITE);
            span.in_scope(|| tell_all(|| undaunted::tracing::nested));
        });
        let begins =
            lines().into_iter().map(|(level, line)| format!("#1 {} message={line} retry.", quiet(&level)));
        let begins: Vec<_> = begins.collect();
        assert_eq!(told.len(), 1 + begins.len(), "one span, and nothing filled in: {told:?}");
        for (told, begin) in told[1..].iter().zip(begins) {
            assert!(told.starts_with(&begin), "{told}");
        }
    }

    /// Of a span of one's own only what it declares is filled in.
    #[test]
    fn a_span_of_your_own_says_what_it_wants() {
        let run = || {
            let world = World::default();
            let span = info_span!(target: "test", "own", retry.attempts = ::tracing::field::Empty);
            let retry = blocking::retry(world.clone(), &WRITE, failing(9, &world));
            let _ = span.in_scope(|| retry.on_event(undaunted::tracing::events).run());
        };
        let told = recorded(run);
        let spans: Vec<_> = told.iter().filter(|line| !line.contains("message=")).collect();
        assert_eq!(spans, ["#1 INFO own", "#1 has retry.attempts=3"]);
    }
}

mod metrics {
    use super::*;
    use ::metrics::{
        Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString,
        Unit,
    };
    use std::collections::BTreeMap;

    /// Each metric with its labels, and what was added to it.
    #[derive(Default)]
    struct Recording {
        values: Arc<Mutex<BTreeMap<String, Vec<f64>>>>,
        described: Mutex<Vec<String>>,
    }

    struct Metric(String, Arc<Mutex<BTreeMap<String, Vec<f64>>>>);

    impl Metric {
        fn add(&self, value: f64) {
            self.1.lock().unwrap().entry(self.0.clone()).or_default().push(value);
        }
    }

    impl CounterFn for Metric {
        fn increment(&self, value: u64) {
            self.add(value as f64);
        }

        fn absolute(&self, _: u64) {
            panic!("counters only grow");
        }
    }

    impl HistogramFn for Metric {
        fn record(&self, value: f64) {
            self.add(value);
        }
    }

    impl Recording {
        fn metric(&self, key: &Key) -> Arc<Metric> {
            let mut name = key.name().to_string();
            for label in key.labels() {
                write!(name, " {}={}", label.key(), label.value()).unwrap();
            }
            Arc::new(Metric(name, self.values.clone()))
        }

        fn describe(&self, kind: &str, key: KeyName, unit: Option<Unit>, text: SharedString) {
            let line = format!("{kind} {} in {}: {text}", key.as_str(), unit.unwrap().as_canonical_label());
            self.described.lock().unwrap().push(line);
        }
    }

    impl Recorder for Recording {
        fn describe_counter(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
            self.describe("counter", key, unit, text);
        }

        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
            panic!("there is no gauge");
        }

        fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
            self.describe("histogram", key, unit, text);
        }

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.metric(key))
        }

        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            panic!("there is no gauge");
        }

        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(self.metric(key))
        }
    }

    fn recorded(run: impl FnOnce()) -> Recording {
        let recording = Recording::default();
        ::metrics::with_local_recorder(&recording, run);
        recording
    }

    #[test]
    fn attempts_late_successes_ends_and_waits_are_counted() {
        let recording = recorded(|| tell_all(|| undaunted::metrics::named("kubeadm.write")));
        let values = recording.values.lock().unwrap();
        let of = |name: &str| values[name].as_slice();
        let give_ups = |reason| format!("undaunted_give_ups_total policy=kubeadm.write reason={reason}");
        // 1 and 3 that succeed, 3 and 1 that fail, none, 1 that is cancelled in its wait, 3 fed by hand.
        assert_eq!(of("undaunted_attempts_total policy=kubeadm.write"), [1.0; 12]);
        assert_eq!(of("undaunted_retried_successes_total policy=kubeadm.write"), [1.0]);
        assert_eq!(of("undaunted_wait_seconds policy=kubeadm.write"), [0.5, 0.75, 0.5, 0.75, 0.5, 2.0, 2.0]);
        for reason in ["attempts", "cancelled", "deadline", "hint", "permanent"] {
            assert_eq!(of(&give_ups(reason)), [1.0], "{reason}");
        }
        assert_eq!(values.len(), 3 + 5, "{:?}", values.keys());
        assert!(values.keys().all(|name| !name.contains("4711")), "no error text in labels: {values:?}");
    }

    /// One observer may see one retry after the other.
    #[test]
    fn an_observer_that_is_lent_counts_each_retry() {
        let recording = recorded(|| {
            let mut observer = undaunted::metrics::named("lent");
            for times in [0, 0, 1] {
                let world = World::default();
                let retry = blocking::retry(world.clone(), &WRITE, failing(times, &world));
                assert!(retry.on_event(&mut observer).run().is_ok());
            }
        });
        let values = recording.values.lock().unwrap();
        assert_eq!(values["undaunted_attempts_total policy=lent"], [1.0; 4]);
        assert_eq!(values["undaunted_retried_successes_total policy=lent"], [1.0]);
    }

    /// The numbers of a supervisor begin anew with each streak, and a clean end has none.
    #[test]
    fn each_run_of_what_is_supervised_is_counted() {
        let recording = recorded(|| {
            let mut observer = undaunted::metrics::named("served");
            let mut told = |attempt, last, verdict| {
                observer(&Event::<&str> { attempt, limit: None, last, verdict, elapsed: Micros::ZERO });
            };
            let wait = Verdict::RetryAfter(Micros::from_secs(1));
            [1, 1, 1, 2].into_iter().for_each(|attempt| told(attempt, Last::Error(&"crashed"), wait));
            told(0, Last::Finished(()), wait);
            told(1, Last::Error(&"crashed"), wait);
            told(1, Last::Error(&"crashed"), Verdict::GiveUp(Reason::Permanent));
        });
        assert_eq!(recording.values.lock().unwrap()["undaunted_attempts_total policy=served"], [1.0; 7]);
    }

    #[test]
    fn each_metric_has_a_unit_and_a_description() {
        let recording = recorded(undaunted::metrics::describe);
        let described = recording.described.lock().unwrap();
        assert_eq!(
            *described,
            [
                "counter undaunted_attempts_total in : Attempts that ended, the first ones included.",
                "counter undaunted_give_ups_total in : Operations that gave up, by reason.",
                "counter undaunted_retried_successes_total in : Successes after retries.",
                "histogram undaunted_wait_seconds in s: Waits before retries.",
            ]
        );
    }
}

/// Said again, a hook is added; each is told in the order said, and nobody and nobody is nobody.
#[test]
fn several_observers_hear_the_same() {
    let told = RefCell::new(Vec::new());
    let hear = |who: &'static str| {
        let told = &told;
        move |event: &Event<'_, &str>| told.borrow_mut().push(format!("{who} {}", event.attempt))
    };
    let world = World::default();
    let retry = blocking::retry(world.clone(), &WRITE, failing(1, &world));
    let retry = retry.on_event(hear("a")).on_event(undaunted::log::events).on_event(hear("b"));
    assert_eq!(retry.on_event(undaunted::metrics::named("several")).run(), Ok(2));
    assert_eq!(told.take(), ["a 1", "b 1", "a 2", "b 2"]);

    let retry = asynch::retry(world.clone(), &WRITE, || ready(Ok::<_, &str>(())));
    let retry = retry.on_event(hear("a")).on_event(undaunted::tracing::events).on_event(hear("b"));
    assert_eq!(block_on(retry), Ok(()));
    assert_eq!(told.take(), ["a 1", "b 1"]);
    const {
        assert!(!<(Silent, Silent) as Observe<()>>::LISTENS);
        assert!(<((Silent, fn(&Event<'_, ()>)), Silent) as Observe<()>>::LISTENS);
    }
}
