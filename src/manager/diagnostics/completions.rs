//! Shell completion of names on the command line. Reads files only: a Tab must not wait for tmux, and changes nothing.

use crate::env::Env;
use crate::manager::diagnostics::Diagnostics;
use crate::manager::hosts::Hosts;
use crate::manager::specs::SpecCatalog;
use crate::manager::specs::resolve::Place;
use crate::manager::tasks::Tasks;
use crate::manager::tasks::manage::TaskFilter;
use crate::model::{TaskState, is_deceptive};

/// Maximum number of tasks that are offered, newest first.
const MOST_TASKS: usize = 50;

/// The kind of name that is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// The name of an agent.
    Agent,
    /// The name of a spec or a kind.
    Spec,
    /// The number of a task.
    Task,
    /// The name of a host.
    Host,
}

impl Diagnostics<'_> {
    /// Returns the existing names, each with a short description. Files that cannot be read contribute none.
    pub fn completions(&self, named: Named) -> Vec<(String, String)> {
        let words = match named {
            Named::Agent => self.agent_words(),
            Named::Spec => self.spec_words(),
            Named::Task => self.task_words(),
            Named::Host => Hosts(self.0).hosts().ok().map(|hosts| {
                hosts.into_iter().map(|host| (host.name.to_string(), host.address.to_string())).collect()
            }),
        };
        let mut words: Vec<(String, String)> = words.unwrap_or_default();
        words.iter_mut().for_each(|(_, about)| *about = about.replace(is_deceptive, " "));
        words
    }

    fn agent_words(&self) -> Option<Vec<(String, String)>> {
        let records = self.0.store.read(Env::now()).ok()?;
        let about = |status: &str, title: Option<&String>| match title {
            Some(title) => format!("{status}, {title}"),
            None => status.to_owned(),
        };
        let word = |record: crate::model::AgentRecord| {
            (record.name.to_string(), about(record.status.status.word(), record.title.as_ref()))
        };
        Some(records.into_iter().map(word).collect())
    }

    fn spec_words(&self) -> Option<Vec<(String, String)>> {
        let place = Place::default();
        let specs = SpecCatalog(self.0).spec_list(&place).ok()?.specs;
        let specs = specs.into_iter().map(|spec| (spec.name, spec.description.unwrap_or_default()));
        let kinds = SpecCatalog(self.0).kind_list(&place).ok()?.into_iter().filter(|kind| kind.installed);
        let mut words: Vec<_> =
            specs.chain(kinds.map(|kind| (kind.name, "an agent CLI".to_owned()))).collect();
        words.sort_by(|a, b| a.0.cmp(&b.0));
        words.dedup_by(|second, first| second.0 == first.0);
        Some(words)
    }

    fn task_words(&self) -> Option<Vec<(String, String)>> {
        let states = [&TaskState::OPEN[..], &[TaskState::Failed]].concat();
        let filter = TaskFilter { agent: None, states, newest: Some(MOST_TASKS), since: None };
        let about = |text: &str| text.chars().take(60).collect();
        let tasks = Tasks(self.0).task_list(&filter).ok()?;
        Some(tasks.into_iter().map(|task| (task.id.to_string(), about(&task.text))).collect())
    }
}
