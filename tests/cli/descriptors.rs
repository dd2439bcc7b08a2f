//! The file descriptors of the tmux server: its limit is raised if necessary, and the last descriptors stay reserved.

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::support::TestEnv;
use crate::support::run::Outcome;

/// Spawns an agent from a shell with this limit, given as arguments of `ulimit`.
fn spawn(env: &TestEnv, limit: &str, name: &str) -> Outcome {
    let line = format!("ulimit {limit}; exec \"$@\"");
    let words = ["-c", &line, "sh", env.binary(), "agent", "spawn", "--name", name, "--", "sleep", "1000"];
    env.program("sh", words).outcome()
}

/// Returns the soft limit of a process.
fn soft_limit(pid: &str) -> u64 {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).expect("the process lives");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("it is always there");
    line.split_whitespace().nth(3).and_then(|word| word.parse().ok()).expect("a number")
}

fn server(env: &TestEnv) -> String {
    env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout.trim().to_owned()
}

#[test]
fn the_server_raises_its_descriptor_limit_and_agents_keep_theirs() {
    let env = TestEnv::new();
    super::without_settling(&env, &[]);
    spawn(&env, "-Sn 64", "a").ok();
    assert_eq!(soft_limit(&server(&env)), 64);
    for name in ["b", "c"] {
        spawn(&env, "-Sn 64", name).ok();
    }
    assert!(soft_limit(&server(&env)) > 128, "{}", soft_limit(&server(&env)));
    for name in ["a", "b", "c"] {
        assert_eq!(soft_limit(&super::shown(&env, name)["pid"].to_string()), 64, "{name}");
    }
    spawn(&env, "-Sn 77", "d").ok();
    assert_eq!(soft_limit(&super::shown(&env, "d")["pid"].to_string()), 77);
}

#[test]
fn spawn_is_refused_when_descriptors_run_out() {
    let env = TestEnv::new();
    super::without_settling(&env, &[]);
    let mut names = (0..40).map(|number| format!("a{number}"));
    let refused = names.by_ref().map(|name| spawn(&env, "-n 64", &name)).find(|outcome| outcome.code != 0);
    let refused = refused.expect("64 descriptors are not enough for 40 agents").fails(4);
    assert!(
        refused.stderr.starts_with("error: the tmux server has no room for another agent: "),
        "{refused:?}"
    );
    assert!(refused.stderr.contains(" of 64 are open; an agent needs about 2"), "{refused:?}");
    assert!(refused.stderr.contains("hint: end agents that are not needed"), "{refused:?}");
    // Other agents are not affected, and descriptors remain for terminals and commands.
    assert_eq!(super::status(&env, "a0"), "working");
    let terminal = env.terminal([env.binary(), "agent", "attach", "a0"]);
    terminal.wait_for_text("detach: C-b d");
    let doctor = env.symposium(["doctor"]).outcome().stdout;
    assert!(doctor.contains("note  file descriptors: the server has "), "{doctor}");
    super::agent(&env, &["kill", "a0", "a1", "a2"]).ok();
    terminal.close();
    env.wait_until("another agent can be started", || spawn(&env, "-n 64", "again").code == 0);

    // The last descriptors are reserved for commands, so another terminal is refused.
    let server = server(&env);
    let open = std::fs::read_dir(format!("/proc/{server}/fd")).expect("the server lives").count();
    let limit = Some(open as u64 + 10);
    let pid = server.parse().ok().and_then(Pid::from_raw).expect("a process id");
    prlimit(Some(pid), Resource::Nofile, Rlimit { current: limit, maximum: limit }).expect("a lower limit");
    let agents = super::agent(&env, &["list", "--json"]).ok().json();
    let name = agents[0]["name"].as_str().expect("an agent lives");
    let terminal = env.terminal([env.binary(), "agent", "attach", name]);
    terminal.wait_for_text("the tmux server has no room for another terminal");
    assert_eq!(super::status(&env, name), "working", "commands are still answered");
}
