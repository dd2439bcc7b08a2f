//! The dashboard in a popup of an attached terminal.

use super::echoing;
use crate::support::TestEnv;

#[test]
fn choosing_an_agent_in_the_popup_switches_the_terminal_to_it() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        echoing(&env, name);
    }
    let terminal = env.terminal([env.binary(), "agent", "attach", "a"]);
    terminal.wait_for_text("this is a");
    terminal.keys(&["C-b", "D"]);
    terminal.wait_for_text("[group: project]");
    terminal.keys(&["j", "Enter"]);
    // Keys go to the popup until its frame is gone.
    env.wait_until("the terminal shows `b`", || {
        let clients = env.tmux(["list-clients", "-F", "#{session_name}"]).ok().stdout;
        clients.trim() == "b" && !terminal.screen().contains('┌')
    });
    // Keys go to the popup until its process has ended.
    env.wait_until("the dashboard has ended", || {
        !env.processes().iter().any(|process| process.command.contains("--switch-client"))
    });
    terminal.type_text("hello");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("b got <hello>");
}
