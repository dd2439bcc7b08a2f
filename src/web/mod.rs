//! The web page: a face for browsers and phones. It parses requests, calls the same use cases as the command line, and
//! touches neither tmux nor files.
//!
//! # Structure
//!
//! | part | purpose |
//! | --- | --- |
//! | `server` | accepts connections, with limits on their number, time and size |
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
//! | `stream` | event streams: what a viewer gets until it leaves or loses its access |
//! | `assets` | the page itself, built from `web/` by `scripts/web` and embedded (RFD 0030) |
//!
//! # Rules
//!
//! - Nothing is trusted because it comes from this machine: agents run programs here. Every request proves the secret
//!   of a device, except for the embedded files and the request that pairs a device.
//! - A port is opened only by `symposium web`.
//! - No secret is in an address, an argument, the environment or a log line.

mod agent_list;
mod api;
mod assets;
mod connections;
mod credentials;
mod guard;
mod guests;
mod router;
mod screen_text;
mod screens;
mod server;
mod stream;
mod terminal;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use crate::error::Error;
use crate::manager::{AdmittedDevices, Context, WebAccess};
use crate::rules::access::pairing_rate_limit::PairingAttempts;
use crate::rules::access::web_address::{WebHosts, WebReach};
use screens::ScreenHub;
use terminal::TerminalHub;

/// Number of threads for use cases and for the checks of requests.
const MAX_CALLS: usize = 32;

/// How the page is served.
#[derive(Debug, Clone)]
pub struct WebOptions {
    /// Address and port to listen on.
    pub listen: SocketAddr,
    /// Host names that requests may use besides the names of this machine.
    pub allowed_names: Vec<String>,
    /// Whether a proxy with TLS is in front of the server.
    pub reach: WebReach,
}

/// What all requests share.
struct WebState {
    context: Arc<Context>,
    hosts: WebHosts,
    reach: WebReach,
    attempts: Mutex<PairingAttempts>,
    /// The devices that have access.
    admitted: Arc<AdmittedDevices>,
    /// The list of agents as JSON, or nothing before it was read for the first time.
    agents: watch::Receiver<Option<Arc<str>>>,
    screens: ScreenHub,
    terminals: TerminalHub,
    /// Changes when a device was paired or revoked.
    device_changes: watch::Receiver<u64>,
}

/// Serves the page until this process is interrupted. Calls `ready` with the address when the port is open.
pub fn run(context: &Arc<Context>, options: &WebOptions, ready: impl FnOnce(&str)) -> Result<(), Error> {
    let access = WebAccess(context);
    let serving = access.begin_serving()?;
    let listener = server::bind(options.listen)?;
    let address = listener.local_addr().map_err(Error::io("cannot read the address of the port"))?;
    let hosts = WebHosts::new(address, &options.allowed_names, options.reach)
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
        reach: options.reach,
        attempts: Mutex::default(),
        admitted,
        agents: agent_list::start(context)?,
        screens: ScreenHub::new(context),
        terminals: TerminalHub::new(context),
        device_changes,
        hosts,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_CALLS)
        .build()
        .map_err(Error::io("cannot start the web server"))?;
    ready(&state.hosts.main_url());
    let ended = runtime.block_on(server::serve(listener, &state));
    // No client is left for the result of a use case that is still running.
    runtime.shutdown_background();
    drop(serving);
    ended
}
