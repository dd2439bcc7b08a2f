//! State that the tools share: the environment, opened on first use, and one change watcher for all waiting calls.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use tokio::sync::watch;

use crate::env::Env;
use crate::error::Error;
use crate::manager::Permissions;
use crate::manager::{Context, StoreChangeListener};
use crate::model::{AgentName, AgentRecord, TaskId};
use crate::rules::access::permissions::{Action, PermissionTable};

/// State that the tools share.
pub(super) struct ToolContext {
    home: Option<PathBuf>,
    manager: OnceLock<Context>,
    feed: Mutex<Weak<ChangeFeed>>,
    /// For each task, the question that was last reported to the client.
    reported: Mutex<HashMap<TaskId, String>>,
}

/// Counts changes of the environment. It exists as long as a call waits for changes.
pub(super) struct ChangeFeed {
    changed: watch::Receiver<u64>,
    /// `None` if changes cannot be watched; then the waiting calls poll.
    _changes: Option<StoreChangeListener>,
}

impl ChangeFeed {
    /// Returns a counter that increases with every change.
    pub(super) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.clone()
    }
}

impl ToolContext {
    pub(super) fn new(home: Option<PathBuf>) -> ToolContext {
        ToolContext { home, manager: OnceLock::new(), feed: Mutex::default(), reported: Mutex::default() }
    }

    /// Returns the environment and opens it on the first call.
    pub(super) fn manager(&self) -> Result<&Context, Error> {
        if let Some(manager) = self.manager.get() {
            return Ok(manager);
        }
        let manager = Context::open(Env::capture(), self.home.as_deref())?;
        Ok(self.manager.get_or_init(|| manager))
    }

    /// Returns the caller's current permissions, which change when agents come and go.
    pub(super) fn permissions(&self) -> Result<PermissionTable, Error> {
        Permissions(self.manager()?).permissions()
    }

    /// Removes agents and projects that the caller may not see from an error.
    pub(super) fn redact_error(&self, error: Error) -> Error {
        match (self.manager(), self.permissions()) {
            (Ok(manager), Ok(permissions)) => Permissions(manager).redact_error(&permissions, error),
            _ => error,
        }
    }

    /// Returns the record of the named agent, or of the caller itself, if the action is permitted.
    pub(super) fn reach(
        &self,
        act: Action,
        named: Option<&str>,
    ) -> Result<(PermissionTable, AgentRecord), Error> {
        let permissions = self.permissions()?;
        let record = match (named, permissions.calling_agent()) {
            (Some(named), _) => {
                Permissions(self.manager()?).within_reach(&permissions, act, &name(named)?)?
            }
            (None, Some(me)) => me.clone(),
            (None, None) => {
                return Err(Error::usage("`name` is required: the caller is not an agent")
                    .hint("`list_agents` returns the names"));
            }
        };
        Ok((permissions, record))
    }

    /// Records what a task waits for. Returns whether this was not reported before.
    pub(super) fn is_new(&self, id: TaskId, waits_for: Option<&str>) -> bool {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        match waits_for {
            Some(what) => reported.insert(id, what.to_owned()).as_deref() != Some(what),
            None => {
                reported.remove(&id);
                false
            }
        }
    }

    /// Returns the shared change watcher and starts it if there is none.
    pub(super) fn change_feed(&self) -> Result<Arc<ChangeFeed>, Error> {
        let mut shared = self.feed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(feed) = shared.upgrade() {
            return Ok(feed);
        }
        let (sender, changed) = watch::channel(0);
        let changes = self.manager()?.on_change(move || sender.send_modify(|count| *count += 1)).ok();
        let feed = Arc::new(ChangeFeed { changed, _changes: changes });
        *shared = Arc::downgrade(&feed);
        Ok(feed)
    }
}

/// Parses and validates the name of an agent.
pub(super) fn name(text: &str) -> Result<AgentName, Error> {
    text.parse().map_err(|why| Error::bad_name(text, why))
}
