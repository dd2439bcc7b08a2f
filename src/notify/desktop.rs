//! Desktop notices: one call of `org.freedesktop.Notifications`, which every desktop implements.

use std::ffi::OsStr;

use super::NoticeError;
use super::dbus::Bus;
use super::dbus_message::{MessageBody, Method};
use crate::model::{Notice, Urgency, is_deceptive};

const NOTIFY: Method<'_> = Method {
    service: "org.freedesktop.Notifications",
    path: "/org/freedesktop/Notifications",
    member: "Notify",
};
/// Expiration time that leaves the duration to the desktop.
const DEFAULT_EXPIRY: u32 = u32::MAX;

/// Shows a notice on the desktop with this bus address. Takes two seconds at most.
pub fn desktop(notice: &Notice, bus_address: &OsStr) -> Result<(), NoticeError> {
    Bus::connect(bus_address)?.call(NOTIFY, body(notice))
}

/// Returns the arguments of the call: name, replaced notice, icon, title, text, buttons, hints and duration.
fn body(notice: &Notice) -> MessageBody {
    let urgency = match notice.urgency {
        Urgency::Low => 0,
        Urgency::Normal => 1,
        Urgency::Critical => 2,
    };
    MessageBody::new("susssasa{sv}i")
        .text("symposium")
        .number(0)
        .text("utilities-terminal")
        .text(&plain(&notice.title))
        .text(&without_markup(&notice.body))
        .array(4, |buttons| buttons)
        .array(8, |hints| hints.text("urgency").kind("y").byte(urgency))
        .number(DEFAULT_EXPIRY)
}

/// Escapes a text for the body of a notice, where desktops interpret markup. Titles contain none.
fn without_markup(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(plain).collect();
    lines.join("\n").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn plain(line: &str) -> String {
    line.chars().map(|c| if is_deceptive(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests;
