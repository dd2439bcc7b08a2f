//! Output for users: tables, colours, ages, choosers. This is the only part of the crate that prints.
//!
//! - `ui`: streams, colours, JSON and errors
//! - `columns`: lists in columns that fit the terminal
//! - `agent_table`: `agent list`
//! - `work_table`: `agent list --work`
//! - `patch`: a patch on a terminal
//! - `times`: durations and ages
//! - `picker`: choosing an agent from a list
//! - `qr_code`: QR codes in a terminal
//! - `redraw`: lists that are drawn again on every change

pub(in crate::cli) mod agent_table;
pub(in crate::cli) mod columns;
pub(in crate::cli) mod patch;
pub(in crate::cli) mod picker;
pub(in crate::cli) mod qr_code;
pub(in crate::cli) mod redraw;
pub(in crate::cli) mod times;
pub(in crate::cli) mod ui;
pub(in crate::cli) mod work_table;
