//! Files about notices to other devices.
//!
//! - `answer_grants`: what the tokens in notices permit
//! - `channel_failures`: the channels whose last notice was not delivered

mod answer_grants;
mod channel_failures;

pub use answer_grants::AnswerGrants;
pub use channel_failures::{ChannelFailure, ChannelFailures};
