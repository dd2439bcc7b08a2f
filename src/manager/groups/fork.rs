//! `agent fork`: starts an agent with a copy of another agent's conversation, in a worktree of its own from the same
//! commit. The original is only read.

use std::path::PathBuf;

use serde::Serialize;

use crate::error::{Code, Error};
use crate::manager::family::Family;
use crate::manager::groups::Groups;
use crate::manager::launch::Launcher;
use crate::manager::lifecycle::Spawning;
use crate::manager::lifecycle::spawn::{SpawnPlan, Spawned};
use crate::manager::recaps::Recaps;
use crate::manager::review::Reviews;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_request::{SpawnRequest, UncommittedChanges};
use crate::manager::workspace::Workspaces;
use crate::model::{Agent, AgentName, AgentRecord, Kind, Recap, Spec, Workspace};
use crate::rules::lifecycle::conversation_start::{self, ConversationOpening};
use crate::rules::lifecycle::fork::{ForkStart, describe, first_prompt};
use crate::rules::lifecycle::naming;
use crate::rules::status::decide::PLAIN_COMMAND;

/// The arguments of a fork.
pub struct ForkRequest<'a> {
    /// The agent to fork.
    pub original: AgentName,
    /// The name of the new agent; `None` means one that is derived from the original.
    pub name: Option<AgentName>,
    /// Whether the new worktree gets the uncommitted changes of the original.
    pub changes: UncommittedChanges,
    /// The initial number of columns and lines.
    pub size: Option<(u16, u16)>,
    /// Renders a recap as text.
    pub recap_text: &'a dyn Fn(&Recap) -> String,
}

/// The result of a fork. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct Forked {
    /// The new agent.
    pub agent: Agent,
    /// The agent that it is a fork of.
    pub original: AgentName,
    /// The conversation that it starts with.
    pub conversation: ForkStart,
    /// Observations for the user, as sentences.
    pub remarks: Vec<String>,
}

impl Groups<'_> {
    /// Starts a fork of an agent.
    pub fn fork(&self, request: &ForkRequest<'_>) -> Result<Forked, Error> {
        let original = self.0.record(&request.original, "fork")?;
        refuse_command(&original)?;
        Workspaces(self.0).refuse_unfinished(&original)?;
        let top = Reviews(self.0).working_tree(&original)?;
        let dir = Some(PathBuf::from(&original.working_directory)).filter(|dir| dir.is_dir());
        let dir = dir.unwrap_or(top);
        let parent = Family(self.0).parent(None)?;
        let (chosen, env) = self.plan_as(&original, parent.as_ref())?;
        let (opening, start) = self.conversation_of(&original, &chosen.kind);
        let task = match start {
            ForkStart::Recap | ForkStart::RecapOfUnstored => {
                let recap = Recaps(self.0).recap(&original.name, Some(original.created_at))?;
                Some(first_prompt(&original.name, &(request.recap_text)(&recap)))
            }
            ForkStart::Copy | ForkStart::Empty => None,
        };
        let spawn_request = SpawnRequest {
            task,
            workspace: Some(Workspace::Worktree),
            changes: request.changes,
            fork_of: Some(original.name.clone()),
            env,
            size: request.size,
            ..SpawnRequest::default()
        };
        let plan = SpawnPlan { request: &spawn_request, chosen: &chosen, dir: &dir, parent, opening };
        let names: Vec<AgentName> = match &request.name {
            Some(name) => vec![name.clone()],
            None => naming::of_fork(&original.name).collect(),
        };
        let spawned = self.spawn_first_free(&names, &plan)?;
        Reviews(self.0).copy_chosen_base(&original, &spawned.agent.name)?;
        let mut remarks = spawned.warnings;
        remarks.push(describe(start, (&original.name, &spawned.agent.name), &chosen.kind));
        remarks.extend(spawned.remarks);
        Ok(Forked { agent: spawned.agent, original: original.name, conversation: start, remarks })
    }

    /// Starts an agent under the first of these names that no other agent has.
    fn spawn_first_free(&self, names: &[AgentName], plan: &SpawnPlan<'_>) -> Result<Spawned, Error> {
        let mut taken = None;
        for name in names {
            let request = SpawnRequest { name: Some(name.clone()), ..plan.request.clone() };
            match Spawning(self.0).spawn_planned(SpawnPlan { request: &request, ..plan.clone() }) {
                Err(error) if error.code() == Code::NameTaken => taken = Some(error),
                spawned => return spawned,
            }
        }
        Err(taken.unwrap_or_else(|| Error::usage("cannot find a free name").hint("give one with `--name`")))
    }

    /// Plans an agent like the original: its spec at its spawn, with the limits of a parent. Returns the plan and the
    /// variables that the original was given.
    fn plan_as(
        &self,
        original: &AgentRecord,
        parent: Option<&AgentName>,
    ) -> Result<(LaunchPlan, Vec<(String, String)>), Error> {
        let planner = LaunchPlanner(self.0);
        let manifest = planner.spawn_manifest(&original.name);
        let (spec, args, env) = match manifest {
            Some(manifest) => (manifest.spec, manifest.args.unwrap_or_default(), manifest.env),
            None => Default::default(),
        };
        let mut spec = spec.unwrap_or_else(|| Spec { name: original.spec.clone(), ..Spec::default() });
        spec.kind = Some(original.kind.clone());
        // A fork is for further work, and the original was perhaps created for a single task.
        spec.ephemeral = false;
        let mut args = args;
        args.ephemeral = false;
        if let Some(parent) = parent {
            args.inherited = Some(planner.inheritance(parent)?);
        }
        let dir = PathBuf::from(&original.working_directory);
        Ok((planner.chosen_from(spec, args, &dir, vec![])?, env))
    }

    /// Returns how the fork opens its conversation; `None` means that it starts a new one.
    fn conversation_of(
        &self,
        original: &AgentRecord,
        kind: &Kind,
    ) -> (Option<ConversationOpening>, ForkStart) {
        let id = uuid::Uuid::new_v4().to_string();
        match conversation_start::fork(original, &kind.conversation, id) {
            _ if !original.conversation.begun => (None, ForkStart::Empty),
            None => (None, ForkStart::Recap),
            Some(_) if Launcher(self.0).on_disk(original, kind) == Some(false) => {
                (None, ForkStart::RecapOfUnstored)
            }
            opening => (opening, ForkStart::Copy),
        }
    }
}

/// Refuses an agent that runs a plain command.
fn refuse_command(original: &AgentRecord) -> Result<(), Error> {
    if original.kind != PLAIN_COMMAND {
        return Ok(());
    }
    let name = &original.name;
    Err(Error::usage(format!("agent `{name}` runs a plain command, which has no conversation to copy"))
        .hint("`symposium agent spawn --workspace worktree -- COMMAND` starts the command in a worktree"))
}
