//! The `web devices` command: lists the devices that have access.

use crate::base::json_time;
use crate::cli::Invocation;
use crate::cli::grammar::definition::CommandDefinition;
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::{columns::columns, ui};
use crate::error::Error;
use crate::manager::WebAccess;
use crate::model::{DeviceGrant, WebDevice, WebLink, WebPermission};
use crate::text::ages::{ago, local};

pub(super) const COMMAND: CommandDefinition = CommandDefinition::new(
    "devices",
    "List the devices that have access, and the unopened links",
    Remote::LOCAL,
    |_, context| run(context),
);

fn run(context: &Invocation) -> Result<u8, Error> {
    let access = WebAccess(&context.manager);
    let (devices, links) = (access.devices()?, access.links()?);
    if context.ui.json {
        let all = devices.iter().map(shown).chain(links.iter().map(link_json));
        context.ui.json(&all.collect::<Vec<_>>());
        return Ok(0);
    }
    if devices.is_empty() && links.is_empty() {
        context.ui.say("no devices yet; `symposium web pair` adds one");
        return Ok(0);
    }
    let row = |device: &WebDevice| {
        let last_used = ago(device.last_used, context.manager.now());
        let access = access_text(device.grant.as_ref());
        [device.id.clone(), device.name.clone(), last_used, local(device.paired_at), access]
    };
    let link_row = |link: &WebLink| {
        let access = access_text(Some(&link.grant));
        [link.id.clone(), "link".to_owned(), "not opened".to_owned(), String::new(), access]
    };
    let rows: Vec<[String; 5]> = devices.iter().map(row).chain(links.iter().map(link_row)).collect();
    context.ui.data(&columns(["ID", "NAME", "LAST USED", "PAIRED", "ACCESS"], &rows, ui::width()));
    Ok(0)
}

/// Returns a device as JSON, without the checksum of its secret.
pub(super) fn shown(device: &WebDevice) -> serde_json::Value {
    serde_json::json!({
        "id": device.id,
        "name": device.name,
        "last_used": json_time::text(device.last_used),
        "paired_at": json_time::text(device.paired_at),
        "access": grant_json(device.grant.as_ref()),
    })
}

/// Returns a link that was not opened as JSON, with the fields of a device.
pub(super) fn link_json(link: &WebLink) -> serde_json::Value {
    serde_json::json!({
        "id": link.id,
        "name": null,
        "last_used": null,
        "paired_at": null,
        "access": grant_json(Some(&link.grant)),
    })
}

/// Returns the limits of a device as JSON; `null` means all rights of the user.
pub(super) fn grant_json(grant: Option<&DeviceGrant>) -> serde_json::Value {
    grant.map_or(serde_json::Value::Null, |grant| {
        serde_json::json!({
            "agent": grant.agent,
            "permission": grant.permission,
            "expires_at": json_time::text(grant.expires_at),
        })
    })
}

fn access_text(grant: Option<&DeviceGrant>) -> String {
    let Some(grant) = grant else { return "everything".to_owned() };
    let verb = match grant.permission {
        WebPermission::Watch => "watch",
        WebPermission::Type => "type into",
    };
    format!("{verb} `{}` until {}", grant.agent, local(grant.expires_at))
}
