//! `web link`: a link for a guest, with access to one agent for some time.

use std::time::Duration;

use jiff::SignedDuration;

use crate::error::{Code, Error};
use crate::manager::web::WebAccess;
use crate::manager::web::pair::{CODE_BYTES, ID_BYTES, random};
use crate::model::{AgentName, DeviceGrant, WebLink, WebPermission};
use crate::rules::access::web_grant::is_valid;
use crate::rules::access::web_secret::checksum;
use crate::store::WebStore;

/// Description of `web link` in refusals.
const LINK: &str = "create a link to an agent";
/// Maximum lifetime of the access of a guest.
const MAX_LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);
/// Maximum number of links that were not opened yet.
const MAX_LINKS: usize = 50;

/// A new link.
#[derive(Debug)]
pub struct GuestLink {
    /// Address of the page, with the code in the fragment.
    pub url: String,
    /// The link as it is stored.
    pub link: WebLink,
}

impl WebAccess<'_> {
    /// Creates a link to an agent, for the owner at a terminal. It admits one device, and the access ends after
    /// `lifetime`.
    pub fn guest_link(
        &self,
        name: &AgentName,
        permission: WebPermission,
        lifetime: Duration,
    ) -> Result<GuestLink, Error> {
        self.refuse_agents(LINK)?;
        self.require_terminal(LINK)?;
        self.new_link(name, permission, lifetime)
    }

    /// Creates a link after the caller was checked.
    pub(in crate::manager) fn new_link(
        &self,
        name: &AgentName,
        permission: WebPermission,
        lifetime: Duration,
    ) -> Result<GuestLink, Error> {
        let url = self.url()?;
        let agent = self.0.record(name, "web link")?;
        let now = self.0.now();
        let expires_at = SignedDuration::try_from(lifetime)
            .ok()
            .filter(|_| !lifetime.is_zero() && lifetime <= MAX_LIFETIME)
            .and_then(|lifetime| now.checked_add(lifetime).ok())
            .ok_or_else(|| Error::usage("a link is valid for at most 30 days").hint("`--for 2h`"))?;
        let code = random::<CODE_BYTES>()?;
        let grant = DeviceGrant { agent: agent.name, agent_id: agent.id, permission, expires_at };
        let link = WebLink { id: random::<ID_BYTES>()?, sha256: checksum(&code), grant };
        WebStore(&self.0.store).update(|edit| {
            for old in edit.links().iter().filter(|old| !is_valid(Some(&old.grant), now)) {
                edit.remove_link(&old.id);
            }
            if edit.links().len() >= MAX_LINKS {
                return Err(too_many_links());
            }
            edit.put_link(&link);
            Ok(())
        })??;
        Ok(GuestLink { url: format!("{url}#pair={code}"), link })
    }

    /// Returns the links that were not opened yet and have not expired.
    pub fn links(&self) -> Result<Vec<WebLink>, Error> {
        self.refuse_agents("list the links of the web page")?;
        let mut links = WebStore(&self.0.store).links()?;
        links.retain(|link| is_valid(Some(&link.grant), self.0.now()));
        Ok(links)
    }

    /// Checks whether a name means the agent of a grant. Another agent that got the name later is not meant.
    pub fn is_granted(&self, grant: &DeviceGrant, name: &AgentName) -> bool {
        let record = self.0.store.find(name, self.0.now());
        record.is_ok_and(|record| record.is_some_and(|record| record.id == grant.agent_id))
    }
}

fn too_many_links() -> Error {
    Error::new(Code::TooManyDevices, format!("{MAX_LINKS} links wait to be opened already"))
        .hint("`symposium web devices` lists them, `symposium web revoke ID` removes one")
}
