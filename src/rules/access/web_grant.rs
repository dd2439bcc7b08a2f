//! What a device of a guest may request: the list with one agent, and that agent. Everything that is not named here is
//! refused, so that a new route is closed to guests.

use jiff::Timestamp;

use crate::model::{AgentName, DeviceGrant, WebPermission};

/// The path of the event stream with the list of agents, which is filtered for guests.
const LIST_PATH: &str = "/api/events";
/// Parts of the agent that a guest may read.
const READABLE: [&[&str]; 4] = [&["screen"], &["screen", "events"], &["terminal", "events"], &["recap"]];
/// Request of a guest that only watches: it reports how much output its page has read.
const SENT_BY_WATCHERS: &[&str] = &["terminal", "acknowledge"];
/// Actions on the agent that a guest with the permission to type has.
const WRITABLE: [&[&str]; 8] = [
    &["answer"],
    &["prompt"],
    &["keys"],
    &["interrupt"],
    &["terminal", "take"],
    &["terminal", "release"],
    &["terminal", "type"],
    &["terminal", "resize"],
];

/// Whether a request reads or changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestEffect {
    /// The request only reads.
    Read,
    /// The request changes something.
    Change,
}

/// Subject of a request of a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestRequest {
    /// The list, filtered to the agent of the guest.
    List,
    /// An agent with this name, which must be the one of the guest.
    Agent(AgentName),
}

/// Returns what a request is about if a guest with this permission may send it. The path is compared as it was sent:
/// an encoded name is not the name of an agent, and refused.
pub fn permitted(permission: WebPermission, effect: RequestEffect, path: &str) -> Option<GuestRequest> {
    if effect == RequestEffect::Read && path == LIST_PATH {
        return Some(GuestRequest::List);
    }
    let mut segments = path.strip_prefix("/api/agents/")?.split('/');
    let name: AgentName = segments.next()?.parse().ok()?;
    let rest: Vec<&str> = segments.collect();
    let is_permitted = match effect {
        RequestEffect::Read => READABLE.contains(&rest.as_slice()),
        RequestEffect::Change => {
            rest == SENT_BY_WATCHERS
                || permission == WebPermission::Type && WRITABLE.contains(&rest.as_slice())
        }
    };
    is_permitted.then_some(GuestRequest::Agent(name))
}

/// Checks whether a grant has not expired. A device without a grant has all rights, without an end.
pub fn is_valid(grant: Option<&DeviceGrant>, now: Timestamp) -> bool {
    grant.is_none_or(|grant| now < grant.expires_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_reach_only_the_list_and_the_agent() {
        use RequestEffect::{Change, Read};
        use WebPermission::{Type, Watch};
        let agent = || Some(GuestRequest::Agent("api".parse().unwrap()));
        for (permission, effect, path, expected) in [
            (Watch, Read, "/api/events", Some(GuestRequest::List)),
            (Watch, Change, "/api/events", None),
            (Watch, Read, "/api/agents/api/screen", agent()),
            (Watch, Read, "/api/agents/api/screen/events", agent()),
            (Watch, Read, "/api/agents/api/recap", agent()),
            (Watch, Read, "/api/agents/api/terminal/events", agent()),
            (Watch, Change, "/api/agents/api/terminal/acknowledge", agent()),
            (Watch, Change, "/api/agents/api/terminal/take", None),
            (Watch, Change, "/api/agents/api/terminal/type", None),
            (Watch, Change, "/api/agents/api/terminal/resize", None),
            (Watch, Change, "/api/agents/api/prompt", None),
            (Watch, Change, "/api/agents/api/screen", None),
            (Type, Change, "/api/agents/api/prompt", agent()),
            (Type, Change, "/api/agents/api/answer", agent()),
            (Type, Change, "/api/agents/api/terminal/type", agent()),
            (Type, Change, "/api/agents/api/terminal", None),
            (Type, Change, "/api/agents/api/stop", None),
            (Type, Change, "/api/agents/api/tasks", None),
            (Type, Read, "/api/agents/api/messages", None),
            (Type, Read, "/api/agents", None),
            (Type, Read, "/api/agents/", None),
            (Type, Read, "/api/agents/%61pi/screen", None),
            (Type, Read, "/api/agents//screen", None),
            (Type, Read, "/api/agents/api/screen/", None),
            (Type, Read, "/api/agents/api/x/../screen", None),
            (Type, Change, "/api/spawn", None),
            (Type, Change, "/api/tasks/1/cancel", None),
            (Type, Read, "/", None),
        ] {
            assert_eq!(permitted(permission, effect, path), expected, "{permission:?} {effect:?} {path}");
        }
    }
}
