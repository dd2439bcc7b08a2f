//! Ends all processes of an agent: asks with SIGTERM, then SIGHUP, and kills what is left when the grace is
//! over. Returns as soon as all are gone; must never sleep for a fixed time.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::process::Proc;
use crate::process::end::pidfd::{Handle, after, wait_all};
use crate::process::inspect::procfs::{Round, Search};
use crate::process::inspect::tree::{Near, Target, near, tree};

/// Handles held at a time: well under the usual limit of 1024 open files.
const HELD: usize = 512;

/// How long after SIGKILL a process may take: one that is longer in the kernel cannot be ended by anybody.
const KILL_BOUND: Duration = Duration::from_secs(2);

/// How long one round of killing waits: one process that is stuck must not shield those started meanwhile.
const KILL_ROUND: Duration = Duration::from_millis(100);

/// How long those that descend from the first process have, before all others of the agent are told as well: a program
/// that heeds SIGTERM needs a millisecond, and then nobody else has to be looked for twice.
const NEAR_ROUND: Duration = Duration::from_millis(20);

/// How many rounds others are looked for while processes of the machine come and go.
const ROUNDS: usize = 10;

/// How patiently an agent is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndPlan {
    /// When SIGHUP follows SIGTERM: interactive shells ignore SIGTERM.
    pub hup_after: Duration,
    /// When SIGKILL follows, from the beginning.
    pub grace: Duration,
}

impl EndPlan {
    /// A plan with the usual half a second between SIGTERM and SIGHUP.
    pub fn with_grace(grace: Duration) -> EndPlan {
        EndPlan { hup_after: Duration::from_millis(500), grace }
    }
}

/// What became of the processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// How many were told to end.
    pub asked: usize,
    /// How many of them had to be killed.
    pub forced: usize,
    /// How many of them are gone.
    pub ended: usize,
    /// What is still there: out of reach in the kernel, or not ours to signal.
    pub survivors: Vec<Proc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Term,
    Hup,
    Kill,
}

impl Stage {
    /// SIGCONT lets a stopped process act on what it was sent before.
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
        // A pass lists first and reads then, so it misses what a process starts that ends in between. An empty
        // pass is believed only when all that we knew of were gone before it, and no others had turned up.
        doubt = !held.is_empty() || there.len() > HELD || (known > 0 && told.len() > known);
        let gone = told.keys().map(|(pid, _)| *pid);
        if !doubt && is_nobody_left(Search::new(&target.mark, elders.into_iter().chain(gone)))? {
            return Ok(summary(&told, Vec::new()));
        }
    }
}

/// Whether certainly no process carries the mark, when all that were told are gone.
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

/// Tells each process that has not been told yet; gives handles to wait on.
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
                // One that is not ours to signal may still end by itself; if not, it is told as a survivor.
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
