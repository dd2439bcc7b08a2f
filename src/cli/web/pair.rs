//! The `web pair` command: prints a link and a QR code for one new device.

use crate::base::json_time;
use crate::cli::Invocation;
use crate::cli::grammar::definition::CommandDefinition;
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::{qr_code, ui};
use crate::error::Error;
use crate::manager::WebAccess;
use crate::text::ages::clock;

pub(super) const COMMAND: CommandDefinition = CommandDefinition::new(
    "pair",
    "Print a link and a QR code that give one device access",
    Remote::LOCAL,
    |_, context| run(context),
);

fn run(context: &Invocation) -> Result<u8, Error> {
    let link = WebAccess(&context.manager).pairing_link()?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({
            "url": link.url,
            "code": link.code,
            "expires_at": json_time::text(link.expires_at),
        }));
        return Ok(0);
    }
    if ui::is_shown() {
        context.ui.say(&qr_code::drawn(&link.url));
    }
    context.ui.data(&link.url);
    context.ui.say(&format!("code: {}", link.code));
    context.ui.say(&format!("valid for one device until {}", clock(link.expires_at)));
    Ok(0)
}
