//! Checks before the base branch moves: commands of the user's configuration, and those of the project if the user agreed
//! to their content.
//!
//! They run in the worktree of the agent after its base was brought in, so they see what the base branch will contain.
//! If one fails, the base branch has not changed and the agent is still running.

use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::config;
use crate::error::{self, Code, Error};
use crate::git::Objects;
use crate::manager::finish::Finishing;
use crate::manager::finish::facts::git_failed;
use crate::manager::finish::request::{CheckPolicy, FinishRequest};
use crate::manager::specs::ProjectTrust;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentRecord, FinishCheck, TrustedProject, is_deceptive};
use crate::process::{self, Run};
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::store::TrustedProjects;

/// The file with the checks of a project, as committed on the base branch: a worktree belongs to the agent.
const PROJECT_FILE: &str = ".symposium/finish.toml";

/// Time limit for one check: the tests of a big project.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2 * 60 * 60);

/// Number of lines of output that are shown of a check that failed.
const MAX_SHOWN_LINES: usize = 20;

impl Finishing<'_> {
    /// Returns the checks of the configuration and of the project, in this order.
    pub(in crate::manager) fn checks(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        request: &FinishRequest,
    ) -> Result<Vec<FinishCheck>, Error> {
        if request.checks == CheckPolicy::Skip {
            return Ok(Vec::new());
        }
        let own = self.0.config()?.finish.checks.clone();
        let own = own.into_iter().map(|line| FinishCheck { line, origin: "config.toml".to_owned() });
        let (top, commit) = (&facts.work.directory, &facts.base.commit);
        let file = Objects(&self.0.git())
            .file_at(top, commit, PROJECT_FILE)
            .map_err(|why| git_failed(record, &why))?;
        let Some(bytes) = file else { return Ok(own.collect()) };
        let text = String::from_utf8_lossy(&bytes);
        let origin = format!("{PROJECT_FILE} of the project");
        let lines = config::checks(&text, Path::new(PROJECT_FILE))?;
        let of_project: Vec<FinishCheck> =
            lines.into_iter().map(|line| FinishCheck { line, origin: origin.clone() }).collect();
        self.agree_to(record, &bytes, &of_project, request)?;
        Ok(own.chain(of_project).collect())
    }

    /// Checks that the user agreed to this content of the project's file, or stores that the user agrees now.
    fn agree_to(
        &self,
        record: &AgentRecord,
        content: &[u8],
        checks: &[FinishCheck],
        request: &FinishRequest,
    ) -> Result<(), Error> {
        let repository = Workspaces(self.0).worktree_note(record).repository;
        let project = repository.join(PROJECT_FILE).to_string_lossy().into_owned();
        let sha256: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        let known = TrustedProjects(&self.0.store).list()?;
        let is_agreed = known.iter().any(|known| known.project == project && known.sha256 == sha256);
        if checks.is_empty() || is_agreed {
            return Ok(());
        }
        if request.checks == CheckPolicy::Trust {
            ProjectTrust(self.0).refuse_trust_by_agent(&project)?;
            let trusted = TrustedProject { project, sha256, trusted_at: self.0.now() };
            return Ok(TrustedProjects(&self.0.store).trust(&trusted)?);
        }
        let listed = checks.iter().map(|check| format!("it runs `{}`", shown(&check.line)));
        Err(Error::new(
            Code::UntrustedChecks,
            format!("you have not agreed to {PROJECT_FILE} of the project"),
        )
        .saw_all(listed)
        .saw("nothing was changed")
        .hint("if you agree to these commands, repeat the command with `--trust`")
        .hint("`--no-checks` finishes without them"))
    }

    /// Runs the checks in the worktree, whose commit is `head`. It was `tip` before the base was brought in.
    pub(in crate::manager) fn check(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
        (tip, head): (&str, &str),
        checks: &[FinishCheck],
    ) -> Result<(), Error> {
        let top = &facts.work.directory;
        checks.iter().try_for_each(|check| {
            let run = self.run_check(record, top, check);
            run.map_err(|error| error.hint_all(self.commit_hints(facts, tip, head)))
        })
    }

    /// Runs one check in a directory.
    pub(in crate::manager) fn run_check(
        &self,
        record: &AgentRecord,
        top: &Path,
        check: &FinishCheck,
    ) -> Result<(), Error> {
        let line = shown(&check.line);
        self.0.progress(&format!("check: {line} ({})", check.origin));
        let args = ["-c".to_owned(), check.line.clone()];
        let run =
            Run { program: Path::new("/bin/sh"), args: &args, dir: Some(top), env: Some(self.0.env.all()) };
        let failed = |saw: Vec<String>| {
            Error::new(Code::CheckFailed, format!("check `{line}` failed for agent `{}`", record.name))
                .saw_all(saw)
                .saw("the base branch was not changed")
                .hint(format!("run it in the worktree: `symposium agent shell {} -- sh -c '…'`", record.name))
        };
        let output =
            process::run_bounded(&run, CHECK_TIMEOUT).map_err(|why| failed(vec![why.to_string()]))?;
        if output.exit.code == Some(0) {
            return Ok(());
        }
        let text = [output.stdout, output.stderr].concat();
        let lines: Vec<String> = String::from_utf8_lossy(&text).lines().map(error::shown).collect();
        let mut saw = vec![output.exit.to_string()];
        saw.extend_from_slice(&lines[lines.len().saturating_sub(MAX_SHOWN_LINES)..]);
        Err(failed(saw))
    }
}

/// Returns a whole command without characters that could hide a part of it.
fn shown(line: &str) -> String {
    line.replace(is_deceptive, "\u{fffd}")
}
