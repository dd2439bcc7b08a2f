//! Notices to other devices, with links to the web page and with answers.
//!
//! - `network`: which channels get a notice, and with which link and answers
//! - `outbox`: the threads that send notices
//! - `answer_tokens`: tokens that answer a question once
//!
//! The words: a channel is a service that gets notices; a token is the secret part of an answer in a notice.

pub(in crate::manager) mod answer_tokens;
pub(in crate::manager) mod network;
pub(in crate::manager) mod outbox;

pub use outbox::NoticeOutbox;

use crate::manager::Context;

/// Sends notices to other devices.
#[derive(Clone, Copy)]
pub struct NetworkNotices<'a>(pub &'a Context);
