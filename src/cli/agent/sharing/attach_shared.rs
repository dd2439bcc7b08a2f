//! The guest's side of sharing: `agent attach OWNER/NAME` and `agent list --shared`.

use crate::base::sanitize::shell_word;
use crate::cli::agent::terminal::attach::detach_keys;
use crate::cli::render::columns::columns;
use crate::cli::{Invocation, agent::lifecycle::spawn, render::ui};
use crate::error::Error;
use crate::manager::Sharing;
use crate::manager::{
    As, AttachSurroundings, ConnectPurpose, DisconnectReason, GUEST_PREFIX, IncomingShares,
};
use crate::model::AgentName;
use crate::text::ages;

/// Maximum number of unresponsive owners that are named, so that the warning fits on one line.
const MAX_NAMED: usize = 5;

/// Parses the address `OWNER/NAME` of a shared agent. Returns `None` if the text is not such an address.
pub(in crate::cli) fn address(text: &str) -> Option<Result<(String, AgentName), Error>> {
    let (owner, name) = text.split_once('/').filter(|(owner, _)| is_user(owner))?;
    Some(spawn::name(name).map(|name| (owner.to_owned(), name)))
}

/// Parses the name of an agent in the user's own environment, and rejects the address of a shared agent.
pub(in crate::cli) fn own(text: &str) -> Result<AgentName, Error> {
    match address(text) {
        Some(Ok(_)) => Err(Error::usage(format!(
            "`{text}` is a shared agent of another user, which can only be attached"
        ))
        .hint(format!("`symposium agent attach {}`", shell_word(text)))),
        _ => spawn::name(text),
    }
}

/// Checks whether a text can be a user name, including names from a directory service. A path cannot.
fn is_user(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || "_.-@+$\\".contains(c))
}

/// Attaches to an agent that another user shares. Returns `None` if the agent is the user's own.
pub(in crate::cli) fn to(
    owner: &str,
    name: &AgentName,
    how: As,
    context: &Invocation,
) -> Result<Option<u8>, Error> {
    if Sharing(&context.manager).is_us(owner)? {
        return Ok(None);
    }
    if !ui::is_interactive() {
        return Err(Error::no_terminal("attach", Some(format!("{owner}/{name}"))));
    }
    let want = match how {
        As::Driver => ConnectPurpose::Drive,
        As::Taker => ConnectPurpose::Take,
        As::Observer => ConnectPurpose::Observe,
    };
    let around = if context.manager.own_tmux_takes(GUEST_PREFIX) {
        AttachSurroundings::OwnTmux
    } else {
        AttachSurroundings::Terminal
    };
    let keys = detach_keys(around, GUEST_PREFIX);
    context.ui.say(&format!("attaching to `{name}` of {owner}; leave with {keys}, the agent keeps running"));
    match Sharing(&context.manager).attach_guest(owner, name, want)? {
        DisconnectReason::ByKeys => Ok(Some(0)),
        DisconnectReason::Sent(why) => {
            let why = if why.is_empty() { "it is not shared with you any more, or has ended" } else { &why };
            context.ui.say(&format!("`{owner}/{name}`: {why}"));
            Ok(Some(1))
        }
    }
}

/// Lists the agents that other users share with this user.
pub(in crate::cli) fn list(context: &Invocation) -> Result<u8, Error> {
    let shared = Sharing(&context.manager).shared_with_us()?;
    if let Some(remark) = unanswered_shares(&shared) {
        context.ui.warn(&remark);
    }
    let all = shared.agents;
    if context.ui.json {
        context.ui.json(&all);
        return Ok(0);
    }
    if all.is_empty() {
        context.ui.say("no agent is shared with you");
        return Ok(0);
    }
    let rows: Vec<[String; 4]> = all
        .iter()
        .map(|shared| {
            let may = if shared.read_only { "watch" } else { "type" };
            let until = shared.until.map_or_else(|| "it is unshared".to_owned(), ages::local);
            [format!("{}/{}", shared.owner, shared.name), shared.status.to_string(), may.to_owned(), until]
        })
        .collect();
    context.ui.data(&columns(["AGENT", "STATUS", "YOU MAY", "UNTIL"], &rows, ui::width()));
    Ok(0)
}

/// Describes in one line which shares could not be listed.
fn unanswered_shares(shared: &IncomingShares) -> Option<String> {
    let (shown, others) = shared.silent.split_at(shared.silent.len().min(MAX_NAMED));
    let mut parts = Vec::new();
    if !shown.is_empty() {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        parts.push(format!("no answer within {:?} from {}{more}", shared.waited, shown.join(", ")));
    }
    if !shared.is_whole {
        parts.push("there are more shares in /tmp than could be queried".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_address_has_owner_and_name() {
        for text in ["api-fix", "../x", "/etc/passwd", "-a/b", "a b/c", "$(x)/a"] {
            assert!(address(text).is_none(), "{text}");
        }
        let (owner, name) = address("owner/api-fix").unwrap().unwrap();
        assert_eq!((owner.as_str(), name.as_str()), ("owner", "api-fix"));
        assert!(address("owner/../x").unwrap().is_err());
        assert!(address("owner/").unwrap().is_err());
    }
}
