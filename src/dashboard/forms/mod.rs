//! Forms of the dashboard. There is one: it starts an agent or a taskspace.
//!
//! - `spawn_form`: the fields and their values
//! - `keys`: what keys do in the form
//! - `submission`: the spawn that the form describes, also as a command line
//! - `outcome`: what workers report to the form
//! - `window`: the form in the state of the dashboard
//!
//! The form is pure. Workers look up what can be spawned in the directory that is typed, complete it, and spawn; a
//! failed spawn is shown in the form and leaves all fields as they are. The picture is in `view/form.rs`.

pub(crate) mod keys;
pub(crate) mod outcome;
pub(crate) mod spawn_form;
pub(crate) mod submission;
#[cfg(test)]
mod tests;
pub(crate) mod window;
