//! Devices that may use the web page, and the code that pairs a new one. Secrets are stored as checksums only.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A browser that was paired with the web server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebDevice {
    /// Short id of the device, for `web revoke`.
    pub id: String,
    /// Name that the device gave itself, on one line.
    pub name: String,
    /// SHA-256 of its secret.
    pub secret_sha256: String,
    /// Time at which the device was paired.
    #[serde(with = "crate::base::json_time")]
    pub paired_at: Timestamp,
    /// Time of its last request, exact to a minute.
    #[serde(with = "crate::base::json_time")]
    pub last_used: Timestamp,
}

/// The code that pairs the next device. It is deleted when it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairingCode {
    /// SHA-256 of the code.
    pub sha256: String,
    /// Time after which the code is refused.
    #[serde(with = "crate::base::json_time")]
    pub expires_at: Timestamp,
}
