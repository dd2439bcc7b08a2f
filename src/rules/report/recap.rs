//! Builds the recap of an agent from the ledger, its record and git.

use jiff::Timestamp;

use crate::model::{
    AgentRecord, Commit, EventKind, LedgerEvent, Message, MessageState, Recap, RecapChange, RecapFailure,
    RecapMessage, RecapTask, Status, StatusDuration, Task, TaskState, UncommittedWork, is_deceptive,
};

/// Maximum length of a recap in the first prompt of an agent, in characters.
const MAX_RECAP_IN_PROMPT: usize = 8 * 1024;

/// Returns a recap that can be typed into a terminal as a part of a prompt.
pub fn in_prompt(recap: &str) -> String {
    let clean = recap.chars().map(|c| if is_deceptive(c) && c != '\n' { ' ' } else { c });
    clean.take(MAX_RECAP_IN_PROMPT).collect::<String>().trim_end().to_owned()
}

/// Data from which a recap is built.
#[derive(Debug, Clone)]
pub struct RecapSources<'a> {
    /// Current record of the agent.
    pub record: &'a AgentRecord,
    /// Beginning of the period.
    pub since: Timestamp,
    /// End of the period.
    pub until: Timestamp,
    /// Events of the agent, the oldest first; events outside of the period are ignored.
    pub events: &'a [LedgerEvent],
    /// Tasks of the agent; those outside of the period are ignored.
    pub tasks: &'a [Task],
    /// Messages to and from the agent, the oldest first; those outside of the period are ignored.
    pub messages: &'a [Message],
    /// Commits in the working directory, if git could list them.
    pub commits: Option<Vec<Commit>>,
    /// Uncommitted changes in the working directory, if git could list them.
    pub uncommitted: Option<UncommittedWork>,
    /// Last prompt that the agent received, if it is known.
    pub last_prompt: Option<String>,
    /// Last reply of the agent, if it is known.
    pub last_words: Option<String>,
}

/// Builds the recap.
pub fn build_recap(known: RecapSources<'_>) -> Recap {
    let within = |at: Timestamp| known.since <= at && at <= known.until;
    let happened: Vec<&LedgerEvent> = known.events.iter().filter(|event| within(event.at)).collect();
    let count = |what: EventKind| {
        u32::try_from(happened.iter().filter(|event| event.what == what).count()).unwrap_or(u32::MAX)
    };
    let ended = |state: TaskState| -> Vec<RecapTask> {
        let tasks = known.tasks.iter().filter(|task| task.state == state && within(task.changed_at));
        tasks.map(|task| RecapTask { id: task.id, title: task.title(), why: task.why.clone() }).collect()
    };
    let messages = known.messages.iter().map(|message| mail(message, known.record));
    let changes: Vec<RecapChange> = happened.iter().filter_map(|event| change(event)).collect();
    let note = &known.record.status;
    Recap {
        name: known.record.name.clone(),
        since: known.since,
        until: known.until,
        status: note.status,
        waiting_for: note.waiting_for,
        failure: note.failure().cloned(),
        reason: note.reason.clone(),
        failed_turns: happened
            .iter()
            .filter(|event| event.what == EventKind::TurnFailed)
            .map(failed_turn)
            .collect(),
        spent: spent(&known, &changes),
        changes,
        prompts: count(EventKind::Prompted),
        restarts: count(EventKind::Restarted),
        gave_up: count(EventKind::GaveUp) > 0,
        done: ended(TaskState::Done),
        failed: ended(TaskState::Failed),
        messages: messages.filter(|message| within(message.at)).collect(),
        commits: known.commits,
        uncommitted: known.uncommitted,
        last_prompt: known.last_prompt,
        last_words: known.last_words,
        asks: (note.status == Status::Waiting).then(|| note.reason.clone()),
    }
}

fn mail(message: &Message, record: &AgentRecord) -> RecapMessage {
    let was_read = message.to_id == Some(record.id) && message.state == MessageState::Read;
    RecapMessage {
        id: message.id,
        at: if was_read { message.changed_at } else { message.at },
        from: message.from.clone(),
        to: message.to.clone(),
        text: message.title(),
    }
}

fn failed_turn(event: &&LedgerEvent) -> RecapFailure {
    RecapFailure { at: event.at, why: event.why.clone() }
}

fn change(event: &LedgerEvent) -> Option<RecapChange> {
    match event.what {
        EventKind::Status { from, to, .. } => {
            Some(RecapChange { at: event.at, from, to, why: event.why.clone() })
        }
        _ => None,
    }
}

/// Returns the time spent in each status within the period, the longest first. An interval in which the clock went
/// backwards counts as zero.
fn spent(known: &RecapSources<'_>, changes: &[RecapChange]) -> Vec<StatusDuration> {
    let note = &known.record.status;
    let first = match changes.first() {
        Some(change) => change.from.map(|from| (from, known.since)),
        None => Some((note.status, note.since.max(known.since))),
    };
    let begun: Vec<(Status, Timestamp)> =
        first.into_iter().chain(changes.iter().map(|change| (change.to, change.at))).collect();
    let ends = begun.iter().skip(1).map(|(_, at)| *at).chain([known.until]);
    let mut spent: Vec<(Status, i128)> = Status::ALL.map(|status| (status, 0)).to_vec();
    for ((status, from), until) in begun.iter().zip(ends) {
        let lasted = until.duration_since(*from).as_nanos().max(0);
        spent.iter_mut().filter(|(which, _)| which == status).for_each(|(_, sum)| *sum += lasted);
    }
    spent.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    let seconds = |nanos: i128| u64::try_from(nanos / 1_000_000_000).unwrap_or(u64::MAX);
    let spent = spent.into_iter().map(|(status, sum)| StatusDuration { status, seconds: seconds(sum) });
    spent.filter(|spent| spent.seconds > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MessageId, StatusNote, WaitingFor};
    use crate::rules::status::decide::tests::{at, record};

    fn happened(seconds: i64, what: EventKind) -> LedgerEvent {
        let record = record("a", Status::Idle);
        LedgerEvent {
            at: at(seconds),
            agent: record.id,
            name: record.name,
            what,
            why: format!("at {seconds}"),
        }
    }

    fn turned(seconds: i64, from: Option<Status>, to: Status) -> LedgerEvent {
        happened(seconds, EventKind::Status { seq: 1, from, to, waiting_for: None, exit: None })
    }

    fn task(text: &str, state: TaskState, seconds: i64) -> Task {
        let record = record("a", Status::Idle);
        Task {
            agent: Some(record.id),
            agent_name: Some(record.name),
            text: text.into(),
            state,
            changed_at: at(seconds),
            attempts: 1,
            why: "it said so".into(),
            ..crate::rules::tasks::readiness::tests::example(seconds)
        }
    }

    /// The period is from 100 to 200.
    fn known<'a>(record: &'a AgentRecord, events: &'a [LedgerEvent], tasks: &'a [Task]) -> RecapSources<'a> {
        RecapSources {
            record,
            since: at(100),
            until: at(200),
            events,
            tasks,
            messages: &[],
            commits: None,
            uncommitted: None,
            last_prompt: None,
            last_words: None,
        }
    }

    #[test]
    fn time_is_counted_from_the_status_it_had_at_the_beginning() {
        use Status::{Crashed, Idle, Starting, Waiting, Working};
        let idle_since_150 = AgentRecord { status: StatusNote::new(Idle, at(150), "x"), ..record("a", Idle) };
        for (about, events, expected) in [
            ("nothing happened", vec![], vec![(Idle, 50)]),
            (
                "two changes",
                vec![turned(110, Some(Working), Waiting), turned(150, Some(Waiting), Idle)],
                vec![(Idle, 50), (Waiting, 40), (Working, 10)],
            ),
            (
                "the same twice",
                vec![turned(120, Some(Idle), Working), turned(190, Some(Working), Idle)],
                vec![(Working, 70), (Idle, 30)],
            ),
            ("it was born in it", vec![turned(160, None, Starting)], vec![(Starting, 40)]),
            (
                "what lies outside does not count",
                vec![
                    turned(50, Some(Idle), Crashed),
                    turned(150, Some(Crashed), Idle),
                    turned(300, None, Idle),
                ],
                vec![(Crashed, 50), (Idle, 50)],
            ),
            (
                "the clock went back",
                vec![turned(180, Some(Working), Waiting), turned(120, Some(Waiting), Idle)],
                vec![(Working, 80), (Idle, 80)],
            ),
        ] {
            let recap = build_recap(known(&idle_since_150, &events, &[]));
            let mut spent: Vec<_> = recap.spent.iter().map(|spent| (spent.status, spent.seconds)).collect();
            let mut expected = expected;
            // Equal times are ordered as in lists.
            spent.sort_by_key(|(status, seconds)| (std::cmp::Reverse(*seconds), status.rank()));
            expected.sort_by_key(|(status, seconds)| (std::cmp::Reverse(*seconds), status.rank()));
            assert_eq!(spent, expected, "{about}");
        }
    }

    #[test]
    fn events_are_reported_and_counted() {
        let events = [
            happened(90, EventKind::Prompted),
            happened(110, EventKind::Prompted),
            turned(110, Some(Status::Idle), Status::Working),
            happened(120, EventKind::Prompted),
            turned(130, Some(Status::Working), Status::Crashed),
            happened(131, EventKind::Restarted),
            happened(140, EventKind::GaveUp),
        ];
        let record = record("a", Status::Crashed);
        let recap = build_recap(known(&record, &events, &[]));
        assert_eq!((recap.prompts, recap.restarts, recap.gave_up), (2, 1, true));
        let changes: Vec<_> = recap.changes.iter().map(|c| (c.at, c.to, c.why.as_str())).collect();
        assert_eq!(changes, [(at(110), Status::Working, "at 110"), (at(130), Status::Crashed, "at 130")]);
        assert_eq!((recap.status, recap.asks), (Status::Crashed, None));
    }

    #[test]
    fn ended_tasks_are_summarized_by_their_first_line() {
        let long = "x".repeat(200);
        let tasks = [
            task("too early", TaskState::Done, 99),
            task("\n  fix the login \nand more", TaskState::Done, 110),
            task(&long, TaskState::Failed, 120),
            task("going on", TaskState::Running, 130),
            task("not wanted", TaskState::Cancelled, 130),
        ];
        let record = record("a", Status::Idle);
        let recap = build_recap(known(&record, &[], &tasks));
        let titles = |tasks: &[RecapTask]| tasks.iter().map(|task| task.title.clone()).collect::<Vec<_>>();
        assert_eq!(titles(&recap.done), ["fix the login"]);
        assert_eq!(titles(&recap.failed), [format!("{}…", "x".repeat(79))]);
        assert_eq!(recap.failed[0].why, "it said so");
    }

    #[test]
    fn mail_sent_or_read_in_the_period_is_in_the_recap() {
        let record = record("a", Status::Idle);
        let message = |id: i64, sent: i64, read: Option<i64>| Message {
            id: MessageId(id),
            at: at(sent),
            from: "lead".into(),
            to: Some(record.name.clone()),
            to_id: Some(record.id),
            project: None,
            text: "\n look at this \nand that".into(),
            wake: true,
            state: if read.is_some() { MessageState::Read } else { MessageState::Waiting },
            changed_at: at(read.unwrap_or(sent)),
            why: String::new(),
        };
        let of_its_own = Message { from: "a".into(), to: None, to_id: None, ..message(5, 150, Some(500)) };
        let mail = [
            message(1, 90, None),
            message(2, 90, Some(110)),
            message(3, 120, None),
            message(4, 90, Some(95)),
            of_its_own,
        ];
        let recap = build_recap(RecapSources { messages: &mail, ..known(&record, &[], &[]) });
        let messages: Vec<_> = recap.messages.iter().map(|m| (m.id.0, m.at, m.text.as_str())).collect();
        let text = "look at this";
        assert_eq!(messages, [(2, at(110), text), (3, at(120), text), (5, at(150), text)]);
    }

    #[test]
    fn waiting_agent_reports_its_question() {
        let mut record = record("a", Status::Waiting);
        record.status = StatusNote::waiting(WaitingFor::Approval, at(150), "run `rm -rf build`?");
        let commit = Commit { id: "abc1234".into(), subject: "fix".into(), at: at(120) };
        let recap = build_recap(RecapSources {
            commits: Some(vec![commit.clone()]),
            uncommitted: Some(UncommittedWork::default()),
            last_words: Some("done".into()),
            ..known(&record, &[], &[])
        });
        assert_eq!(recap.asks.as_deref(), Some("run `rm -rf build`?"));
        assert_eq!(recap.waiting_for, Some(WaitingFor::Approval));
        assert_eq!((recap.commits, recap.last_words.as_deref()), (Some(vec![commit]), Some("done")));
    }

    #[test]
    fn recap_json_has_every_field_and_times_in_utc() {
        let record = record("a", Status::Idle);
        let events = [turned(110, None, Status::Idle)];
        let json = serde_json::to_value(build_recap(known(&record, &events, &[]))).unwrap();
        let mut keys: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(
            keys,
            [
                "asks",
                "changes",
                "commits",
                "done",
                "failed",
                "failed_turns",
                "failure",
                "gave_up",
                "last_prompt",
                "last_words",
                "messages",
                "name",
                "prompts",
                "reason",
                "restarts",
                "since",
                "spent",
                "status",
                "uncommitted",
                "until",
                "waiting_for",
            ]
        );
        assert!(json["changes"][0]["at"].as_str().unwrap().ends_with('Z'));
        assert_eq!(json["spent"], serde_json::json!([{ "status": "idle", "seconds": 90 }]));
    }
}
