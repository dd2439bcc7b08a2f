//! Operations on agents of other hosts. Each runs the command that the command line would run there.

use serde_json::Value;

use crate::dashboard::state::DetailTab;
use crate::dashboard::state::event::{
    AgentTarget, AnswerChoice, DashboardEffect, Operation, PromptUse, RemovalConsequence,
};
use crate::error::Error;
use crate::manager::{Context, Hosts};
use crate::model::{AgentName, HostName};

/// Number of tasks and messages that a tab shows.
const NEWEST_SHOWN: &str = "100";

/// Returns the host of an agent on another machine.
pub(crate) fn remote_host(target: &AgentTarget) -> Result<Option<HostName>, Error> {
    let parse = |host: &String| host.parse().map_err(|why| Error::usage(format!("host `{host}`: {why}")));
    target.key.host.as_ref().map(parse).transpose()
}

/// Returns whether an effect may change agents of other hosts, so that they have to be listed again.
pub(super) fn concerns_hosts(effect: &DashboardEffect) -> bool {
    let is_remote = |target: &AgentTarget| target.key.host.is_some();
    match effect {
        DashboardEffect::Answer { target, .. } => is_remote(target),
        DashboardEffect::Deliver { targets, .. } => targets.iter().any(is_remote),
        DashboardEffect::Operate(operation) => match operation {
            Operation::Interrupt(targets)
            | Operation::Stop(targets)
            | Operation::Restart(targets)
            | Operation::Resume(targets)
            | Operation::Hibernate(targets)
            | Operation::Remove(targets) => targets.iter().any(is_remote),
            Operation::Rename(target, _) => is_remote(target),
            Operation::RestoreAll | Operation::Share(..) | Operation::HandOff(..) => false,
        },
        _ => false,
    }
}

/// Runs a command on the agent and ignores its output.
pub(super) fn run(context: &Context, host: &HostName, name: &AgentName, argv: &[&str]) -> Result<(), Error> {
    Hosts(context).change(host, &[argv, &["--", name.as_str()]].concat(), "").map(drop)
}

/// Answers exactly the question with this id.
pub(super) fn answer(
    context: &Context,
    host: &HostName,
    target: &AgentTarget,
    (question, choice): (&str, &AnswerChoice),
) -> Result<String, Error> {
    let (word, verb, text) = match choice {
        AnswerChoice::Approve => ("approved", "approve", None),
        AnswerChoice::Deny => ("denied", "deny", None),
        AnswerChoice::Text(text) => ("answered", "answer", Some(text.as_str())),
    };
    let id = format!("--if-asks={question}");
    let mut argv = vec!["agent", verb, id.as_str(), "--", target.name.as_str()];
    argv.extend(text);
    let answered = Hosts(context).change(host, &argv, "")?;
    let field = |name: &str| answered.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(format!("{word} in `{}`: {}; it is {} now", target.address(), field("asked"), field("status")))
}

/// Delivers a text. It is passed on standard input, so that no text looks like an option.
pub(super) fn deliver(
    context: &Context,
    host: &HostName,
    target: &AgentTarget,
    (text, how): (&str, PromptUse),
) -> Result<String, Error> {
    let (name, address, hosts) = (target.name.as_str(), target.address(), Hosts(context));
    match how {
        PromptUse::Send => {
            let sent = hosts.change(host, &["agent", "send", "--", name, "-"], text)?;
            let evidence = sent.get("confirmed_by").and_then(Value::as_str).unwrap_or_default();
            Ok(format!("delivered to `{address}`: {evidence}"))
        }
        PromptUse::Task => {
            let task = hosts.change(host, &["task", "add", "--", name, "-"], text)?;
            let id = task.get("id").map(ToString::to_string).unwrap_or_default();
            Ok(format!("task {id} was added for `{address}`"))
        }
        PromptUse::Message => {
            hosts.change(host, &["message", "send", "--", name, "-"], text)?;
            Ok(format!("sent to `{address}`"))
        }
    }
}

/// Renames an agent.
pub(super) fn rename(
    context: &Context,
    host: &HostName,
    old: &AgentName,
    new: &AgentName,
) -> Result<(), Error> {
    let argv = ["agent", "rename", "--", old.as_str(), new.as_str()];
    Hosts(context).change(host, &argv, "").map(drop)
}

/// Returns what the removal of an agent would end and delete.
pub(super) fn preview_removal(
    context: &Context,
    host: &HostName,
    target: &AgentTarget,
) -> Result<RemovalConsequence, Error> {
    let argv = ["agent", "rm", "--dry-run", "--", target.name.as_str()];
    let preview = Hosts(context).query(host, &argv)?;
    let summary = preview.get("summary").and_then(Value::as_array).into_iter().flatten();
    Ok(RemovalConsequence {
        target: target.clone(),
        is_running: preview.get("running").and_then(Value::as_bool).unwrap_or(false),
        losses: summary.filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}

/// Presses keys, given by their tmux names.
pub(super) fn press(
    context: &Context,
    host: &HostName,
    name: &AgentName,
    keys: &[String],
) -> Result<(), Error> {
    let keys = serde_json::to_string(keys).unwrap_or_default();
    Hosts(context).change(host, &["agent-keys", "--", name.as_str()], &keys).map(drop)
}

/// Pastes a text.
pub(super) fn paste(context: &Context, host: &HostName, name: &AgentName, text: &str) -> Result<(), Error> {
    Hosts(context).change(host, &["agent-keys", "--paste", "--", name.as_str()], text).map(drop)
}

/// Reads the content of a tab.
pub(super) fn read_tab(
    context: &Context,
    host: &HostName,
    name: &AgentName,
    tab: DetailTab,
) -> Result<Vec<String>, Error> {
    let name = name.as_str();
    let of_agent = format!("--agent={name}");
    let argv = match tab {
        DetailTab::Recap => vec!["agent", "recap", "--", name],
        DetailTab::Tasks => vec!["task", "list", &of_agent, "--all", "--limit", NEWEST_SHOWN],
        DetailTab::Messages => vec!["message", "list", &of_agent, "--all", "--newest", NEWEST_SHOWN],
        DetailTab::Log => vec!["agent", "logs", "--plain", "--since", "1h", "--", name],
        DetailTab::Diff => vec!["agent", "diff", "--", name],
        // The state has everything that these tabs show.
        DetailTab::Screen | DetailTab::Details => return Ok(vec![]),
    };
    let text = Hosts(context).query_text(host, &argv)?;
    Ok(text.lines().map(str::to_owned).collect())
}
