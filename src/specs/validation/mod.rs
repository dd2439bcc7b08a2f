//! Validates values against the table of keys.
//!
//! - `keys`: the table of keys
//! - `validate`: checking values against the table
//! - `value_rules`: rules for single texts
//! - `schema`: the JSON Schema of `agents.toml`

pub(in crate::specs) mod keys;
#[cfg(test)]
mod schema;
pub(in crate::specs) mod validate;
pub(in crate::specs) mod value_rules;
