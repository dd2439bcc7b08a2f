//! Joins the registry with one tmux snapshot, and determines the agents, the changed records and the interrupted
//! operations.
//!
//! If they differ, the registry decides about names and tmux about what runs. Sessions are joined to records by the id
//! that they carry, so a session that another program created under an agent's name is not the agent's.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::model::{
    Agent, AgentClient, AgentId, AgentRecord, LivePane, LiveServer, Status, TaskCounts, TmuxSnapshot,
    TmuxView,
};
use crate::rules::status::decide::{Decision, Evidence, decide};

/// Result of the tmux query.
#[derive(Debug, Clone, Copy)]
pub enum TmuxReply<'a> {
    /// tmux answered with this snapshot.
    Snapshot(&'a TmuxSnapshot),
    /// tmux did not answer, for this reason.
    Silence(&'a str),
}

/// Result of joining the records with a snapshot.
#[derive(Debug, Default)]
pub struct ReconcileResult {
    /// All agents, in the order of the records.
    pub agents: Vec<Agent>,
    /// Records that have to be updated.
    pub changes: Vec<StatusChange>,
    /// Sessions that carry an id without a record, because the registry was lost; it is rebuilt from them.
    pub orphans: Vec<String>,
    /// Sessions whose name differs from their agent's name, because a rename was interrupted.
    pub misnamed_sessions: Vec<RenamedSession>,
    /// Records whose directory may still have its previous name, because a rename was interrupted at a later step.
    pub unmoved: Vec<AgentRecord>,
}

/// A record whose status is to be updated, unless it changed in the meantime.
#[derive(Debug, PartialEq)]
pub struct StatusChange {
    /// The record as it was read.
    pub before: AgentRecord,
    /// New status of the agent.
    pub decision: Decision,
    /// Location of the agent, if its start was interrupted before the location was stored.
    pub found: Option<FoundPane>,
}

/// A location in tmux that a record does not contain yet.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPane {
    /// Identity of the tmux server.
    pub server: String,
    /// Pane of the agent.
    pub pane: LivePane,
}

/// A session with a wrong name.
#[derive(Debug, PartialEq)]
pub struct RenamedSession {
    /// Current name of the session.
    pub session: String,
    /// Record that the session belongs to.
    pub record: AgentRecord,
}

/// Joins all records with the result of a tmux query.
///
/// `alive` returns, for an agent without a pane in the snapshot, whether its process is running all the same: outside
/// of tmux, or in the server in which it was started.
pub fn join(
    records: Vec<AgentRecord>,
    seen: TmuxReply<'_>,
    alive: &dyn Fn(&AgentRecord) -> bool,
    now: Timestamp,
) -> ReconcileResult {
    let server = match seen {
        TmuxReply::Snapshot(TmuxSnapshot::Running(server)) => Some(server),
        _ => None,
    };
    let index = SnapshotIndex::of(server);
    let mut joined = ReconcileResult::default();
    let mut known: Vec<AgentId> = Vec::with_capacity(records.len());
    for record in records {
        known.push(record.id);
        let pane = index.pane_of(&record);
        let decision = decide(&record, evidence(&record, pane, seen, alive), now);
        if let Some(pane) = pane
            && pane.session != record.name.as_str()
        {
            joined
                .misnamed_sessions
                .push(RenamedSession { session: pane.session.clone(), record: record.clone() });
        }
        if record.renamed_from.is_some() {
            joined.unmoved.push(record.clone());
        }
        joined.agents.push(agent(&record, &decision, pane, &index));
        let found = server.zip(pane.filter(|_| record.tmux.is_none()));
        let found =
            found.map(|(server, pane)| FoundPane { server: server.identity.0.clone(), pane: pane.clone() });
        let differs = decision.note != record.status && decision.note.status != Status::Unknown;
        if differs || found.is_some() {
            joined.changes.push(StatusChange { before: record, decision, found });
        }
    }
    known.sort_unstable();
    joined.orphans = index.unknown_sessions(&known);
    joined
}

fn evidence<'a>(
    record: &AgentRecord,
    pane: Option<&'a LivePane>,
    seen: TmuxReply<'a>,
    alive: &dyn Fn(&AgentRecord) -> bool,
) -> Evidence<'a> {
    if record.tmux.is_none() && record.pid.is_some() && pane.is_none() {
        return Evidence::Foreground { alive: alive(record) };
    }
    match (pane, seen) {
        (Some(pane), _) => Evidence::Pane(pane),
        (None, TmuxReply::Silence(why)) => Evidence::Silence(why),
        (None, TmuxReply::Snapshot(TmuxSnapshot::Running(server))) if is_of(record, server) => {
            Evidence::SessionClosed
        }
        // The socket file of a running server can be deleted, and another shell can use another socket.
        (None, TmuxReply::Snapshot(_)) if record.status.status.is_live() && alive(record) => {
            Evidence::Unreachable
        }
        (None, TmuxReply::Snapshot(_)) => Evidence::ServerGone,
    }
}

fn is_of(record: &AgentRecord, server: &LiveServer) -> bool {
    record.tmux.as_ref().is_none_or(|location| location.server == server.identity.0)
}

/// Panes by agent and clients by session, which keeps joining linear.
struct SnapshotIndex<'a> {
    panes: HashMap<AgentId, Vec<&'a LivePane>>,
    clients: HashMap<&'a str, Vec<AgentClient>>,
}

impl<'a> SnapshotIndex<'a> {
    fn of(server: Option<&'a LiveServer>) -> SnapshotIndex<'a> {
        let mut index = SnapshotIndex { panes: HashMap::new(), clients: HashMap::new() };
        let Some(server) = server else { return index };
        for pane in &server.panes {
            if let Some(id) = pane.agent {
                index.panes.entry(id).or_default().push(pane);
            }
        }
        for client in &server.clients {
            index.clients.entry(&client.session).or_default().push(AgentClient {
                user: client.user.clone(),
                tty: client.tty.clone(),
                observer: client.observer,
                driver: client.driver,
                guest: client.guest,
                since: client.since,
                from: None,
                pid: client.pid,
                focused: client.focused,
            });
        }
        index
    }

    /// Returns the agent's own pane: the one recorded at its start, else the first one of its session.
    fn pane_of(&self, record: &AgentRecord) -> Option<&'a LivePane> {
        let panes = self.panes.get(&record.id)?;
        let remembered = record.tmux.as_ref().map(|location| location.pane.as_str());
        panes.iter().find(|p| Some(p.pane.as_str()) == remembered).or_else(|| panes.first()).copied()
    }

    fn unknown_sessions(&self, known: &[AgentId]) -> Vec<String> {
        let unknown_sessions = self.panes.iter().filter(|(id, _)| known.binary_search(id).is_err());
        let mut sessions: Vec<_> =
            unknown_sessions.filter_map(|(_, p)| p.first()).map(|p| p.session.clone()).collect();
        sessions.sort_unstable();
        sessions
    }
}

fn agent(
    record: &AgentRecord,
    decision: &Decision,
    pane: Option<&LivePane>,
    index: &SnapshotIndex<'_>,
) -> Agent {
    let note = &decision.note;
    let running = pane.filter(|pane| pane.dead.is_none());
    Agent {
        name: record.name.clone(),
        id: record.id,
        title: record.title.clone(),
        prompt: record.prompt.clone(),
        spec: record.spec.clone(),
        kind: record.kind.clone(),
        status: note.status,
        waiting_for: note.waiting_for,
        status_since: note.since,
        reason: note.reason.clone(),
        question: note.current_question(),
        failure: note.failure().cloned(),
        exit: decision.exit,
        working_directory: record.working_directory.clone(),
        project: record.project.clone(),
        branch: record.branch.clone(),
        directory_gone: record.directory_gone,
        workspace: record.workspace,
        command: record.command.clone(),
        pid: running.and_then(|pane| pane.pid).or(record.pid.filter(|_| note.status.is_live())),
        tmux: pane.map(|pane| TmuxView {
            socket: record.tmux.as_ref().map(|location| location.socket.clone()).unwrap_or_default(),
            session: pane.session.clone(),
            pane: pane.pane.clone(),
        }),
        created_at: record.created_at,
        last_activity: pane.and_then(|pane| pane.activity).or(record.last_activity),
        last_attached: record.last_attached,
        clients: pane.and_then(|pane| index.clients.get(pane.session.as_str()).cloned()).unwrap_or_default(),
        shares: Vec::new(),
        conversation: record.conversation.clone(),
        parent: record.parent.clone(),
        ephemeral: record.ephemeral,
        params: record.params.clone(),
        restart: record.restart.clone(),
        tasks: TaskCounts::default(),
        task: None,
        host: None,
        cut_off: record.cut_off.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LiveClient, ServerIdentity};
    use crate::rules::status::decide::tests::{at, pane, record};

    fn server(panes: Vec<LivePane>) -> TmuxSnapshot {
        TmuxSnapshot::Running(LiveServer {
            identity: ServerIdentity("1:1".into()),
            version: "3.3a".into(),
            panes,
            clients: vec![LiveClient {
                session: "a".into(),
                tty: "/dev/pts/1".into(),
                user: None,
                observer: true,
                pid: None,
                since: None,
                driver: false,
                guest: false,
                focused: true,
            }],
        })
    }

    #[test]
    fn foreign_session_with_an_agents_name_is_not_its_agent() {
        let a = record("a", Status::Working);
        let mut foreign = pane(&a, None);
        foreign.agent = None;
        let joined = join(vec![a], TmuxReply::Snapshot(&server(vec![foreign])), &|_| true, at(9));
        assert_eq!(joined.agents[0].status, Status::Lost);
        assert!(joined.orphans.is_empty());
    }

    #[test]
    fn an_unknown_session_with_our_mark_is_an_orphan() {
        let a = record("a", Status::Working);
        let joined = join(vec![], TmuxReply::Snapshot(&server(vec![pane(&a, None)])), &|_| true, at(9));
        assert_eq!(joined.orphans, ["a"]);
    }

    #[test]
    fn unrecorded_start_is_found_in_tmux() {
        let mut a = record("a", Status::Starting);
        (a.tmux, a.pid) = (None, None);
        let live = pane(&a, None);
        let joined = join(vec![a], TmuxReply::Snapshot(&server(vec![live.clone()])), &|_| true, at(9));
        assert_eq!(joined.changes[0].found, Some(FoundPane { server: "1:1".into(), pane: live }));
        assert_eq!(joined.agents[0].status, Status::Starting);
    }

    #[test]
    fn a_session_under_an_old_name_is_still_its_agents() {
        let a = record("a", Status::Working);
        let mut old = pane(&a, None);
        old.session = "was".into();
        let joined = join(vec![a.clone()], TmuxReply::Snapshot(&server(vec![old])), &|_| true, at(9));
        assert_eq!(joined.agents[0].status, Status::Working);
        assert_eq!(joined.misnamed_sessions, [RenamedSession { session: "was".into(), record: a }]);
    }

    #[test]
    fn directory_with_an_old_name_is_reported_for_stopped_agents_too() {
        let mut a = record("a", Status::Stopped);
        a.renamed_from = Some("was".parse().unwrap());
        let joined =
            join(vec![a.clone(), record("b", Status::Stopped)], TmuxReply::Silence(""), &|_| true, at(9));
        assert_eq!(joined.unmoved, [a]);
    }

    #[test]
    fn a_split_pane_is_not_taken_for_the_agent() {
        let a = record("a", Status::Working);
        let mut split = pane(&a, Some((Some(1), None)));
        split.pane = "%0".into();
        let joined = join(
            vec![a.clone()],
            TmuxReply::Snapshot(&server(vec![split, pane(&a, None)])),
            &|_| true,
            at(9),
        );
        assert_eq!(joined.agents[0].status, Status::Working);
        assert_eq!(joined.agents[0].clients.len(), 1);
    }

    #[test]
    fn an_agent_outside_tmux_lives_as_long_as_its_process() {
        let mut a = record("a", Status::Working);
        a.tmux = None;
        for (alive, status) in [(true, Status::Working), (false, Status::Lost)] {
            let joined =
                join(vec![a.clone()], TmuxReply::Snapshot(&TmuxSnapshot::NoServer), &|_| alive, at(9));
            assert_eq!(joined.agents[0].status, status);
        }
    }

    #[test]
    fn an_agent_whose_server_cannot_be_reached_is_not_lost_while_its_process_runs() {
        let a = record("a", Status::Working);
        let TmuxSnapshot::Running(mut other) = server(vec![]) else { panic!() };
        other.identity = ServerIdentity("2:2".into());
        for snapshot in [TmuxSnapshot::NoServer, TmuxSnapshot::Running(other)] {
            for (alive, status, changes) in [(true, Status::Unknown, 0), (false, Status::Lost, 1)] {
                let joined = join(vec![a.clone()], TmuxReply::Snapshot(&snapshot), &|_| alive, at(9));
                assert_eq!((joined.agents[0].status, joined.changes.len()), (status, changes));
            }
        }
        let closed = join(vec![a], TmuxReply::Snapshot(&server(vec![])), &|_| true, at(9));
        assert_eq!(closed.agents[0].status, Status::Lost);
    }

    #[test]
    fn only_changed_records_are_written_and_none_without_tmux() {
        let records = vec![record("a", Status::Working), record("b", Status::Stopped)];
        assert!(join(records.clone(), TmuxReply::Silence("no answer"), &|_| true, at(9)).changes.is_empty());
        let gone = join(records, TmuxReply::Snapshot(&TmuxSnapshot::NoServer), &|_| false, at(9));
        assert_eq!(gone.changes.len(), 1);
        assert_eq!(gone.changes[0].decision.note.status, Status::Lost);
    }
}
