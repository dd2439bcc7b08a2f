//! State that the tools share: the environment, opened on first use, and one change watcher for all waiting calls.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use tokio::sync::watch;

use crate::env::Env;
use crate::error::Error;
use crate::manager::Permissions;
use crate::manager::{Changes, Context};
use crate::model::{AgentName, AgentRecord, TaskId};
use crate::rules::access::permissions::{Act, Place};

/// State that the tools share.
pub(super) struct ToolContext {
    home: Option<PathBuf>,
    manager: OnceLock<Context>,
    news: Mutex<Weak<News>>,
    /// For each task, the question that was last reported to the client.
    told: Mutex<HashMap<TaskId, String>>,
}

/// Counts changes of the environment. It exists as long as a call waits for changes.
pub(super) struct News {
    changed: watch::Receiver<u64>,
    /// `None` if changes cannot be watched; then the waiting calls poll.
    _changes: Option<Changes>,
}

impl News {
    /// Returns a counter that increases with every change.
    pub(super) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.clone()
    }
}

impl ToolContext {
    pub(super) fn new(home: Option<PathBuf>) -> ToolContext {
        ToolContext { home, manager: OnceLock::new(), news: Mutex::default(), told: Mutex::default() }
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
    pub(super) fn place(&self) -> Result<Place, Error> {
        Permissions(self.manager()?).place()
    }

    /// Removes agents and projects that the caller may not see from an error.
    pub(super) fn confine(&self, error: Error) -> Error {
        match (self.manager(), self.place()) {
            (Ok(manager), Ok(place)) => Permissions(manager).confine(&place, error),
            _ => error,
        }
    }

    /// Returns the record of the named agent, or of the caller itself, if the action is permitted.
    pub(super) fn reach(&self, act: Act, named: Option<&str>) -> Result<(Place, AgentRecord), Error> {
        let place = self.place()?;
        let record = match (named, place.me()) {
            (Some(named), _) => Permissions(self.manager()?).within_reach(&place, act, &name(named)?)?,
            (None, Some(me)) => me.clone(),
            (None, None) => {
                return Err(Error::Usage {
                    what: "`name` is needed: who asks is no agent".into(),
                    hint: Some("`list_agents` tells the names".into()),
                });
            }
        };
        Ok((place, record))
    }

    /// Records what a task waits for. Returns whether this was not reported before.
    pub(super) fn is_new(&self, id: TaskId, waits_for: Option<&str>) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        match waits_for {
            Some(what) => told.insert(id, what.to_owned()).as_deref() != Some(what),
            None => {
                told.remove(&id);
                false
            }
        }
    }

    /// Returns the shared change watcher and starts it if there is none.
    pub(super) fn news(&self) -> Result<Arc<News>, Error> {
        let mut shared = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(news) = shared.upgrade() {
            return Ok(news);
        }
        let (tell, changed) = watch::channel(0);
        let changes = self.manager()?.on_change(move || tell.send_modify(|count| *count += 1)).ok();
        let news = Arc::new(News { changed, _changes: changes });
        *shared = Arc::downgrade(&news);
        Ok(news)
    }
}

/// Parses and validates the name of an agent.
pub(super) fn name(text: &str) -> Result<AgentName, Error> {
    text.parse().map_err(|why| Error::BadName { given: text.to_owned(), why })
}
