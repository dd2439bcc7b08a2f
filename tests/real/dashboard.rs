//! The dashboard with the real Claude Code: its question is answered from the list, and the user types into it.

use super::claude::claude;
use crate::support::terminal::Terminal;

/// Opens the dashboard.
fn dashboard(real: &super::Real) -> Terminal<'_> {
    real.env.terminal_sized((140, 44), [real.env.binary(), "dashboard"])
}

#[test]
fn a_command_of_claude_is_approved_from_the_list() {
    let Some(real) = claude() else { return };
    let file = real.env.project().join("made-by-claude");
    real.spawn("claude", "run: touch made-by-claude");
    real.reason_when("waiting");
    let terminal = dashboard(&real);
    terminal.wait_for_text("1 needs you");
    terminal.wait_for_text("▌Bash: touch made-by-claude");
    // The live screen shows the dialog itself.
    terminal.wait_for_text("Do you want to proceed?");
    assert!(!file.exists());
    terminal.keys(&["y"]);
    terminal.wait_for_text("approved in `a`");
    real.wait_for_words("The command was run.");
    assert!(file.exists());
    real.env.wait_until("the question is closed", || !terminal.screen().contains("needs you"));
}

#[test]
fn text_is_typed_into_claude_in_place() {
    let Some(real) = claude() else { return };
    real.spawn("claude", "hello");
    real.wait_for_words("I heard 1 lines.");
    let terminal = dashboard(&real);
    terminal.wait_for_text("I heard 1 lines.");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("typing into a");
    terminal.type_text("the word is quince");
    terminal.wait_for_text("the word is quince");
    terminal.keys(&["Enter"]);
    real.env.wait_until("the model has got the prompt", || {
        real.model.last_prompt().as_deref() == Some("the word is quince")
    });
    terminal.wait_for_text("I heard 1 lines.");
    terminal.keys(&["C-]", "q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}
