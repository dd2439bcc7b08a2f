//! Data that other users must not see or change: the spawner's secrets, the state directory, the user's own tmux.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::*;
use crate::support::run::Run;

const SECRET: &str = "s3cret-4f1d0c";

/// Returns all files and directories under this one, itself included, with their modes. Files that are deleted
/// meanwhile are omitted. The mode of a symbolic link has no meaning.
fn walk(dir: &Path) -> Vec<(PathBuf, u32)> {
    let Ok(found) = fs::symlink_metadata(dir) else { return Vec::new() };
    let mut all = vec![(dir.to_owned(), found.permissions().mode() & 0o7777)];
    if found.is_dir() {
        let inside = fs::read_dir(dir).into_iter().flatten().flatten();
        all.extend(inside.flat_map(|entry| walk(&entry.path())));
    }
    all
}

fn mode(path: &Path) -> u32 {
    walk(path).first().expect("it exists").1
}

/// Runs our binary under this umask.
fn under_umask(env: &TestEnv, umask: &str, args: &[&str]) -> Run {
    let script = format!("umask {umask}; exec \"$@\"");
    env.program("sh", [&["-c", &script, "sh", env.binary()], args].concat())
}

#[test]
fn a_secret_reaches_the_agent_and_no_command_line() {
    let env = TestEnv::new();
    let log = env.root().join("tmux-arguments");
    let real = env.root().join("tools/tmux");
    let record = format!("printf '%s\\n' \"$@\" >>{}\nexec {} \"$@\"", log.display(), real.display());
    env.fake_program("tmux", &record);
    let out = env.root().join("out");
    for name in ["one", "two", "three"] {
        let script = "printf %s \"$TOKEN\" >\"$OUT.part\"; mv \"$OUT.part\" \"$OUT\"; exec sleep 1000";
        let spawn = ["agent", "spawn", "--name", name, "--", "sh", "-c", script];
        let running = env.symposium(spawn).env("TOKEN", SECRET).env("OUT", &out).start();
        env.wait_until("the agent has its secret", || {
            let processes = env.processes();
            let leak = processes.iter().find(|one| one.command.contains(SECRET));
            assert!(leak.is_none(), "everybody on the machine can read {leak:?}");
            out.exists()
        });
        running.finish().ok();
        assert_eq!(fs::read_to_string(&out).unwrap(), SECRET);
        fs::remove_file(&out).unwrap();
    }
    env.symposium(["agent", "restart", "one"]).env("TOKEN", SECRET).env("OUT", &out).ok();
    env.wait_until("the agent has the secret again", || out.exists());
    let arguments = fs::read_to_string(&log).unwrap();
    assert!(arguments.contains("source-file") && !arguments.contains(SECRET), "{arguments}");
    for (file, _) in walk(&env.state()) {
        let holds =
            fs::read(&file).unwrap_or_default().windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes());
        assert!(!holds, "{} holds the secret", file.display());
    }
    assert!(!env.tmux(["show-environment", "-g"]).ok().stdout.contains(SECRET));
}

#[test]
fn a_secret_does_not_reach_the_next_agent() {
    let env = TestEnv::new();
    let spawn = |name: &str| {
        env.symposium(["agent", "spawn", "--name", name, "--", "sh", "-c", "env; exec sleep 1000"])
    };
    spawn("one").env("TOKEN", SECRET).ok();
    spawn("two").ok();
    env.wait_until("both agents have printed", || {
        ["one", "two"].iter().all(|one| logs(&env, one).contains("SYMPOSIUM_AGENT="))
    });
    assert!(logs(&env, "one").contains(SECRET));
    assert!(!logs(&env, "two").contains(SECRET));
}

#[test]
fn a_variable_of_spawn_survives_a_restart_and_is_stored_privately() {
    let env = TestEnv::new();
    let token = format!("TOKEN={SECRET}");
    let script = "echo token: $TOKEN; exec sleep 1000";
    env.symposium(["agent", "spawn", "--name", "one", "--env", &token, "--", "sh", "-c", script]).ok();
    env.symposium(["agent", "restart", "one"]).ok();
    env.wait_until("both starts had the secret", || logs(&env, "one").matches(SECRET).count() == 2);
    for (path, mode) in walk(&env.state()).into_iter().filter(|(path, _)| !path.is_symlink()) {
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

/// Runs commands that write all kinds of files under this umask, and asserts the mode of each file and directory.
fn assert_private_under(umask: &str) {
    let env = TestEnv::new();
    let run = |args: &[&str]| drop(under_umask(&env, umask, args).ok());
    run(&["agent", "spawn", "demo", "--name", "demo", "--task", "remember the milk"]);
    run(&["agent", "spawn", "--name", "plain", "--workspace", "scratch", "--", "cat"]);
    run(&["agent", "wait", "demo", "--for", "idle", "--timeout", "15s"]);
    run(&["agent", "rename", "plain", "other"]);
    run(&["agent", "kill", "demo"]);
    run(&["agent", "resume", "demo"]);
    run(&["agent", "list", "--all"]);
    run(&["doctor"]);
    fs::write(env.state().join("agent-sessions.json"), "garbage").unwrap();
    run(&["agent", "list", "--all"]);
    for (path, mode) in walk(&env.state()).into_iter().filter(|(path, _)| !path.is_symlink()) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert!(
            mode == expected || !path.exists(),
            "{} has mode {mode:04o} under umask {umask}",
            path.display()
        );
    }
    assert_eq!(mode(env.socket().parent().unwrap()), 0o700, "under umask {umask}");
    assert_eq!(mode(&env.socket()) & 0o007, 0, "under umask {umask}");
}

#[test]
fn files_are_private_under_an_open_umask() {
    assert_private_under("0000");
}

#[test]
fn files_are_usable_under_a_umask_of_0777() {
    assert_private_under("0777");
}

#[test]
fn a_state_directory_writable_by_others_is_refused() {
    let env = TestEnv::new();
    sleeper(&env, "one");
    for bad in [0o777, 0o770, 0o702] {
        fs::set_permissions(env.state(), fs::Permissions::from_mode(bad)).unwrap();
        for verb in [&["list"][..], &["kill", "one"], &["spawn", "--", "sleep", "9"], &["attach", "one"]] {
            let refused = env.symposium([&["agent"], verb].concat()).fails(5);
            assert!(refused.stderr.contains("others can write in"), "{refused:?}");
            assert!(refused.stderr.contains("hint: chmod go-w "), "{refused:?}");
        }
    }
    fs::set_permissions(env.state(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(status(&env, "one"), "working");
}

/// Returns the complete state of the user's own tmux server.
fn portrait(env: &TestEnv) -> String {
    let commands: [&[&str]; 10] = [
        &["list-sessions", "-F", "#{session_name} #{session_id} #{session_created} #{session_activity}"],
        &["list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{pane_dead} #{pane_width}x#{pane_height}"],
        &["list-clients"],
        &["show-options", "-s"],
        &["show-options", "-g"],
        &["show-options", "-gw"],
        &["show-hooks", "-g"],
        &["show-environment", "-g"],
        &["list-keys"],
        &["list-buffers"],
    ];
    let ask = |command: &&[&str]| env.program("tmux", [&["-L", "default"], *command].concat()).ok().stdout;
    commands.iter().map(ask).collect::<Vec<_>>().join("\n--\n")
}

#[test]
fn the_users_own_tmux_and_configuration_stay_unchanged() {
    let env = TestEnv::new();
    let conf = "set -g @whose users\nset -g status-left MINE\nset -g prefix C-a\nset-hook -g pane-died 'set -g @died yes'\n";
    fs::write(env.home().join(".tmux.conf"), conf).unwrap();
    fs::create_dir(env.state()).unwrap();
    fs::set_permissions(env.state(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(env.state().join("tmux.conf"), "set -g @ours yes\nset -g history-limit 1234\n").unwrap();
    // The session has a name that an agent will use too.
    env.program("tmux", ["-L", "default", "new-session", "-d", "-s", "one", "sleep 1000"]).ok();
    let socket = env.socket().with_file_name("default");
    let inside = format!("{},{},0", socket.display(), 1);
    let before = portrait(&env);
    assert!(before.contains("@whose users"), "the user's own configuration is in force");

    let run = |args: &[&str]| env.symposium(args).env("TMUX", &inside).env("TMUX_PANE", "%0");
    run(&["agent", "spawn", "--name", "one", "--", "sleep", "1000"]).ok();
    run(&["agent", "spawn", "demo", "--name", "demo", "--task", "hello"]).ok();
    run(&["agent", "wait", "demo", "--for", "idle", "--timeout", "15s"]).ok();
    run(&["agent", "send", "demo", "remember the milk"]).ok();
    for verb in [&["list"][..], &["show", "one"], &["peek", "one"], &["logs", "demo"], &["interrupt", "demo"]]
    {
        run(&[&["agent"], verb].concat()).ok();
    }
    run(&["doctor"]).ok();
    run(&["agent", "rename", "demo", "other"]).ok();
    run(&["agent", "restart", "one"]).ok();
    run(&["agent", "kill", "--all"]).ok();
    run(&["agent", "resume", "other"]).ok();
    run(&["agent", "rm", "--force", "other"]).ok();
    run(&["agent", "restore", "--all"]).ok();
    run(&["agent", "prune"]).ok();
    run(&["agent", "spawn", "--name", "one", "--", "sleep", "1000"]).ok();

    assert_eq!(portrait(&env), before);
    assert_eq!(fs::read_to_string(env.home().join(".tmux.conf")).unwrap(), conf);
    let ours = |option: &str| env.tmux(["show-options", "-gqv", option]).ok().stdout;
    assert_eq!(
        (ours("@whose"), ours("@ours"), ours("history-limit")),
        ("".into(), "yes\n".into(), "1234\n".into())
    );
    assert_ne!(ours("status-left"), "MINE\n");
    let foreign: Vec<_> = walk(&env.home())
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| !path.starts_with(env.state()))
        .collect();
    assert_eq!(foreign, [env.home(), env.home().join(".tmux.conf")], "files in the user's home");
}

#[test]
fn a_world_writable_directory_gets_no_chmod_hint() {
    let env = TestEnv::new();
    let all = env.root().join("all");
    fs::create_dir(&all).unwrap();
    fs::set_permissions(&all, fs::Permissions::from_mode(0o1777)).unwrap();
    let refused = env.symposium(["--home", all.to_str().unwrap(), "agent", "list"]).fails(5);
    assert!(
        refused.stderr.contains("hint: set SYMPOSIUM_HOME, or `--home`, to a directory of your own"),
        "{refused:?}"
    );
    assert!(!refused.stderr.contains("chmod"), "{refused:?}");
}
