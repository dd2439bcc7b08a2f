//! Parses the text of a spec file into values with source positions.
//!
//! - `file`: reading untrusted files
//! - `front_matter`: front matter and body of a Markdown file
//! - `agents_toml`: TOML
//! - `yaml`: YAML front matter
//! - `tree`: the untyped syntax tree

pub(in crate::specs) mod agents_toml;
pub(in crate::specs) mod file;
pub(in crate::specs) mod front_matter;
pub(in crate::specs) mod tree;
pub(in crate::specs) mod yaml;
