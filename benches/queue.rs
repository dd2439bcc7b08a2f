//! Measures the cost of the queue: adding tasks, dispatching to an agent that finishes immediately, and ten thousand
//! waiting tasks.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use symposium::bench::queue_examination;
use symposium::ledger::Ledger;
use symposium::model::{AgentId, Assignee, NewTask};

use crate::place::Place;
use crate::table::{Row, Table, median};

/// The size of a very long queue.
const MANY: usize = 10_000;
const FEW: usize = 10;

/// Runs all measurements.
pub fn run(agents: usize, binary: PathBuf) {
    let place = Place::new(binary);
    let mut table = Table::new();
    place.fill(1..=agents, &["demo"]);
    for n in 1..=agents {
        place.symposium(&["agent", "wait", &format!("a{n}"), "--for", "idle", "--timeout", "60s"]);
    }
    let added = median((0..50).map(|_| place.symposium(&["task", "add", "a1", "/work 0s"])));
    table.add(Row::told("task add".into(), added));
    table.add(Row::told("a task, one agent, added to done".into(), drained(&place, 50)));
    let count = agents * 10;
    for n in 0..count {
        place.symposium(&["task", "add", &format!("a{}", n % agents + 1), "/work 0s"]);
    }
    let each = drained(&place, count);
    table.add(Row::told(format!("a task, {agents} agents side by side"), each));
    table.note(format!("{:.1} tasks a second by {agents} agents", 1.0 / each.as_secs_f64()));
    place.symposium(&["supervisor", "stop"]);

    // The tasks wait for an agent that does not exist, as they would for an agent that is working.
    let few = waiting(&place, FEW);
    let many = waiting(&place, MANY);
    let both = |of: fn(&Costs) -> Duration| (of(&many), of(&few));
    table.add(Row::ratio("task list, 10,000 queued vs 10".into(), both(|costs| costs.list), 2.0));
    table.add(Row::ratio("agent list, 10,000 queued vs 10".into(), both(|costs| costs.agents), 2.0));
    table.add(Row::ratio("a tick's look at the queues, 10,000 vs 10".into(), both(|costs| costs.tick), 2.0));
    table.add(Row::ratio("one more into 10,000 vs 10, in the ledger".into(), both(|costs| costs.add), 2.0));
    println!("{table}");
}

/// Waits until no task is open and returns the time per task.
fn drained(place: &Place, count: usize) -> Duration {
    let began = Instant::now();
    loop {
        let open = place.command(&["task", "list", "--json"]).output().expect("a list");
        if open.stdout.trim_ascii() == b"[]" {
            return began.elapsed() / u32::try_from(count).expect("a number of tasks");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

struct Costs {
    list: Duration,
    agents: Duration,
    tick: Duration,
    add: Duration,
}

/// Fills the queue up to this number of tasks and measures the commands.
fn waiting(place: &Place, count: usize) -> Costs {
    let store = place.store();
    let (ledger, _) = Ledger::open(store.home(), Timestamp::now()).expect("a ledger");
    let assignee = Assignee::Agent(AgentId::fresh(), "busy".parse().expect("a name"));
    let task = NewTask::plain(assignee, "something to be done", "person");
    let open = ledger.queues().expect("queues").of.values().map(|queue| queue.queued as usize).sum::<usize>();
    let one_more = || {
        let began = Instant::now();
        ledger.add_task(&task, Timestamp::now()).expect("a task").expect("nothing comes before");
        began.elapsed()
    };
    for _ in open..count {
        one_more();
    }
    let examine = queue_examination(store.home()).expect("an environment");
    let tick = || {
        let began = Instant::now();
        examine().expect("an examination of the queues");
        began.elapsed()
    };
    Costs {
        list: median((0..20).map(|_| place.symposium(&["task", "list"]))),
        agents: median((0..20).map(|_| place.symposium(&["agent", "list"]))),
        tick: median((0..50).map(|_| tick())),
        add: median((0..50).map(|_| one_more())),
    }
}
