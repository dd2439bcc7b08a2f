//! The limits of a device that may use one agent only: checked once for every request, and applied to the list.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::http::request::Parts;
use serde_json::{Value, json};

use super::api::{Refusal, refusal, run_blocking};
use super::{WebState, guard};
use crate::manager::WebAccess;
use crate::model::{DeviceGrant, WebDevice};
use crate::rules::access::web_grant::{GuestRequest, RequestEffect, permitted};

/// The fields of an agent that guests see. None of them names another agent.
const VISIBLE_FIELDS: [&str; 15] = [
    "name",
    "id",
    "title",
    "kind",
    "status",
    "waiting_for",
    "status_since",
    "reason",
    "question",
    "working_directory",
    "project",
    "branch",
    "created_at",
    "task",
    "tasks",
];

/// Refuses a request that the limits of its device do not permit.
pub(super) async fn check(state: &Arc<WebState>, device: &WebDevice, parts: &Parts) -> Result<(), Refusal> {
    let Some(grant) = device.grant.clone() else { return Ok(()) };
    let refused = || {
        let message =
            format!("this device may only use agent `{}`, within the limits of its link", grant.agent);
        refusal(StatusCode::FORBIDDEN, "not-granted", &message)
    };
    let effect = if guard::is_read(&parts.method) { RequestEffect::Read } else { RequestEffect::Change };
    let request = permitted(grant.permission, effect, parts.uri.path()).ok_or_else(refused)?;
    let GuestRequest::Agent(name) = request else { return Ok(()) };
    let (context, limits) = (Arc::clone(&state.context), grant.clone());
    let is_granted = run_blocking(move || Ok(WebAccess(&context).is_granted(&limits, &name))).await?;
    if is_granted { Ok(()) } else { Err(refused()) }
}

/// Returns the list with the agent of a guest only, and the limits of the guest for the page.
pub(super) fn filtered(list: &str, grant: &DeviceGrant) -> String {
    let list: Value = serde_json::from_str(list).unwrap_or_default();
    let entries = |key: &str| list[key].as_array().cloned().unwrap_or_default();
    let wanted = json!(grant.agent_id);
    let pairs = entries("agents").into_iter().zip(entries("rows"));
    let (agents, rows): (Vec<Value>, Vec<Value>) =
        pairs.filter(|(agent, _)| agent["id"] == wanted).map(|(agent, row)| (visible(agent), row)).unzip();
    json!({
        "agents": agents,
        "rows": rows,
        "silence": list["silence"],
        "access": { "permission": grant.permission, "expires_at": grant.expires_at },
    })
    .to_string()
}

/// Returns the terminal that drives an agent, without its user: a guest that may type can take over from it.
fn driver(client: &Value) -> Value {
    json!({ "tty": client["tty"], "user": null, "observer": false, "driver": true })
}

/// Returns an agent without the fields that guests do not see.
fn visible(agent: Value) -> Value {
    let Value::Object(mut fields) = agent else { return Value::Null };
    let clients = fields.remove("clients").unwrap_or_default();
    fields.retain(|name, _| VISIBLE_FIELDS.contains(&name.as_str()));
    let drivers: Vec<Value> = clients
        .as_array()
        .into_iter()
        .flatten()
        .filter(|client| client["driver"] == true)
        .map(driver)
        .collect();
    fields.insert("clients".into(), json!(drivers));
    fields.insert("parent".into(), Value::Null);
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AgentId, WebPermission};

    #[test]
    fn a_guest_sees_its_agent_and_the_terminal_that_drives_it_without_the_user() {
        let grant = DeviceGrant {
            agent: "api".parse().unwrap(),
            agent_id: AgentId::fresh(),
            permission: WebPermission::Type,
            expires_at: jiff::Timestamp::MAX,
        };
        let client = |tty: &str, driver: bool| json!({ "tty": tty, "user": "ann", "observer": !driver, "driver": driver });
        let clients = [client("/dev/pts/7", true), client("/dev/pts/8", false)];
        let own = json!({ "id": grant.agent_id, "name": "api", "parent": "other", "shares": ["ann"], "clients": clients });
        let list =
            json!({ "agents": [{ "id": "1", "name": "other" }, own], "rows": [{}, {}], "silence": null });
        let filtered: Value = serde_json::from_str(&filtered(&list.to_string(), &grant)).unwrap();
        let driver = json!({ "tty": "/dev/pts/7", "user": null, "observer": false, "driver": true });
        let expected = json!({ "id": grant.agent_id, "name": "api", "parent": null, "clients": [driver] });
        assert_eq!(filtered["agents"], json!([expected]));
    }
}
