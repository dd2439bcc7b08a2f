//! Determines which processes belong to an agent. Never signals one.

use std::collections::{HashMap, HashSet};
use std::io;

use crate::process::inspect::procfs::{self, MarkMatch};
use crate::process::{Proc, ProcessMark};

/// An agent whose processes are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProcesses {
    /// Mark in the initial environment of all its processes.
    pub mark: ProcessMark,
    /// First process according to the record. It is trusted only if it carries the mark or is a child of `server`.
    pub root: Option<i32>,
    /// The tmux server, if it is running. It never counts as part of the agent, even if it carries the mark.
    pub server: Option<i32>,
}

/// Returns all living processes of an agent: the first one, all that carry its mark, and all their descendants, without
/// those that carry another agent's mark, the caller and the caller's ancestors.
pub fn tree(target: &AgentProcesses) -> io::Result<Vec<Proc>> {
    let own = rustix::process::getpid().as_raw_pid();
    Ok(choose(target, procfs::all(&target.mark)?, own))
}

/// Processes that descend from the first process of an agent.
pub(in crate::process) struct Descendants {
    /// The first process and those living processes of the agent that descend from it.
    pub processes: Vec<Proc>,
    /// Processes that its tmux server started earlier, which cannot descend from it.
    pub elder_siblings: Vec<i32>,
}

/// Finds the descendants of the first process without reading all processes. Returns `None` if the first process has
/// ended or is not trusted, or if the kernel does not list children.
pub(in crate::process) fn descendants(target: &AgentProcesses) -> Option<Descendants> {
    let root = target.root.filter(|_| procfs::reports_children())?;
    let own = rustix::process::getpid().as_raw_pid();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        if seen.insert(pid)
            && let Some(member) = procfs::find_marked(pid, &target.mark)
        {
            open.extend(procfs::children(pid));
            found.push(member);
        }
    }
    // The caller's ancestors are included so that they can be excluded as such.
    let mut ancestor = own;
    while let Some(member) = procfs::find_marked(ancestor, &target.mark) {
        let parent = member.0.ppid;
        if seen.insert(ancestor) {
            found.push((member.0, MarkMatch::Nothing));
        }
        if parent == ancestor {
            break;
        }
        ancestor = parent;
    }
    let processes = choose(target, found, own);
    let first = processes.iter().find(|process| process.pid == root)?;
    let is_in_tmux = target.server == Some(first.ppid);
    let elder_siblings = if is_in_tmux { procfs::elder_siblings(root, first.ppid) } else { Vec::new() };
    Some(Descendants { processes, elder_siblings })
}

/// Returns `true` if a process is alive and carries the mark.
pub fn is_alive(pid: i32, mark: &ProcessMark) -> bool {
    procfs::find_marked(pid, mark).is_some_and(|(_, carries)| carries == MarkMatch::Ours)
}

/// Returns `true` if a process is alive as a child of this tmux server. Then the server is alive too, reachable or not.
pub fn is_held(pid: i32, server: i32, mark: &ProcessMark) -> bool {
    let is_server = |(process, _): (Proc, MarkMatch)| process.command.starts_with("tmux");
    procfs::find_marked(pid, mark)
        .is_some_and(|(process, carries)| process.ppid == server && carries != MarkMatch::Others)
        && procfs::find_marked(server, mark).is_some_and(is_server)
}

fn choose(target: &AgentProcesses, all: Vec<(Proc, MarkMatch)>, own: i32) -> Vec<Proc> {
    let parents: HashMap<i32, i32> = all.iter().map(|(p, _)| (p.pid, p.ppid)).collect();
    let mut spared: HashSet<i32> = target.server.into_iter().collect();
    let mut ancestor = Some(own);
    while let Some(pid) = ancestor.filter(|pid| spared.insert(*pid)) {
        ancestor = parents.get(&pid).copied();
    }
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let mut open = Vec::new();
    for (process, carries) in &all {
        match carries {
            MarkMatch::Others => continue,
            MarkMatch::Ours => open.push(process.pid),
            MarkMatch::Nothing => {
                if target.root == Some(process.pid) && target.server == Some(process.ppid) {
                    open.push(process.pid);
                }
            }
        }
        children.entry(process.ppid).or_default().push(process.pid);
    }
    // A server that was started from within an agent carries that agent's mark, but its children do not belong to the
    // agent.
    open.retain(|pid| target.server != Some(*pid));
    let mut ours = HashSet::new();
    while let Some(pid) = open.pop() {
        if ours.insert(pid) {
            let below = children.get(&pid).into_iter().flatten();
            open.extend(below.filter(|pid| target.server != Some(**pid)));
        }
    }
    all.into_iter().map(|(p, _)| p).filter(|p| ours.contains(&p.pid) && !spared.contains(&p.pid)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: i32 = 900;

    fn chosen(root: Option<i32>, table: &[(i32, i32, MarkMatch)]) -> Vec<i32> {
        let target = AgentProcesses {
            mark: ProcessMark { variable: "ID".to_owned(), value: "a".to_owned(), home: None },
            root,
            server: Some(10),
        };
        let all = table.iter().map(|(pid, ppid, carries)| {
            (Proc { pid: *pid, ppid: *ppid, start: 0, command: String::new() }, *carries)
        });
        choose(&target, all.collect(), OWN).into_iter().map(|p| p.pid).collect()
    }

    use MarkMatch::{Nothing, Others, Ours};

    #[test]
    fn a_root_is_believed_only_with_the_mark_or_below_the_server() {
        assert_eq!(chosen(Some(20), &[(10, 1, Nothing), (20, 10, Nothing), (21, 20, Nothing)]), [20, 21]);
        assert_eq!(chosen(Some(20), &[(20, 1, Ours), (21, 20, Nothing)]), [20, 21]);
        assert_eq!(chosen(Some(20), &[(20, 1, Nothing), (21, 20, Nothing)]), [] as [i32; 0]);
        assert_eq!(chosen(Some(20), &[(10, 1, Nothing), (20, 10, Others)]), [] as [i32; 0]);
    }

    #[test]
    fn marked_strays_come_with_their_unmarked_children() {
        assert_eq!(
            chosen(None, &[(30, 1, Ours), (31, 30, Nothing), (32, 31, Nothing), (40, 1, Nothing)]),
            [30, 31, 32]
        );
    }

    #[test]
    fn another_agents_processes_are_left_alone_with_all_below() {
        assert_eq!(chosen(None, &[(30, 1, Ours), (31, 30, Others), (32, 31, Nothing)]), [30]);
    }

    #[test]
    fn the_server_is_spared_even_when_it_carries_the_mark() {
        assert_eq!(
            chosen(Some(20), &[(10, 5, Ours), (5, 1, Ours), (20, 10, Ours), (21, 10, Nothing)]),
            [5, 20]
        );
    }

    #[test]
    fn the_caller_and_its_ancestors_are_spared() {
        let table = [(20, 1, Ours), (800, 20, Ours), (OWN, 800, Ours), (801, 20, Ours)];
        assert_eq!(chosen(None, &table), [801]);
    }

    #[test]
    fn a_loop_of_parents_ends() {
        assert_eq!(chosen(None, &[(2, 3, Ours), (3, 2, Nothing), (OWN, OWN, Nothing)]), [2, 3]);
    }
}
