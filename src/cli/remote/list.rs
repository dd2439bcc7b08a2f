//! The `agent list --host H|all` command: lists the agents of other machines together with the local ones.

use clap::ArgMatches;
use serde_json::Value;

use super::pasted::pasted_from;
use crate::base::plural::counted;
use crate::cli::grammar::definition::parsed;
use crate::cli::{Invocation, agent::status::list, render::ui};
use crate::error::{Code, Error};
use crate::manager::{AgentList, HOST_TIMEOUT, RemoteAgentList};
use crate::manager::{Approvals, Sharing};
use crate::manager::{Hosts, StatusTracker};
use crate::model::{Agent, HostName};
use crate::text::agent::about;
use crate::text::ages::ago;

/// Lists the agents of one host, or of all machines.
pub(super) fn run(matches: &ArgMatches, host: Option<&HostName>, context: &Invocation) -> Result<u8, Error> {
    let args: list::Arguments = parsed(matches)?;
    let mut hosts = Hosts(&context.manager).hosts()?;
    hosts.retain(|known| host.is_none_or(|host| known.name == *host));
    // Local agents come first, because they are known before the first host has answered.
    let local = match host {
        Some(_) => None,
        None => local_agents(context)?,
    };
    // A request for a single host waits for that host.
    let within = args.timeout.or(host.map(|_| HOST_TIMEOUT));
    let mut remote = Hosts(&context.manager).remote_agents(&hosts, within, &mut |slow| {
        // Programs set their own timeout and compare the output.
        if !ui::is_shown() {
            return;
        }
        let names: Vec<String> = slow.iter().map(|name| format!("`{name}`")).collect();
        context.ui.say(&format!("waiting for {}", names.join(", ")));
    })?;
    for host in &mut remote {
        let is_from_there = |error: &Error| matches!(error.code(), Code::FailedOnHost(_));
        if let Some(error) = host.silence.take_if(|error| is_from_there(error)) {
            let message = error.to_string();
            host.silence = Some(error.rewritten(message, |hint| pasted_from(&host.host, hint)));
        }
    }
    if let Some(why) = local.as_ref().and_then(AgentList::without_tmux) {
        context.ui.warn(&why);
    }
    let (mut agents, silence) = local.map(|list| (list.agents, list.silence)).unwrap_or_default();
    let silence = silence.filter(|silence| !silence.is_without_tmux());
    if context.ui.json {
        Approvals(&context.manager).add_options(&mut agents);
        Sharing(&context.manager).add_shares(&mut agents);
    }
    let to_json = |agent| serde_json::to_value(agent).unwrap_or(Value::Null);
    let mut values: Vec<Value> = agents.iter().map(to_json).collect();
    for host in &remote {
        read(host, &mut agents, &mut values, context);
    }
    if context.ui.json {
        // The JSON of each machine, unchanged and in display order. One machine may be known by two names.
        let is = |value: &Value, agent: &Agent| {
            value["host"].as_str() == agent.host.as_deref() && value["id"] == agent.id.0.to_string()
        };
        let wanted = args.wanted(&agents, &context.ui);
        let listed = wanted.iter().filter_map(|agent| values.iter().find(|value| is(value, agent)));
        context.ui.json(&listed.collect::<Vec<_>>());
    } else if !agents.is_empty() || remote.iter().all(|host| host.silence.is_none()) {
        list::show(&args, &agents, host, context);
    }
    match silence.or(report_silence(remote, host, context)) {
        Some(silence) => Err(silence),
        None => Ok(0),
    }
}

/// Returns the local agents. A machine without tmux has none, but can list the agents of others.
fn local_agents(context: &Invocation) -> Result<Option<AgentList>, Error> {
    match StatusTracker(&context.manager).current_agents() {
        Err(error) if error.is_without_tmux() => Ok(None),
        current_agents => current_agents.map(Some),
    }
}

/// Warns about hosts that did not answer. If only one host was asked, its error is returned, so that the command fails.
fn report_silence(
    remote: Vec<RemoteAgentList>,
    only: Option<&HostName>,
    context: &Invocation,
) -> Option<Error> {
    let mut failure = None;
    for host in remote {
        let Some(error) = host.silence else { continue };
        let shown = match host.as_of {
            Some(at) if host.agents.is_empty() => {
                format!("it had no agents {}", ago(at, context.manager.now()))
            }
            Some(at) => format!("its agents are shown as of {}", ago(at, context.manager.now())),
            None => "nothing is known of its agents".to_owned(),
        };
        if only.is_some() {
            context.ui.warn(&shown);
            failure = Some(error);
        } else {
            context.ui.warn(&format!("{error}; {shown}"));
        }
    }
    failure
}

/// Adds the agents of one host. Agents that this version cannot parse are counted and reported, not dropped silently.
fn read(host: &RemoteAgentList, agents: &mut Vec<Agent>, values: &mut Vec<Value>, context: &Invocation) {
    let mut unread = 0;
    for value in &host.agents {
        match serde_json::from_value::<Agent>(value.clone()) {
            Ok(mut agent) => {
                if host.silence.is_some() {
                    let ago = host.as_of.map_or_else(|| "?".to_owned(), |at| ago(at, context.manager.now()));
                    agent.title = Some(format!("as of {ago}: {}", about(&agent)));
                    agent.reason = format!("as of {ago}: {}", agent.reason);
                    // The title already contains the task.
                    agent.task = None;
                }
                agents.push(agent);
                values.push(value.clone());
            }
            Err(_) => unread += 1,
        }
    }
    if unread > 0 {
        context.ui.warn(&format!(
            "{} of `{}` cannot be shown: this version cannot read what that host reports",
            counted(unread, "agent", "agents"),
            host.host
        ));
    }
}
