//! Ends all processes of an agent: sends SIGTERM, then SIGHUP, and kills the remaining ones when the grace period is
//! over. Returns as soon as all have ended, and never sleeps for a fixed time.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::process::Proc;
use crate::process::end::pidfd::{Handle, after, wait_all};
use crate::process::inspect::procfs::{Round, Search};
use crate::process::inspect::tree::{Near, Target, near, tree};

/// Number of handles that are held at a time, well below the usual limit of 1024 open files.
const HELD: usize = 512;

/// Time for a process to end after SIGKILL. A process that stays in the kernel longer cannot be ended.
const KILL_BOUND: Duration = Duration::from_secs(2);

/// Duration of one round of killing. A process that is stuck must not protect processes that are started meanwhile.
const KILL_ROUND: Duration = Duration::from_millis(100);

/// Time for the descendants of the first process to end before all other processes of the agent are signalled. A
/// program that handles SIGTERM needs a millisecond, and a second search is then unnecessary.
const NEAR_ROUND: Duration = Duration::from_millis(20);

/// Number of search rounds while processes of the machine start and end.
const ROUNDS: usize = 10;

/// Schedule of the signals that end an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndPlan {
    /// Time from SIGTERM to SIGHUP, which is needed because interactive shells ignore SIGTERM.
    pub hup_after: Duration,
    /// Time from SIGTERM to SIGKILL.
    pub grace: Duration,
}

impl EndPlan {
    /// Creates a schedule with the usual half second between SIGTERM and SIGHUP.
    pub fn with_grace(grace: Duration) -> EndPlan {
        EndPlan { hup_after: Duration::from_millis(500), grace }
    }
}

/// Result of ending an agent's processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// Number of processes that were signalled.
    pub asked: usize,
    /// Number of processes that had to be killed.
    pub forced: usize,
    /// Number of processes that have ended.
    pub ended: usize,
    /// Processes that still exist: stuck in the kernel, or without permission to signal them.
    pub survivors: Vec<Proc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Term,
    Hup,
    Kill,
}

impl Stage {
    /// Returns the signals of the stage. SIGCONT lets a stopped process handle the signals before it.
    fn signals(self) -> &'static [Signal] {
        match self {
            Stage::Term => &[Signal::TERM, Signal::CONT],
            Stage::Hup => &[Signal::TERM, Signal::HUP, Signal::CONT],
            Stage::Kill => &[Signal::KILL],
        }
    }
}

/// Ends all processes of an agent, also those that are started meanwhile.
pub fn end(target: &Target, plan: &EndPlan) -> io::Result<Ending> {
    let begun = Instant::now();
    let kill_at = after(begun, plan.grace);
    let hup_at = kill_at.min(after(begun, plan.hup_after));
    let give_up_at = after(kill_at, KILL_BOUND);
    let mut told: HashMap<(i32, u64), Stage> = HashMap::new();
    let mut doubt = false;
    let mut near = near(target);
    loop {
        let (there, at_most, elders) = match near.take() {
            Some(Near { processes, elders }) => (processes, NEAR_ROUND, elders),
            None => (tree(target)?, Duration::MAX, Vec::new()),
        };
        let now = Instant::now();
        if (there.is_empty() && !doubt) || now >= give_up_at {
            return Ok(summary(&told, there));
        }
        let known = told.len();
        let (stage, until) = match now {
            now if now < hup_at => (Stage::Term, hup_at),
            now if now < kill_at => (Stage::Hup, kill_at),
            now => (Stage::Kill, give_up_at.min(now + KILL_ROUND)),
        };
        let mut held = tell(&there, stage, &mut told)?;
        wait_all(&mut held, until.min(after(now, at_most)))?;
        // A pass lists first and then reads, so it misses a process whose parent ends in between. An empty pass is
        // trusted only if all known processes had ended before it and no others had appeared.
        doubt = !held.is_empty() || there.len() > HELD || (known > 0 && told.len() > known);
        let gone = told.keys().map(|(pid, _)| *pid);
        if !doubt && is_nobody_left(Search::new(&target.mark, elders.into_iter().chain(gone)))? {
            return Ok(summary(&told, Vec::new()));
        }
    }
}

/// Returns `true` if it is certain that no process carries the mark. All signalled processes must have ended.
fn is_nobody_left(mut search: Search<'_>) -> io::Result<bool> {
    for _ in 0..ROUNDS {
        match search.round()? {
            Round::Nothing => return Ok(true),
            Round::Found => return Ok(false),
            Round::Unsure => {}
        }
    }
    Ok(false)
}

/// Signals each process that has not received this stage's signals yet. Returns handles to wait on.
fn tell(there: &[Proc], stage: Stage, told: &mut HashMap<(i32, u64), Stage>) -> io::Result<Vec<Handle>> {
    let mut held = Vec::new();
    for process in there {
        let last = told.get(&(process.pid, process.start)).copied();
        if held.len() >= HELD && last == Some(stage) {
            continue;
        }
        let Some(handle) = Handle::open(process)? else { continue };
        if last != Some(stage) {
            for signal in stage.signals() {
                // A process that may not be signalled may still end by itself; otherwise it is reported as a survivor.
                let _ = handle.signal(*signal);
            }
            told.insert((process.pid, process.start), stage);
        }
        if held.len() < HELD {
            held.push(handle);
        }
    }
    Ok(held)
}

fn summary(told: &HashMap<(i32, u64), Stage>, survivors: Vec<Proc>) -> Ending {
    let alive = survivors.iter().filter(|p| told.contains_key(&(p.pid, p.start))).count();
    Ending {
        asked: told.len(),
        forced: told.values().filter(|stage| **stage == Stage::Kill).count(),
        ended: told.len() - alive,
        survivors,
    }
}

#[cfg(test)]
mod tests;
