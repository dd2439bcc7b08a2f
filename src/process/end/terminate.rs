//! Ends all processes of an agent: sends SIGTERM, then SIGHUP, and kills the remaining ones when the grace period is
//! over. Returns as soon as all have ended, and never sleeps for a fixed time.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::base::wait::deadline::deadline_after;
use crate::process::Proc;
use crate::process::end::pidfd::{PidFd, wait_all};
use crate::process::inspect::procfs::{MarkSearch, SearchRound};
use crate::process::inspect::tree::{AgentProcesses, Descendants, descendants, tree};

/// Number of handles that are held at a time, well below the usual limit of 1024 open files.
const MAX_HANDLES: usize = 512;

/// Time for a process to end after SIGKILL. A process that stays in the kernel longer cannot be ended.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

/// Duration of one round of killing. A process that is stuck must not protect processes that are started meanwhile.
const KILL_ROUND: Duration = Duration::from_millis(100);

/// Time for the descendants of the first process to end before all other processes of the agent are signalled. A
/// program that handles SIGTERM needs a millisecond, and a second search is then unnecessary.
const NEAR_ROUND: Duration = Duration::from_millis(20);

/// Number of search rounds while processes of the machine start and end.
const MAX_ROUNDS: usize = 10;

/// Schedule of the signals that end an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminationPlan {
    /// Time from SIGTERM to SIGHUP, which is needed because interactive shells ignore SIGTERM.
    pub hup_after: Duration,
    /// Time from SIGTERM to SIGKILL.
    pub grace: Duration,
}

impl TerminationPlan {
    /// Creates a schedule with the usual half second between SIGTERM and SIGHUP.
    pub fn with_grace(grace: Duration) -> TerminationPlan {
        TerminationPlan { hup_after: Duration::from_millis(500), grace }
    }
}

/// Result of ending an agent's processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TerminationResult {
    /// Number of processes that were signalled.
    pub signalled: usize,
    /// Number of processes that had to be killed.
    pub forced: usize,
    /// Number of processes that have ended.
    pub ended: usize,
    /// Processes that still exist: stuck in the kernel, or without permission to signal them.
    pub survivors: Vec<Proc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TerminationStage {
    Term,
    Hup,
    Kill,
}

impl TerminationStage {
    /// Returns the signals of the stage. SIGCONT lets a stopped process handle the signals before it.
    fn signals(self) -> &'static [Signal] {
        match self {
            TerminationStage::Term => &[Signal::TERM, Signal::CONT],
            TerminationStage::Hup => &[Signal::TERM, Signal::HUP, Signal::CONT],
            TerminationStage::Kill => &[Signal::KILL],
        }
    }
}

/// Ends all processes of an agent, also those that are started meanwhile.
pub fn end(target: &AgentProcesses, plan: &TerminationPlan) -> io::Result<TerminationResult> {
    let begun = Instant::now();
    let kill_at = deadline_after(begun, plan.grace);
    let hup_at = kill_at.min(deadline_after(begun, plan.hup_after));
    let give_up_at = deadline_after(kill_at, KILL_TIMEOUT);
    let mut signalled: HashMap<(i32, u64), TerminationStage> = HashMap::new();
    let mut doubt = false;
    let mut near = descendants(target);
    loop {
        let (there, at_most, elder_siblings) = match near.take() {
            Some(Descendants { processes, elder_siblings }) => (processes, NEAR_ROUND, elder_siblings),
            None => (tree(target)?, Duration::MAX, Vec::new()),
        };
        let now = Instant::now();
        if (there.is_empty() && !doubt) || now >= give_up_at {
            return Ok(summary(&signalled, there));
        }
        let known = signalled.len();
        let (stage, until) = match now {
            now if now < hup_at => (TerminationStage::Term, hup_at),
            now if now < kill_at => (TerminationStage::Hup, kill_at),
            now => (TerminationStage::Kill, give_up_at.min(now + KILL_ROUND)),
        };
        let mut held = signal_all(&there, stage, &mut signalled)?;
        wait_all(&mut held, until.min(deadline_after(now, at_most)))?;
        // A pass lists first and then reads, so it misses a process whose parent ends in between. An empty pass is
        // trusted only if all known processes had ended before it and no others had appeared.
        doubt = !held.is_empty() || there.len() > MAX_HANDLES || (known > 0 && signalled.len() > known);
        let gone = signalled.keys().map(|(pid, _)| *pid);
        if !doubt && are_all_gone(MarkSearch::new(&target.mark, elder_siblings.into_iter().chain(gone)))? {
            return Ok(summary(&signalled, Vec::new()));
        }
    }
}

/// Returns `true` if it is certain that no process carries the mark. All signalled processes must have ended.
fn are_all_gone(mut search: MarkSearch<'_>) -> io::Result<bool> {
    for _ in 0..MAX_ROUNDS {
        match search.round()? {
            SearchRound::Nothing => return Ok(true),
            SearchRound::Found => return Ok(false),
            SearchRound::Unsure => {}
        }
    }
    Ok(false)
}

/// Signals each process that has not received this stage's signals yet. Returns handles to wait on.
fn signal_all(
    there: &[Proc],
    stage: TerminationStage,
    signalled: &mut HashMap<(i32, u64), TerminationStage>,
) -> io::Result<Vec<PidFd>> {
    let mut held = Vec::new();
    for process in there {
        let last = signalled.get(&(process.pid, process.start)).copied();
        if held.len() >= MAX_HANDLES && last == Some(stage) {
            continue;
        }
        let Some(handle) = PidFd::open(process)? else { continue };
        if last != Some(stage) {
            for signal in stage.signals() {
                // A process that may not be signalled may still end by itself; otherwise it is reported as a survivor.
                let _ = handle.signal(*signal);
            }
            signalled.insert((process.pid, process.start), stage);
        }
        if held.len() < MAX_HANDLES {
            held.push(handle);
        }
    }
    Ok(held)
}

fn summary(signalled: &HashMap<(i32, u64), TerminationStage>, survivors: Vec<Proc>) -> TerminationResult {
    let alive = survivors.iter().filter(|p| signalled.contains_key(&(p.pid, p.start))).count();
    TerminationResult {
        signalled: signalled.len(),
        forced: signalled.values().filter(|stage| **stage == TerminationStage::Kill).count(),
        ended: signalled.len() - alive,
        survivors,
    }
}

#[cfg(test)]
mod tests;
