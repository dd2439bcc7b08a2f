//! Tests that a process that is woken by a change of the write-ahead log can read the change.

use std::sync::mpsc::channel;
use std::time::Duration;

use notify::{Event, RecursiveMode, Watcher};

use super::{Ledger, TestLedger, at};
use crate::ledger::TaskQuery;
use crate::model::{AgentId, Assignee, NewTask};

#[test]
fn output_is_complete_at_the_last_change_of_the_log() {
    let env = TestLedger::new();
    let (writer, reader) = (env.ledger(), Ledger::open_existing(env.dir.path()).unwrap().unwrap());
    let (sender, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let event = event.unwrap();
        if !event.kind.is_access() && event.paths.iter().any(|path| path.ends_with("ledger.db-wal")) {
            sender.send(()).unwrap();
        }
    })
    .unwrap();
    watcher.watch(env.dir.path(), RecursiveMode::NonRecursive).unwrap();
    let task = NewTask::plain(Assignee::Agent(AgentId::fresh(), "fix".parse().unwrap()), "x", "person");
    let count = || reader.tasks(&TaskQuery::default()).unwrap().len();
    // Without the announcement, one change in some tens is missed, depending on the disk.
    for n in 1..=200 {
        std::thread::scope(|scope| {
            scope.spawn(|| writer.add_task(&task, at(1)).unwrap().unwrap());
            loop {
                changes.recv_timeout(Duration::from_secs(20)).expect("a change after what was written shows");
                if count() >= n {
                    break;
                }
            }
        });
    }
}
