//! Agents of other hosts in the dashboard: their live screen, answers, typing and operations.

use serde_json::json;

use super::{Far, Near, machines};
use crate::support::terminal::Terminal;

fn dashboard(near: &Near) -> Terminal<'_> {
    near.env.terminal_sized((120, 36), [near.env.binary(), "dashboard"])
}

#[track_caller]
fn wait_for_status(far: &Far, status: &str) {
    far.env.wait_until(status, || far.agents()[0]["status"] == json!(status));
}

#[test]
fn a_remote_agent_is_shown_live_and_typed_into() {
    let Some((near, far)) = machines() else { return };
    let script = "(until [ -e go ]; do sleep 0.05; done; echo printed later) & echo this is a; \
                  while read -r line; do echo \"got <$line>\"; done";
    far.run(&["agent", "spawn", "--name", "a", "--", "sh", "-c", script]).ok();
    let terminal = dashboard(&near);
    terminal.wait_for_text("far:a");
    terminal.wait_for_text("this is a");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("typing into far:a");
    terminal.type_text("hello far");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <hello far>");
    terminal.keys(&["C-]"]);
    // Output that no key of this terminal has caused.
    std::fs::write(far.env.project().join("go"), "").unwrap();
    terminal.wait_for_text("printed later");
    terminal.keys(&["a"]);
    terminal.wait_for_text("detach: C-b d");
    terminal.keys(&["C-b", "d"]);
    terminal.wait_for_text("symposium  ");
    terminal.wait_for_text("printed later");
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn a_remote_question_is_answered_and_a_remote_agent_is_renamed_stopped_and_removed() {
    let Some((near, far)) = machines() else { return };
    far.run(&["agent", "spawn", "demo", "--name", "a", "--task", "/ask make clean"]).ok();
    wait_for_status(&far, "waiting");
    let terminal = dashboard(&near);
    terminal.wait_for_text("1 needs you");
    terminal.wait_for_text("y approve");
    terminal.keys(&["y"]);
    terminal.wait_for_text("approved in `far:a`");
    wait_for_status(&far, "idle");
    terminal.keys(&["Space"]);
    terminal.wait_for_text("Prompt to `far:a`");
    terminal.type_text("-");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("delivered to `far:a`");
    terminal.keys(&["e"]);
    terminal.wait_for_text("New name of `far:a`");
    terminal.type_text("b");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("`far:a` is called `ab` now");
    terminal.wait_for_text("far:ab");
    terminal.keys(&["S"]);
    terminal.wait_for_text("Stop `far:ab`?");
    terminal.keys(&["y"]);
    terminal.wait_for_text("`far:ab` was stopped");
    wait_for_status(&far, "stopped");
    terminal.wait_for_text("■");
    terminal.keys(&["X"]);
    terminal.wait_for_text("No work would be lost.");
    terminal.keys(&["y"]);
    terminal.wait_for_text("`far:ab` was removed");
    terminal.wait_for_text("no agents yet");
    assert_eq!(far.agents().len(), 0);
}

#[test]
fn a_host_that_does_not_answer_shows_its_last_known_state() {
    let Some((near, far)) = machines() else { return };
    far.echoing("a");
    near.run(&["agent", "list", "--host", "all"]).ok();
    far.fall_silent();
    let terminal = dashboard(&near);
    terminal.wait_for_text("as of ");
    terminal.wait_for_text("last known state, ");
    // The list stays usable.
    terminal.keys(&["?"]);
    terminal.wait_for_text("Keys: the list");
    terminal.keys(&["Escape"]);
    // A terminal cannot tell Escape from Alt if the next key follows at once.
    near.env.wait_until("the help is closed", || !terminal.screen().contains("Keys: the list"));
    far.speak_again();
    terminal.keys(&["C-l"]);
    terminal.wait_for_text("this is a");
}
