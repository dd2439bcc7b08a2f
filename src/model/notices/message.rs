//! A notice as it is sent to other devices: with a link to the page and with answers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::{AgentId, Notice};

/// A notice with what a user needs to act on it from another device. The field names are a public contract: webhooks
/// receive it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoticeMessage {
    /// The notice that the other channels show.
    #[serde(flatten)]
    pub notice: Notice,
    /// Time at which the message was created.
    #[serde(with = "crate::base::json_time")]
    pub sent_at: Timestamp,
    /// Address of the agent on the page, if the page can be reached from other devices.
    pub link: Option<String>,
    /// Answers to the question that the notice is about. Empty unless the user has enabled them.
    pub answers: Vec<NoticeAnswer>,
}

/// One answer that a notice offers: a request that gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoticeAnswer {
    /// The answer that the token gives.
    pub answer: OfferedAnswer,
    /// Address to which the token is sent with `POST`, as `{"token": "…"}`.
    pub url: String,
    /// Token that is valid once, for this answer to this question.
    pub token: String,
}

/// An answer that a notice can offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OfferedAnswer {
    /// Approve the action.
    Approve,
    /// Deny the action.
    Deny,
}

impl OfferedAnswer {
    /// Returns the label of a button.
    pub fn label(self) -> &'static str {
        match self {
            OfferedAnswer::Approve => "Approve",
            OfferedAnswer::Deny => "Deny",
        }
    }
}

/// What the holder of a token may do. The token itself is not stored, only its checksum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerGrant {
    /// SHA-256 of the token.
    pub sha256: String,
    /// The agent that asks.
    pub agent_id: AgentId,
    /// Id of the question. No other question can be answered.
    pub question: String,
    /// The answer that the token gives.
    pub answer: OfferedAnswer,
    /// Device of the web page that the token was sent to; `None` for other channels.
    pub device: Option<String>,
    /// Time after which the token is refused.
    #[serde(with = "crate::base::json_time")]
    pub expires_at: Timestamp,
}
