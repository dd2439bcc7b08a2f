//! `symposium demo-agent`: the stand-in for an agent CLI, with and without a terminal.

use super::{agent, printed, shown, spawned, wait_for};
use crate::support::TestEnv;

#[test]
fn without_a_terminal_the_demo_agent_answers_lines_until_end_of_input() {
    let env = TestEnv::new();
    let outcome =
        env.symposium(["demo-agent", "--session-id", "x1"]).stdin("remember the milk\nrecall\n").ok();
    assert!(outcome.stdout.contains("the milk"), "{outcome:?}");
    let again = env.symposium(["demo-agent", "--resume", "x1"]).stdin("recall\n").ok();
    assert!(again.stdout.contains("the milk"), "{again:?}");
    let outcome = env.symposium(["demo-agent", "--resume", "x2"]).stdin("").fails(1);
    assert_eq!(outcome.stderr, "No conversation found with session ID: x2\n");
    env.symposium(["demo-agent"]).stdin("/crash 7\n").fails(7);
}

#[test]
fn a_user_can_approve_and_answer_in_the_demo_agent() {
    let env = TestEnv::new();
    let terminal = env.terminal([env.binary(), "demo-agent", "--session-id", "x1"]);
    terminal.wait_for_text("Try \"/help\"");
    terminal.type_text("/ask make install");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("Do you want to proceed?");
    terminal.keys(&["1"]);
    terminal.wait_for_text("Done in");
    terminal.type_text("/question which colour?");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("which colour? (type your answer)");
    terminal.type_text("blue");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("You answered: blue");
    terminal.keys(&["C-c", "C-c"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(
        terminal.screen().contains("Resume this conversation with: --resume x1"),
        "{}",
        terminal.screen()
    );
}

#[test]
fn the_demo_agent_reports_through_hooks() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/question which colour?"]);
    wait_for(&env, "a", "waiting");
    assert_eq!(shown(&env, "a")["waiting_for"], "question");
    assert_eq!(shown(&env, "a")["reason"], "which colour?");
    env.tmux(["send-keys", "-t", "=a:", "-l", "blue"]).ok();
    env.tmux(["send-keys", "-t", "=a:", "Enter"]).ok();
    wait_for(&env, "a", "idle");
    agent(&env, &["send", "a", "/abort"]).outcome();
    wait_for(&env, "a", "crashed");
    assert_eq!(shown(&env, "a")["exit"]["signal"], 6);
}

#[test]
fn the_demo_agent_continues_after_a_flood_of_output() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/flood 2MB"]);
    wait_for(&env, "a", "idle");
    assert!(printed(&env, "a").contains("Flooded 2000000 bytes."));
}
