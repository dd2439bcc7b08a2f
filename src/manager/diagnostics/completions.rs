//! Shell completion of names on the command line, and completion of directories in forms. Reads files only: a Tab must
//! not wait for tmux, and changes nothing.

use std::fs;
use std::path::Path;

use crate::manager::diagnostics::Completions;
use crate::manager::hosts::Hosts;
use crate::manager::specs::SpecCatalog;
use crate::manager::specs::resolve::SpecLocation;
use crate::manager::tasks::Tasks;
use crate::manager::tasks::manage::TaskFilter;
use crate::model::{TaskState, is_deceptive};

/// Maximum number of tasks that are offered, newest first.
const MAX_TASKS: usize = 50;
/// Maximum number of entries of a directory that are examined, so that a huge directory is no obstacle.
const MAX_EXAMINED_ENTRIES: usize = 10_000;

/// The kind of name that is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// The name of an agent.
    Agent,
    /// The name of a spec or a kind.
    Spec,
    /// The number of a task.
    Task,
    /// The name of a host.
    Host,
}

impl Completions<'_> {
    /// Returns the existing names, each with a short description. Files that cannot be read contribute none.
    pub fn completions(&self, named: CompletionKind) -> Vec<(String, String)> {
        let words = match named {
            CompletionKind::Agent => self.agent_words(),
            CompletionKind::Spec => self.spec_words(),
            CompletionKind::Task => self.task_words(),
            CompletionKind::Host => Hosts(self.0).hosts().ok().map(|hosts| {
                hosts.into_iter().map(|host| (host.name.to_string(), host.address.to_string())).collect()
            }),
        };
        let mut words: Vec<(String, String)> = words.unwrap_or_default();
        words.iter_mut().for_each(|(_, about)| *about = about.replace(is_deceptive, " "));
        words
    }

    /// Returns the names of the directories in `parent` that begin with `prefix`, in order. Hidden ones need a prefix,
    /// and names that cannot be shown as they are do not count.
    pub fn directories(&self, parent: &Path, prefix: &str) -> Vec<String> {
        let parent = SpecCatalog(self.0).path_here(parent);
        let entries = fs::read_dir(parent).into_iter().flatten().take(MAX_EXAMINED_ENTRIES).flatten();
        let is_offered = |name: &str| {
            name.starts_with(prefix)
                && (!name.starts_with('.') || prefix.starts_with('.'))
                && !name.contains(is_deceptive)
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok().filter(|name| is_offered(name))?;
                // Links to directories are offered, too.
                fs::metadata(entry.path()).is_ok_and(|found| found.is_dir()).then_some(name)
            })
            .collect();
        names.sort();
        names
    }

    fn agent_words(&self) -> Option<Vec<(String, String)>> {
        let records = self.0.store.read(self.0.now()).ok()?;
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
        let location = SpecLocation::default();
        let specs = SpecCatalog(self.0).spec_list(&location).ok()?.specs;
        let specs = specs.into_iter().map(|spec| (spec.name, spec.description.unwrap_or_default()));
        let kinds = SpecCatalog(self.0).kind_list(&location).ok()?.into_iter().filter(|kind| kind.installed);
        let mut words: Vec<_> =
            specs.chain(kinds.map(|kind| (kind.name, "an agent CLI".to_owned()))).collect();
        words.sort_by(|a, b| a.0.cmp(&b.0));
        words.dedup_by(|second, first| second.0 == first.0);
        Some(words)
    }

    fn task_words(&self) -> Option<Vec<(String, String)>> {
        let states = [&TaskState::OPEN[..], &[TaskState::Failed]].concat();
        let filter = TaskFilter { agent: None, states, newest: Some(MAX_TASKS), since: None };
        let about = |text: &str| text.chars().take(60).collect();
        let tasks = Tasks(self.0).task_list(&filter).ok()?;
        Some(tasks.into_iter().map(|task| (task.id.to_string(), about(&task.text))).collect())
    }
}
