//! Tests of reading `config.toml`.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::model::{
    AfterDeletion, AttachPolicy, ClockTime, Desktop, FinishMethod, NotifyOn, QuietHours, ThemeColor,
    ThemeRole,
};

const WHOLE: &str = r#"
max_agents = 12

[supervisor]
autostart = false
reconcile = "90s"

[restart]
first = "500ms"
longest = "1h 30m"
most = 3
window = "2h"
hung = true

[notify]
on = ["waiting", "gave-up", "waiting"]
desktop = "off"
status_line = false
bell = true
command = ["/usr/bin/notify", "--now"]
per_minute = 0x10
quiet_hours = "22:00-07:30"

[cleanup]
deleted_projects = "prune"
after = "7d"

[ledger]
keep = "30d"

[finish]
method = "rebase"

[workspace]
copy = [".env*"]
setup = ["npm ci"]

[checkpoints]
enabled = false
keep = 7
max_age = "2d"

[mcp]
enabled = false

[attach]
policy = "shared"
[hosts]
ssh = "/opt/bin/ssh"
"#;

/// Returns the position and message of each error.
#[track_caller]
fn mistakes(text: &str) -> Vec<(usize, usize, String)> {
    let found = read(text).expect_err(text);
    found.into_iter().map(|mistake| (mistake.at.line, mistake.at.column, mistake.message)).collect()
}

#[test]
fn every_key_can_be_set() {
    let config = read(WHOLE).unwrap();
    let seconds = Duration::from_secs;
    assert_eq!(config.max_agents, Some(12));
    assert_eq!((config.supervisor.autostart, config.supervisor.reconcile), (false, seconds(90)));
    assert_eq!(
        (config.restart.first_delay, config.restart.max_delay),
        (Duration::from_millis(500), seconds(5400))
    );
    assert_eq!(
        (config.restart.max_restarts, config.restart.window, config.restart.hung),
        (3, seconds(7200), true)
    );
    assert_eq!(config.notify.on, [NotifyOn::Waiting, NotifyOn::GaveUp]);
    assert_eq!(config.notify.desktop, Desktop::Off);
    assert_eq!((config.notify.status_line, config.notify.bell, config.notify.per_minute), (false, true, 16));
    assert_eq!(config.notify.command, ["/usr/bin/notify", "--now"]);
    let hours =
        QuietHours { from: ClockTime { hour: 22, minute: 0 }, until: ClockTime { hour: 7, minute: 30 } };
    assert_eq!(config.notify.quiet_hours, Some(hours));
    assert_eq!(config.cleanup.deleted_projects, AfterDeletion::Prune);
    assert!(!config.mcp.enabled);
    let checkpoints = &config.checkpoints;
    assert_eq!((checkpoints.enabled, checkpoints.keep, checkpoints.max_age), (false, 7, seconds(2 * 86400)));
    assert_eq!(config.attach.policy, AttachPolicy::Shared);
    assert_eq!(config.finish.method, FinishMethod::Rebase);
    assert_eq!(config.attach.recap, Some(Duration::from_secs(5 * 60)));
    assert_eq!(read("[attach]\nrecap = false").unwrap().attach.recap, None);
    assert_eq!(read("[attach]\nrecap = \"2h\"").unwrap().attach.recap, Some(Duration::from_secs(2 * 3600)));
    assert_eq!(config.hosts.ssh, "/opt/bin/ssh");
    assert_eq!((config.cleanup.after, config.ledger.keep), (seconds(7 * 86400), seconds(30 * 86400)));
    assert_eq!(
        (&config.workspace.copy[..], &config.workspace.setup[..]),
        (&[".env*".into()][..], &["npm ci".into()][..])
    );
}

#[test]
fn the_book_shows_the_defaults() {
    let page = include_str!("../../docs/src/configuration.md");
    let text = page
        .split("```toml\n")
        .find_map(|rest| rest.split("```").next().filter(|text| text.contains("max_agents")));
    let text = text.expect("the book shows config.toml");
    assert_eq!(read(text).unwrap(), Config::default());
    for key in WHOLE.lines().filter_map(|line| line.split(" = ").next()).filter(|key| !key.is_empty()) {
        assert!(text.contains(key), "{key}");
    }
}

#[test]
fn missing_keys_have_defaults() {
    assert_eq!(read("").unwrap(), Config::default());
    assert_eq!(read("# nothing\n[notify]\n").unwrap(), Config::default());
    assert_eq!(read("max_agents = 0").unwrap(), Config { max_agents: None, ..Config::default() });
    assert_eq!(read("[notify]\nquiet_hours = \"\"\ncommand = []").unwrap(), Config::default());
}

#[test]
fn mistake_reports_its_position_and_allowed_values() {
    for (text, place, says) in [
        ("max_agent = 3", (1, 1), "did you mean `max_agents`?"),
        ("[notfy]\nbell = true", (1, 2), "did you mean `notify`?"),
        ("[notify]\nbel = true", (2, 1), "did you mean `bell`?"),
        ("[notify]\nzzz = 1", (2, 1), "known: on, desktop, status_line"),
        ("bell = true", (1, 1), "it belongs in `[notify]`"),
        ("[notify]\nmax_agents = 3", (2, 1), "above the first section"),
        ("notify = 3", (1, 1), "written `[notify]`"),
        ("[[notify]]\n", (1, 3), "written `[notify]`"),
        ("max_agents = -1", (1, 14), "a whole number, 0 or more, found `-1`"),
        ("max_agents = 99999999999999999999", (1, 14), "a whole number"),
        ("max_agents = \"many\"", (1, 14), "found `many`"),
        ("[attach]\npolicy = \"both\"", (2, 10), "one of \"single-driver\", \"shared\""),
        ("[attach]\nrecap = 5", (2, 9), "expected `true`, `false` or a time span such as \"5m\""),
        ("[restart]\nhung = \"yes\"", (2, 8), "`true` or `false`"),
        ("[restart]\nfirst = 5", (2, 9), "a time span such as"),
        ("[restart]\nfirst = \"soon\"", (2, 9), "found `soon`"),
        ("[restart]\nfirst = \"5\"", (2, 9), "a time span such as"),
        ("[restart]\nfirst = \"\"", (2, 9), "a time span such as"),
        ("[restart]\nfirst = \"5 months\"", (2, 9), "a time span such as"),
        ("[restart]\nfirst = \"9999d\"", (2, 9), "longer than ten years"),
        ("[restart]\nfirst = \"99999999999d\"", (2, 9), "a time span such as"),
        ("[restart]\nfirst = \"2m\"\nlongest = \"1m\"", (2, 9), "`first` is longer than `longest`"),
        ("[supervisor]\nreconcile = \"0s\"", (2, 13), "shorter than 1 s"),
        ("[notify]\non = [\"waiting\", \"ä\", 3]", (2, 18), "one of \"waiting\", \"finished\""),
        ("[notify]\ndesktop = true", (2, 11), "one of \"auto\", \"off\", found `true`"),
        ("[notify]\ncommand = \"notify\"", (2, 11), "a program and its arguments"),
        ("[notify]\ncommand = [\"\"]", (2, 12), "the name of the program is empty"),
        ("[notify]\ncommand = [\"a\", \"b\\u0000\"]", (2, 17), "NUL"),
        ("[workspace]\ncopy = [\"../x\"]", (2, 9), "`../x` must be a path below the project"),
        ("[workspace]\ncopy = [\".env\", \"**/x\"]", (2, 17), "allowed: `*` and `?` in each name"),
        ("[workspace]\ncopy = [\".git\"]", (2, 9), "belongs to git"),
        ("[workspace]\nsetup = [\" \"]", (2, 10), "expected a command"),
        ("[notify]\nquiet_hours = \"22-7\"", (2, 15), "hours such as"),
        ("[notify]\nquiet_hours = \"24:00-07:00\"", (2, 15), "hours such as"),
        ("[notify]\nquiet_hours = \"22:60-07:00\"", (2, 15), "hours such as"),
        ("[notify]\nquiet_hours = \"+1:00-07:00\"", (2, 15), "hours such as"),
        ("[notify]\nquiet_hours = \"07:00-07:00\"", (2, 15), "hour are the same"),
        ("[notify\nbell = true", (1, 8), ""),
        ("max_agents = 1\nmax_agents = 2", (2, 1), "duplicate"),
    ] {
        let found = mistakes(text);
        assert_eq!((found[0].0, found[0].1), place, "{text}: {found:?}");
        assert!(found[0].2.contains(says), "{text}: {found:?}");
    }
}

#[test]
fn all_mistakes_are_reported_in_order() {
    let text = "[notify]\non = [\"x\", \"waiting\", \"y\"]\nbel = 1\n[restart]\nmost = true\nfirst = \"z\"\n";
    let places: Vec<_> = mistakes(text).into_iter().map(|(line, column, _)| (line, column)).collect();
    assert_eq!(places, [(2, 7), (2, 23), (3, 1), (5, 8), (6, 9)]);
}

#[test]
fn errors_start_with_file_line_and_column() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    assert_eq!(load(&path).unwrap(), Config::default());
    fs::write(&path, "a = 1\n[restart]\nmost = true\n").unwrap();
    let message = load(&path).unwrap_err().to_string();
    let at = path.display();
    assert!(message.starts_with(&format!("{at}:1:1: there is no key `a`; known: max_agents, ")), "{message}");
    assert!(
        message.ends_with(&format!("\n{at}:3:8: expected a whole number, 0 or more, found `true`")),
        "{message}"
    );
    fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(matches!(load(&path), Err(ConfigError::Unreadable { .. })));
    assert!(matches!(load(dir.path()), Err(ConfigError::Unreadable { .. })));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = read(&text);
    }

    #[test]
    fn no_change_of_a_good_text_makes_it_panic(at in any::<prop::sample::Index>(), put in any::<String>(), cut in 0usize..20) {
        let chars: Vec<char> = WHOLE.chars().collect();
        let at = at.index(chars.len());
        let after = (at + cut).min(chars.len());
        let text: String = chars[..at].iter().copied().chain(put.chars()).chain(chars[after..].iter().copied()).collect();
        if let Err(mistakes) = read(&text) {
            prop_assert!(!mistakes.is_empty());
            prop_assert!(mistakes.iter().all(|mistake| mistake.at.line >= 1 && mistake.at.column >= 1));
        }
    }

    #[test]
    fn any_value_for_any_key_is_accepted_or_refused(value in "(\"[0-9a-z:\\- ]{0,12}\"|[0-9_a-fx.e+\\-]{1,12}|\\[[^\\]]{0,9}\\]|true|\\{\\})") {
        for key in WHOLE.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key) {
            for section in ["", "[supervisor]", "[restart]", "[notify]", "[cleanup]", "[ledger]"] {
                let _ = read(&format!("{section}\n{key} = {value}\n"));
            }
        }
    }
}

#[test]
fn colours_of_the_dashboard_are_read_and_mistakes_are_named() {
    let text = "[dashboard.colors]\naccent = \"#87afff\"\ndim = 244\nbad = \"bright-red\"\n";
    let colors = read(text).unwrap().dashboard.colors;
    assert_eq!(colors.of(ThemeRole::Accent), Some(ThemeColor::Rgb(0x87, 0xaf, 0xff)));
    assert_eq!(colors.of(ThemeRole::Dim), Some(ThemeColor::Indexed(244)));
    assert_eq!(colors.of(ThemeRole::Bad), Some(ThemeColor::Indexed(9)));
    assert_eq!(colors.of(ThemeRole::Good), None);
    for (line, mistake) in [
        ("acent = \"red\"", "there is no colour `acent`; the colours are accent, dim,"),
        ("dim = 256", "a colour such as"),
        ("dim = -1", "a colour such as"),
        ("dim = \"pink\"", "a colour such as"),
    ] {
        let found = mistakes(&format!("[dashboard.colors]\n{line}\n"));
        assert!(found.iter().any(|(_, _, message)| message.contains(mistake)), "{line}: {found:?}");
    }
}
