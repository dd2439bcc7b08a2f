//! The grammar of the command line: the list of all commands and what is derived from it.
//!
//! - `definition`: what is known about one command
//! - `commands`: the list of all commands, parsing and lookup
//! - `fast_path`: parsing of the commands that programs call often
//! - `shortcuts`: short forms such as `ls`, and tips for wrong guesses
//! - `completions`: the `symposium completions` command
//! - `man`: the `symposium man` command

pub(in crate::cli) mod commands;
pub(in crate::cli) mod completions;
pub(in crate::cli) mod definition;
pub(in crate::cli) mod fast_path;
pub(in crate::cli) mod man;
pub(in crate::cli) mod shortcuts;
