//! Decides which notices are sent, from the events and the current state of the agents. An event that is no longer true
//! causes no notice, and neither does an agent that a client drives.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use crate::model::{
    Agent, AgentId, AgentName, FailedTurn, FailureCause, LedgerEvent, Notice, NotifyOn, Status, Urgency,
    WaitingFor, What, is_deceptive,
};
use crate::rules::status::from_hook::INTERRUPTED;
use crate::rules::status::hang::HUNG;

/// Maximum length of a body in characters: it is read at a glance, and some desktops show all of it.
const MOST_CHARS: usize = 240;
/// Maximum number of agents that are named; the others are counted.
const MOST_NAMES: usize = 5;

/// One event of one agent that causes a notice.
struct News<'a> {
    on: NotifyOn,
    agent: &'a Agent,
    happening: &'a LedgerEvent,
}

/// Events that cause a notice for each agent: those that its spec selects, else those of the configuration.
#[derive(Debug, Default)]
pub struct Wishes {
    /// Events for agents whose spec selects none.
    pub usual: Vec<NotifyOn>,
    /// Events for the other agents.
    pub own: HashMap<AgentId, Vec<NotifyOn>>,
}

impl Wishes {
    fn hold(&self, agent: &Agent, on: NotifyOn) -> bool {
        self.own.get(&agent.id).unwrap_or(&self.usual).contains(&on)
    }
}

/// Returns whether an event can cause a notice at all.
pub fn may_be_told(what: &What) -> bool {
    reason(what).is_some()
}

/// Decides which notices are sent: one for each reason, for all agents that have it.
pub fn notices(happened: &[LedgerEvent], agents: &[Agent], wishes: &Wishes, zone: &TimeZone) -> Vec<Notice> {
    let mut news: Vec<News> = Vec::new();
    for happening in happened {
        let Some(on) = reason(&happening.what) else { continue };
        let Some(agent) = agents.iter().find(|agent| agent.id == happening.agent) else { continue };
        // The user who interrupted the turn knows about its end.
        let is_known = on == NotifyOn::Finished && happening.why == INTERRUPTED;
        if !wishes.hold(agent, on) || is_driven(agent) || !still_holds(on, agent) || is_known {
            continue;
        }
        // Keep only the last event of each kind, and drop an event that the new one includes.
        news.retain(|old| old.agent.id != agent.id || old.on != on && !TOLD_TOO.contains(&(old.on, on)));
        news.push(News { on, agent, happening });
    }
    let mut reasons: Vec<NotifyOn> = Vec::new();
    for on in news.iter().map(|news| news.on) {
        if !reasons.contains(&on) {
            reasons.push(on);
        }
    }
    reasons
        .into_iter()
        .filter_map(|on| told(&news.iter().filter(|news| news.on == on).collect::<Vec<_>>(), zone))
        .collect()
}

/// Pairs of events in which the second notice makes the first one redundant: the last crash before giving up, a turn
/// that ends a task, an agent that was ended because it hung.
const TOLD_TOO: [(NotifyOn, NotifyOn); 4] = [
    (NotifyOn::Crashed, NotifyOn::GaveUp),
    (NotifyOn::Finished, NotifyOn::Task),
    (NotifyOn::Hung, NotifyOn::Crashed),
    (NotifyOn::Hung, NotifyOn::GaveUp),
];

fn reason(what: &What) -> Option<NotifyOn> {
    match what {
        What::Status { to: Status::Waiting, .. } => Some(NotifyOn::Waiting),
        What::Status { from: Some(Status::Working), to: Status::Idle | Status::Exited, .. } => {
            Some(NotifyOn::Finished)
        }
        What::Status { to: Status::Crashed, .. } => Some(NotifyOn::Crashed),
        What::GaveUp => Some(NotifyOn::GaveUp),
        What::Hung => Some(NotifyOn::Hung),
        What::Orphaned => Some(NotifyOn::Deleted),
        What::Wrote => Some(NotifyOn::Message),
        What::TaskDone | What::TaskFailed => Some(NotifyOn::Task),
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
        NotifyOn::GaveUp | NotifyOn::Message | NotifyOn::Task => true,
        NotifyOn::Deleted => agent.directory_gone.is_some(),
    }
}

fn is_driven(agent: &Agent) -> bool {
    agent.clients.iter().any(|client| !client.observer)
}

/// Returns the notice for events with the same reason.
fn told(news: &[&News<'_>], zone: &TimeZone) -> Option<Notice> {
    let first = news.first()?;
    let (title, body) = match news {
        [one] => (title_of_one(one, zone), words(&one.happening.why)),
        several => {
            (title_of_several(several), several.iter().map(|news| line(news)).collect::<Vec<_>>().join("\n"))
        }
    };
    Some(Notice {
        title,
        body,
        urgency: if first.agent.failure.is_some() { Urgency::Normal } else { urgency(first.on) },
        agent: first.agent.name.clone(),
        agents: news.iter().map(|news| news.agent.name.clone()).collect(),
        on: first.on,
        at: news.iter().map(|news| news.happening.at).max()?,
    })
}

fn title_of_one(news: &News<'_>, zone: &TimeZone) -> String {
    let name = &news.agent.name;
    if let (NotifyOn::Waiting | NotifyOn::Finished, Some(failure)) = (news.on, &news.agent.failure) {
        return title_of_failure(name, failure, zone);
    }
    match (news.on, news.agent.waiting_for) {
        (NotifyOn::Waiting, Some(WaitingFor::Question)) => format!("{name} waits for an answer"),
        (NotifyOn::Waiting, Some(WaitingFor::Setup)) => format!("{name} waits to be set up"),
        (NotifyOn::Waiting, Some(what)) => format!("{name} waits for {what}"),
        (NotifyOn::Waiting, None) => format!("{name} waits for you"),
        (NotifyOn::Finished, _) => format!("{name} is done"),
        (NotifyOn::Crashed, _) => format!("{name} crashed"),
        (NotifyOn::GaveUp, _) => format!("{name} is given up"),
        (NotifyOn::Hung, _) => format!("{name} gives no sign of life"),
        (NotifyOn::Deleted, _) => format!("the directory of {name} is gone"),
        (NotifyOn::Message, _) => format!("{name} wrote to you"),
        (NotifyOn::Task, _) if news.happening.what == What::TaskFailed => format!("{name} failed a task"),
        (NotifyOn::Task, _) => format!("{name} is done with a task"),
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

fn title_of_several(news: &[&News<'_>]) -> String {
    let what = match news.first().map(|news| news.on) {
        Some(NotifyOn::Finished) => "are done",
        Some(NotifyOn::Crashed) => "crashed",
        Some(NotifyOn::GaveUp) => "are given up",
        Some(NotifyOn::Hung) => "give no sign of life",
        Some(NotifyOn::Deleted) => "have lost their directory",
        Some(NotifyOn::Message) => "wrote to you",
        Some(NotifyOn::Task) => "ended tasks",
        Some(NotifyOn::Waiting) | None => "wait for you",
    };
    let names: Vec<&str> = news.iter().take(MOST_NAMES).map(|news| news.agent.name.as_str()).collect();
    let rest = match news.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} agents {what}: {}{rest}", news.len(), names.join(", "))
}

fn line(news: &News<'_>) -> String {
    format!("{}: {}", news.agent.name, words(&news.happening.why)).chars().take(MOST_CHARS / 3).collect()
}

/// Returns a text on one line, without deceptive characters and truncated to the maximum length.
fn words(text: &str) -> String {
    let clean: String = text.chars().map(|c| if is_deceptive(c) { ' ' } else { c }).collect();
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_CHARS) {
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
        NotifyOn::GaveUp => Urgency::Critical,
    }
}

#[cfg(test)]
mod tests;
