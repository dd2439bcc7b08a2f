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

#[test]
fn remapped_keys_send_a_prompt_and_then_a_task_to_marked_agents() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.state()).unwrap();
    let keys = "[dashboard.keys]\nmark = \"x\"\nprompt = [\"p\", \"F5\"]\nremove = []\n";
    std::fs::write(env.state().join("config.toml"), keys).unwrap();
    for name in ["a", "b", "c"] {
        spawned(&env, &["demo", "--name", name]);
        wait_for_status(&env, name, "idle");
    }
    let terminal = dashboard(&env);
    terminal.wait_for_text("p prompt");
    // The former keys do nothing.
    terminal.keys(&["m", "X", "Space", "x", "x"]);
    terminal.wait_for_text("[2 marked]");
    terminal.keys(&["p"]);
    terminal.wait_for_text("Prompt to `a`, `b`");
    terminal.type_text("hello both");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("delivered to 2 agents");
    assert_eq!([field(&env, "a", "prompt"), field(&env, "b", "prompt")], ["hello both", "hello both"]);
    assert_ne!(field(&env, "c", "prompt"), "hello both");
    terminal.keys(&["F5", "Tab"]);
    terminal.wait_for_text("Task for `a`, `b`");
    terminal.type_text("fix it");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("a task was added for 2 agents");
    let tasks = env.symposium(["task", "list", "--all", "--json"]).ok().json();
    let mut tasks: Vec<String> =
        tasks.as_array().unwrap().iter().map(|task| format!("{} {}", task["agent"], task["text"])).collect();
    tasks.sort();
    assert_eq!(tasks, [r#""a" "fix it""#, r#""b" "fix it""#]);
}
