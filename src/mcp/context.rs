//! What the tools share: the environment, opened when the first of them needs it, and one watch over its changes for
//! all who wait.

use crate::manager::Permissions;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use tokio::sync::watch;

use crate::env::Env;
use crate::error::Error;
use crate::manager::{Changes, Context};
use crate::model::{AgentName, AgentRecord, TaskId};
use crate::rules::access::permissions::{Act, Place};

/// What the tools share.
pub(super) struct Desk {
    home: Option<PathBuf>,
    manager: OnceLock<Context>,
    news: Mutex<Weak<News>>,
    /// What tasks waited for when somebody was last told.
    told: Mutex<HashMap<TaskId, String>>,
}

/// Counts up whenever something of ours changed, as long as somebody keeps it.
pub(super) struct News {
    changed: watch::Receiver<u64>,
    /// None where nothing can be watched: then it is looked again and again.
    _changes: Option<Changes>,
}

impl News {
    /// A number that is another one when something has changed since.
    pub(super) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.clone()
    }
}

impl Desk {
    pub(super) fn new(home: Option<PathBuf>) -> Desk {
        Desk { home, manager: OnceLock::new(), news: Mutex::default(), told: Mutex::default() }
    }

    /// The environment.
    pub(super) fn manager(&self) -> Result<&Context, Error> {
        if let Some(manager) = self.manager.get() {
            return Ok(manager);
        }
        let manager = Context::open(Env::capture(), self.home.as_deref())?;
        Ok(self.manager.get_or_init(|| manager))
    }

    /// Where the caller stands now: others come and go.
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

    /// The agent that is named, or the caller itself, when this may be done with it.
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

    /// Whether a task waits for something that nobody was told of.
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

    /// The watch over changes, begun when nobody else has one.
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

/// A text that must be a name.
pub(super) fn name(text: &str) -> Result<AgentName, Error> {
    text.parse().map_err(|why| Error::BadName { given: text.to_owned(), why })
}
