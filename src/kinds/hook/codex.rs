//! Codex: `-c notify=[…]`, which reports the end of a turn with its last reply and the thread. Verified with 0.166.0.
//!
//! Its hooks report more, and `-c hooks.…` sets them per run, but an untrusted hook opens a dialog ("Hooks need
//! review"), and `--dangerously-bypass-hook-trust` would also trust the hooks of any repository. The remaining
//! information is read from its screen.

use super::{HookCommand, HookSetup};
use crate::kinds::argv::toml_string;

pub(super) fn setup(hook: &HookCommand) -> HookSetup {
    let words: Vec<String> = hook.words().iter().map(|word| toml_string(word)).collect();
    let notify = format!("notify=[{}]", words.join(","));
    HookSetup { args: vec!["-c".into(), notify], ..HookSetup::default() }
}
