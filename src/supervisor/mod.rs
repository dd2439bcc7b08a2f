//! The supervisor process: it decides when to call which use case for periodic work, never how.
//!
//! - `main_loop`: sleeps until something happens or is due
//! - `wake_sources`: changed files and ended processes, which wake the loop
//! - `tick`: the stages of one tick
//! - `dispatch_pool`, `background_stage`: deliveries and stages that run beside the loop
//! - `timer_coalescer`, `clock_jump`: when the next tick is due
//! - `metrics`: the HTTP endpoint for Prometheus
//! - `log`: the log of the supervisor

mod background_stage;
mod clock_jump;
mod dispatch_pool;
mod log;
mod main_loop;
mod metrics;
mod tick;
mod timer_coalescer;
mod wake_sources;

use std::net::SocketAddr;
use std::sync::Arc;

use crate::error::Error;
use crate::manager::{Context, StartWait, SupervisorControl};

/// Options of `supervisor run`.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether to wait for another supervisor to end.
    pub wait: StartWait,
    /// The address at which metrics are served.
    pub metrics: Option<SocketAddr>,
}

/// Runs the supervisor until it receives a signal to end.
pub fn run(manager: Arc<Context>, options: Options) -> Result<(), Error> {
    let _lock = SupervisorControl(&manager).become_supervisor(options.wait)?;
    log::begin(&manager)?;
    if let Some(address) = options.metrics {
        metrics::serve(Arc::clone(&manager), address)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(8)
        .build()
        .map_err(Error::io("cannot start the supervisor"))?;
    tracing::info!(pid = std::process::id(), version = env!("CARGO_PKG_VERSION"), "supervisor started");
    let ended = runtime.block_on(main_loop::supervise(manager));
    // A delivery in progress ends with this process; the next supervisor determines its outcome.
    runtime.shutdown_background();
    tracing::info!("supervisor ended");
    ended
}
