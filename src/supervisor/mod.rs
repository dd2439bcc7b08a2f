//! The loop: sleeps until a file of ours changed, an agent's process ended, something is due or a signal came, and
//! then calls the verbs that nobody types.
//!
//! One tick, in this order: reconcile → restart → dispatch → heartbeat → evict → notify. It holds nothing that is
//! not on disk: killed at any point, the next one goes on where it was. It decides when, never how.

use crate::manager::SupervisorControl;
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
use crate::manager::{Context, Turn};
use tick::{Reach, Ticker};

/// A burst of changes is one reason to look; a person does not notice so short a wait.
const BURST: Duration = Duration::from_millis(50);

/// How a supervisor is run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether it waits for its place.
    pub turn: Turn,
    /// Where metrics are served.
    pub metrics: Option<SocketAddr>,
}

/// Runs until it is told to end.
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
    // What is being typed is finished by its own process's end, or found out by the next supervisor.
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
    // Before the first tick: what happens meanwhile wakes us.
    let changes = wake::on_change(&manager)?;
    let ends = wake::on_exit(&manager)?;
    let mut ticker = Ticker::new(Arc::clone(&manager));
    let mut reach = Reach::Everything;
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
                    Reach::WhatChanged
                }
                () = ends.wait() => {
                    ticker.stirred();
                    // tmux needs a moment to learn of it, and mostly tells by itself.
                    tokio::time::sleep(BURST).await;
                    Reach::Everything
                }
                () = tokio::time::sleep(due) => ticker.reach(),
                () = tokio::time::sleep(ticker.writers_due_in()) => {
                    ticker.repair_writers();
                    continue;
                }
                _ = look.recv() => Reach::Everything,
                _ = terminate.recv() => return Ok(()),
                _ = interrupt.recv() => return Ok(()),
                _ = hangup.recv() => return Ok(()),
            };
        };
    }
}
