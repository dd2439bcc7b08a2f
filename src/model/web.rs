//! Devices that may use the web page, and the code that pairs a new one. Secrets are stored as checksums only.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, AgentName};

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
    /// The limits of a guest; `None` means all rights of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<DeviceGrant>,
}

/// The limits of the device of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceGrant {
    /// Name that the agent had when the link was created.
    pub agent: AgentName,
    /// Id of the only agent that the device may use.
    pub agent_id: AgentId,
    /// Permission of the device for the agent.
    pub permission: WebPermission,
    /// Time after which the device has no access.
    #[serde(with = "crate::base::json_time")]
    pub expires_at: Timestamp,
}

/// Permission of a guest for an agent on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WebPermission {
    /// See its status, question, screen and recap.
    Watch,
    /// Also answer, prompt, press keys and interrupt.
    Type,
}

/// A link for a guest that was not opened yet. The device that opens it gets the same id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebLink {
    /// Short id, for `web revoke`.
    pub id: String,
    /// SHA-256 of the code in the link.
    pub sha256: String,
    /// The limits of the device that opens the link.
    pub grant: DeviceGrant,
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
