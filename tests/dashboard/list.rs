//! The list: the first frame, the filter, and changes of the size.

use std::fs;

use rustix::process::Pid;

use super::terminal::dashboard_process;
use super::{dashboard, dashboard_with, echoing, spawned, wait_until_gone};
use crate::cli::workspace::{git, repository, workspace};
use crate::support::TestEnv;

#[test]
fn an_empty_dashboard_says_how_to_start_and_leaves_the_terminal_as_it_was() {
    let env = TestEnv::new();
    let terminal = env.terminal([env.binary()]);
    terminal.wait_for_text("no agents yet; `N` starts one");
    assert_eq!(terminal.modes(), "1 1");
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(terminal.modes(), "0 0");
}

#[test]
fn the_filter_narrows_the_list_while_it_is_typed() {
    let env = TestEnv::new();
    for name in ["apple", "banana"] {
        echoing(&env, name);
    }
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is apple");
    terminal.wait_for_text("banana");
    terminal.keys(&["/"]);
    terminal.type_text("ban");
    wait_until_gone(&env, &terminal, "apple");
    terminal.wait_for_text("this is banana");
    terminal.keys(&["Enter", "Escape"]);
    terminal.wait_for_text("apple");
}

#[test]
fn a_storm_of_resizes_ends_with_a_complete_screen() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    // Resizes before the first key take another way than those after it.
    terminal.keys(&["?"]);
    terminal.wait_for_text("Keys: the list");
    terminal.keys(&["Escape"]);
    wait_until_gone(&env, &terminal, "Keys: the list");
    for step in 0..40 {
        terminal.resize(40 + (step * 37) % 160, 5 + (step * 11) % 50);
    }
    terminal.resize(80, 24);
    env.wait_until("the screen fits", || {
        let screen = terminal.screen();
        let lines: Vec<&str> = screen.lines().collect();
        lines.len() == 24
            && lines[0].starts_with(" symposium")
            && lines[23].contains("quit")
            && screen.contains("this is a")
    });
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn a_key_directly_after_a_resize_is_processed_and_then_the_dashboard_rests() {
    let env = TestEnv::new();
    echoing(&env, "a");
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    for width in [100, 121, 90] {
        terminal.keys(&["?"]);
        terminal.wait_for_text("Keys: the list");
        terminal.resize(width, 30);
        terminal.keys(&["Escape"]);
        wait_until_gone(&env, &terminal, "Keys: the list");
    }
    // A thread that reads in a loop never sleeps.
    let process = dashboard_process(&env);
    env.wait_until("the thread that reads keys sleeps", || {
        thread_state(process, "input").as_deref() == Some("S")
    });
    terminal.keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

/// Returns the state of a thread by its name, as the kernel names it: `S` sleeps, `R` runs.
fn thread_state(process: Pid, name: &str) -> Option<String> {
    let threads = fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero())).ok()?;
    let status = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("status")).ok();
    let found =
        threads.flatten().filter_map(status).find(|text| text.starts_with(&format!("Name:\t{name}\n")));
    let state = found?.lines().find_map(|line| line.strip_prefix("State:\t").map(str::to_owned))?;
    state.split_whitespace().next().map(str::to_owned)
}

#[test]
fn rows_of_worktrees_show_conflicts_and_merged_work() {
    let env = repository();
    for name in ["a", "b"] {
        spawned(&env, &["--name", name, "--workspace", "worktree", "--", "sleep", "1000"]);
        let at = workspace(&env, name);
        fs::write(at.join("src/lib.rs"), format!("// of {name}\n")).unwrap();
        git(&env, &at, &["commit", "-q", "-a", "-m", name]);
    }
    git(&env, &env.project(), &["merge", "-q", "--squash", "symposium/b"]);
    git(&env, &env.project(), &["commit", "-q", "-m", "squashed"]);
    let columns = "[dashboard]\ncolumns = [\"name\", \"branch\"]\n";
    fs::write(env.state().join("config.toml"), columns).unwrap();
    let terminal = dashboard(&env);
    terminal.wait_for_text(" a ≠1 ↑1 ↓1");
    terminal.wait_for_text(" b merged ↑1 ↓1");
}

#[test]
fn a_sidebar_shows_names_and_the_whole_question() {
    let env = TestEnv::new();
    super::spawned(&env, &["demo", "--name", "a", "--task", "/ask make clean"]);
    super::wait_for_status(&env, "a", "waiting");
    let terminal = dashboard_with(&env, (28, 30), &["--sidebar"]);
    terminal.wait_for_text("make clean");
    terminal.wait_for_text("y approve");
    terminal.keys(&["y"]);
    super::wait_for_status(&env, "a", "idle");
    wait_until_gone(&env, &terminal, "y approve");
}

#[test]
fn the_theme_follows_the_background_of_the_terminal() {
    let env = TestEnv::new();
    for (background, blue) in [("#ffffff", "38;5;25m"), ("#101010", "38;5;111m")] {
        let script = format!("read -r start; exec {} dashboard", env.binary());
        let terminal = env.terminal_sized((120, 36), ["sh", "-c", &script]);
        terminal.set_background(background);
        terminal.keys(&["Enter"]);
        terminal.wait_for_text("no agents yet");
        env.wait_until("the title has the blue of its theme", || terminal.coloured_screen().contains(blue));
    }
}
