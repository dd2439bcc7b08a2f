//! The review of an agent's changes: the tab "diff", which also opens as a full screen.
//!
//! - `patch`: the lines of a patch (pure)
//! - `rows`: what the screen shows for one file: lines of the patch with the comments on them (pure)
//! - `colours`: the words of a line by their meaning
//! - `screen`: the selected file and line, and what keys do
//!
//! Workers (`effects/diff.rs`) compare the trees, read the patch of the selected file and colour it. They keep the
//! comparison that is shown, so a comment is made for exactly the lines that the user has seen.

pub(crate) mod colours;
pub(crate) mod patch;
pub(crate) mod rows;
pub(crate) mod screen;
#[cfg(test)]
pub(crate) mod tests;
