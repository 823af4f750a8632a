//! The counters for Prometheus: served in four lines, and read back as Prometheus would.

use crate::count::Count;
use metrics_exporter_prometheus::PrometheusBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Where Prometheus would look.
const PAGE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9000);

/// Serves what `undaunted::metrics` counts from here on, on the runtime of the caller.
pub(crate) fn serve() {
    let (recorder, server) =
        PrometheusBuilder::new().with_http_listener(PAGE).build().expect("a port that is free");
    metrics::set_global_recorder(recorder).expect("the only recorder");
    undaunted::metrics::describe(); // units and help texts
    tokio::spawn(server);
}

/// A line of the page: `name{label="value",..} number`.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

/// The page of counters of whoever listens there.
pub(crate) async fn scrape(address: SocketAddr) -> Vec<Sample> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // HTTP/1.0 gives the page in one piece, and then closes.
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, page) = answer.split_once("\r\n\r\n").expect("a head and a page");
    assert!(head.starts_with("HTTP/1.0 200 "), "{head}");
    page.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(sample).collect()
}

fn sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no sample: {line}"));
    let (name, labels) = series.trim_end_matches('}').split_once('{').unwrap_or((series, ""));
    let labels = labels.split("\",").filter_map(|label| label.split_once("=\""));
    let labels = labels.map(|(label, value)| (label.to_string(), value.trim_end_matches('"').to_string()));
    let value = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
    Sample { name: name.to_string(), labels: labels.collect(), value }
}

/// The sum of the samples with these labels.
pub(crate) fn sum(samples: &[Sample], name: &str, labels: &[(&str, &str)]) -> f64 {
    let fits = |sample: &&Sample| {
        sample.name == name
            && labels.iter().all(|(label, value)| sample.labels.get(*label).is_some_and(|is| is == value))
    };
    samples.iter().filter(fits).map(|sample| sample.value).sum()
}

/// What Prometheus gets is what was counted, and nothing else.
pub(crate) async fn check(counts: &BTreeMap<&'static str, Count>) {
    let samples = scrape(PAGE).await;
    let ours: Vec<_> = samples.iter().filter(|sample| sample.name.starts_with("undaunted_")).collect();
    for (policy, count) in counts {
        let of = |name: &str| sum(&samples, name, &[("policy", policy)]);
        assert_eq!(of("undaunted_attempts_total"), count.calls as f64, "attempts of {policy}");
        assert_eq!(
            of("undaunted_retried_successes_total"),
            count.retried as f64,
            "retried successes of {policy}"
        );
        assert_eq!(of("undaunted_wait_seconds_count"), count.waits as f64, "retries of {policy}");
        let (slept, waited) = (of("undaunted_wait_seconds_sum"), count.waited.as_micros() as f64 / 1e6);
        assert!(
            (slept - waited).abs() < 1e-6 * (1.0 + waited),
            "{policy} slept {slept} s and not {waited} s"
        );
        let gave_up: u64 = count.gave_up.values().sum();
        assert_eq!(of("undaunted_give_ups_total"), gave_up as f64, "give-ups of {policy}");
        for (reason, times) in &count.gave_up {
            let given = sum(&samples, "undaunted_give_ups_total", &[("policy", policy), ("reason", reason)]);
            assert_eq!(given, *times as f64, "give-ups of {policy}: {reason}");
        }
    }
    let labels: BTreeSet<&str> =
        ours.iter().flat_map(|sample| sample.labels.keys()).map(|label| &**label).collect();
    assert!(labels.is_subset(&["policy", "quantile", "reason"].into()), "{labels:?}");
    let policies: BTreeSet<&str> = ours.iter().map(|sample| &*sample.labels["policy"]).collect();
    assert_eq!(policies, counts.keys().copied().collect(), "each under its own name, and no other");
    println!("   scraped: {} samples of {} policies, as counted by hand", ours.len(), counts.len());
}
