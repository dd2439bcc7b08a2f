//! Notices to services on the network.
//!
//! - `http`: one request with limits on time, size and redirects
//! - `ntfy`: the request to a topic of ntfy
//! - `webhook`: the signed request to a webhook
//! - `secret`: reads a token or a key

mod http;
mod ntfy;
mod secret;
mod webhook;

pub use http::{HttpClient, HttpRequest};
pub use ntfy::ntfy_request;
pub use secret::read_secret;
pub use webhook::webhook_request;
