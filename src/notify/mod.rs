//! The notice edge: hands what a person is told to the desktop and to a program of the user's.
//!
//! D-Bus is spoken here, in the little that one call needs (0012). Must never decide what is told, nor hold up its
//! caller for longer than the bounds named here.

mod command;
mod dbus;
mod dbus_message;
mod desktop;
mod error;

pub use command::{COMMAND_BOUND, Delivery, command};
pub use dbus::session_bus;
pub use desktop::desktop;
pub use error::NoticeError;
