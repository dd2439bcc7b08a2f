//! Periodic work of the supervisor, driven by a fake clock: restarts, heartbeats, hangs, notices and clean-up.

mod cleanup;
mod hangs;
mod heartbeats;
mod notices;
mod restarts;

use std::time::Duration;

use crate::error::Error;
use crate::manager::maintenance::auto_restart::RestartSchedule;
use crate::manager::maintenance::notify::{Announcer, NotifyReport};
use crate::manager::maintenance::{AutoRestart, HangDetection, Maintenance, Notifications};
use crate::manager::messages::Messages;
use crate::manager::messages::mail::MessageFilter;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::manager::tasks::Tasks;
use crate::manager::tasks::manage::TaskFilter;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{
    Agent, AgentName, AgentRecord, Heartbeat, NotifyOn, RestartPolicy, Schedule, Status, StatusNote, Task,
    WaitingFor,
};

fn restarting(context: &TestContext, name: &str) -> AgentRecord {
    context.agent_with(name, Status::Crashed, |record| {
        record.restart.policy = RestartPolicy::OnFailure;
        // The start fails before it reaches tmux, because the directory is gone.
        record.working_directory = "/nonexistent/project".into();
    })
}

/// Plans restarts and executes those that are due, as the supervisor does.
fn restart_round(context: &TestContext) -> RestartRound {
    let schedule = AutoRestart(context).plan_restarts().unwrap();
    let due = if schedule.is_due { AutoRestart(context).due_restarts().unwrap() } else { vec![] };
    let outcome = |record: &AgentRecord| Some((record.name.clone(), AutoRestart(context).restart(record)?));
    RestartRound { restarted: due.iter().filter_map(outcome).collect(), schedule }
}

struct RestartRound {
    schedule: RestartSchedule,
    restarted: Vec<(AgentName, Result<String, Error>)>,
}

fn agents(context: &TestContext) -> Vec<Agent> {
    StatusTracker(context).current_agents().unwrap().agents
}

fn heartbeat(seconds: u64) -> Option<Heartbeat> {
    Some(Heartbeat { schedule: Schedule::Every(seconds), prompt: "look at the mail".into(), last: None })
}

fn tasks(context: &TestContext) -> Vec<Task> {
    Tasks(context).task_list(&TaskFilter::default()).unwrap()
}

/// Sends the notices and returns their titles and bodies.
fn announce(context: &TestContext, announcer: &mut Announcer) -> Vec<String> {
    let NotifyReport { sent, .. } = Notifications(context).send_due_notices(announcer).unwrap();
    sent.into_iter().map(|sent| format!("{}: {}", sent.notice.title, sent.notice.body)).collect()
}
