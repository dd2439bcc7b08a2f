//! The one web server of an environment, from the view of other commands.

use crate::error::{Code, Error};
use crate::manager::web::WebAccess;
use crate::store::{AgentLock, WebStore};

/// Marks this process as the web server of the environment until it is dropped.
#[derive(Debug)]
pub struct WebServing(#[expect(dead_code, reason = "held for its lock")] AgentLock);

impl WebAccess<'_> {
    /// Marks this process as the web server, before it opens a port.
    pub fn begin_serving(&self) -> Result<WebServing, Error> {
        self.refuse_agents("serve the web page")?;
        match WebStore(&self.0.store).lock_server()? {
            Some(lock) => Ok(WebServing(lock)),
            None => Err(self.already_served()),
        }
    }

    /// Stores the address of the page for `web pair`.
    pub fn publish_url(&self, _serving: &WebServing, url: &str) -> Result<(), Error> {
        Ok(WebStore(&self.0.store).update(|edit| edit.set_url(url))?)
    }

    /// Returns the address of the page of the running server.
    pub(in crate::manager) fn url(&self) -> Result<String, Error> {
        let url = WebStore(&self.0.store).url()?.filter(|_| WebStore(&self.0.store).server().is_some());
        url.ok_or_else(|| {
            Error::new(Code::WebNotRunning, "the web page is not served")
                .hint("start it in another terminal: `symposium web`")
        })
    }

    fn already_served(&self) -> Error {
        let pid = WebStore(&self.0.store).server().map(|pid| format!(" (pid {pid})")).unwrap_or_default();
        let url = WebStore(&self.0.store).url().ok().flatten();
        Error::new(Code::WebRunning, format!("the web page is served already{pid}"))
            .saw_all(url)
            .hint("pair a device with it: `symposium web pair`")
    }
}
