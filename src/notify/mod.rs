//! The notify adapter: delivers notices to the desktop, to a command of the user and to services on the network.
//!
//! It implements the part of D-Bus that one call needs (RFD 0012). It never decides which notices are sent, and never
//! blocks its caller longer than the time limits defined here.
//!
//! - `desktop`: desktop notices
//! - `dbus`: a connection to a D-Bus message bus
//! - `dbus_message`: encodes calls and decodes replies
//! - `command`: runs a command of the user with the notice
//! - `network`: notices to services on the network
//! - `error`: the errors of this adapter

mod command;
mod dbus;
mod dbus_message;
mod desktop;
mod error;
mod network;

pub use command::command;
pub use dbus::session_bus;
pub use desktop::desktop;
pub use error::NoticeError;
pub use network::{HttpClient, HttpRequest, ntfy_request, read_secret, webhook_request};
