//! `web --install` and `--uninstall`: a service of the user that serves the page from the start of the machine.

use crate::error::Error;
use crate::manager::supervisor::{Installed, ServiceInstallation, ServiceRole, Uninstalled};
use crate::manager::web::WebAccess;

impl WebAccess<'_> {
    /// Installs and starts the service, with the arguments of `web serve`. An older service is replaced.
    pub fn install(&self, args: Vec<String>) -> Result<Installed, Error> {
        self.refuse_agents("install the service of the web page")?;
        ServiceInstallation(self.0).install_service(ServiceRole::WebPage(args))
    }

    /// Stops and removes the service.
    pub fn uninstall(&self) -> Result<Uninstalled, Error> {
        self.refuse_agents("remove the service of the web page")?;
        ServiceInstallation(self.0).uninstall_service(ServiceRole::WebPage(vec![]))
    }
}
