//! The `web devices` command: lists the devices that have access.

use crate::base::json_time;
use crate::cli::Invocation;
use crate::cli::grammar::definition::CommandDefinition;
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::{columns::columns, ui};
use crate::error::Error;
use crate::manager::WebAccess;
use crate::model::WebDevice;
use crate::text::ages::{ago, local};

pub(super) const COMMAND: CommandDefinition =
    CommandDefinition::new("devices", "List the devices that have access", Remote::LOCAL, |_, context| {
        run(context)
    });

fn run(context: &Invocation) -> Result<u8, Error> {
    let devices = WebAccess(&context.manager).devices()?;
    if context.ui.json {
        context.ui.json(&devices.iter().map(shown).collect::<Vec<_>>());
        return Ok(0);
    }
    if devices.is_empty() {
        context.ui.say("no devices yet; `symposium web pair` adds one");
        return Ok(0);
    }
    let row = |device: &WebDevice| {
        let last_used = ago(device.last_used, context.manager.now());
        [device.id.clone(), device.name.clone(), last_used, local(device.paired_at)]
    };
    let rows: Vec<[String; 4]> = devices.iter().map(row).collect();
    context.ui.data(&columns(["ID", "NAME", "LAST USED", "PAIRED"], &rows, ui::width()));
    Ok(0)
}

/// Returns a device as JSON, without the checksum of its secret.
pub(super) fn shown(device: &WebDevice) -> serde_json::Value {
    serde_json::json!({
        "id": device.id,
        "name": device.name,
        "last_used": json_time::text(device.last_used),
        "paired_at": json_time::text(device.paired_at),
    })
}
