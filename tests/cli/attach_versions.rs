//! Attaching when the tmux in PATH is of another version than the running server.

use super::spawned;
use crate::support::TestEnv;

/// Puts a tmux into PATH that can attach to no server, as one whose protocol differs.
fn another_tmux(env: &TestEnv) {
    let script = "case $1 in -V) echo 'tmux 3.9' ;; *) echo 'open terminal failed: not a terminal' >&2; exit 1 ;; esac";
    env.fake_program("tmux", script);
}

fn echoing(env: &TestEnv) {
    spawned(env, &["--name", "a", "--", "sh", "-c", "echo this is a; exec cat"]);
}

#[test]
fn attach_uses_the_tmux_program_of_the_running_server() {
    let env = TestEnv::new();
    echoing(&env);
    another_tmux(&env);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("this is a");
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    env.wait_until("the agent received the text", || super::printed(&env, "a").matches("hello").count() == 2);
    let doctor = env.symposium(["doctor"]).outcome().stdout;
    assert!(doctor.contains("note  tmux versions: the server runs tmux 3."), "{doctor}");
    assert!(doctor.contains("PATH has 3.9; attach uses the server's own program, /proc/"), "{doctor}");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn attach_works_after_the_program_of_the_server_was_deleted() {
    let env = TestEnv::new();
    let copy = env.root().join("fakes/tmux");
    std::fs::copy(env.root().join("tools/tmux"), &copy).expect("a copy of tmux");
    echoing(&env);
    std::fs::remove_file(&copy).expect("the copy is there");
    another_tmux(&env);
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("this is a");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn doctor_is_silent_about_equal_versions() {
    let env = TestEnv::new();
    echoing(&env);
    let doctor = env.symposium(["doctor"]).outcome().stdout;
    assert!(!doctor.contains("tmux versions"), "{doctor}");
    assert!(doctor.contains("ok    file descriptors: the server has "), "{doctor}");
}
