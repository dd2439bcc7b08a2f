//! Tables of secrets and non-secrets, and properties that hold for any text.

use proptest::prelude::*;

use crate::secrets::*;

mod detected;
mod ignored;

fn known(name: &str, value: &str) -> Vec<KnownSecret> {
    vec![KnownSecret { name: name.into(), value: value.into() }]
}

/// Joins the parts of a key at run time, so that scanners of this repository do not find it.
fn made(begin: &str, rest: &str) -> String {
    format!("{begin}{rest}")
}

const DENSE: &str = "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa";

#[test]
fn the_value_of_a_variable_is_found_whatever_it_looks_like() {
    let known = known("MY_TOKEN", "correct horse");
    assert_eq!(in_line("say correct horse!", &known)[0].what, "the value of MY_TOKEN");
    assert_eq!(in_line("say correct-horse!", &known), []);
    let quoted = self::known("MY_TOKEN", "a\"b\\c d");
    assert!(!in_line(r#"{"text":"a\"b\\c d"}"#, &quoted).is_empty());
}

#[test]
fn variable_names_reveal_secrets() {
    for name in [
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "DB_PASS",
        "AWS_SECRET_ACCESS_KEY",
        "npm_auth",
        "GH_PAT",
    ] {
        assert!(is_secret_name(name), "{name}");
    }
    for name in ["PATH", "HOME", "EDITOR", "COMPASS", "KEY", "TERM", "LANG", "BYPASS_PROXY", "MONKEYS"] {
        assert!(!is_secret_name(name), "{name}");
    }
    for (value, worth) in [
        ("true", false),
        ("postgres", false),
        ("/run/keys/x", false),
        ("p0stgres", true),
        ("not-a-key", true),
    ] {
        assert_eq!(is_searchable(value), worth, "{value}");
    }
}

proptest! {
    #[test]
    fn any_line_can_be_scanned(line in any::<String>(), value in "[ -~]{6,20}") {
        in_line(&line, &known("X", &value));
    }

    #[test]
    fn a_value_is_found_in_any_line(before in any::<String>(), value in "[a-zA-Z0-9\"\\\\ -]{8,40}", behind in any::<String>()) {
        let line = format!("{before}{value}{behind}");
        prop_assert!(in_line(&line, &known("X", &value)).iter().any(|finding| finding.what == "the value of X"));
        let json = serde_json::to_string(&line).unwrap();
        prop_assert!(in_line(&json, &known("X", &value)).iter().any(|finding| finding.what == "the value of X"));
    }

    #[test]
    fn a_key_is_found_in_any_json(before in "[ -~]{0,20}", rest in "[a-zA-Z0-9]{35}1", behind in "[ -~]{0,20}") {
        let line = serde_json::to_string(&format!("{before} ghp_{rest} {behind}")).unwrap();
        prop_assert!(in_line(&line, &[]).iter().any(|finding| finding.what == "a GitHub token"), "{line}");
    }

    #[test]
    fn masked_secret_reveals_little(rest in "[a-zA-Z0-9]{35}1") {
        let key = format!("ghp_{rest}");
        for finding in in_line(&key, &[]) {
            prop_assert!(!finding.masked.contains(&rest[..4]));
        }
    }

    #[test]
    fn uuids_and_checksums_are_not_secrets(hex in "[0-9a-f]{40}", long in "[0-9a-f]{64}") {
        let uuid = format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32]);
        for line in [format!("\"uuid\":\"{uuid}\""), format!("commit {hex}"), format!("sha256 {long}"), format!("blob:{hex}")] {
            prop_assert_eq!(in_line(&line, &[]), vec![]);
        }
    }
}
