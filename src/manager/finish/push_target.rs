//! The remote that `agent finish --pr` pushes to. The repository configures it, so it is untrusted.

use std::path::Path;

use crate::base::sanitize::{shell_word, shown};
use crate::error::{Code, Error};
use crate::git::{Publication, PushPlan};
use crate::manager::finish::Finishing;
use crate::manager::finish::facts::git_failed;
use crate::model::AgentRecord;
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::rules::workspace::finish::pull_request::without_credentials;

impl Finishing<'_> {
    /// Returns where the branch of the agent is pushed, or an error if it cannot be pushed safely.
    pub(in crate::manager) fn push_plan(
        &self,
        record: &AgentRecord,
        facts: &FinishFacts,
    ) -> Result<PushPlan, Error> {
        let (git, top, name) = (self.0.git(), &facts.work.directory, &record.name);
        let failed = |why| git_failed(record, &why).saw("nothing was pushed");
        let Some(branch) = &facts.work.branch else {
            return Err(Error::new(Code::Workspace, format!("agent `{name}` is on no branch"))
                .saw("HEAD of its worktree is detached; nothing was pushed")
                .hint(format!("make a branch: `git -C {} switch -c NAME`", shell_word(top))));
        };
        let Some(plan) = Publication(&git).plan(top, branch, &facts.base.branch).map_err(failed)? else {
            return Err(Error::new(
                Code::Workspace,
                format!("there is no remote to push `{}` to", shown(branch)),
            )
            .saw("nothing was pushed")
            .hint(format!("add one: `git -C {} remote add origin URL`", shell_word(top)))
            .hint("or name one of several: `git config remote.pushDefault NAME`"));
        };
        self.refuse_unsafe_target(record, top, &plan)?;
        Ok(plan)
    }

    /// Refuses a remote to which a push would start programs that the agent can choose, and one with URLs that the plan
    /// would not show.
    fn refuse_unsafe_target(&self, record: &AgentRecord, top: &Path, plan: &PushPlan) -> Result<(), Error> {
        let (git, name) = (self.0.git(), &record.name);
        let failed = |why| git_failed(record, &why).saw("nothing was pushed");
        if !plan.further_urls.is_empty() {
            let urls = std::iter::once(&plan.url).chain(&plan.further_urls);
            let error = Error::new(
                Code::Workspace,
                format!("the remote `{}` has several URLs to push to", shown(&plan.remote)),
            );
            return Err(error
                .saw_all(urls.map(|url| shown(&without_credentials(url))))
                .saw("nothing was pushed")
                .hint(push_by_hand(plan, top)));
        }
        if Publication(&git).is_inside_repository(top, &plan.url).map_err(failed)? {
            let error = Error::new(
                Code::Workspace,
                format!("the remote `{}` is a directory that the agent can write", shown(&plan.remote)),
            );
            return Err(error
                .saw(format!("a push to {} would run the hooks there", shown(&plan.url)))
                .saw("nothing was pushed")
                .hint(format!(
                    "name another remote: `git -C {} config remote.pushDefault NAME`",
                    shell_word(top)
                )));
        }
        let executing = Publication(&git).executing_settings(top).map_err(failed)?;
        let redirecting = Publication(&git).redirecting_settings(top).map_err(failed)?;
        let instructing = Publication(&git).instructing_settings(top).map_err(failed)?;
        let effects = [
            (executing, "would start programs that the repository configures"),
            (redirecting, "could send your credentials where the repository configures"),
            (instructing, "would give the server instructions that the repository configures"),
        ];
        let effect = effects.into_iter().find(|(settings, _)| !settings.is_empty());
        let Some((settings, effect)) = effect else { return Ok(()) };
        let what = format!("pushing the work of agent `{name}` {effect}");
        Err(Error::new(Code::Workspace, what)
            .saw_all(settings.iter().map(|key| format!("its configuration sets `{}`", shown(key))))
            .saw("nothing was pushed")
            .hint(push_by_hand(plan, top))
            .hint("or move these settings to your own configuration: `git config --global …`"))
    }
}

/// Returns a hint with the command that pushes without these checks.
fn push_by_hand(plan: &PushPlan, top: &Path) -> String {
    let (remote, branch) = (shell_word(&plan.remote), shell_word(&plan.branch));
    format!("if you trust them, push it yourself: `git -C {} push {remote} {branch}`", shell_word(top))
}
