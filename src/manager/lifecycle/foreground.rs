//! `agent spawn --foreground`: runs the agent in this terminal, without tmux, recorded while it runs.

use std::ffi::OsString;
use std::path::Path;

use crate::error::Error;
use crate::failpoint;
use crate::manager::family::Family;
use crate::manager::launch::Launcher;
use crate::manager::launch::start::{EnvFrom, LaunchParams};
use crate::manager::lifecycle::Spawning;
use crate::manager::lifecycle::spawn::refuse_unknown_conversation;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_request::{SpawnRequest, Variables};
use crate::manager::workspace::Workspaces;
use crate::model::{AgentId, AgentName, AgentRecord, Exit, Kind, Prompt, Status, StatusNote};
use crate::process::{self, Run};
use crate::rules::status::decide::ended;

impl Spawning<'_> {
    /// Runs the agent until it exits and returns its name and exit. Calls `before` immediately before the agent takes
    /// over the terminal.
    pub fn spawn_foreground(
        &self,
        request: &SpawnRequest,
        before: impl FnOnce(),
    ) -> Result<(AgentName, Exit), Error> {
        let dir = self.0.working_directory(request.dir.as_deref())?;
        let parent = Family(self.0).parent(request.parent.as_ref())?;
        let chosen = LaunchPlanner(self.0).chosen(request, parent.as_ref(), &dir)?;
        chosen.refuse_untrusted()?;
        let task = task_as_argument(request, &chosen)?;
        refuse_unknown_conversation(request, &chosen)?;
        let (mut record, lock) = self.reserve(request, &chosen, &dir)?;
        record.parent = parent;
        let mut start_lock = Family(self.0).lock_instance_count(&chosen, record.parent.as_ref())?;
        Family(self.0).check_spawn_limits(&chosen, record.parent.as_ref())?;
        let opening = self.opening(&mut record, &chosen.kind, request.conversation.clone());
        self.create_instance(&mut record, request, &chosen, &mut start_lock)?;
        chosen.warnings.iter().for_each(|warning| self.0.notice(warning.clone()));
        RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?;
        drop(start_lock);
        let prompt = task.as_ref().map(Prompt::as_str);
        let start = LaunchParams {
            kind: &chosen.kind,
            opening,
            prompt,
            pane: None,
            env: EnvFrom::Caller,
            size: None,
        };
        let (argv, mut env) = Launcher(self.0)
            .prepare_launch(&record, &start)
            .inspect_err(|_| Workspaces(self.0).withdraw(&record))?;
        self.add_tmux_variables(&mut env);
        record.conversation.begun |= task.is_some();
        let dir = record.working_directory.clone();
        let (program, args) =
            argv.split_first().map_or(("", argv.as_slice()), |(p, args)| (p.as_str(), args));
        let run = Run { program: Path::new(program), args, dir: Some(Path::new(&dir)), env: Some(&env) };
        before();
        let outcome = process::run_foreground(&run, |pid| {
            failpoint::reached("foreground.started");
            self.note_foreground_start(&record, &chosen.kind, pid);
            drop(lock);
        });
        let exit = match outcome {
            Ok(exit) => exit,
            Err(error) => {
                Workspaces(self.0).withdraw(&record);
                return Err(Error::io("cannot run the agent in this terminal")(error));
            }
        };
        self.note_foreground_end(record.id, exit)?;
        Ok((record.name, exit))
    }

    /// Adds the variables that tmux would set, and those that locate its server, so that the agent's hooks use the same
    /// server.
    fn add_tmux_variables(&self, env: &mut Variables) {
        for name in ["TERM", "TMUX_TMPDIR", "SYMPOSIUM_TMUX_SOCKET"] {
            env.extend(self.0.env.var(name).map(|value| (OsString::from(name), value.to_owned())));
        }
    }

    /// Records the process of the agent and its first status.
    fn note_foreground_start(&self, record: &AgentRecord, kind: &Kind, pid: i32) {
        // Hooks update the status from here on. Without hooks the status stays `working`, because the screen of a
        // foreground agent is not read.
        let status = if kind.hooks.report_prompts() { Status::Starting } else { Status::Working };
        let running = StatusNote::new(status, self.0.now(), "it runs in the foreground of a terminal");
        let _ = RegistryWriter(self.0).write(|edit| {
            let stored = edit.get(&record.name).ok().flatten().filter(|stored| stored.id == record.id);
            let mut now = stored.unwrap_or_else(|| record.clone());
            now.pid = Some(pid);
            now.started_at = Some(self.0.now());
            now.conversation.begun |= record.conversation.begun;
            // A hook of the agent may have reported before.
            if now.status == record.status {
                now.status = running;
            }
            edit.put(now)
        });
    }

    /// Records the exit of the agent, unless a kill has recorded its end.
    fn note_foreground_end(&self, id: AgentId, exit: Exit) -> Result<(), Error> {
        let decision = ended(exit, self.0.now());
        RegistryWriter(self.0).write(|edit| {
            // The agent may have been renamed, or replaced by another agent of the same name.
            let own = edit.all().ok().and_then(|all| all.into_iter().find(|record| record.id == id));
            if let Some(mut now) = own.filter(|now| now.status.status != Status::Stopped) {
                now.status = decision.note.clone();
                now.exit = decision.exit;
                now.pid = None;
                edit.put(now);
            }
        })
    }
}

/// Returns the first prompt, which must be passed on the command line: only the user can type into the terminal.
fn task_as_argument(request: &SpawnRequest, chosen: &LaunchPlan) -> Result<Option<Prompt>, Error> {
    let task = chosen.task(request.task.as_deref())?;
    match &task {
        Some(task) if !Launcher::takes_as_argument(&chosen.kind, task.as_str()) => {
            Err(Error::usage(format!(
                "`{}` takes no prompt on its command line, and only you can type into this terminal",
                chosen.spec.name
            ))
            .hint("omit `--task` and type it"))
        }
        _ => Ok(task),
    }
}
