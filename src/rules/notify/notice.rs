//! Decides which notices are sent, from the events and the current state of the agents. An event that is no longer true
//! causes no notice, and neither does an agent that a client drives.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use crate::model::{
    Agent, AgentId, AgentName, EventKind, FailedTurn, FailureCause, LedgerEvent, Notice, NotifyOn, Status,
    Urgency, WaitingFor, is_deceptive,
};
use crate::rules::status::from_hook::INTERRUPTED;
use crate::rules::status::hang::HUNG;
use crate::rules::status::turn_failure::how_to_release;

/// Maximum length of a body in characters: it is read at a glance, and some desktops show all of it.
const MAX_CHARS: usize = 240;
/// Maximum number of agents that are named; the others are counted.
const MAX_NAMES: usize = 5;

/// One event of one agent that causes a notice.
struct NoticeCause<'a> {
    on: NotifyOn,
    agent: &'a Agent,
    event: &'a LedgerEvent,
}

impl NoticeCause<'_> {
    /// Returns the failed turn that the notice is about, if it is about one.
    fn failure(&self) -> Option<&FailedTurn> {
        self.agent.failure.as_ref().filter(|_| matches!(self.on, NotifyOn::Waiting | NotifyOn::Finished))
    }

    /// Returns what the notice is about. Agents for which it is the same have one notice together.
    fn reason(&self) -> (NotifyOn, Option<FailureCause>) {
        (self.on, self.failure().map(|failure| failure.cause))
    }
}

/// Events that cause a notice for each agent: those that its spec selects, else those of the configuration.
#[derive(Debug, Default)]
pub struct NotifyChoices {
    /// Events for agents whose spec selects none.
    pub usual: Vec<NotifyOn>,
    /// Events for the other agents.
    pub own: HashMap<AgentId, Vec<NotifyOn>>,
}

impl NotifyChoices {
    fn holds_for(&self, agent: &Agent, on: NotifyOn) -> bool {
        self.own.get(&agent.id).unwrap_or(&self.usual).contains(&on)
    }
}

/// Returns whether an event can cause a notice at all.
pub fn may_be_announced(what: &EventKind) -> bool {
    reason(what).is_some()
}

/// Decides which notices are sent: one for each reason, for all agents that have it.
pub fn notices(
    happened: &[LedgerEvent],
    agents: &[Agent],
    choices: &NotifyChoices,
    zone: &TimeZone,
) -> Vec<Notice> {
    let mut causes: Vec<NoticeCause> = Vec::new();
    for event in happened {
        let Some(on) = reason(&event.what) else { continue };
        let Some(agent) = agents.iter().find(|agent| agent.id == event.agent) else { continue };
        // The user who interrupted the turn knows about its end.
        let is_known = on == NotifyOn::Finished && event.why == INTERRUPTED;
        if !choices.holds_for(agent, on) || is_driven(agent) || !still_holds(on, agent) || is_known {
            continue;
        }
        // Keep only the last event of each kind, and drop an event that the new one includes.
        causes.retain(|old| {
            old.agent.id != agent.id || old.on != on && !IMPLIED_NOTICES.contains(&(old.on, on))
        });
        causes.push(NoticeCause { on, agent, event });
    }
    let mut reasons: Vec<(NotifyOn, Option<FailureCause>)> = Vec::new();
    for reason in causes.iter().map(NoticeCause::reason) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
        .into_iter()
        .filter_map(|reason| {
            merge_causes(&causes.iter().filter(|cause| cause.reason() == reason).collect::<Vec<_>>(), zone)
        })
        .collect()
}

/// Pairs of events in which the second notice makes the first one redundant: the last crash before giving up, a turn
/// that ends a task, an agent that was ended because it hung.
const IMPLIED_NOTICES: [(NotifyOn, NotifyOn); 4] = [
    (NotifyOn::Crashed, NotifyOn::GaveUp),
    (NotifyOn::Finished, NotifyOn::Task),
    (NotifyOn::Hung, NotifyOn::Crashed),
    (NotifyOn::Hung, NotifyOn::GaveUp),
];

fn reason(what: &EventKind) -> Option<NotifyOn> {
    match what {
        EventKind::Status { to: Status::Waiting, .. } => Some(NotifyOn::Waiting),
        EventKind::Status { from: Some(Status::Working), to: Status::Idle | Status::Exited, .. } => {
            Some(NotifyOn::Finished)
        }
        EventKind::Status { to: Status::Crashed, .. } => Some(NotifyOn::Crashed),
        EventKind::GaveUp => Some(NotifyOn::GaveUp),
        EventKind::Hung => Some(NotifyOn::Hung),
        EventKind::Orphaned => Some(NotifyOn::Deleted),
        EventKind::Wrote => Some(NotifyOn::Message),
        EventKind::TaskDone | EventKind::TaskFailed => Some(NotifyOn::Task),
        _ => None,
    }
}

fn still_holds(on: NotifyOn, agent: &Agent) -> bool {
    match on {
        NotifyOn::Waiting => agent.status == Status::Waiting,
        NotifyOn::Finished => matches!(agent.status, Status::Idle | Status::Exited),
        NotifyOn::Crashed => agent.status == Status::Crashed,
        // The agent may also be down because of that, or starting again.
        NotifyOn::Hung => agent.status == Status::Working || agent.reason.contains(HUNG),
        NotifyOn::GaveUp | NotifyOn::Message | NotifyOn::Task | NotifyOn::Device => true,
        NotifyOn::Deleted => agent.directory_gone.is_some(),
    }
}

fn is_driven(agent: &Agent) -> bool {
    agent.clients.iter().any(|client| !client.observer)
}

/// Returns the notice for events with the same reason.
fn merge_causes(causes: &[&NoticeCause<'_>], zone: &TimeZone) -> Option<Notice> {
    let first = causes.first()?;
    let (title, body) = match causes {
        [cause] => (title_of_one(cause, zone), body_of_one(cause)),
        several => (
            title_of_several(several),
            several.iter().map(|cause| line(cause)).collect::<Vec<_>>().join("\n"),
        ),
    };
    Some(Notice {
        title,
        body,
        urgency: if first.agent.failure.is_some() { Urgency::Normal } else { urgency(first.on) },
        agent: Some(first.agent.name.clone()),
        agents: causes.iter().map(|cause| cause.agent.name.clone()).collect(),
        on: first.on,
        at: causes.iter().map(|cause| cause.event.at).max()?,
    })
}

/// Returns the reason of the event, and how the queue is released if the agent does not continue by itself.
fn body_of_one(cause: &NoticeCause<'_>) -> String {
    let name = cause.agent.name.as_str();
    match cause.failure().and_then(|failure| how_to_release(failure, name)) {
        // The hint comes first, because a long reason is cut.
        Some(hint) => words(&format!("{hint}: {}", cause.event.why)),
        None => words(&cause.event.why),
    }
}

fn title_of_one(cause: &NoticeCause<'_>, zone: &TimeZone) -> String {
    let name = &cause.agent.name;
    if let Some(failure) = cause.failure() {
        return title_of_failure(name, failure, zone);
    }
    match (cause.on, cause.agent.waiting_for) {
        (NotifyOn::Waiting, Some(WaitingFor::Question)) => format!("{name} waits for an answer"),
        (NotifyOn::Waiting, Some(WaitingFor::Setup)) => format!("{name} waits to be set up"),
        (NotifyOn::Waiting, Some(what)) => format!("{name} waits for {what}"),
        (NotifyOn::Waiting, None) => format!("{name} waits for you"),
        (NotifyOn::Finished, _) => format!("{name} is done"),
        (NotifyOn::Crashed, _) => format!("{name} crashed"),
        (NotifyOn::GaveUp, _) => format!("{name} is no longer restarted"),
        (NotifyOn::Hung, _) => format!("{name} gives no sign of life"),
        (NotifyOn::Deleted, _) => format!("the directory of {name} is gone"),
        (NotifyOn::Message, _) => format!("{name} wrote to you"),
        (NotifyOn::Task, _) if cause.event.what == EventKind::TaskFailed => {
            format!("{name} failed a task")
        }
        (NotifyOn::Task, _) => format!("{name} finished a task"),
        (NotifyOn::Device, _) => format!("{name} has a new device"),
    }
}

/// Returns a title that names the failed turn of the agent's status, with the reset time in the user's time zone.
fn title_of_failure(name: &AgentName, failure: &FailedTurn, zone: &TimeZone) -> String {
    match failure.cause {
        FailureCause::Login => format!("{name} is not logged in"),
        FailureCause::Credit => format!("{name} has no credit left"),
        FailureCause::Error => format!("a turn of {name} failed"),
        FailureCause::Limit => match failure.resets_at {
            None => format!("{name} hit its usage limit"),
            Some(reset) => {
                let (reset, failed) = (zone.to_datetime(reset), zone.to_datetime(failure.at));
                let at =
                    reset.strftime(if reset.date() == failed.date() { "%H:%M" } else { "%b %-d, %H:%M" });
                format!("{name} hit its usage limit, resets at {at}")
            }
        },
    }
}

fn title_of_several(causes: &[&NoticeCause<'_>]) -> String {
    let what = match causes.first().map(|cause| cause.reason()) {
        Some((_, Some(FailureCause::Login))) => "are not logged in",
        Some((_, Some(FailureCause::Credit))) => "have no credit left",
        Some((_, Some(FailureCause::Limit))) => "hit their usage limit",
        Some((_, Some(FailureCause::Error))) => "had failed turns",
        Some((NotifyOn::Finished, None)) => "are done",
        Some((NotifyOn::Crashed, None)) => "crashed",
        Some((NotifyOn::GaveUp, None)) => "are no longer restarted",
        Some((NotifyOn::Hung, None)) => "give no sign of life",
        Some((NotifyOn::Deleted, None)) => "have lost their directory",
        Some((NotifyOn::Message, None)) => "wrote to you",
        Some((NotifyOn::Task, None)) => "ended tasks",
        Some((NotifyOn::Device, None)) => "have new devices",
        Some((NotifyOn::Waiting, None)) | None => "wait for you",
    };
    let names: Vec<&str> = causes.iter().take(MAX_NAMES).map(|cause| cause.agent.name.as_str()).collect();
    let rest = match causes.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} agents {what}: {}{rest}", causes.len(), names.join(", "))
}

fn line(cause: &NoticeCause<'_>) -> String {
    format!("{}: {}", cause.agent.name, words(&cause.event.why)).chars().take(MAX_CHARS / 3).collect()
}

/// Returns a text on one line, without deceptive characters and truncated to the maximum length.
fn words(text: &str) -> String {
    let clean: String = text.chars().map(|c| if is_deceptive(c) { ' ' } else { c }).collect();
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn urgency(on: NotifyOn) -> Urgency {
    match on {
        NotifyOn::Finished | NotifyOn::Task => Urgency::Low,
        NotifyOn::Waiting | NotifyOn::Crashed | NotifyOn::Hung | NotifyOn::Deleted | NotifyOn::Message => {
            Urgency::Normal
        }
        NotifyOn::GaveUp | NotifyOn::Device => Urgency::Critical,
    }
}

#[cfg(test)]
mod tests;
