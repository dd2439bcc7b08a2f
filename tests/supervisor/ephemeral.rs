//! An ephemeral agent is removed when its task is done, and its result stays.

use rusqlite::{Connection, OpenFlags};

use super::{configure, log, symposium};
use crate::support::TestEnv;

/// Returns text, state and result of every task in the ledger.
fn tasks(env: &TestEnv) -> Vec<(String, String, Option<String>)> {
    let file = env.state().join("ledger.db");
    let Ok(ledger) = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY) else {
        return vec![];
    };
    let Ok(mut rows) = ledger.prepare("SELECT text, state, result FROM tasks ORDER BY id") else {
        return vec![];
    };
    let read = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    read.map(|rows| rows.filter_map(Result::ok).collect()).unwrap_or_default()
}

fn is_gone(env: &TestEnv, name: &str) -> bool {
    symposium(env, &["agent", "show", name]).outcome().code == 3
}

#[test]
fn an_ephemeral_agent_is_removed_after_its_task_and_its_result_stays() {
    let env = TestEnv::new();
    symposium(&env, &["agent", "spawn", "demo", "--name", "a", "--ephemeral", "--task", "say this and go"])
        .ok();
    env.wait_until("the agent is removed", || is_gone(&env, "a"));
    let tasks = tasks(&env);
    let (text, state, result) = &tasks[0];
    assert_eq!((tasks.len(), text.as_str(), state.as_str()), (1, "say this and go", "done"));
    assert!(result.as_deref().is_some_and(|result| result.contains("say this and go")), "{result:?}");
    assert!(!env.state().join("instances/a").exists());
    assert!(
        log(&env).iter().any(|line| line.to_string().contains("removed: its task is done")),
        "the removal is logged"
    );
}

#[test]
fn an_ephemeral_command_is_removed_after_success_only() {
    let env = TestEnv::new();
    symposium(
        &env,
        &["agent", "spawn", "--name", "good", "--ephemeral", "--", "sh", "-c", "echo x; sleep 0.2"],
    )
    .ok();
    // It fails only after the spawn, which would report an earlier exit.
    let fails = "while [ ! -e go ]; do sleep 0.05; done; exit 3";
    symposium(&env, &["agent", "spawn", "--name", "bad", "--ephemeral", "--", "sh", "-c", fails]).ok();
    std::fs::write(env.project().join("go"), "").unwrap();
    env.wait_until("agent `good` is removed", || is_gone(&env, "good"));
    env.wait_until("the other task has failed", || tasks(&env).iter().any(|(_, state, _)| state == "failed"));
    assert!(!is_gone(&env, "bad"), "the task is flagged");
}

#[test]
fn an_ephemeral_agent_that_is_idle_before_its_task_is_not_removed() {
    let env = TestEnv::new();
    let says = |event: &str| {
        format!(
            "echo '{{\"hook_event_name\":\"{event}\",\"session_id\":\"x\"}}' | {} event agent",
            env.binary()
        )
    };
    let turn = format!("{}; {}", says("UserPromptSubmit"), says("Stop"));
    env.fake_program(
        "claude",
        &format!(
            "{}\nwhile [ ! -e \"$HOME/go\" ]; do sleep 0.05; done\n{turn}\nexec sleep 1000",
            says("SessionStart")
        ),
    );
    symposium(&env, &["agent", "spawn", "claude", "--name", "a", "--ephemeral", "--task", "later"]).ok();
    symposium(&env, &["agent", "wait", "a", "--for", "starting", "--timeout", "20s"]).ok();
    // A second ephemeral agent is spawned and removed: the first would have been removed by then.
    symposium(&env, &["agent", "spawn", "--name", "b", "--ephemeral", "--", "sleep", "0.2"]).ok();
    env.wait_until("agent `b` is removed", || is_gone(&env, "b"));
    assert!(!is_gone(&env, "a"));
    std::fs::write(env.home().join("go"), "").unwrap();
    env.wait_until("the agent is removed", || is_gone(&env, "a"));
}

#[test]
fn a_notice_does_not_wait_for_ephemeral_agents_that_end_slowly() {
    let env = TestEnv::new();
    // The command records the notice together with the agents that exist when it arrives.
    let (told, instances) = (env.home().join("told"), env.state().join("instances"));
    let script =
        format!("cat >>{0}; ls {1} | tr '\\n' ' ' >>{0}; echo >>{0}", told.display(), instances.display());
    configure(&env, &format!("[notify]\ncommand = [\"sh\", \"-c\", \"{script}\"]\n"));
    let event = |event: &str| {
        format!(
            "echo '{{\"hook_event_name\":\"{event}\",\"session_id\":\"x\"}}' | {} event agent",
            env.binary()
        )
    };
    let lines = [
        "trap '' TERM HUP INT".to_owned(),
        event("SessionStart"),
        "while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done".to_owned(),
        event("UserPromptSubmit"),
        event("Stop"),
        "while :; do sleep 1; done".to_owned(),
    ];
    env.fake_program("claude", &lines.join("\n"));
    symposium(&env, &["agent", "spawn", "demo", "--name", "asks"]).ok();
    let slow = ["slow-1", "slow-2", "slow-3"];
    for name in slow {
        symposium(&env, &["agent", "spawn", "claude", "--name", name, "--ephemeral", "--task", "end"]).ok();
    }
    std::fs::write(env.home().join("go"), "").unwrap();
    env.wait_until("one of them is removed", || slow.iter().any(|name| !instances.join(name).exists()));
    symposium(&env, &["agent", "send", "asks", "/ask make"]).ok();
    let notice = || {
        let text = std::fs::read_to_string(&told).unwrap_or_default();
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.find(|line| line.contains("asks waits for approval")).map(str::to_owned)
    };
    env.wait_until("the approval is announced", || notice().is_some());
    let notice = notice().unwrap_or_default();
    assert!(notice.contains("slow-"), "it was announced after all of them had ended: {notice}");
}
