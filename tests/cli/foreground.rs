//! `agent spawn --foreground`: an agent in the user's own terminal, to which no other terminal can attach.

use super::{agent, spawned, status, wait_for};
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// Starts an idle demo agent `a` in a terminal.
fn in_a_terminal(env: &TestEnv) -> Terminal<'_> {
    let words = ["agent", "spawn", "--foreground", "demo", "--name", "a", "--task", "hello"];
    let terminal = env.terminal([env.binary()].into_iter().chain(words));
    terminal.wait_for_text("You said: hello");
    wait_for(env, "a", "idle");
    terminal
}

#[test]
fn a_foreground_agent_refuses_other_terminals_and_counts_as_running() {
    let env = TestEnv::new();
    let terminal = in_a_terminal(&env);
    let output = "error: agent `a` runs in the foreground of a terminal, outside tmux
  it can be seen and typed into only in that terminal
hint: `symposium agent restart a` ends it there and continues its conversation in tmux
";
    for verb in [&["send", "a", "x"][..], &["interrupt", "a"], &["approve", "a"], &["hibernate", "a"]] {
        assert_eq!(agent(&env, verb).fails(1).stderr, output, "{verb:?}");
    }
    let other = env.terminal([env.binary(), "agent", "attach", "a"]);
    other.wait_for_text("agent `a` runs in the foreground of a terminal");
    agent(&env, &["restart", "a"]).ok();
    assert_ne!(terminal.wait_for_exit(), 0);
    agent(&env, &["send", "a", "and on"]).ok();
}

#[test]
fn a_foreground_agent_is_not_hibernated_for_capacity() {
    let env = TestEnv::new();
    super::without_settling(&env, &[]);
    std::fs::write(env.state().join("config.toml"), "max_agents = 1\n").unwrap();
    let terminal = in_a_terminal(&env);
    let outcome = agent(&env, &["spawn", "demo", "--name", "b"]).fails(1);
    assert!(outcome.stderr.contains("1 agent is running; `max_agents` is 1"), "{outcome:?}");
    assert_eq!(status(&env, "a"), "idle");
    terminal.type_text("/exit");
    terminal.keys(&["Enter"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn warnings_are_printed_before_a_foreground_agent_starts() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "b"]);
    let terminal = in_a_terminal(&env);
    assert!(terminal.screen().contains("agent `b` works in this directory too"), "{}", terminal.screen());
}

#[test]
fn killing_a_foreground_agent_restores_its_terminal() {
    let env = TestEnv::new();
    let spawn = format!("{} agent spawn --foreground demo --name a", env.binary());
    let terminal = env.terminal(["sh", "-c", &format!("{spawn}; printf 'left\\nand on\\n'; exec cat")]);
    terminal.wait_for_text("/help for help");
    wait_for(&env, "a", "idle");
    agent(&env, &["kill", "a"]).ok();
    terminal.wait_for_text("and on");
    let screen = terminal.screen();
    assert!(screen.lines().any(|line| line.starts_with("and on")), "{screen}");
}

#[test]
fn a_hook_that_reports_before_the_start_is_recorded_keeps_its_status() {
    let env = TestEnv::new();
    let spawn = format!("{} agent spawn --foreground demo --name a", env.binary());
    let terminal =
        env.terminal(["sh", "-c", &format!("SYMPOSIUM_FAILPOINT=stop:foreground.started {spawn}")]);
    terminal.wait_for_text("/help for help");
    wait_for(&env, "a", "idle");
    let words = "agent spawn --foreground demo --name a";
    let stopped = env
        .processes()
        .into_iter()
        .find(|process| process.command.starts_with(env.binary()) && process.command.ends_with(words));
    let pid = rustix::process::Pid::from_raw(stopped.expect("the command is stopped").pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    env.wait_until("the process of the agent is recorded", || {
        env.registry()["sessions"]["a"]["pid"].is_number()
    });
    assert_eq!(status(&env, "a"), "idle");
}
