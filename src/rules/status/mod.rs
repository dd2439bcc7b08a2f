//! Decisions about the status of an agent.
//!
//! - `decide`: the status that follows from a record and one piece of evidence
//! - `from_hook`: status from the agent CLI's hooks
//! - `from_screen`: status from the screen
//! - `reconcile`: joins registry and tmux snapshot
//! - `turn_failure`: turns that ended with an error
//! - `reset_time`: time at which a limit resets
//! - `cut_off`: turns that were cut off with their terminal
//! - `hang`: agents that hang
//! - `events`: ledger events of a changed record
//! - `unsettled`: ledger rows whose registry entry is not written yet
//! - `will_return`: agents that come back without the user
//! - `attention`: agents that need an answer
//! - `display_order`: the order of lists

pub mod attention;
pub mod cut_off;
pub mod decide;
pub mod display_order;
pub mod events;
pub mod from_hook;
pub mod from_screen;
pub mod hang;
pub mod reconcile;
pub mod reset_time;
pub mod turn_failure;
pub mod unsettled;
pub mod will_return;
