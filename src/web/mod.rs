//! The web page: a face for browsers and phones. It parses requests, calls the same use cases as the command line, and
//! touches neither tmux nor files.
//!
//! # Structure
//!
//! | part | purpose |
//! | --- | --- |
//! | `server` | accepts connections, with limits on their number, time and size |
//! | `tls` | encrypts connections with a certificate of the user |
//! | `base_path` | removes the path below which a proxy shows the page from requests |
//! | `connections` | the open connections, and which of them makes room for a new one |
//! | `guard` | checks every request before a handler sees it, and sets the headers of every response |
//! | `guests` | the limits of a device that may use one agent only |
//! | `credentials` | the two halves of a device's secret in a request and in a response |
//! | `router` | which handler answers which path |
//! | `api` | the handlers: one use case each, JSON in and out |
//! | `agent_list` | the list of agents after every change, one thread for all viewers |
//! | `screens` | the screens of agents that pages show, one thread for each agent |
//! | `terminal` | the terminals of agents that pages show: output, flow control, which page drives |
//! | `screen_text` | a screen as runs of text with colours |
//! | `hosts` | the agents of other hosts: lists and screens |
//! | `stream` | event streams: what a viewer gets until it leaves or loses its access |
//! | `assets` | the page itself, built from `web/` by `scripts/web` and embedded (RFD 0030) |
//!
//! # Rules
//!
//! - Nothing is trusted because it comes from this machine: agents run programs here. Every request proves the secret
//!   of a device, except for the embedded files, the request that pairs a device and the answers in notices, which have
//!   tokens of their own.
//! - A port is opened only by `symposium web`.
//! - No secret is in an address, an argument, the environment or a log line.

mod agent_list;
mod api;
mod assets;
mod base_path;
mod connections;
mod credentials;
mod guard;
mod guests;
mod hosts;
mod router;
mod screen_text;
mod screens;
mod server;
mod stream;
mod terminal;
mod tls;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use crate::error::Error;
use crate::manager::{AdmittedDevices, CertificateFiles, Context, WebAccess};
use crate::rules::access::base_path::BasePath;
use crate::rules::access::pairing_rate_limit::PairingAttempts;
use crate::rules::access::web_address::{WebAddressMistake, WebHosts, WebReach};
use hosts::lists::HostLists;
use screens::ScreenHub;
use terminal::TerminalHub;
use tls::TlsPort;

/// Number of threads for use cases and for the checks of requests.
const MAX_CALLS: usize = 40;

/// How the page is served.
#[derive(Debug, Clone)]
pub struct WebOptions {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// Host names that requests may use besides the names of this machine.
    pub allowed_names: Vec<String>,
    /// The path below which a proxy shows the page.
    pub base_path: BasePath,
    /// How connections are encrypted.
    pub encryption: Encryption,
}

/// How the connections of browsers are encrypted.
#[derive(Debug, Clone)]
pub enum Encryption {
    /// They are not; only this machine can connect.
    None,
    /// By the server, with this certificate.
    Own(CertificateFiles),
    /// By a reverse proxy in front of the server.
    ByProxy,
}

impl WebOptions {
    /// Returns the hosts that requests may name if the server listens on this address.
    pub fn hosts(&self, listen: SocketAddr) -> Result<WebHosts, WebAddressMistake> {
        let reach = match self.encryption {
            Encryption::None => WebReach::Direct,
            Encryption::Own(_) => WebReach::Encrypted,
            Encryption::ByProxy => WebReach::BehindProxy,
        };
        Ok(WebHosts::new(listen, &self.allowed_names, reach)?.below(self.base_path.clone()))
    }
}

/// What all requests share.
struct WebState {
    context: Arc<Context>,
    hosts: WebHosts,
    attempts: Mutex<PairingAttempts>,
    /// The devices that have access.
    admitted: Arc<AdmittedDevices>,
    /// The list of agents as JSON, or nothing before it was read for the first time.
    agents: watch::Receiver<Option<Arc<str>>>,
    screens: ScreenHub,
    terminals: TerminalHub,
    host_lists: HostLists,
    /// Changes when a device was paired or revoked.
    device_changes: watch::Receiver<u64>,
}

/// Serves the page until this process is interrupted. Calls `ready` with the address when the port is open.
pub fn run(context: &Arc<Context>, options: &WebOptions, ready: impl FnOnce(&str)) -> Result<(), Error> {
    let access = WebAccess(context);
    let serving = access.begin_serving()?;
    let tls = match &options.encryption {
        Encryption::Own(files) => Some(TlsPort::new(context, files.clone().load()?)?),
        Encryption::None | Encryption::ByProxy => None,
    };
    let listener = server::bind(options.listen)?;
    let address = listener.local_addr().map_err(Error::io("cannot read the address of the port"))?;
    let hosts = options
        .hosts(address)
        .map_err(|mistake| Error::usage(format!("the page cannot be served on {address}: {mistake:?}")))?;
    access.publish_url(&serving, &hosts.main_url())?;
    let admitted = Arc::new(access.devices_at_start(&serving)?);
    let (noted, device_changes) = watch::channel(0);
    let _listening = access.on_device_change({
        let (context, admitted) = (Arc::clone(context), Arc::clone(&admitted));
        move || {
            noted.send_modify(|changes| *changes += 1);
            // A file that cannot be read admits no device either.
            let _ = WebAccess(&context).report_foreign_devices(&admitted);
        }
    })?;
    access.report_foreign_devices(&admitted)?;
    let state = Arc::new(WebState {
        context: Arc::clone(context),
        attempts: Mutex::default(),
        admitted,
        agents: agent_list::start(context)?,
        screens: ScreenHub::new(context),
        terminals: TerminalHub::new(context),
        host_lists: HostLists::new(context),
        device_changes,
        hosts,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_CALLS)
        .build()
        .map_err(Error::io("cannot start the web server"))?;
    ready(&state.hosts.main_url());
    let ended = runtime.block_on(server::serve(listener, &state, tls));
    // No client is left for the result of a use case that is still running.
    runtime.shutdown_background();
    drop(serving);
    ended
}
