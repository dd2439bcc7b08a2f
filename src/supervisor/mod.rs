//! The main loop of the supervisor: sleeps until a file of the state directory changes, an agent's process ends,
//! something is due or a signal arrives, and then calls the use cases for periodic work.
//!
//! The stages of one tick are listed in `tick.rs`. The loop holds no
//! state that is not on disk: if it is killed at any point, the next supervisor continues from there. It decides when
//! to act, never how.

mod clock_jump;
mod dispatch_pool;
mod log;
mod metrics;
mod tick;
mod timer_coalescer;
mod wake;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};

use crate::env::Env;
use crate::error::Error;
use crate::manager::{Context, SupervisorControl, Turn};
use tick::{TickScope, Ticker};

/// Changes within this time are handled by one tick; a user does not notice so short a delay.
const BURST: Duration = Duration::from_millis(50);

/// Options of `supervisor run`.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether to wait for another supervisor to end.
    pub turn: Turn,
    /// The address at which metrics are served.
    pub metrics: Option<SocketAddr>,
}

/// Runs the supervisor until it receives a signal to end.
pub fn run(manager: Arc<Context>, options: Options) -> Result<(), Error> {
    let _lock = SupervisorControl(&manager).become_supervisor(options.turn)?;
    log::begin(&manager)?;
    if let Some(address) = options.metrics {
        metrics::serve(Arc::clone(&manager), address)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(8)
        .build()
        .map_err(Error::io("cannot start the supervisor"))?;
    tracing::info!(pid = std::process::id(), version = env!("CARGO_PKG_VERSION"), "supervisor begins");
    let ended = runtime.block_on(supervise(manager));
    // A delivery in progress ends with this process; the next supervisor determines its outcome.
    runtime.shutdown_background();
    tracing::info!("supervisor ends");
    ended
}

async fn supervise(manager: Arc<Context>) -> Result<(), Error> {
    let cannot = || Error::io("cannot listen for signals");
    let mut terminate = signal(SignalKind::terminate()).map_err(cannot())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(cannot())?;
    let mut hangup = signal(SignalKind::hangup()).map_err(cannot())?;
    let mut look = signal(SignalKind::user_defined1()).map_err(cannot())?;
    // Watches start before the first tick, so that changes during it wake the loop.
    let changes = wake::on_change(&manager)?;
    let ends = wake::on_exit(&manager)?;
    let mut ticker = Ticker::new(Arc::clone(&manager));
    let mut reach = TickScope::Everything;
    loop {
        let begun = Instant::now();
        let next = ticker.tick(reach);
        if let Err(error) = ends.watch(&manager) {
            tracing::warn!(%error, "processes are not watched");
        }
        tracing::debug!(micros = begun.elapsed().as_micros() as u64, ?reach, "tick");
        tokio::time::sleep(BURST).await;
        reach = loop {
            let due = ticker.sleep_for(next, Env::now());
            break tokio::select! {
                () = changes.wait() => {
                    ticker.stirred();
                    TickScope::WhatChanged
                }
                () = ends.wait() => {
                    ticker.stirred();
                    // tmux needs a moment to notice the exit, and mostly reports it by itself.
                    tokio::time::sleep(BURST).await;
                    TickScope::Everything
                }
                () = tokio::time::sleep(due) => ticker.reach(),
                () = tokio::time::sleep(ticker.writers_due_in()) => {
                    ticker.repair_writers();
                    continue;
                }
                _ = look.recv() => TickScope::Everything,
                _ = terminate.recv() => return Ok(()),
                _ = interrupt.recv() => return Ok(()),
                _ = hangup.recv() => return Ok(()),
            };
        };
    }
}
