//! Decisions about specs: their parameters, how they are shown, and the variables that they need.
//!
//! - `params`: parameters of a spec
//! - `spec_rows`: a spec as rows of a table
//! - `variables`: variables that a later shell may lack

pub mod params;
pub mod spec_rows;
pub mod variables;
