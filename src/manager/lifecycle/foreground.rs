//! `agent spawn --foreground`: runs the agent in this terminal, without tmux, recorded while it runs.

use std::ffi::OsString;
use std::path::Path;

use crate::error::Error;
use crate::manager::family::Family;
use crate::manager::launch::Launcher;
use crate::manager::launch::start::{EnvFrom, LaunchParams};
use crate::manager::lifecycle::Spawning;
use crate::manager::lifecycle::spawn::refuse_unknown_conversation;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, Exit, Prompt, Status, StatusNote};
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
        let task = chosen.task(request.task.as_deref())?;
        if let Some(task) = &task
            && !Launcher::takes_as_argument(&chosen.kind, task.as_str())
        {
            return Err(Error::usage(format!(
                "`{}` takes no prompt on its command line, and only you can type into this terminal",
                chosen.spec.name
            ))
            .hint("omit `--task` and type it"));
        }
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
        // Sets the variables that tmux would set, and those that locate its server, so that the agent's hooks use the
        // same server.
        for name in ["TERM", "TMUX_TMPDIR", "SYMPOSIUM_TMUX_SOCKET"] {
            env.extend(self.0.env.var(name).map(|value| (OsString::from(name), value.to_owned())));
        }
        record.conversation.begun |= task.is_some();
        let dir = record.working_directory.clone();
        let (program, args) =
            argv.split_first().map_or(("", argv.as_slice()), |(p, args)| (p.as_str(), args));
        let run = Run { program: Path::new(program), args, dir: Some(Path::new(&dir)), env: Some(&env) };
        before();
        let outcome = process::run_foreground(&run, |pid| {
            record.pid = Some(pid);
            record.started_at = Some(self.0.now());
            // Hooks update the status from here on. Without hooks the status stays `working`, because the screen of a
            // foreground agent is not read.
            let has_hooks = chosen.kind.hooks.report_prompts();
            let status = if has_hooks { Status::Starting } else { Status::Working };
            record.status = StatusNote::new(status, self.0.now(), "it runs in the foreground of a terminal");
            let _ = RegistryWriter(self.0).write(|edit| edit.put(record.clone()));
            drop(lock);
        });
        let exit = match outcome {
            Ok(exit) => exit,
            Err(error) => {
                Workspaces(self.0).withdraw(&record);
                return Err(Error::io("cannot run the agent in this terminal")(error));
            }
        };
        let decision = ended(exit, self.0.now());
        RegistryWriter(self.0).write(|edit| {
            // The agent may have been renamed, or replaced by another agent of the same name.
            let own = edit
                .all()
                .ok()
                .and_then(|all| all.into_iter().find(|record_there| record_there.id == record.id));
            if let Some(mut now) = own.filter(|now| now.status.status != Status::Stopped) {
                now.status = decision.note.clone();
                now.exit = decision.exit;
                now.pid = None;
                edit.put(now);
            }
        })?;
        Ok((record.name, exit))
    }
}
