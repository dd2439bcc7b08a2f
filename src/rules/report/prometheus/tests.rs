//! Tests that read the text back with a small parser of the format.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::rules::report::prometheus::*;

type Labels = BTreeMap<String, String>;

/// A sample: its name, its labels and its value.
type Sample = (String, Labels, f64);

/// Parses the text as the format defines it, and rejects input that a scraper would reject.
fn parse(text: &str) -> Result<Vec<Sample>, String> {
    let mut samples: Vec<Sample> = Vec::new();
    let (mut kinds, mut family) = (BTreeMap::new(), String::new());
    if !text.ends_with('\n') {
        return Err("the last line has no end".into());
    }
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').ok_or("no type")?;
            if kinds.insert(name.to_owned(), kind.to_owned()).is_some() {
                return Err(format!("{name} is declared twice"));
            }
            family = name.to_owned();
            continue;
        }
        if line.starts_with("# HELP ") {
            continue;
        }
        let end = line.find(['{', ' ']).ok_or("no value")?;
        let (name, mut rest) = line.split_at(end);
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(format!("bad name {name}"));
        }
        if !(name == family || ["_sum", "_count"].iter().any(|end| name == format!("{family}{end}"))) {
            return Err(format!("{name} stands in the family {family}"));
        }
        let mut labels = Labels::new();
        if let Some(inside) = rest.strip_prefix('{') {
            rest = parse_labels(inside, &mut labels)?;
        }
        let value = rest.strip_prefix(' ').ok_or("no space")?;
        let value = value.parse().map_err(|_| format!("bad value {value}"))?;
        samples.push((name.to_owned(), labels, value));
    }
    let unique: BTreeSet<String> =
        samples.iter().map(|(name, labels, _)| format!("{name}{labels:?}")).collect();
    if unique.len() == samples.len() { Ok(samples) } else { Err("a sample stands there twice".into()) }
}

/// Parses `a="b",c="d"}` and returns the text after it.
fn parse_labels<'a>(mut text: &'a str, labels: &mut Labels) -> Result<&'a str, String> {
    loop {
        let (name, rest) = text.split_once("=\"").ok_or("no label")?;
        let (mut value, mut chars) = (String::new(), rest.char_indices());
        let end = loop {
            match chars.next().ok_or("a label without end")? {
                (at, '"') => break at + 1,
                (_, '\\') => value.push(match chars.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, c @ ('\\' | '"'))) => c,
                    other => return Err(format!("bad escape {other:?}")),
                }),
                (_, c) => value.push(c),
            }
        };
        labels.insert(name.to_owned(), value);
        match rest[end..].chars().next() {
            Some(',') => text = &rest[end + 1..],
            Some('}') => return Ok(&rest[end + 1..]),
            other => return Err(format!("after a label: {other:?}")),
        }
    }
}

#[track_caller]
fn value(samples: &[Sample], name: &str, label: Option<(&str, &str)>) -> f64 {
    let labels: Labels = label.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    samples.iter().find(|sample| sample.0 == name && sample.1 == labels).expect(name).2
}

#[test]
fn every_metric_is_printed_under_its_name() {
    let tallies = EventCounters {
        transitions: [(Status::Crashed, 7)].into(),
        restarts: 5,
        given_up: 1,
        heartbeats: 9,
        tasks: [(TaskState::Queued, 4)].into(),
    };
    let latency = Latency { quantiles: vec![(0.5, 0.004), (0.99, 0.25)], sum: 1.5, count: 300 };
    let agents = [Status::Idle, Status::Idle, Status::Working];
    let measured =
        Measurements { version: "1.2.3", agents: &agents, tallies: &tallies, latency: Some(&latency) };
    let samples = parse(&prometheus(&measured)).unwrap();
    for (name, label, expected) in [
        ("symposium_build_info", Some(("version", "1.2.3")), 1.0),
        ("symposium_agents", Some(("status", "idle")), 2.0),
        ("symposium_agents", Some(("status", "lost")), 0.0),
        ("symposium_transitions_total", Some(("to", "crashed")), 7.0),
        ("symposium_transitions_total", Some(("to", "idle")), 0.0),
        ("symposium_restarts_total", None, 5.0),
        ("symposium_given_up_total", None, 1.0),
        ("symposium_heartbeats_total", None, 9.0),
        ("symposium_tasks", Some(("state", "queued")), 4.0),
        ("symposium_tasks", Some(("state", "failed")), 0.0),
        ("symposium_event_latency_seconds", Some(("quantile", "0.99")), 0.25),
        ("symposium_event_latency_seconds_sum", None, 1.5),
        ("symposium_event_latency_seconds_count", None, 300.0),
    ] {
        assert_eq!(value(&samples, name, label), expected, "{name} {label:?}");
    }
}

#[test]
fn metrics_use_the_prometheus_text_format() {
    let tallies = EventCounters::default();
    let measured =
        Measurements { version: "1", agents: &[Status::Idle; 3], tallies: &tallies, latency: None };
    let text = prometheus(&measured);
    let idle = "# HELP symposium_agents Agents by status.\n# TYPE symposium_agents gauge\n";
    assert!(text.contains(idle) && text.contains("\nsymposium_agents{status=\"idle\"} 3\n"), "{text}");
    assert!(!text.contains("latency"));
}

proptest! {
    #[test]
    fn any_label_and_any_number_can_be_read_back(version in any::<String>(), sum in any::<f64>(), count in any::<u64>()) {
        let latency = Latency { quantiles: vec![(0.5, sum)], sum, count };
        let tallies = EventCounters { restarts: count, ..EventCounters::default() };
        let measured = Measurements { version: &version, agents: &[], tallies: &tallies, latency: Some(&latency) };
        // A carriage return does not end a line in the format, but `lines` strips it.
        prop_assume!(!version.contains('\r'));
        let samples = parse(&prometheus(&measured)).unwrap();
        prop_assert_eq!(value(&samples, "symposium_build_info", Some(("version", &version))), 1.0);
        let read = value(&samples, "symposium_event_latency_seconds_sum", None);
        prop_assert!(read == sum || (read.is_nan() && sum.is_nan()));
    }
}

#[test]
fn quantiles_are_of_the_newest_and_sums_of_all() {
    use std::collections::VecDeque;
    use std::time::Duration;
    let (mut latency, mut newest) = (Latency::default(), VecDeque::new());
    latency.add(&[Duration::from_secs(9)], &mut newest);
    latency.add(&[Duration::from_millis(10); MAX_SAMPLES], &mut newest);
    assert_eq!((latency.count, latency.quantiles[0]), (1001, (0.5, 0.01)));
    assert_eq!(latency.quantiles[2], (0.99, 0.01));
    assert!((latency.sum - 19.0).abs() < 0.001);
}
