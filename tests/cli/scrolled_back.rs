//! Typing in a view that was scrolled back with the mouse wheel.

use super::spawned;
use crate::support::TestEnv;
use crate::support::terminal::Terminal;

/// A wheel step upwards at column 10, line 10, as a terminal reports it.
const WHEEL_UP: &str = "\x1b[<64;10;10M";

/// Starts an agent that has printed more than a screen and writes each line it reads to `typed` in the project
/// directory.
fn reading_agent(env: &TestEnv) {
    let script =
        "seq 200; echo ready; while read -r line; do echo \"$line\" >>typed; echo \"got <$line>\"; done";
    spawned(env, &["--name", "a", "--", "sh", "-c", script]);
}

fn attached(env: &TestEnv) -> Terminal<'_> {
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("ready");
    terminal
}

fn scroll_back(terminal: &Terminal<'_>) {
    terminal.type_text(WHEEL_UP);
    terminal.wait_for_text("scrolled back (type or Esc to return)");
}

/// Returns all lines that the agent has read.
fn typed(env: &TestEnv) -> String {
    std::fs::read_to_string(env.project().join("typed")).unwrap_or_default()
}

fn position(env: &TestEnv) -> String {
    env.tmux(["display-message", "-p", "-t", "=a:", "#{pane_in_mode} #{scroll_position}"]).ok().stdout
}

#[test]
fn keys_typed_while_scrolled_back_reach_the_agent() {
    for mode_keys in ["emacs", "vi"] {
        let env = TestEnv::new();
        std::fs::create_dir_all(env.state()).expect("a state directory");
        let conf = format!("set -g mode-keys {mode_keys}\n");
        std::fs::write(env.state().join("tmux.conf"), conf).expect("a tmux.conf");
        reading_agent(&env);
        let terminal = attached(&env);
        for text in ["q", "1", "é中", "quick; {#}~ $x", "gG/n?jk:"] {
            scroll_back(&terminal);
            terminal.type_text(text);
            terminal.keys(&["Enter"]);
            terminal.wait_for_text(&format!("got <{text}>"));
        }
        // Keys that edit a line count as typing too.
        terminal.type_text("ab");
        scroll_back(&terminal);
        terminal.keys(&["BSpace", "c", "Enter"]);
        terminal.wait_for_text("got <ac>");
        terminal.type_text("Enter alone");
        scroll_back(&terminal);
        terminal.keys(&["Enter"]);
        terminal.wait_for_text("got <Enter alone>");
        assert_eq!(typed(&env), "q\n1\né中\nquick; {#}~ $x\ngG/n?jk:\nac\nEnter alone\n");
        assert_eq!(env.tmux(["show-options", "-wqv", "-t", "=a:", "mode-keys"]).ok().stdout, "");
    }
}

#[test]
fn a_burst_typed_while_scrolled_back_arrives_complete_and_in_order() {
    let env = TestEnv::new();
    reading_agent(&env);
    let terminal = attached(&env);
    scroll_back(&terminal);
    let lines: String = (0..200).map(|n| format!("line {n} of a burst, q and G among it\r")).collect();
    terminal.type_text(&lines);
    terminal.wait_for_text("got <line 199 of");
    assert_eq!(typed(&env), lines.replace('\r', "\n"));
}

#[test]
fn navigation_keys_scroll_and_escape_returns_without_reaching_the_agent() {
    let env = TestEnv::new();
    reading_agent(&env);
    let terminal = attached(&env);
    scroll_back(&terminal);
    let first = position(&env);
    terminal.keys(&["PPage", "Up"]);
    env.wait_until("the view is scrolled further", || position(&env) != first);
    for key in ["Escape", "C-c", "End"] {
        terminal.keys(&[key]);
        env.wait_until("the view is at the end again", || position(&env).trim() == "0");
        scroll_back(&terminal);
    }
    terminal.type_text("x");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <x>");
    assert_eq!(typed(&env), "x\n");
}

#[test]
fn clicks_and_focus_changes_do_not_scroll_the_view() {
    let env = TestEnv::new();
    reading_agent(&env);
    let terminal = attached(&env);
    scroll_back(&terminal);
    terminal.type_text(WHEEL_UP);
    for (report, focused) in [("\x1b[O", "0\n"), ("\x1b[I", "1\n")] {
        terminal.type_text(report);
        // tmux cannot distinguish reports that it reads at once from keys; for both, the focus is unchanged.
        env.wait_until("tmux has seen the report", || {
            env.tmux(["show-options", "-wqv", "-t", "=a:", "@symposium_focus"]).ok().stdout == focused
        });
    }
    // A click, pressed and released. A second one soon after it would select a word and leave the view.
    terminal.type_text("\x1b[<0;10;10M\x1b[<0;10;10m");
    terminal.keys(&["PPage"]);
    env.wait_until("the view is scrolled further", || {
        let lines = position(&env).trim().strip_prefix("1 ").and_then(|lines| lines.parse::<u32>().ok());
        lines.is_some_and(|lines| lines > 20)
    });
    terminal.type_text("x");
    terminal.keys(&["Enter"]);
    env.wait_until("the key arrived", || typed(&env) == "x\n");
}

#[test]
fn copy_mode_entered_on_purpose_keeps_its_keys() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.state()).expect("a state directory");
    let conf = "set -g mode-keys vi\nbind -T copy-mode-vi Z send-keys -X cancel\n";
    std::fs::write(env.state().join("tmux.conf"), conf).expect("a tmux.conf");
    reading_agent(&env);
    let terminal = attached(&env);
    for leave in ["q", "Z"] {
        terminal.keys(&["C-b", "["]);
        terminal.wait_for_text("copy mode (q to return)");
        terminal.keys(&["g"]);
        env.wait_until("`g` scrolls to the top", || position(&env).trim().len() > 3);
        terminal.keys(&[leave]);
        env.wait_until("copy mode is left", || position(&env).trim() == "0");
    }
    // The same key turns a view that is scrolled back into copy mode.
    scroll_back(&terminal);
    terminal.keys(&["C-b", "["]);
    terminal.wait_for_text("copy mode (q to return)");
    terminal.keys(&["q"]);
    env.wait_until("copy mode is left", || position(&env).trim() == "0");
    terminal.type_text("done");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <done>");
    assert_eq!(typed(&env), "done\n");
}

#[test]
fn an_observer_cannot_type_into_a_view_that_is_scrolled_back() {
    let env = TestEnv::new();
    reading_agent(&env);
    let driver = attached(&env);
    let observer = env.terminal([env.binary(), "agent", "attach", "--observe", "a"]);
    observer.wait_for_text("watching only");
    scroll_back(&driver);
    observer.wait_for_text("scrolled back");
    observer.type_text("from the observer");
    observer.keys(&["Enter"]);
    for line in ["from the driver", "once more"] {
        driver.type_text(line);
        driver.keys(&["Enter"]);
        driver.wait_for_text(&format!("got <{line}>"));
        observer.type_text("from the observer");
    }
    assert_eq!(typed(&env), "from the driver\nonce more\n");
}
