//! Tests that a process that is woken by a change of the write-ahead log can read the change.

use std::sync::mpsc::channel;
use std::time::Duration;

use notify::{Event, RecursiveMode, Watcher};

use super::{Env, Ledger, at};
use crate::ledger::TaskQuery;
use crate::model::{AgentId, Assignee, NewTask};

#[test]
fn what_was_written_is_there_at_the_last_change_of_the_log() {
    let env = Env::new();
    let (writer, reader) = (env.ledger(), Ledger::open_existing(env.dir.path()).unwrap().unwrap());
    let (tell, told) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let event = event.unwrap();
        if !event.kind.is_access() && event.paths.iter().any(|path| path.ends_with("ledger.db-wal")) {
            tell.send(()).unwrap();
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
                told.recv_timeout(Duration::from_secs(20)).expect("a change after what was written shows");
                if count() >= n {
                    break;
                }
            }
        });
    }
}
