//! Settings of the channels that send notices to other devices: `[notify.ntfy]` and `[notify.webhook]`.

use crate::model::{NotifyOn, WebUrl};

/// A service to which notices are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeChannel {
    /// Address of the topic or of the webhook.
    pub url: WebUrl,
    /// Where the token or the key of the signature is.
    pub secret: Option<SecretSource>,
    /// Events that are sent; `None` means all for which there are notices.
    pub on: Option<Vec<NotifyOn>>,
    /// Whether notices contain what is needed to answer a question.
    pub actions: bool,
}

/// Where a secret is read from. The configuration itself holds none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// The first line of a file; `~/` means the home directory.
    File(String),
    /// The first line that a program prints; program and arguments, no shell.
    Command(Vec<String>),
}

impl NoticeChannel {
    /// Checks whether notices about this event are sent. A new device is always reported.
    pub fn wants(&self, on: NotifyOn) -> bool {
        on == NotifyOn::Device || self.on.as_ref().is_none_or(|wanted| wanted.contains(&on))
    }
}
