//! Several live agents at once.

use super::{dashboard, echoing};
use crate::support::TestEnv;

#[test]
fn the_grid_shows_all_agents_live_and_only_observes() {
    let env = TestEnv::new();
    for name in ["a", "b", "c"] {
        echoing(&env, name);
    }
    let terminal = dashboard(&env);
    terminal.wait_for_text("this is a");
    terminal.keys(&["G"]);
    for name in ["a", "b", "c"] {
        terminal.wait_for_text(&format!("this is {name}"));
    }
    terminal.type_text("xyz");
    env.symposium(["agent", "send", "b", "from outside"]).ok();
    terminal.wait_for_text("b got <from outside>");
    assert!(!terminal.screen().contains("xyz"), "{}", terminal.screen());
    let clients = env.tmux(["list-clients"]).ok().stdout;
    assert_eq!(clients, "", "a tile needs no tmux client");
    terminal.keys(&["Escape"]);
    // The list shows the last line of each agent too, but no tabs are in the grid.
    terminal.wait_for_text(" recap  tasks ");
    terminal.wait_for_text("this is a");
}
