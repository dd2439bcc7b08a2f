//! Decides how the work of an agent gets into its base branch.
//!
//! - `facts`: what git and the registry report
//! - `refusal`: when nothing may be changed, and why
//! - `plan`: the steps
//! - `message`: the messages of commits
//! - `pull_request`: the text of a pull request, and the program that opens it
//! - `undo`: the commands that undo the steps

pub mod facts;
pub mod message;
pub mod plan;
pub mod pull_request;
pub mod refusal;
pub mod undo;
