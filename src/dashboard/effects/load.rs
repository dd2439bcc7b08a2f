//! Reads the contents of tabs. Only the newest request matters, and content that has not changed is not reported again.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::dashboard::effects::{EventSender, remote, sentence};
use crate::dashboard::state::DetailTab;
use crate::dashboard::state::event::{AgentTarget, DashboardEvent};
use crate::error::Error;
use crate::manager::{AgentLogs, Context, MessageFilter, Messages, Recaps, TaskFilter, Tasks};
use crate::model::{AgentName, PERSON, TaskState, without_deception};
use crate::text::ages::age;
use crate::text::recap::recap_text;

/// Number of tasks and messages that a tab shows.
const NEWEST_SHOWN: usize = 100;

/// A tab to read.
#[derive(Debug)]
pub(super) struct LoadRequest {
    pub(super) target: AgentTarget,
    pub(super) tab: DetailTab,
}

/// Shortest time between two readings of the same tab. Some take as long as reading a long transcript.
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);

/// The content that was reported last.
struct ReportedTab {
    target: AgentTarget,
    tab: DetailTab,
    lines: Vec<String>,
    read_at: Instant,
}

/// Reads tabs until the dashboard ends.
pub(super) fn run(context: &Context, events: &EventSender, requests: &Receiver<LoadRequest>) {
    let mut reported: Option<ReportedTab> = None;
    while let Some(LoadRequest { target, tab }) = next(requests, reported.as_ref()) {
        let lines: Vec<String> = match remote::remote_host(&target).and_then(|host| match host {
            None => read(context, &target.name, tab),
            Some(host) => remote::read_tab(context, &host, &target.name, tab),
        }) {
            Ok(lines) => lines.iter().map(|line| without_deception(line).replace('\t', "    ")).collect(),
            Err(error) => vec![sentence(&error)],
        };
        let is_same = |last: &ReportedTab| last.target == target && last.tab == tab && last.lines == lines;
        if !reported.as_ref().is_some_and(is_same) {
            events.send(DashboardEvent::TabLoaded { key: target.key.clone(), tab, lines: lines.clone() });
        }
        reported = Some(ReportedTab { target, tab, lines, read_at: Instant::now() });
    }
}

/// Waits for the next request. A request for the tab that was read last waits until it is due again, unless another tab
/// is requested meanwhile.
fn next(requests: &Receiver<LoadRequest>, last: Option<&ReportedTab>) -> Option<LoadRequest> {
    let mut request = requests.recv().ok()?;
    loop {
        request = requests.try_iter().last().unwrap_or(request);
        let same = last.filter(|last| last.target == request.target && last.tab == request.tab);
        let pause =
            same.map_or(Duration::ZERO, |last| RELOAD_INTERVAL.saturating_sub(last.read_at.elapsed()));
        if pause.is_zero() {
            return Some(request);
        }
        match requests.recv_timeout(pause) {
            Ok(newer) => request = newer,
            Err(RecvTimeoutError::Timeout) => return Some(request),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

fn read(context: &Context, name: &AgentName, tab: DetailTab) -> Result<Vec<String>, Error> {
    let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
    match tab {
        DetailTab::Recap => Ok(lines(recap_text(&Recaps(context).recap(name, None)?))),
        DetailTab::Tasks => tasks(context, name),
        DetailTab::Messages => messages(context, name),
        DetailTab::Log => Ok(lines(AgentLogs(context).logs_tail(name)?)),
        // The state has everything that these tabs show.
        DetailTab::Screen | DetailTab::Details | DetailTab::Diff => Ok(vec![]),
    }
}

fn tasks(context: &Context, name: &AgentName) -> Result<Vec<String>, Error> {
    let all = [
        TaskState::Queued,
        TaskState::Dispatched,
        TaskState::Running,
        TaskState::Done,
        TaskState::Failed,
        TaskState::Cancelled,
    ];
    let filter = TaskFilter {
        agent: Some(name.clone()),
        states: all.to_vec(),
        newest: Some(NEWEST_SHOWN),
        since: None,
    };
    let mut lines = Vec::new();
    for view in Tasks(context).task_views(&filter)?.iter().rev() {
        let task = &view.task;
        let progress =
            task.progress.as_ref().map(|progress| format!(" {}%", progress.percent)).unwrap_or_default();
        lines.push(format!("#{} {}{progress}  {}", task.id, view.status, task.title()));
        let remarks = [&view.waits_for, &task.result].into_iter().flatten();
        lines.extend(remarks.flat_map(|text| text.lines()).map(|line| format!("    {line}")));
    }
    if lines.is_empty() {
        lines.push("no tasks".to_owned());
    }
    Ok(lines)
}

fn messages(context: &Context, name: &AgentName) -> Result<Vec<String>, Error> {
    let filter = MessageFilter { of: Some(name.clone()), all: true, newest: Some(NEWEST_SHOWN) };
    let mut lines = Vec::new();
    for message in Messages(context).message_list(&filter)?.iter().rev() {
        let to = message.to.as_ref().map_or(PERSON, AgentName::as_str);
        lines.push(format!("{} {} → {to} ({})", age(message.at, context.now()), message.from, message.state));
        lines.extend(message.text.lines().map(|line| format!("    {line}")));
    }
    if lines.is_empty() {
        lines.push("no messages".to_owned());
    }
    Ok(lines)
}
