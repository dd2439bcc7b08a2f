//! Notices to the user are sent once, to the configured targets.

use serde_json::Value;

use super::{configure, symposium};
use crate::support::TestEnv;

/// A notify command that records its input, one object per line.
const COMMAND: &str = "[notify]\ncommand = [\"sh\", \"-c\", \"cat >>told; echo >>told\"]\n";

fn notices(env: &TestEnv) -> Vec<Value> {
    let text = std::fs::read_to_string(env.home().join("told")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn titles(env: &TestEnv) -> Vec<String> {
    notices(env).iter().map(|notice| notice["title"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_notify_command_receives_a_waiting_agent() {
    let env = TestEnv::new();
    configure(&env, &COMMAND.replace(">>told", &format!(">>{}/told", env.home().display())));
    symposium(&env, &["agent", "spawn", "demo", "--name", "a", "--task", "/ask make \"x\""]).ok();
    env.wait_until("the notice is sent", || titles(&env) == ["a waits for approval"]);
    let notice = &notices(&env)[0];
    assert_eq!((&notice["agent"], &notice["on"]), (&"a".into(), &"waiting".into()));
    assert!(notice["body"].as_str().unwrap().contains("make \"x\""), "{notice}");
}

#[test]
fn a_message_to_the_user_sends_a_notice() {
    let env = TestEnv::new();
    configure(&env, &COMMAND.replace(">>told", &format!(">>{}/told", env.home().display())));
    let script = format!("{} message send parent 'which colour?'; exec sleep 1000", env.binary());
    symposium(&env, &["agent", "spawn", "--name", "a", "--", "sh", "-c", &script]).ok();
    env.wait_until("the notice is sent", || titles(&env) == ["a wrote to you"]);
    let notice = &notices(&env)[0];
    assert_eq!((&notice["on"], &notice["body"]), (&"message".into(), &"which colour?".into()));
}

#[test]
fn a_notice_appears_in_the_status_line_of_another_agent() {
    let env = TestEnv::new();
    symposium(&env, &["agent", "spawn", "--name", "b", "--", "sleep", "1000"]).ok();
    let terminal = env.terminal([env.binary(), "agent", "attach", "b"]);
    terminal.wait_for_text("detach:");
    symposium(&env, &["agent", "spawn", "demo", "--name", "a", "--task", "/ask make #{pid} #(touch x)"]).ok();
    terminal.wait_for_text("a waits for approval");
    assert!(!env.project().join("x").exists() && !env.home().join("x").exists());
}

#[test]
fn notices_follow_the_spec_until_a_fresh_restart() {
    let env = TestEnv::new();
    configure(&env, &COMMAND.replace(">>told", &format!(">>{}/told", env.home().display())));
    let specs = env.state().join("agents.toml");
    let text = "[agents.quiet]\nkind = 'demo'\nnotify = ['crashed']\n[agents.usual]\nkind = 'demo'\n";
    std::fs::write(&specs, text).unwrap();
    symposium(&env, &["agent", "spawn", "quiet", "--name", "q", "--task", "/ask one"]).ok();
    symposium(&env, &["agent", "wait", "q", "--for", "waiting"]).ok();
    symposium(&env, &["agent", "spawn", "usual", "--name", "u", "--task", "/ask one"]).ok();
    env.wait_until("the notice of `u` is sent", || titles(&env) == ["u waits for approval"]);

    // Neither an edit nor a restart changes the setting that the agent was spawned with.
    std::fs::write(&specs, text.replace("'crashed'", "'waiting'")).unwrap();
    symposium(&env, &["agent", "restart", "q"]).ok();
    symposium(&env, &["agent", "send", "q", "/ask two"]).ok();
    symposium(&env, &["agent", "wait", "q", "--for", "waiting"]).ok();
    symposium(&env, &["agent", "deny", "u"]).ok();
    symposium(&env, &["agent", "wait", "u", "--for", "idle"]).ok();
    symposium(&env, &["agent", "send", "u", "/ask two"]).ok();
    let of = |name: &str| titles(&env).iter().filter(|title| title.starts_with(name)).count();
    env.wait_until("the second notice of `u` is sent", || of("u waits") == 2);
    assert_eq!(of("q "), 0, "{:?}", titles(&env));

    symposium(&env, &["agent", "restart", "q", "--fresh"]).ok();
    symposium(&env, &["agent", "send", "q", "/ask three"]).ok();
    env.wait_until("the notice of `q` follows the new spec", || of("q waits") == 1);
}

/// Delays the regular check of all agents, so that only the event itself can cause a notice.
fn configure_without_regular_looks(env: &TestEnv) {
    let command = COMMAND.replace(">>told", &format!(">>{}/told", env.home().display()));
    configure(env, &(command + "\n[supervisor]\nreconcile = \"1h\"\n"));
}

#[test]
fn removing_an_agent_does_not_delay_the_notices_of_others() {
    let env = TestEnv::new();
    configure_without_regular_looks(&env);
    symposium(&env, &["agent", "spawn", "demo", "--name", "asks"]).ok();
    symposium(&env, &["agent", "spawn", "demo", "--name", "gone"]).ok();
    symposium(&env, &["agent", "wait", "gone", "--for", "idle"]).ok();
    symposium(&env, &["agent", "rm", "--force", "gone"]).ok();
    symposium(&env, &["agent", "send", "asks", "/ask make"]).ok();
    env.wait_until("the approval is announced", || {
        titles(&env).contains(&"asks waits for approval".to_owned())
    });
}
