//! Decisions about permissions: which client drives, and what a guest, an agent or a project may do.
//!
//! - `next_driver`: which client may type
//! - `permissions`: what an agent may do with other agents
//! - `share_expiry`: how long a share is valid
//! - `trust`: which values of a project's spec need the user's agreement
//! - `base_path`: the path below which a proxy shows the web page
//! - `web_address`: the addresses under which the web page may be used
//! - `pairing_rate_limit`: how often a pairing code may be tried
//! - `web_grant`: what the device of a guest may request
//! - `web_secret`: secrets of web devices as text, and their comparison

pub mod base_path;
pub mod next_driver;
pub mod pairing_rate_limit;
pub mod permissions;
pub mod share_expiry;
pub mod trust;
pub mod web_address;
pub mod web_grant;
pub mod web_secret;
