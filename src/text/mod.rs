//! Texts that several faces show: pure functions from types of the model to plain text without colours.
//!
//! - `agent`: the status, place and activity of one agent
//! - `recap`: what happened to one agent
//! - `digest`: what happened to all agents and tasks
//! - `review`: comments on the changes of an agent
//! - `trust`: the effects of a project's specs
//! - `ages`: times and durations
//! - `fit`: cutting and sanitizing

pub mod agent;
pub mod ages;
pub mod digest;
pub mod fit;
pub mod recap;
pub mod review;
pub mod trust;
