//! Tests of the environment itself, on which all other tests rely.

use std::time::Duration;

use super::TestEnv;

#[test]
fn the_developers_environment_is_hidden() {
    let env = TestEnv::new();
    let output = env.program("env", [""; 0]).ok().stdout;
    let mut names: Vec<&str> = output.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "HOME",
            "LANG",
            "LOGNAME",
            "PATH",
            "SHELL",
            "SYMPOSIUM_SUPERVISOR",
            "TERM",
            "TMUX_TMPDIR",
            "TZ",
            "USER"
        ]
    );
}

#[test]
fn our_binary_runs_in_the_environment() {
    let env = TestEnv::new();
    let output = env.symposium(["--version"]).ok().stdout;
    assert_eq!(env.program(env.binary(), ["--version"]).ok().stdout, output);
}

#[test]
fn an_outcome_carries_code_output_and_input() {
    let env = TestEnv::new();
    let script = r#"read -r line; echo "{\"said\":\"$line\",\"more\":\"$MORE\",\"dir\":\"$PWD\"}"; echo oops >&2; exit 3"#;
    let outcome = env
        .program("sh", ["-c", script])
        .stdin("hello\n")
        .env("MORE", "yes")
        .current_dir(env.home())
        .fails(3);
    let dir = env.home().display().to_string();
    assert_eq!(outcome.json(), serde_json::json!({"said": "hello", "more": "yes", "dir": dir}));
    assert_eq!(outcome.stderr, "oops\n");
}

#[test]
fn a_killed_program_has_the_exit_code_of_a_shell() {
    let env = TestEnv::new();
    let mut running = env.program("sh", ["-c", "echo up; exec sleep 1000"]).start();
    env.wait_until("the program is up", || running.stdout_so_far() == "up\n");
    assert!(running.pid() > 0);
    running.kill();
    running.finish().fails(137);
}

#[test]
fn a_hung_program_is_ended_and_reported() {
    let env = TestEnv::new();
    let output =
        panic_of(|| drop(env.program("sleep", ["1000"]).within(Duration::from_millis(50)).outcome()));
    assert!(output.contains("did not end in time"), "{output}");
    assert_eq!(env.processes(), []);
}

#[test]
fn an_unexpected_exit_code_fails_with_the_output() {
    let env = TestEnv::new();
    let output = panic_of(|| drop(env.program("sh", ["-c", "echo out; echo err >&2; exit 4"]).ok()));
    assert!(
        output.contains("expected exit code 0") && output.contains("out") && output.contains("err"),
        "{output}"
    );
}

#[test]
fn a_program_that_leaves_its_output_open_is_reported() {
    let env = TestEnv::new();
    let run = env.program("sh", ["-c", "sleep 1000 & exit 0"]).within(Duration::from_millis(200));
    let output = panic_of(|| drop(run.ok()));
    assert!(output.contains("holds its output open"), "{output}");
}

#[test]
fn a_fake_program_comes_first_and_a_removed_one_is_gone() {
    let env = TestEnv::new();
    env.fake_program("claude", "echo fake claude \"$@\"");
    assert_eq!(env.program("sh", ["-c", "claude --version"]).ok().stdout, "fake claude --version\n");
    env.forget_program("claude");
    env.forget_program("tmux");
    env.program("sh", ["-c", "claude --version"]).fails(127);
    env.program("sh", ["-c", "tmux -V"]).fails(127);
}

#[test]
fn the_tmux_server_ends_with_its_environment() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.socket().parent().unwrap()).unwrap();
    env.tmux(["-f", "/dev/null", "new-session", "-d", "-s", "one", "sleep 1000"]).ok();
    assert_eq!(env.tmux(["list-sessions", "-F", "#{session_name}"]).ok().stdout, "one\n");
    let (socket, root) = (env.socket(), env.root().to_owned());
    drop(env);
    assert!(!socket.exists() && !root.exists());
}

#[test]
fn detached_processes_are_found_and_ended() {
    let env = TestEnv::new();
    env.program("sh", ["-c", "setsid sleep 7654321 >/dev/null 2>&1 </dev/null & exit 0"]).ok();
    env.wait_until("the stray process sleeps", || {
        env.processes().iter().any(|one| one.command == "sleep 7654321")
    });
    let home = env.home();
    drop(env);
    super::until(
        "the stray process has ended",
        || super::leftovers::with_home(&home).is_empty(),
        String::new,
    );
}

#[test]
fn a_terminal_shows_output_and_takes_keys() {
    let env = TestEnv::new();
    let terminal = env.terminal([
        "sh",
        "-c",
        "echo \"in tmux: ${TMUX:-no}\"; read -r line; echo \"got <$line>\"; exit 5",
    ]);
    terminal.wait_for_text("in tmux: no");
    terminal.type_text("A=x é;");
    terminal.keys(&["Enter"]);
    assert_eq!(terminal.wait_for_exit(), 5);
    assert!(terminal.screen().contains("got <A=x é;>"), "{}", terminal.screen());
}

#[test]
fn a_terminal_can_be_resized_and_closed() {
    let env = TestEnv::new();
    let terminal = env.terminal_in_tmux([
        "sh",
        "-c",
        "echo \"in tmux: ${TMUX:+yes}\"; read -r line; stty size; exec sleep 1000",
    ]);
    terminal.wait_for_text("in tmux: yes");
    terminal.resize(60, 20);
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("20 60");
    terminal.close();
    env.wait_until("the program has ended", || env.processes().is_empty());
}

#[test]
fn varying_values_are_redacted() {
    let env = TestEnv::new();
    let root = env.root().display();
    let text = format!(
        "{root}/home 0b9e2c1a-3f4d-4e5f-8a6b-7c8d9e0f1a2b 2026-01-02T03:04:05.678Z pid 4242 \"pid\":17 3s ago after 0.4s %12"
    );
    assert_eq!(
        env.redacted(&text),
        "[ROOT]/home [UUID] [TIME] pid [PID] \"pid\":[PID] [AGE] ago after [DURATION] [PANE]"
    );
}

#[test]
fn a_missing_registry_panics_with_the_reason() {
    let env = TestEnv::new();
    let output = panic_of(|| drop(env.registry()));
    assert!(output.contains("No such file"), "{output}");
}

#[test]
fn a_report_contains_the_screen() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.socket().parent().unwrap()).unwrap();
    env.tmux(["-f", "/dev/null", "new-session", "-d", "-s", "one", "echo on the screen; exec sleep 1000"])
        .ok();
    env.wait_until("the text is printed", || {
        env.tmux(["capture-pane", "-p", "-t", "=one:"]).stdout.contains("on the")
    });
    assert!(env.report().contains("on the screen"), "{}", env.report());
}

/// Returns the message of a panic.
fn panic_of(run: impl FnOnce()) -> String {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("it must panic");
    caught.downcast_ref::<String>().cloned().unwrap_or_default()
}
