//! The main loop: sleeps until a file of the state directory changes, an agent's process ends, something is due or a
//! signal arrives, and then runs a tick. The loop holds no state that is not on disk: if it is killed at any point, the
//! next supervisor continues from there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::Error;
use crate::manager::Context;
use crate::supervisor::tick::{TickScope, Ticker};
use crate::supervisor::wake_sources;

/// Changes within this time are handled by one tick; a user does not notice so short a delay.
const DEBOUNCE_TIME: Duration = Duration::from_millis(50);

/// Runs ticks until a signal to end arrives.
pub(super) async fn supervise(manager: Arc<Context>) -> Result<(), Error> {
    let cannot = || Error::io("cannot listen for signals");
    let mut end_signals = [
        signal(SignalKind::terminate()).map_err(cannot())?,
        signal(SignalKind::interrupt()).map_err(cannot())?,
        signal(SignalKind::hangup()).map_err(cannot())?,
    ];
    let mut look = signal(SignalKind::user_defined1()).map_err(cannot())?;
    // Watches start before the first tick, so that changes during it wake the loop.
    let changes = wake_sources::on_change(&manager)?;
    let ends = wake_sources::on_exit(&manager)?;
    let mut ticker = Ticker::new(Arc::clone(&manager));
    let mut reach = TickScope::Everything;
    loop {
        let begun = Instant::now();
        let next = ticker.tick(reach);
        if let Err(error) = ends.watch(&manager) {
            tracing::warn!(%error, "processes are not watched");
        }
        tracing::debug!(micros = begun.elapsed().as_micros() as u64, ?reach, "tick");
        tokio::time::sleep(DEBOUNCE_TIME).await;
        reach = loop {
            let due = ticker.sleep_for(next, manager.now());
            break tokio::select! {
                () = changes.wait() => {
                    ticker.note_activity();
                    TickScope::Changes
                }
                () = ends.wait() => {
                    ticker.note_activity();
                    // tmux needs a moment to notice the exit, and mostly reports it by itself.
                    tokio::time::sleep(DEBOUNCE_TIME).await;
                    TickScope::Everything
                }
                () = tokio::time::sleep(due) => ticker.reach(),
                () = tokio::time::sleep(ticker.writers_due_in()) => {
                    ticker.repair_writers();
                    continue;
                }
                _ = look.recv() => TickScope::Everything,
                () = receive_end_signal(&mut end_signals) => {
                    ticker.finish_restarts();
                    return Ok(());
                }
            };
        };
    }
}

/// Waits for a signal that ends the supervisor.
async fn receive_end_signal([terminate, interrupt, hangup]: &mut [Signal; 3]) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
}
