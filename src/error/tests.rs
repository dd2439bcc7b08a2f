//! Tests of the error messages.

use super::*;

#[test]
fn a_mistyped_name_is_guessed() {
    let known = ["api-fix", "docs", "web"].map(|n| n.parse().unwrap()).to_vec();
    let report = Error::NoSuchAgent { name: "api-fx".into(), known, verb: "attach" }.report();
    assert_eq!(report.message, "no agent named `api-fx`");
    assert_eq!(report.saw, ["known agents: api-fix, docs, web"]);
    assert_eq!(report.hints, ["did you mean `symposium agent attach api-fix`?"]);
    assert_eq!(report.exit, 3);
}

#[test]
fn an_early_exit_shows_code_and_last_lines() {
    let report = Error::ExitedAtOnce {
        name: "api-fix".parse().unwrap(),
        exit: Some(Exit { code: Some(1), signal: None }),
        after: Duration::from_millis(400),
        last_lines: vec!["Invalid API key".into()],
    }
    .report();
    assert_eq!(report.message, "agent `api-fix` exited as soon as it started (code 1, after 0.4s)");
    assert_eq!(report.saw, ["last lines:", "  Invalid API key"]);
}

#[test]
fn hostile_input_does_not_reach_the_terminal() {
    assert_eq!(shown("a\u{1b}[2Jb\n"), "a\u{fffd}[2Jb\u{fffd}");
    assert_eq!(shown(&"x".repeat(300)).chars().count(), 80);
}
