//! Codex: `-c notify=[…]`, which tells the end of a turn with its last words and the thread. Seen in 0.166.0.
//!
//! Its hooks tell more, and `-c hooks.…` takes them per run, but a hook that nobody has trusted opens a dialog
//! ("Hooks need review"), and `--dangerously-bypass-hook-trust` would trust those of any repository with ours.
//! The rest is read from its screen.

use super::{HookCommand, HookSetup};
use crate::kinds::argv::toml_string;

pub(super) fn setup(hook: &HookCommand) -> HookSetup {
    let words: Vec<String> = hook.words().iter().map(|word| toml_string(word)).collect();
    let notify = format!("notify=[{}]", words.join(","));
    HookSetup { args: vec!["-c".into(), notify], ..HookSetup::default() }
}
