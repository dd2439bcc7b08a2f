//! Rules of the task queue: when an agent accepts its next task, what is typed, how an interrupted delivery is
//! resolved, and when a task is over.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::{Agent, AgentRecord, Message, RestartPolicy, Status, Task};
use crate::rules::status::from_hook::INTERRUPTED;
use crate::rules::status::turn_failure::why_held;
use crate::rules::tasks::confirm::without_decoration;

/// Time after the last activity in which a driven agent is not interrupted.
const USER_IDLE_TIME: Duration = Duration::from_secs(10);
/// Time after which a typed text is on the screen or was reported by a hook.
pub const SETTLE_TIME: Duration = Duration::from_secs(3);

/// Reason of a task whose agent no longer exists.
pub const AGENT_GONE: &str = "its agent is gone";

/// Whether a task can be typed into an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// The agent is idle, or it has no process and may be resumed.
    Ready,
    /// The agent is idle, but a client types into it.
    Driven,
    /// The agent does not accept a task now.
    NotReady,
}

/// Decides whether an agent accepts a task now.
pub fn ready(agent: &Agent, now: Timestamp) -> Readiness {
    let driven = agent.clients.iter().any(|client| !client.observer);
    let is_in_use =
        agent.last_activity.is_some_and(|at| now.duration_since(at).unsigned_abs() < USER_IDLE_TIME);
    match agent.status {
        Status::Idle if agent.failure.as_ref().is_some_and(|failure| failure.holds_queue(now)) => {
            Readiness::NotReady
        }
        Status::Idle if driven && is_in_use => Readiness::Driven,
        Status::Idle | Status::Hibernated => Readiness::Ready,
        // A stopped agent stays stopped, unless its policy is `always`.
        Status::Lost if agent.restart.policy != RestartPolicy::No => Readiness::Ready,
        Status::Stopped if agent.restart.policy == RestartPolicy::Always => Readiness::Ready,
        _ => Readiness::NotReady,
    }
}

/// Returns the specs with an agent whose queue is held. Agents of a spec share an account, so a retry by another agent
/// of the spec would fail in the same way.
pub fn held_specs(agents: &[Agent], now: Timestamp) -> HashSet<String> {
    let is_held = |agent: &&Agent| agent.failure.as_ref().is_some_and(|failure| failure.holds_queue(now));
    agents.iter().filter(is_held).map(|agent| agent.spec.clone()).collect()
}

/// Explains why an agent does not accept a task now.
pub fn why_not(agent: &Agent) -> String {
    if let Some(failure) = &agent.failure {
        return why_held(failure, agent.name.as_str());
    }
    match agent.status {
        Status::Working | Status::Starting => format!("waits until `{}` is idle", agent.name),
        Status::Waiting => format!("waits for an answer to `{}`", agent.name),
        Status::Unknown => format!("the status of `{}` is unknown", agent.name),
        status => format!("`{}` is {status}; `symposium agent resume {}`", agent.name, agent.name),
    }
}

/// Appends the marker of a task to its text, on the same line if the text has only one.
pub fn marked(text: &str, mark: &str) -> String {
    let text = text.trim_end();
    match text.contains('\n') {
        true => format!("{text}\n\n{mark}"),
        false => format!("{text} {mark}"),
    }
}

/// Returns whether a prompt that an agent accepted is this task. The marker alone does not suffice, because any text
/// may contain it.
pub fn is_task(text: &str, task: &Task) -> bool {
    let text = without_decoration(text);
    text.ends_with(&without_decoration(&task.mark())) && text.contains(&without_decoration(&task.text))
}

/// Returns whether a prompt that an agent accepted is this message.
pub fn is_message(text: &str, message: &Message) -> bool {
    without_decoration(text).ends_with(&without_decoration(&message.typed()))
}

/// Evidence of a delivery whose process no longer runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryEvidence {
    /// Whether the marker is in the agent's input line and was not submitted.
    pub drafted: bool,
    /// Whether the marker was printed since the delivery began.
    pub printed: bool,
    /// Whether the agent's hooks would have reported an accepted prompt.
    pub hooked: bool,
    /// Whether the agent's screen can be read.
    pub readable: bool,
    /// Whether the agent is at its prompt with no unread input, or does not run.
    pub at_rest: bool,
    /// Whether enough time has passed for all of that to be visible.
    pub settled: bool,
}

/// Outcome of an interrupted delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The outcome cannot be determined yet.
    Wait,
    /// The text is in the input line and needs an Enter.
    Submit,
    /// The agent accepted the text.
    Taken,
    /// Nothing was typed, so the delivery can be repeated.
    Untouched,
    /// The outcome cannot be determined, and the user has to check it.
    Unknown,
}

/// Determines the outcome of an interrupted delivery.
pub fn outcome_of(trace: DeliveryEvidence) -> DeliveryOutcome {
    match trace {
        DeliveryEvidence { drafted: true, .. } => DeliveryOutcome::Submit,
        // Without hooks, the screen shows that the text was sent; with hooks, a report shows when it was accepted.
        DeliveryEvidence { printed: true, hooked: false, readable: true, .. } => DeliveryOutcome::Taken,
        DeliveryEvidence { settled: false, .. } => DeliveryOutcome::Wait,
        DeliveryEvidence { printed: true, .. } => DeliveryOutcome::Unknown,
        DeliveryEvidence { readable: false, hooked: false, .. } => DeliveryOutcome::Unknown,
        DeliveryEvidence { at_rest: false, .. } => DeliveryOutcome::Wait,
        DeliveryEvidence { printed: false, .. } => DeliveryOutcome::Untouched,
    }
}

/// Whether and how a running task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    /// The agent still works on the task.
    NotYet,
    /// The turn is over; the text is the agent's last reply.
    Done(String),
    /// The agent ended or its turn failed, for this reason.
    Failed(String),
    /// The task exceeded its time limit.
    TooLong(String),
}

/// Decides whether a running task is over.
pub fn ending(task: &Task, record: Option<&AgentRecord>, now: Timestamp) -> TaskEnd {
    let Some(record) = record else { return TaskEnd::Failed(AGENT_GONE.into()) };
    let note = &record.status;
    let begun = task.dispatched_at.unwrap_or(task.changed_at);
    // The first task of an agent is stored before the agent is started.
    let typed_in = task.dispatched_at.is_some();
    if typed_in && record.started_at.is_some_and(|at| at > task.changed_at) && note.status.is_live() {
        return TaskEnd::Failed("its agent was restarted while it worked on the task".into());
    }
    // After the clock was set back, the start time of the status is not reliable.
    if note.failure().is_some_and(|failed| !failed.paused) && (note.since >= begun || now < begun) {
        return TaskEnd::Failed(note.reason.clone());
    }
    match note.status {
        // A running task has been worked on since it was dispatched, so an agent that has been idle since then is done
        // with it. After the clock was set back, the start time of the status is not reliable.
        Status::Idle | Status::Hibernated if note.since >= begun || now < begun => match note.reason.as_str()
        {
            INTERRUPTED => TaskEnd::Failed(INTERRUPTED.into()),
            reason => TaskEnd::Done(reason.into()),
        },
        // An ephemeral agent may exit when its task is done.
        Status::Exited if record.ephemeral => TaskEnd::Done(note.reason.clone()),
        status if status.is_live() || status == Status::Hibernated => match deadline(task) {
            Some(until) if now >= until => {
                let most = Duration::from_secs(task.timeout_s.unwrap_or_default().into());
                TaskEnd::TooLong(format!("it took longer than {most:?}"))
            }
            _ => TaskEnd::NotYet,
        },
        status => TaskEnd::Failed(format!("its agent is {status}: {}", note.reason)),
    }
}

/// Returns the time at which a running task exceeds its time limit.
pub fn deadline(task: &Task) -> Option<Timestamp> {
    let begun = task.dispatched_at.unwrap_or(task.changed_at);
    task.timeout_s.map(|seconds| begun + Duration::from_secs(seconds.into()))
}

#[cfg(test)]
pub(in crate::rules) mod tests {
    use super::*;
    use crate::model::{AgentId, Priority, TaskId, TaskState};
    use crate::rules::status::decide::tests::{at, record};

    fn task(dispatched: i64) -> Task {
        Task {
            agent: Some(AgentId::fresh()),
            agent_name: "a".parse().ok(),
            state: TaskState::Running,
            changed_at: at(dispatched),
            dispatched_at: Some(at(dispatched)),
            attempts: 1,
            ..example(1)
        }
    }

    /// Returns a task that is not assigned.
    pub fn example(id: i64) -> Task {
        Task {
            id: TaskId(id),
            agent: None,
            agent_name: None,
            pool: None,
            text: "x".into(),
            priority: Priority::Normal,
            state: TaskState::Queued,
            source: "person".into(),
            source_id: None,
            created_at: at(0),
            changed_at: at(0),
            dispatched_at: None,
            attempts: 0,
            retries: 0,
            timeout_s: None,
            topic: None,
            after: vec![],
            blocked: 0,
            progress: None,
            flagged: false,
            why: String::new(),
            result: None,
        }
    }

    #[test]
    fn a_task_ends_with_its_turn_or_its_agent() {
        // The status of every record starts at second 3.
        for (status, begun, expected) in [
            (Status::Working, 2, TaskEnd::NotYet),
            (Status::Waiting, 2, TaskEnd::NotYet),
            (Status::Idle, 2, TaskEnd::Done("noted".into())),
            (Status::Idle, 9, TaskEnd::NotYet),
            (Status::Crashed, 2, TaskEnd::Failed("its agent is crashed: noted".into())),
            (Status::Stopped, 2, TaskEnd::Failed("its agent is stopped: noted".into())),
        ] {
            let is = ending(&task(begun), Some(&record("a", status)), at(20));
            assert_eq!(is, expected, "{status} {begun}");
        }
        assert_eq!(ending(&task(1), None, at(20)), TaskEnd::Failed("its agent is gone".into()));
        let mut stopped = record("a", Status::Idle);
        stopped.status.reason = INTERRUPTED.into();
        assert_eq!(ending(&task(2), Some(&stopped), at(20)), TaskEnd::Failed(INTERRUPTED.into()));
        // The clock was set back: the agent has been idle since an hour before the task was dispatched.
        assert_eq!(
            ending(&task(3600), Some(&record("a", Status::Idle)), at(5)),
            TaskEnd::Done("noted".into())
        );
    }

    #[test]
    fn a_failed_turn_fails_its_task_and_holds_the_queue() {
        use crate::model::{FailureCause, FailureSource, StatusNote, TurnFailure};
        use crate::rules::status::turn_failure::note_after;
        let working = StatusNote::new(Status::Working, at(3), "it accepted a prompt");
        for cause in [FailureCause::Login, FailureCause::Credit, FailureCause::Limit, FailureCause::Error] {
            let failure = TurnFailure { cause, message: "API Error: x".into(), resets_at: None };
            let status = note_after(&working, &failure, FailureSource::Hook, at(10));
            let failed = AgentRecord { status, ..record("a", Status::Idle) };
            let ends = |begun| ending(&task(begun), Some(&failed), at(20));
            assert_eq!(ends(2), TaskEnd::Failed("API Error: x".into()), "{cause}");
            assert_eq!(ends(12), TaskEnd::NotYet, "{cause}: an earlier turn failed");
            let agent = Agent {
                status: failed.status.status,
                failure: failed.status.failure.clone(),
                ..crate::rules::lifecycle::capacity::tests::agent("a", Status::Idle)
            };
            assert_eq!(ready(&agent, at(20)), Readiness::NotReady, "{cause}");
            assert!(why_not(&agent).contains("held"), "{cause}");
        }
        let failure = TurnFailure { cause: FailureCause::Error, message: "x".into(), resets_at: None };
        let limit = TurnFailure { cause: FailureCause::Limit, ..failure.clone() };
        let paused = crate::rules::status::turn_failure::note_while_paused(&working, &limit, at(10));
        let paused = AgentRecord { status: paused, ..record("a", Status::Working) };
        assert_eq!(ending(&task(9), Some(&paused), at(11)), TaskEnd::NotYet, "its CLI goes on with it");
        let status = note_after(&working, &failure, FailureSource::Hook, at(10));
        let agent = Agent {
            failure: status.failure,
            ..crate::rules::lifecycle::capacity::tests::agent("a", Status::Idle)
        };
        assert_eq!(ready(&agent, at(500)), Readiness::Ready, "the backoff is over");
    }

    #[test]
    fn task_ends_at_its_time_limit_or_with_a_new_conversation() {
        let slow = Task { timeout_s: Some(10), ..task(2) };
        let works = record("a", Status::Working);
        assert_eq!(ending(&slow, Some(&works), at(11)), TaskEnd::NotYet);
        assert_eq!(ending(&slow, Some(&works), at(12)), TaskEnd::TooLong("it took longer than 10s".into()));
        let again = AgentRecord { started_at: Some(at(5)), ..record("a", Status::Idle) };
        assert!(matches!(ending(&task(2), Some(&again), at(20)), TaskEnd::Failed(_)));
        // The agent was resumed for the task: it was started before the task was typed in.
        assert!(matches!(ending(&task(6), Some(&again), at(20)), TaskEnd::NotYet));
    }

    #[test]
    fn outcome_of_a_delivery_is_known_or_left_to_the_user() {
        let unseen = DeliveryEvidence {
            drafted: false,
            printed: false,
            hooked: true,
            readable: true,
            at_rest: true,
            settled: true,
        };
        for (about, trace, expected) in [
            ("nothing to be seen of it", unseen, DeliveryOutcome::Untouched),
            (
                "nor of one without hooks",
                DeliveryEvidence { hooked: false, ..unseen },
                DeliveryOutcome::Untouched,
            ),
            ("too early to tell", DeliveryEvidence { settled: false, ..unseen }, DeliveryOutcome::Wait),
            (
                "its input is not read yet",
                DeliveryEvidence { at_rest: false, ..unseen },
                DeliveryOutcome::Wait,
            ),
            (
                "it stands there",
                DeliveryEvidence { drafted: true, printed: true, ..unseen },
                DeliveryOutcome::Submit,
            ),
            (
                "it stands there at once",
                DeliveryEvidence { drafted: true, settled: false, ..unseen },
                DeliveryOutcome::Submit,
            ),
            (
                "shown, and its hook will tell",
                DeliveryEvidence { printed: true, settled: false, ..unseen },
                DeliveryOutcome::Wait,
            ),
            (
                "shown, and no hook told",
                DeliveryEvidence { printed: true, ..unseen },
                DeliveryOutcome::Unknown,
            ),
            (
                "shown, and there are no hooks",
                DeliveryEvidence { printed: true, hooked: false, ..unseen },
                DeliveryOutcome::Taken,
            ),
            (
                "blind",
                DeliveryEvidence { hooked: false, readable: false, ..unseen },
                DeliveryOutcome::Unknown,
            ),
        ] {
            assert_eq!(outcome_of(trace), expected, "{about}");
        }
    }

    #[test]
    fn quoted_marker_is_not_taken_for_the_task() {
        let task = Task { text: "go on,\tplease".into(), ..task(1) };
        for (text, expected) in [
            ("go on,    please [symposium task 1]\n", true),
            ("a draft go on,\tplease\n\nTopic x:\ny\n\n[symposium task 1]", true),
            ("what about [symposium task 1]", false),
            ("go on,\tplease [symposium task 1] and so on", false),
            ("go on,\tplease [symposium task 1/2]", false),
        ] {
            assert_eq!(is_task(text, &task), expected, "{text}");
        }
        let message = Message {
            id: crate::model::MessageId(7),
            at: at(0),
            from: "fix".into(),
            to: None,
            to_id: None,
            project: None,
            text: "as [symposium message 3 from x] says".into(),
            wake: true,
            state: crate::model::MessageState::Dispatched,
            changed_at: at(0),
            why: String::new(),
        };
        for (text, expected) in [
            (message.typed().as_str(), true),
            ("[symposium message 7 from fix]", false),
            (&format!("{} [symposium task 1]", message.typed()), false),
        ] {
            assert_eq!(is_message(text, &message), expected, "{text}");
        }
    }

    #[test]
    fn a_wrapped_marker_is_recognised() {
        assert_eq!(marked("do it\n", "[m]"), "do it [m]");
        assert_eq!(marked("do\nit", "[m]"), "do\nit\n\n[m]");
    }
}
