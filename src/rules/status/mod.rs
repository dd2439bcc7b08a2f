//! Decisions about the status of an agent.
//!
//! - `decide`: the status that follows from a record and one piece of evidence
//! - `from_hook`: evidence of the agent CLI's hooks
//! - `from_screen`: evidence of the screen
//! - `reconcile`: registry and tmux snapshot joined
//! - `turn_failure`: turns that ended with an error
//! - `reset_time`: when a limit resets
//! - `cut_off`: turns that were cut off with their terminal
//! - `hang`: agents without a sign of life
//! - `events`: ledger events of a changed record
//! - `unsettled`: ledger rows whose registry entry is not written yet
//! - `will_return`: agents that come back without a person
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
