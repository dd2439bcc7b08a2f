//! Types for notices that are sent to other devices.
//!
//! - `channels`: the settings of the services to which notices are sent
//! - `message`: a notice with a link and answers
//! - `web_url`: addresses to which notices are sent

pub(in crate::model) mod channels;
pub(in crate::model) mod message;
pub(in crate::model) mod web_url;
