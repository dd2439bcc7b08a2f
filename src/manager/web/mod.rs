//! Access to the web page: pairing, devices and the running server. The page itself is the face `web`.
//!
//! - `pair`: `web pair`, and the use of its code by a new device
//! - `devices`: `web devices` and `web revoke`, and the device that a secret belongs to
//! - `certificate`: the certificate of a server that encrypts its connections itself
//! - `install`: the service that serves the page
//! - `link`: `web link`, access of a guest to one agent
//! - `admission`: the devices that the server has paired itself, and what is reported about others
//! - `notice_answer`: answers of notices on other devices
//! - `server`: the one web server of an environment
//! - `refuse_agents`: agents may not use any of it
//!
//! A device proves itself with a secret of 160 random bits, of which only the checksum is stored. An agent runs as the
//! same Unix user and can read the file, so the pairing code has 96 random bits: its checksum reveals nothing.

pub(in crate::manager) mod admission;
pub(in crate::manager) mod certificate;
pub(in crate::manager) mod devices;
pub(in crate::manager) mod install;
pub(in crate::manager) mod link;
pub(in crate::manager) mod notice_answer;
pub(in crate::manager) mod pair;
pub(in crate::manager) mod refuse_agents;
pub(in crate::manager) mod server;

#[cfg(test)]
mod tests;

pub use admission::AdmittedDevices;
pub use certificate::{CertificateFiles, ServerCertificate};
pub use devices::Revocation;

use crate::manager::Context;

/// Decides which devices may use the web page.
#[derive(Clone, Copy)]
pub struct WebAccess<'a>(pub &'a Context);
