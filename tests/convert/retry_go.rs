//! retry-go's options.

use super::*;
use undaunted::convert::retry_go::DelayType::{self, BackOff, Combine, Fixed, FullJitterBackoff, Random};
use undaunted::convert::retry_go::Options;

/// Its defaults, with another type of delay.
fn options(delay_type: DelayType) -> Options {
    Options { delay_type, ..Options::default() }
}

#[test]
fn its_default_cannot_be_said() {
    let words = "delay_type is CombineDelay: delays that grow can have a share of jitter (such as +20%), not a \
                 length; without max_jitter they can be said";
    refuses(Options::default().policy(), words);
    refuses(options(Combine(&[FullJitterBackoff, Random])).policy(), words);
    let sum = "delay_type is CombineDelay: of sums of delays only fixed and random can be said";
    for parts in [
        &[] as &[_],
        &[BackOff, Fixed],
        &[Fixed, Fixed],
        &[Fixed, Random, Random],
        &[Random, Random],
        &[Combine(&[Fixed])],
    ] {
        refuses(options(Combine(Box::leak(parts.into()))).policy(), sum);
    }
}

#[test]
fn a_sum_of_one_is_that_one() {
    for (one, sum) in [
        (BackOff, Combine(&[BackOff])),
        (Fixed, Combine(&[Fixed])),
        (FullJitterBackoff, Combine(&[FullJitterBackoff])),
        (Random, Combine(&[Random])),
    ] {
        assert_eq!(options(one).policy().unwrap(), options(sum).policy().unwrap());
    }
    // Without its length, the jitter of a sum is nothing.
    for (one, sum) in [
        (BackOff, Combine(&[BackOff, Random])),
        (Fixed, Combine(&[Random, Fixed])),
        (FullJitterBackoff, Combine(&[FullJitterBackoff, Random])),
    ] {
        let plain = Options { max_jitter: Duration::ZERO, ..options(sum) };
        assert_eq!(plain.policy().unwrap(), options(one).policy().unwrap());
    }
}

#[test]
fn back_off() {
    says(options(BackOff).policy(), "exponential 100ms x2 cap 30s jitter none attempts 10");
    // TestDefaultSleep, its part without jitter; and the longest wait of ten attempts and of twelve.
    let three = Options { attempts: 3, ..options(BackOff) }.policy().unwrap();
    assert_eq!(totals(&three), (Micros::from_millis(300), Micros::from_millis(300)));
    let twelve = Options { attempts: 12, ..options(BackOff) };
    says(twelve.policy(), "exponential 100ms x2 cap 103s jitter none attempts 12");
    assert_eq!(longest(&twelve.policy().unwrap()).last(), Some(&102_400_000));
    // TestBackOffDelay: 1 s doubles 33 times, to 8 589 934 592 s, and no further.
    let second = Options { attempts: 0, delay: S, ..options(BackOff) };
    says(second.policy(), "exponential 1s x2 cap 8589934593s jitter none attempts unlimited");
    assert_eq!(second.policy().unwrap().plan().nth(33).unwrap().max, Micros::from_secs(8_589_934_592));
    let capped = Options { attempts: 0, max_delay: 3 * S, ..second };
    says(capped.policy(), "exponential 1s x2 cap 3s jitter none attempts unlimited");
    says(
        Options { max_delay: 50 * MS, ..capped }.policy(),
        "exponential 50ms x2 cap 50ms jitter none attempts unlimited",
    );
    says(
        Options { attempts: u32::MAX, delay: US, ..second }.policy(),
        "exponential 1us x2 cap 9007199255s jitter none attempts 4294967295",
    );
}

#[test]
fn fixed() {
    says(options(Fixed).policy(), "constant 100ms cap 30s jitter none attempts 10");
    // TestFixedSleep.
    let three = Options { attempts: 3, ..options(Fixed) }.policy().unwrap();
    assert_eq!(totals(&three), (Micros::from_millis(200), Micros::from_millis(200)));
    says(
        Options { max_delay: 50 * MS, ..options(Fixed) }.policy(),
        "constant 50ms cap 50ms jitter none attempts 10",
    );
    says(Options { delay: 60 * S, ..options(Fixed) }.policy(), "constant 1m cap 1m jitter none attempts 10");
    says(
        Options { attempts: 0, ..options(Fixed) }.policy(),
        "constant 100ms cap 30s jitter none attempts unlimited",
    );
    says(Options { attempts: 1, ..options(Fixed) }.policy(), "constant 100ms cap 30s jitter none attempts 1");
}

#[test]
fn random() {
    // TestRandomDelay: two waits of up to 50 ms.
    let random = Options { attempts: 3, max_jitter: 50 * MS, ..options(Random) };
    says(random.policy(), "constant 50ms cap 30s jitter full attempts 3");
    assert_eq!(totals(&random.policy().unwrap()), (Micros::ZERO, Micros::from_millis(100)));
    says(Options { max_delay: 50 * MS, ..random }.policy(), "constant 50ms cap 50ms jitter full attempts 3");
    refuses(
        Options { max_delay: 49 * MS, ..random }.policy(),
        "max_jitter is 50ms: must not be longer than max_delay, which is 49ms",
    );
}

#[test]
fn fixed_and_random() {
    for sum in [Combine(&[Fixed, Random]), Combine(&[Random, Fixed])] {
        let both = Options { max_jitter: 25 * MS, ..options(sum) };
        says(both.policy(), "constant 100ms cap 30s jitter +25% attempts 10");
        says(
            Options { max_delay: 125 * MS, ..both }.policy(),
            "constant 100ms cap 125ms jitter +25% attempts 10",
        );
        let words = "max_jitter is 25ms: must not be longer than max_delay less delay, which is 24.999ms";
        refuses(Options { max_delay: 125 * MS - US, ..both }.policy(), words);
        let words = "max_jitter is 25ms: must not be longer than max_delay less delay, which is 0ns";
        refuses(Options { max_delay: MS, ..both }.policy(), words);
        says(
            Options { delay: Duration::ZERO, ..both }.policy(),
            "constant 25ms cap 30s jitter full attempts 10",
        );
        says(
            Options { max_jitter: Duration::ZERO, ..both }.policy(),
            "constant 100ms cap 30s jitter none attempts 10",
        );
        says(
            Options { max_jitter: 25_500 * MS, ..both }.policy(),
            "constant 100ms cap 30s jitter +25500% attempts 10",
        );
        let words = "additive jitter must be above 0 and at most 255 times the delay";
        refuses(
            Options { max_jitter: 25_501 * MS, ..both }.policy(),
            &format!("max_jitter is 25.501s: {words}"),
        );
        refuses(
            Options { max_jitter: US, delay: 60 * S, ..both }.policy(),
            &format!("max_jitter is 1µs: {words}"),
        );
    }
}

#[test]
fn full_jitter_backoff() {
    // TestFullJitterBackoffDelay: windows of 100, 200, 400 and 500 ms from a delay of 50 ms.
    let full = Options { delay: 50 * MS, max_delay: 500 * MS, attempts: 6, ..options(FullJitterBackoff) };
    says(full.policy(), "exponential 100ms x2 cap 500ms jitter full attempts 6");
    assert_eq!(longest(&full.policy().unwrap()), [100, 200, 400, 500, 500].map(|ms| ms * 1_000));
    says(
        Options { max_delay: 80 * MS, ..full }.policy(),
        "exponential 80ms x2 cap 80ms jitter full attempts 6",
    );
    let free = Options { max_delay: Duration::ZERO, ..full };
    says(free.policy(), "exponential 100ms x2 cap 30s jitter full attempts 6");
    says(
        Options { delay: 60 * S, attempts: 1, ..free }.policy(),
        "exponential 2m x2 cap 121s jitter full attempts 1",
    );
    // 50 ms doubles 37 times below 2^63 ns, and not 38 times.
    says(
        Options { attempts: 38, ..free }.policy(),
        "exponential 100ms x2 cap 6871947674s jitter full attempts 38",
    );
    let words = "max_delay is 0ns: the delays grow beyond what can be waited; say a cap";
    for attempts in [39, 100, u32::MAX, 0] {
        refuses(Options { attempts, ..free }.policy(), words);
    }
    says(
        Options { attempts: 0, ..full }.policy(),
        "exponential 100ms x2 cap 500ms jitter full attempts unlimited",
    );
}

#[test]
fn no_delay() {
    let hot = "immediate with unlimited attempts needs a floor (else it is a hot loop)";
    for delay_type in [BackOff, Fixed, FullJitterBackoff, Random, Combine(&[Fixed, Random])] {
        let none = Options { delay: Duration::ZERO, max_jitter: Duration::ZERO, ..options(delay_type) };
        says(none.policy(), "immediate cap 30s jitter none attempts 10");
        let field = if delay_type == Random { "max_jitter" } else { "delay" };
        refuses(Options { attempts: 0, ..none }.policy(), &format!("{field} is 0ns: {hot}"));
    }
}

#[test]
fn lengths() {
    for delay_type in [BackOff, Fixed, FullJitterBackoff, Random, Combine(&[Fixed, Random])] {
        let fine = options(delay_type);
        let part = "1.5µs: must be a whole number of microseconds";
        let long = "36028797018.963969s: must not be longer than 2^55 us (1142 years)";
        for (length, words) in [(Duration::from_nanos(1_500), part), (LONGER, long)] {
            refuses(Options { delay: length, ..fine }.policy(), &format!("delay is {words}"));
            refuses(Options { max_delay: length, ..fine }.policy(), &format!("max_delay is {words}"));
            refuses(Options { max_jitter: length, ..fine }.policy(), &format!("max_jitter is {words}"));
        }
        let longest = Options { delay: LONGEST, max_delay: LONGEST, max_jitter: US, ..fine };
        assert!(longest.policy().is_ok() || delay_type == Combine(&[Fixed, Random]));
    }
}

/// Found by fuzzing: each can be said, and their sum was cut in silence.
#[test]
fn a_sum_beyond_all_lengths_is_refused() {
    let half = Duration::from_micros(1 << 54);
    let said = Options { delay: half, max_jitter: half, ..options(Combine(&[Fixed, Random])) };
    assert_eq!(said.policy().unwrap().settings().cap, Micros::new(1 << 55));
    let more = Options { max_jitter: half + Duration::from_micros(1), ..said };
    let words = "delay and max_jitter is 36028797018.963969s: must not be longer than 2^55 us (1142 years)";
    refuses(more.policy(), words);
}

/// What retry-go exports for its users, in v4 and v5; what only its options are made of is left out.
const EXPORTED: [&str; 31] = [
    "As",
    "Attempts",
    "AttemptsForError",
    "BackOffDelay",
    "CombineDelay",
    "Context",
    "Delay",
    "DelayContext",
    "DelayType",
    "Do",
    "DoWithData",
    "Error",
    "FixedDelay",
    "FullJitterBackoffDelay",
    "Is",
    "IsRecoverable",
    "LastError",
    "LastErrorOnly",
    "MaxDelay",
    "MaxJitter",
    "New",
    "NewWithData",
    "OnRetry",
    "RandomDelay",
    "RetryIf",
    "Unrecoverable",
    "UntilSucceeded",
    "Unwrap",
    "WithTimer",
    "WrapContextErrorWithLastError",
    "WrappedErrors",
];

/// The page for its users: for each name a row, each row leads to a section, and each section has an example, which is
/// a test of the documentation.
#[test]
fn the_page_answers_every_name_with_an_example() {
    let page = include_str!("../../adapters/src/convert/retry_go.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| [")).collect();
    let names = |row: &str| -> Vec<String> {
        let code = row.split('`').skip(1).step_by(2);
        let words = code.flat_map(|code| code.split(|c: char| !c.is_alphanumeric()));
        words.map(str::to_string).collect()
    };
    // The first column is up to the end of its link.
    let answered: Vec<String> = rows.iter().flat_map(|row| names(row.split("](#").next().unwrap())).collect();
    for name in EXPORTED {
        assert!(answered.iter().any(|answered| answered == name), "no row for {name}");
    }
    for row in &rows {
        let anchor = row.split("](#").nth(1).and_then(|rest| rest.split(')').next());
        let anchor = anchor.unwrap_or_else(|| panic!("leads nowhere: {row}"));
        assert!(examples(page, anchor) > 0, "no example in {anchor}");
    }
}

/// How many examples the section of this anchor has, up to the next heading.
fn examples(page: &str, anchor: &str) -> usize {
    let heading = |line: &str| {
        let text = line.strip_prefix("# ").or(line.strip_prefix("## "))?;
        Some(text.to_lowercase().replace(' ', "-"))
    };
    let mut fences = 0;
    let (mut inside, mut code) = (false, false);
    for line in page.lines() {
        if line.starts_with("```") {
            fences += usize::from(inside && !code && line == "```");
            code = !code;
        } else if let Some(found) = heading(line).filter(|_| !code) {
            inside = found == anchor;
        }
    }
    fences
}
