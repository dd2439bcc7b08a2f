//! `agent recap`: a summary of what happened, and the recap shown over the screen when a user attaches again.

use super::{agent, spawned, wait_for};
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// Creates a repository with one commit in the project.
fn repository(env: &TestEnv) {
    env.program("git", ["init", "-q", "-b", "trunk"]).ok();
    commit(env, "begin", "begin");
}

fn commit(env: &TestEnv, file: &str, subject: &str) {
    std::fs::write(env.project().join(file), subject).unwrap();
    env.program("git", ["add", "."]).ok();
    let who = ["-c", "user.name=t", "-c", "user.email=t@t"];
    env.program("git", who.iter().chain(&["commit", "-q", "-m", subject])).ok();
}

#[test]
fn a_recap_lists_work_commits_changes_replies_and_questions() {
    let env = TestEnv::new();
    repository(&env);
    spawned(&env, &["demo", "--name", "a", "--task", "remember blue"]);
    wait_for(&env, "a", "idle");
    commit(&env, "parser", "refactor the \u{1b}[31mparser");
    std::fs::write(env.project().join("begin"), "changed\n").unwrap();
    agent(&env, &["send", "a", "/ask make clean"]).ok();
    wait_for(&env, "a", "waiting");
    let text = agent(&env, &["recap", "a"]).ok().stdout;
    for value in [
        "a: waiting(approval) now; the last ",
        "2 prompts",
        "refactor the",
        "1 file, +1 -1 lines, not committed",
        "M begin",
        "I will remember: blue",
        "asks      Bash: make clean",
    ] {
        assert!(text.contains(value), "{value:?} is missing:\n{text}");
    }
    assert!(!text.contains('\u{1b}') && text.lines().count() < 24, "{text}");
    let json = agent(&env, &["recap", "a", "--json"]).ok().json();
    assert_eq!((&json["status"], &json["prompts"]), (&"waiting".into(), &2.into()));
    // git counts in seconds, so a commit of the second before the spawn may count too.
    assert!((1..=2).contains(&json["commits"].as_array().unwrap().len()), "{json}");
}

#[test]
fn a_recap_starts_at_the_given_time() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    let json = agent(&env, &["recap", "a", "--since", "2030-01-01T00:00:00Z", "--json"]).ok().json();
    assert_eq!(json["changes"], serde_json::json!([]));
    let json = agent(&env, &["recap", "a", "--since", "1h", "--json"]).ok().json();
    assert_eq!(json["changes"].as_array().unwrap().last().unwrap()["to"], "idle");
    agent(&env, &["recap", "a", "--since", "yesterdayish"]).fails(2);
    agent(&env, &["recap", "nobody"]).fails(3);
}

/// The last line of a recap that covers a screen.
const CLOSES: &str = "Esc or Enter closes this, any other key goes to the agent";

/// Creates an agent that was spawned long ago and never attached to.
fn of_long_ago() -> TestEnv {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "remember blue"]);
    wait_for(&env, "a", "idle");
    env.edit_registry(|registry| registry["sessions"]["a"]["created_at"] = "2026-01-01T00:00:00Z".into());
    env
}

/// Closes the recap, detaches and attaches again at once: no recap is shown after a short absence.
#[track_caller]
fn leaves_and_is_back_without_a_recap(env: &TestEnv, terminal: Terminal<'_>) {
    terminal.keys(&["Escape"]);
    // Read from tmux: the text is also missing from a screen that is being redrawn, and a key that follows Escape at
    // once is read together with it.
    env.wait_until("the recap is closed", || {
        env.tmux(["display-message", "-p", "-t", "=a:", "#{pane_in_mode}"]).ok().stdout == "0\n"
    });
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    env.wait_until("the detach is recorded", || env.registry()["sessions"]["a"]["last_detached"].is_string());
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("detach:");
    assert!(!terminal.screen().contains(CLOSES), "{}", terminal.screen());
}

#[test]
fn a_recap_is_shown_after_a_long_absence_and_closed_by_a_key() {
    let env = of_long_ago();
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text(CLOSES);
    terminal.wait_for_text("prompt    remember blue");
    terminal.wait_for_text("reply     I will remember: blue");
    terminal.wait_for_text("a: idle now; the last ");
    leaves_and_is_back_without_a_recap(&env, terminal);
}

#[test]
fn the_recap_shows_the_detach_keys_of_a_nested_tmux() {
    let env = of_long_ago();
    let terminal = env.terminal_in_tmux([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text(CLOSES);
    // The keys are shown, not pressed.
    terminal.wait_for_text("detach: C-b C-b d");
}

#[test]
fn a_recent_detach_shows_no_recap_while_observers_are_attached() {
    let env = of_long_ago();
    let observer = env.terminal([env.binary(), "agent", "attach", "a", "--observe"]);
    observer.wait_for_text("watching only");
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text(CLOSES);
    leaves_and_is_back_without_a_recap(&env, terminal);
}

#[test]
fn a_takeover_closes_the_recap_of_the_former_driver() {
    let env = of_long_ago();
    let former = env.terminal([env.binary(), "agent", "attach", "a"]);
    former.wait_for_text(CLOSES);
    let driver = env.terminal([env.binary(), "agent", "attach", "a", "--take"]);
    former.wait_for_text("took over");
    driver.wait_for_text(CLOSES);
    // One after the other: tmux takes keys that arrive within a millisecond for a paste, whichever terminal they come
    // from.
    driver.keys(&["Enter"]);
    env.wait_until("the recap is closed", || !driver.screen().contains(CLOSES));
    former.keys(&["typed as a watcher", "Enter"]);
    driver.keys(&["second", "Enter"]);
    env.wait_until("the prompt arrived", || super::prompts(&env, "a").len() == 2);
    driver.keys(&["C-b", "d"]);
    assert_eq!(driver.wait_for_exit(), 0);
    former.wait_for_text("you drive now");
    former.keys(&["C-b", "d"]);
    assert_eq!(former.wait_for_exit(), 0);
    assert_eq!(super::prompts(&env, "a"), ["remember blue", "second"]);
}

#[test]
fn a_digest_covers_all_agents_since_the_users_last_visit() {
    let env = TestEnv::new();
    let shop = env.home().join("shop");
    std::fs::create_dir(&shop).unwrap();
    spawned(&env, &["demo", "--name", "a", "--task", "remember blue"]);
    spawned(&env, &["demo", "--name", "b", "--dir", shop.to_str().unwrap(), "--task", "/ask make clean"]);
    wait_for(&env, "a", "idle");
    wait_for(&env, "b", "waiting");
    // A program that reads the digest does not count as the user.
    let value = env.symposium(["recap", "--json"]).ok().json();
    assert_eq!(value["needs_you"]["agents"], serde_json::json!(["b"]), "{value}");
    assert_eq!(value["projects"].as_array().map(Vec::len), Some(2), "{value}");
    let text = env.symposium(["recap"]).ok().stdout;
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what:?} is missing:\n{text}"));
    assert!(
        at("NEEDS YOU") < at("Bash: make clean") && at("Bash: make clean") < at("SHOP  ~/shop\n"),
        "{text}"
    );
    assert!(text.contains("1 prompt\n") || text.contains("1 prompt ·"), "{text}");
    // Events that were already shown are not repeated, except for those that still need the user.
    let again = env.symposium(["recap", "--json"]).ok().json();
    assert_eq!(again["since"], env.symposium(["recap", "--json"]).ok().json()["since"]);
    assert_eq!(again["needs_you"]["agents"], serde_json::json!(["b"]), "{again}");
    let names: Vec<_> = again["projects"][0]["agents"].as_array().into_iter().flatten().collect();
    assert!(names.iter().all(|agent| agent["name"] == "b"), "{again}");
    let all = env.symposium(["recap", "--since", "1h", "--json"]).ok().json();
    assert_eq!(all["projects"].as_array().map(Vec::len), Some(2), "{all}");
}

#[test]
fn the_prefix_key_works_while_a_recap_is_shown() {
    let env = of_long_ago();
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text(CLOSES);
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    env.wait_until("the detach is recorded", || env.registry()["sessions"]["a"]["last_detached"].is_string());
    // The recap of the former driver is closed, and no key reached the agent.
    let again = env.terminal([env.binary(), "agent", "attach", "a"]);
    again.wait_for_text("detach: C-b d");
    env.wait_until("the old recap is closed", || !again.screen().contains(CLOSES));
    again.keys(&["second", "Enter"]);
    env.wait_until("the prompt arrived", || super::prompts(&env, "a").len() == 2);
    assert_eq!(super::prompts(&env, "a"), ["remember blue", "second"]);
}

#[test]
fn the_key_that_closes_a_recap_reaches_the_agent() {
    let env = of_long_ago();
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text(CLOSES);
    // In one burst, as a pasted line arrives.
    terminal.type_text("hello, this is a line that was pasted; q\r");
    env.wait_until("the prompt arrived", || super::prompts(&env, "a").len() == 2);
    assert_eq!(super::prompts(&env, "a")[1], "hello, this is a line that was pasted; q");
}

#[test]
fn recaps_can_be_disabled_or_delayed() {
    for setting in ["false", "\"400d\""] {
        let env = of_long_ago();
        std::fs::write(env.state().join("config.toml"), format!("[attach]\nrecap = {setting}\n"))
            .expect("a config.toml");
        let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
        terminal.wait_for_text("detach: C-b d");
        terminal.keys(&["second", "Enter"]);
        env.wait_until("the prompt arrived", || super::prompts(&env, "a").len() == 2);
        assert_eq!(env.tmux(["show-options", "-sqv", "@symposium_cover"]).ok().stdout, "");
        assert_eq!(super::prompts(&env, "a"), ["remember blue", "second"]);
    }
}

#[test]
fn the_footer_of_an_agent_is_not_its_last_reply() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/work 1h"]);
    wait_for(&env, "a", "working");
    let json = agent(&env, &["recap", "a", "--json"]).ok().json();
    assert_eq!(json["last_words"], serde_json::Value::Null, "{json}");
}
