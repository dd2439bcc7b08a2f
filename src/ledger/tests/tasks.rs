//! Tests for queues: order, transitions that only one process can make, and counts.

use super::*;
use crate::model::{Assignee, NewTask, Priority, Task, TaskCounts, TaskId, TaskState};

fn new(agent: AgentId, text: &str, priority: Priority) -> NewTask {
    let assignee = Assignee::Agent(agent, "fix".parse().unwrap());
    NewTask { priority, ..NewTask::plain(assignee, text, "person") }
}

fn step<'a>(from: &'a [TaskState], to: TaskState) -> TaskTransition<'a> {
    TaskTransition::plain(from, to, "because")
}

#[test]
fn a_task_is_read_back_as_added() {
    let env = TestLedger::new();
    let agent = AgentId::fresh();
    let text = "do\0 \u{202e}this\n";
    let id = env.ledger().add_task(&new(agent, text, Priority::High), at(3)).unwrap().unwrap();
    let expected = Task {
        id,
        agent: Some(agent),
        agent_name: "fix".parse().ok(),
        pool: None,
        text: text.into(),
        priority: Priority::High,
        state: TaskState::Queued,
        source: "person".into(),
        source_id: None,
        created_at: at(3),
        changed_at: at(3),
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
    };
    assert_eq!(env.ledger().task(id).unwrap(), Some(expected));
    assert_eq!(env.ledger().task(TaskId(99)).unwrap(), None);
}

#[test]
fn the_next_task_is_the_most_urgent_and_then_the_oldest() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    let add = |text: &str, priority| ledger.add_task(&new(agent, text, priority), at(1)).unwrap().unwrap();
    for priority in Priority::ALL.into_iter().rev() {
        add(&format!("first {priority}"), priority);
        add(&format!("second {priority}"), priority);
    }
    ledger.add_task(&new(AgentId::fresh(), "other agent's", Priority::Critical), at(1)).unwrap().unwrap();
    let mut order = Vec::new();
    while let Some(task) = ledger.next_task(agent, "", &[]).unwrap() {
        assert!(ledger.move_task(task.id, &step(&[TaskState::Queued], TaskState::Done), at(2)).unwrap());
        order.push(task.text);
    }
    let expected: Vec<_> =
        Priority::ALL.iter().flat_map(|p| [format!("first {p}"), format!("second {p}")]).collect();
    assert_eq!(order, expected);
}

#[test]
fn a_transition_applies_only_from_its_source_state() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let id = ledger.add_task(&new(AgentId::fresh(), "x", Priority::Normal), at(1)).unwrap().unwrap();
    let to_dispatched = step(&[TaskState::Queued], TaskState::Dispatched);
    assert!(ledger.move_task(id, &to_dispatched, at(2)).unwrap());
    assert!(!ledger.move_task(id, &to_dispatched, at(3)).unwrap());
    assert!(!ledger.move_task(id, &step(&[], TaskState::Done), at(3)).unwrap());
    assert!(ledger.put_back_task(id, "because", at(4)).unwrap());
    assert!(!ledger.put_back_task(id, "because", at(4)).unwrap());
    assert!(ledger.move_task(id, &to_dispatched, at(5)).unwrap());
    let done =
        TaskTransition { result: Some("all is well"), ..step(&[TaskState::Dispatched], TaskState::Done) };
    assert!(ledger.move_task(id, &done, at(6)).unwrap());
    let task = ledger.task(id).unwrap().unwrap();
    assert_eq!((task.state, task.attempts, task.changed_at), (TaskState::Done, 1, at(6)));
    assert_eq!((task.why.as_str(), task.result.as_deref()), ("because", Some("all is well")));
    assert!(!ledger.move_task(TaskId(99), &to_dispatched, at(3)).unwrap());
}

#[test]
fn concurrent_claims_give_a_task_to_one_agent() {
    let env = TestLedger::new();
    let id = env.ledger().add_task(&new(AgentId::fresh(), "x", Priority::Normal), at(1)).unwrap().unwrap();
    let take = || {
        let (ledger, _) = Ledger::open(env.dir.path(), at(0)).unwrap();
        ledger.move_task(id, &step(&[TaskState::Queued], TaskState::Dispatched), at(2)).unwrap()
    };
    let taken = thread::scope(|scope| {
        let takers: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
        takers.into_iter().map(|taker| taker.join().unwrap()).filter(|got| *got).count()
    });
    assert_eq!(taken, 1);
}

#[test]
fn queues_are_listed_counted_and_forgotten_when_they_are_over() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let (agent_a, agent_b) = (AgentId::fresh(), AgentId::fresh());
    for (n, state) in TaskState::ALL.into_iter().enumerate() {
        let id =
            ledger.add_task(&new(agent_a, &format!("task {n}"), Priority::Normal), at(1)).unwrap().unwrap();
        ledger.move_task(id, &step(&[TaskState::Queued], state), at(2)).unwrap();
    }
    ledger.add_task(&new(agent_b, "x", Priority::Normal), at(1)).unwrap().unwrap();
    let texts = |query: TaskQuery<'_>| -> Vec<String> {
        ledger.tasks(&query).unwrap().into_iter().map(|task| task.text).collect()
    };
    assert_eq!(texts(TaskQuery::default()).len(), 7);
    assert_eq!(texts(TaskQuery { agent: Some(agent_b), ..TaskQuery::default() }), ["x"]);
    let over = [TaskState::Done, TaskState::Failed];
    assert_eq!(texts(TaskQuery { agent: Some(agent_a), states: &over, newest: None }), ["task 3", "task 4"]);
    let counts = ledger.queues().unwrap().of;
    assert_eq!(counts[&agent_a], TaskCounts { queued: 1, running: 2, done: 1, failed: 1 });
    assert_eq!(counts[&agent_b], TaskCounts { queued: 1, ..TaskCounts::default() });
    let tallies = ledger.event_counters().unwrap();
    assert_eq!((tallies.tasks[&TaskState::Queued], tallies.tasks[&TaskState::Cancelled]), (2, 1));
    assert_eq!(ledger.forget_before(at(2)).unwrap(), 0);
    assert_eq!(ledger.forget_before(at(3)).unwrap(), 3, "only what is over");
    assert_eq!(
        texts(TaskQuery { agent: Some(agent_a), ..TaskQuery::default() }),
        ["task 0", "task 1", "task 2"]
    );
}

#[test]
fn tasks_of_a_newer_version_are_skipped() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    let raw = Connection::open(env.file()).unwrap();
    for (priority, state) in [(1, "queued"), (30, "dreaming")] {
        raw.execute(
            "INSERT INTO tasks (agent, agent_name, text, priority, state, source, created_at, changed_at)
             VALUES (?1, 'a', 't', ?2, ?3, 's', 1, 1)",
            (agent.0.as_bytes(), priority, state),
        )
        .unwrap();
    }
    let id = ledger.add_task(&new(agent, "ours", Priority::Idle), at(1)).unwrap().unwrap();
    assert_eq!(ledger.next_task(agent, "", &[]).unwrap().map(|task| task.id), Some(id));
    assert_eq!(ledger.tasks(&TaskQuery::default()).unwrap().len(), 1);
    ledger.queues().unwrap();
    ledger.event_counters().unwrap();
}

#[test]
fn dependent_task_waits_for_all_its_dependencies() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    let add = |after: &[TaskId]| {
        let task = NewTask { after: after.to_vec(), ..new(agent, "x", Priority::Normal) };
        ledger.add_task(&task, at(1)).unwrap()
    };
    assert_eq!(add(&[TaskId(7)]), Err(TaskId(7)), "a task cannot depend on a missing one");
    let (agent_a, two) = (add(&[]).unwrap(), add(&[]).unwrap());
    let last = add(&[agent_a, two]).unwrap();
    let finish = |id, to| ledger.move_task(id, &step(&[TaskState::Queued], to), at(2)).unwrap();
    let blocked = || {
        let task = ledger.task(last).unwrap().unwrap();
        (task.after, task.blocked)
    };
    assert_eq!(blocked(), (vec![agent_a, two], 2));
    finish(agent_a, TaskState::Done);
    finish(two, TaskState::Failed);
    assert_eq!(blocked().1, 1);
    assert_eq!(ledger.next_task(agent, "", &[]).unwrap(), None);
    assert!(!ledger.claim_task(last, (agent, &"fix".parse().unwrap()), "why", at(3)).unwrap());
    let again = [step(&[TaskState::Failed], TaskState::Queued), step(&[TaskState::Queued], TaskState::Done)];
    again.iter().for_each(|step| assert!(ledger.move_task(two, step, at(4)).unwrap()));
    assert_eq!(ledger.next_task(agent, "", &[]).unwrap().map(|task| task.id), Some(last));
    let after_done = add(&[agent_a]).unwrap();
    assert_eq!(ledger.task(after_done).unwrap().unwrap().blocked, 0);
}

#[test]
fn task_for_any_agent_is_given_to_an_agent_without_own_tasks() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let (agent_a, agent_b) = (AgentId::fresh(), AgentId::fresh());
    let name = "fix".parse().unwrap();
    let pool = NewTask::plain(Assignee::Any("weather".into()), "x", "person");
    let (first, second) =
        (ledger.add_task(&pool, at(1)).unwrap().unwrap(), ledger.add_task(&pool, at(1)).unwrap().unwrap());
    assert_eq!(ledger.next_task(agent_a, "cook", &[]).unwrap(), None);
    assert_eq!(ledger.next_task(agent_a, "weather", &[]).unwrap().map(|task| task.id), Some(first));
    assert_eq!(ledger.next_task(agent_b, "weather", &[first]).unwrap().map(|task| task.id), Some(second));
    assert!(ledger.claim_task(first, (agent_a, &name), "why", at(2)).unwrap());
    assert!(!ledger.claim_task(first, (agent_b, &name), "why", at(2)).unwrap());
    assert!(!ledger.claim_task(second, (agent_a, &name), "why", at(2)).unwrap(), "one at a time");
    let queues = ledger.queues().unwrap();
    assert_eq!((queues.pool.queued, queues.of[&agent_a].running), (1, 1));
    assert!(ledger.put_back_task(first, "why", at(3)).unwrap());
    let task = ledger.task(first).unwrap().unwrap();
    assert_eq!((task.agent, task.attempts, task.pool.as_deref()), (None, 0, Some("weather")));
    assert_eq!(ledger.next_task(agent_b, "weather", &[]).unwrap().map(|task| task.id), Some(first));
}

#[test]
fn long_waits_leave_one_history_line_and_failed_typing_counts_as_an_attempt() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    let name = "fix".parse().unwrap();
    let id = ledger.add_task(&new(agent, "x", Priority::Normal), at(1)).unwrap().unwrap();
    for second in 2..9 {
        assert!(ledger.claim_task(id, (agent, &name), "typing", at(second)).unwrap());
        assert!(ledger.put_back_task(id, "a draft stands there", at(second)).unwrap());
    }
    let steps = || -> Vec<_> {
        let steps = ledger.task_steps(id).unwrap();
        steps.into_iter().map(|step| (step.state, step.attempt, step.why, step.at)).collect()
    };
    use TaskState::{Dispatched, Queued};
    assert_eq!(
        steps(),
        [
            (Queued, 0, "it was added".to_owned(), at(1)),
            (Queued, 0, "a draft stands there".to_owned(), at(8))
        ]
    );
    assert!(ledger.claim_task(id, (agent, &name), "typing", at(9)).unwrap());
    assert!(ledger.move_task(id, &step(&[Dispatched], Queued), at(9)).unwrap());
    assert_eq!(ledger.task(id).unwrap().unwrap().attempts, 1, "otherwise it would be retried for ever");
    assert_eq!(steps().len(), 4);
}

#[test]
fn every_step_is_kept_with_its_attempt() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let agent = AgentId::fresh();
    let id = ledger.add_task(&new(agent, "x", Priority::Normal), at(1)).unwrap().unwrap();
    let name = "fix".parse().unwrap();
    assert!(ledger.claim_task(id, (agent, &name), "typing", at(2)).unwrap());
    for (from, to) in [
        (TaskState::Dispatched, TaskState::Running),
        (TaskState::Running, TaskState::Queued),
        (TaskState::Queued, TaskState::Dispatched),
    ] {
        assert!(ledger.move_task(id, &step(&[from], to), at(3)).unwrap());
    }
    let half = crate::model::TaskProgress { percent: 50, note: "half".into() };
    assert!(ledger.note_progress(id, &half).unwrap());
    let steps: Vec<_> = ledger.task_steps(id).unwrap().iter().map(|s| (s.state, s.attempt)).collect();
    use TaskState::{Dispatched, Queued, Running};
    assert_eq!(steps, [(Queued, 0), (Dispatched, 1), (Running, 1), (Queued, 1), (Dispatched, 2)]);
    let task = ledger.task(id).unwrap().unwrap();
    assert_eq!(task.mark(), format!("[symposium task {id}/2]"));
    assert_eq!(task.progress, Some(half));
}
