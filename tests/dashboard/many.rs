//! Many agents: operations on all marked ones, and a list of a thousand.

use super::{dashboard, echoing, field, spawned, wait_for_status, wait_until_gone};
use crate::support::TestEnv;

#[test]
fn marked_agents_are_stopped_together_after_one_question() {
    let env = TestEnv::new();
    for name in ["a", "b", "c"] {
        echoing(&env, name);
    }
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    terminal.keys(&["m", "m"]);
    terminal.wait_for_text("[2 marked]");
    terminal.keys(&["S"]);
    terminal.wait_for_text("Stop `a`, `b`?");
    terminal.keys(&["y"]);
    wait_for_status(&env, "a", "stopped");
    wait_for_status(&env, "b", "stopped");
    env.wait_until("two rows have the shape of a stopped agent", || {
        terminal.screen().lines().filter(|line| line.contains('■')).count() == 2
    });
    assert_ne!(field(&env, "c", "status"), "stopped");
}

#[test]
fn a_thousand_agents_are_listed_filtered_and_scrolled() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "true"]);
    wait_for_status(&env, "a", "exited");
    env.edit_registry(|registry| {
        let record = registry["sessions"]["a"].clone();
        for number in 0..1000 {
            let mut copy = record.clone();
            let name = format!("agent-{number:04}");
            copy["id"] = format!("00000000-0000-4000-8000-{number:012}").into();
            copy["name"] = name.clone().into();
            registry["sessions"][&name] = copy;
        }
    });
    let terminal = dashboard(&env);
    terminal.wait_for_text("agent-0001");
    terminal.keys(&["End"]);
    terminal.wait_for_text("agent-0999");
    wait_until_gone(&env, &terminal, "agent-0001");
    terminal.keys(&["/"]);
    terminal.type_text("0512");
    terminal.wait_for_text("agent-0512");
    wait_until_gone(&env, &terminal, "agent-0999");
    terminal.keys(&["Enter", "Escape"]);
    wait_until_gone(&env, &terminal, "[/0512]");
    terminal.keys(&["g"]);
    terminal.wait_for_text("agent-0001");
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}
