//! Pushes a branch to a remote: the only command of this adapter that uses the network.
//!
//! It runs with the environment of the user, because it needs credentials. What the repository itself configures is
//! untrusted: hooks are disabled, and a repository whose own configuration starts a program is refused.

use std::ffi::OsString;
use std::io::{self, Seek, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use super::command::{CommandInput, Git, GitError, HARMLESS, OUTPUT_LIMIT, failure};
use super::filters::Filters;
use super::review::{Diffs, TreePair};
use super::worktree::Worktrees;
use super::{common_dir, repository};
use crate::base::child::{ChildCommand, KillScope};
use crate::base::wait::deadline::deadline_after;
use crate::model::FileChangeKind;

/// Time limit for a push.
const PUSH_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Keys of the configuration that make `git push` start a program.
const EXECUTING_KEYS: &str = r"^(core\.(sshcommand|gitproxy|askpass|alternaterefscommand)|credential(\..*)?\.helper|remote\..*\.(receivepack|uploadpack|vcs)|push\.gpgsign|gpg(\..*)?\.program|gpg\.ssh\.defaultkeycommand)$";

/// Keys of the configuration with which `git push` can send credentials of the user to another server.
const REDIRECTING_KEYS: &str = r"^(http(\..*)?\.(cookiefile|curloptresolve|proxy|proxysslcainfo|savecookies|sslcainfo|sslcapath|sslverify)|remote\..*\.proxy)$";

/// Keys of the configuration whose values a push sends to the server as commands: GitLab merges with the rights of the
/// user if they say so.
const INSTRUCTING_KEYS: &str = r"^push\.pushoption$";

/// The value in `HARMLESS` that forbids the network.
const OFFLINE: &str = "protocol.allow=never";

/// Variables of git that a push takes from the user. Others would select another repository or index.
const KEPT_VARIABLES: [&str; 4] = ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL"];

/// A branch and the remote that gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushPlan {
    /// Name of the local branch, which is its name in the remote as well.
    pub branch: String,
    /// Name of the remote.
    pub remote: String,
    /// URL of the remote, with credentials if it has some.
    pub url: String,
    /// Further URLs that git would push to as well.
    pub further_urls: Vec<String>,
}

/// Pushes branches, and reads what a push would use.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a>(pub &'a Git);

impl Publication<'_> {
    /// Returns where a branch is pushed: to the remote that git is configured to push to, that of the base branch,
    /// `origin`, or the only remote. Returns `None` if there is no remote, or none of several is preferred.
    pub fn plan(&self, top: &Path, branch: &str, base: &str) -> Result<Option<PushPlan>, GitError> {
        let remotes = self.0.line(top, &["remote"])?;
        let remotes: Vec<&str> = remotes.lines().collect();
        let mut preferred = Vec::new();
        for key in [
            format!("branch.{branch}.pushRemote"),
            "remote.pushDefault".to_owned(),
            format!("branch.{branch}.remote"),
            format!("branch.{base}.remote"),
        ] {
            preferred.extend(self.setting(top, &key)?);
        }
        preferred.push("origin".to_owned());
        let known = preferred.iter().map(String::as_str).find(|name| remotes.contains(name));
        let only = || Some(remotes[0]).filter(|_| remotes.len() == 1);
        let Some(remote) = known.or_else(|| remotes.first().and_then(|_| only())) else { return Ok(None) };
        let urls = self.0.line(top, &["remote", "get-url", "--push", "--all", "--", remote])?;
        let mut urls = urls.lines().map(str::to_owned);
        let (branch, remote) = (branch.to_owned(), remote.to_owned());
        let url = urls.next().unwrap_or_default();
        Ok(Some(PushPlan { branch, remote, url, further_urls: urls.collect() }))
    }

    /// Returns whether a URL names a directory in the working tree `top`, in another one of its repository, or in the git
    /// directory. A push to it would run the hooks there, which the agent can write.
    pub fn is_inside_repository(&self, top: &Path, url: &str) -> Result<bool, GitError> {
        let Some(path) = local_path(url) else { return Ok(false) };
        let path = top.join(path);
        let worktrees = Worktrees(self.0).list(top)?.into_iter().map(|(worktree, _)| worktree);
        let own = worktrees.chain([top.to_owned(), repository(top)]).chain(common_dir(top));
        let own: Vec<PathBuf> = own.map(|dir| dir.canonicalize().unwrap_or(dir)).collect();
        // git adds these suffixes if there is no repository without them.
        let mut candidates = ["", ".git", "/.git", ".git/.git"].iter().map(|suffix| {
            let mut name = path.clone().into_os_string();
            name.push(suffix);
            PathBuf::from(name)
        });
        Ok(candidates.any(|candidate| {
            let place = candidate.canonicalize().unwrap_or_else(|_| without_parent_components(&candidate));
            own.iter().any(|dir| place.starts_with(dir))
        }))
    }

    /// Returns the URLs of all remotes for fetching and pushing, with credentials if they have some.
    pub fn remote_urls(&self, top: &Path) -> Result<Vec<String>, GitError> {
        let listed = self.0.line(top, &["remote", "--verbose"])?;
        let urls = listed.lines().filter_map(|line| {
            let (_, url) = line.split_once('\t')?;
            Some(url.rsplit_once(" (")?.0.to_owned())
        });
        Ok(urls.collect())
    }

    /// Returns the keys of the repository's own configuration that would make a push start a program.
    pub fn executing_settings(&self, top: &Path) -> Result<Vec<String>, GitError> {
        self.own_settings(top, EXECUTING_KEYS)
    }

    /// Returns the keys of the repository's own configuration that could make a push send credentials of the user to
    /// another server than the one in the URL.
    pub fn redirecting_settings(&self, top: &Path) -> Result<Vec<String>, GitError> {
        self.own_settings(top, REDIRECTING_KEYS)
    }

    /// Returns the keys of the repository's own configuration whose values a push sends to the server as commands.
    pub fn instructing_settings(&self, top: &Path) -> Result<Vec<String>, GitError> {
        self.own_settings(top, INSTRUCTING_KEYS)
    }

    /// Returns the keys in the configuration of the repository and of the worktree that match a regular expression.
    fn own_settings(&self, top: &Path, keys: &str) -> Result<Vec<String>, GitError> {
        let args = ["config", "--null", "--show-scope", "--name-only", "--get-regexp", keys];
        let names = match self.0.output(top, &[], &args) {
            Ok(names) => names,
            // git reports in this way that there are none.
            Err(GitError::Failed { output, .. }) if output.is_empty() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let names = String::from_utf8_lossy(&names).into_owned();
        let fields: Vec<&str> = names.split('\0').collect();
        let own = fields.chunks_exact(2).filter(|pair| pair[0] != "global" && pair[0] != "system");
        Ok(own.map(|pair| pair[1].to_owned()).collect())
    }

    /// Pushes a branch with the environment of the user.
    pub fn push(
        &self,
        top: &Path,
        plan: &PushPlan,
        environment: &[(OsString, OsString)],
    ) -> Result<(), GitError> {
        let refspec = format!("refs/heads/{0}:refs/heads/{0}", plan.branch);
        let options = ["--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--quiet"];
        let args = [&["push"][..], &options, &["--", &plan.remote, &refspec]].concat();
        let program = self.0.program()?;
        let programs_off = Filters(self.0).own_off(top, &[])?;
        let configs = online_configs().map(str::to_owned).chain(programs_off);
        let configs = configs.flat_map(|config| ["-c".to_owned(), config]);
        let is_kept = |(name, _): &&(OsString, OsString)| {
            let name = name.to_string_lossy();
            !name.starts_with("GIT_") || KEPT_VARIABLES.contains(&&*name)
        };
        let environment = environment.iter().filter(is_kept).map(|(name, value)| (name, value));
        let command = ChildCommand::new(&program, KillScope::Group)
            .args(configs)
            .args(["--no-pager"])
            .args(&args)
            .dir(top)
            .environment(environment)
            .variable("LC_ALL", "C")
            // The repository decides from which remote git fetches missing objects, and with which program.
            .variable("GIT_NO_LAZY_FETCH", "1")
            .variable("GIT_TERMINAL_PROMPT", "0");
        let deadline = deadline_after(Instant::now(), PUSH_TIMEOUT);
        let output = command.spawn().and_then(|child| child.output(deadline, OUTPUT_LIMIT));
        match output.map_err(|source| GitError::NotRun { program, source })? {
            Some(output) if output.status.success() => Ok(()),
            Some(output) => Err(failure(&args, output.status, &output.stderr)),
            None => Err(GitError::Slow { what: "push".to_owned(), bound: PUSH_TIMEOUT }),
        }
    }

    /// Returns whether files that differ between two commits are stored with Git LFS. Its hook would upload their content,
    /// and a push runs no hooks.
    pub fn has_lfs_files(&self, top: &Path, trees: TreePair<'_>) -> Result<bool, GitError> {
        let failed =
            |error: io::Error| GitError::Failed { what: "check-attr".to_owned(), output: error.to_string() };
        let changed = Diffs(self.0).changed_files(top, trees)?;
        let present = changed.iter().filter(|change| change.kind != FileChangeKind::Deleted);
        let paths: String = present.map(|change| format!("{}\0", change.path)).collect();
        let mut list = tempfile::tempfile().map_err(failed)?;
        list.write_all(paths.as_bytes()).and_then(|()| list.rewind()).map_err(failed)?;
        let also = CommandInput { input: Some(list), index: None };
        let output = self.0.output_with_input(top, &[], &["check-attr", "-z", "--stdin", "filter"], also)?;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        Ok(fields.chunks_exact(3).any(|attribute| attribute[2] == b"lfs"))
    }

    /// Returns variables for a program that starts git in an untrusted repository, such as `gh`: git then starts neither
    /// hooks nor filters nor other programs that the repository configures, and does not use the network, which needs
    /// such programs.
    pub fn harmless_environment(&self, top: &Path) -> Result<Vec<(OsString, OsString)>, GitError> {
        let programs_off = Filters(self.0).own_off(top, &[])?;
        let configs: Vec<String> = HARMLESS.into_iter().map(str::to_owned).chain(programs_off).collect();
        let mut environment = vec![
            ("GIT_NO_LAZY_FETCH".to_owned(), "1".to_owned()),
            ("GIT_ALLOW_PROTOCOL".to_owned(), "none".to_owned()),
            ("GIT_LFS_SKIP_SMUDGE".to_owned(), "1".to_owned()),
            ("GIT_CONFIG_COUNT".to_owned(), configs.len().to_string()),
        ];
        for (number, (key, value)) in configs.iter().filter_map(|config| config.split_once('=')).enumerate() {
            environment.push((format!("GIT_CONFIG_KEY_{number}"), key.to_owned()));
            environment.push((format!("GIT_CONFIG_VALUE_{number}"), value.to_owned()));
        }
        Ok(environment.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    fn setting(&self, top: &Path, key: &str) -> Result<Option<String>, GitError> {
        match self.0.line(top, &["config", "--get", key]) {
            Ok(value) => Ok(Some(value)),
            Err(GitError::Failed { output, .. }) if output.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns the path in the URL of a remote on this machine, as git reads it.
fn local_path(url: &str) -> Option<PathBuf> {
    if let Some(path) = url.strip_prefix("file://") {
        return Some(Path::new("/").join(decoded_like_git(path).trim_start_matches('/')));
    }
    let start = url.split('/').next().unwrap_or_default();
    (!start.contains(':')).then(|| PathBuf::from(url))
}

/// Decodes percent escapes as git does: unlike `base::percent`, it keeps incomplete escapes and decodes the others.
fn decoded_like_git(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let decoded =
            digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Removes `..` from the path of a directory that does not exist.
fn without_parent_components(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut cleaned, component| {
        match component {
            Component::ParentDir => _ = cleaned.pop(),
            component => cleaned.push(component),
        }
        cleaned
    })
}

/// Returns the values that disable programs of the repository but not the network.
fn online_configs() -> impl Iterator<Item = &'static str> {
    let harmless = HARMLESS.into_iter().filter(|config| *config != OFFLINE);
    harmless.chain(["protocol.ext.allow=never"])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::testing::{Repository, path};
    use super::{Publication, TreePair};

    fn with_remotes(names: &[&str]) -> Repository {
        let r = Repository::new();
        r.write("a", "1\n");
        r.commit("base");
        for name in names {
            r.git(&["init", "-q", "--bare", &r.dir.path().join(name).display().to_string()]);
            r.git(&["remote", "add", name, &r.dir.path().join(name).display().to_string()]);
        }
        r.git(&["branch", "work"]);
        r
    }

    fn remote_of(r: &Repository) -> Option<String> {
        Publication(&r.ours()).plan(&r.top(), "work", "main").unwrap().map(|plan| plan.remote)
    }

    #[test]
    fn remote_is_the_configured_one_origin_or_the_only_one() {
        assert_eq!(remote_of(&with_remotes(&[])), None);
        assert_eq!(remote_of(&with_remotes(&["only"])).as_deref(), Some("only"));
        let r = with_remotes(&["fork", "origin"]);
        assert_eq!(remote_of(&r).as_deref(), Some("origin"));
        r.git(&["config", "remote.pushDefault", "fork"]);
        assert_eq!(remote_of(&r).as_deref(), Some("fork"));
        assert_eq!(remote_of(&with_remotes(&["one", "two"])), None);
    }

    #[test]
    fn all_urls_of_a_push_are_reported() {
        let r = with_remotes(&["origin"]);
        for url in ["https://h.example/a", "https://h.example/b"] {
            r.git(&["remote", "set-url", "--push", "--add", "origin", url]);
        }
        let plan = Publication(&r.ours()).plan(&r.top(), "work", "main").unwrap().unwrap();
        assert_eq!(
            (plan.url.as_str(), plan.further_urls),
            ("https://h.example/a", vec!["https://h.example/b".into()])
        );
    }

    #[test]
    fn a_remote_inside_the_repository_is_recognised() {
        let r = with_remotes(&["origin"]);
        let (top, second) = (r.top(), r.dir.path().join("second"));
        r.git(&["worktree", "add", "-q", "--detach", &second.display().to_string()]);
        std::os::unix::fs::symlink(second.join("x"), r.dir.path().join("link")).unwrap();
        r.git_in(&second, &["init", "-q", "--bare", "x"]);
        let is_inside = |url: &str| Publication(&r.ours()).is_inside_repository(&top, url).unwrap();
        let (inside, link) = (second.join("x"), r.dir.path().join("link"));
        let encoded = format!("file://{}", inside.display()).replace("second", "%73econd");
        for url in [
            ".",
            "x.git",
            "./x",
            "../r/.git",
            "../link",
            inside.to_str().unwrap(),
            link.to_str().unwrap(),
            &encoded,
        ] {
            assert!(is_inside(url), "{url}");
        }
        let outside = r.dir.path().join("origin");
        for url in
            ["../origin", outside.to_str().unwrap(), "https://h.example/r", "git@h.example:r", "h.example:/r"]
        {
            assert!(!is_inside(url), "{url}");
        }
    }

    #[test]
    fn urls_of_all_remotes_are_listed() {
        let r = with_remotes(&[]);
        assert_eq!(Publication(&r.ours()).remote_urls(&r.top()).unwrap(), [] as [&str; 0]);
        r.git(&["remote", "add", "origin", "https://h.example/a b (c)"]);
        r.git(&["remote", "set-url", "--push", "origin", "git@h.example:me/b"]);
        let urls = Publication(&r.ours()).remote_urls(&r.top()).unwrap();
        assert_eq!(urls, ["https://h.example/a b (c)", "git@h.example:me/b"]);
    }

    #[test]
    fn push_runs_no_hook_of_the_repository() {
        let r = with_remotes(&["origin"]);
        let marker = r.dir.path().join("marker");
        let hook = r.top().join(".git/hooks/pre-push");
        r.write(".git/hooks/pre-push", &format!("#!/bin/sh\ntouch {}\n", marker.display()));
        std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        let plan = Publication(&r.ours()).plan(&r.top(), "work", "main").unwrap().unwrap();
        let environment = [("PATH".into(), path()), ("HOME".into(), r.dir.path().into())];
        Publication(&r.ours()).push(&r.top(), &plan, &environment).unwrap();
        assert!(!marker.exists());
        r.git_in(&r.dir.path().join("origin"), &["rev-parse", "--verify", "refs/heads/work"]);
    }

    #[test]
    fn push_sends_no_tags_and_fetches_no_missing_objects() {
        let r = with_remotes(&["origin"]);
        let marker = r.dir.path().join("marker");
        r.git(&["checkout", "-q", "work"]);
        r.write("missing", "1\n");
        r.commit("work");
        r.git(&["tag", "-a", "-m", "tag", "v1"]);
        let id = r.output_in(&r.top(), &["rev-parse", "HEAD:missing"]);
        std::fs::remove_file(r.top().join(format!(".git/objects/{}/{}", &id[..2], &id[2..]))).unwrap();
        for (key, value) in [
            ("push.followTags", "true"),
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.uploadpack", &format!("touch {}; git-upload-pack", marker.display())),
        ] {
            r.git(&["config", key, value]);
        }
        assert_eq!(
            Publication(&r.ours()).executing_settings(&r.top()).unwrap(),
            ["remote.origin.uploadpack"]
        );
        let plan = Publication(&r.ours()).plan(&r.top(), "work", "main").unwrap().unwrap();
        let environment = [("PATH".into(), path()), ("HOME".into(), r.dir.path().into())];
        Publication(&r.ours()).push(&r.top(), &plan, &environment).unwrap_err();
        assert!(!marker.exists());
        r.write("missing", "1\n");
        r.git(&["hash-object", "-w", "missing"]);
        Publication(&r.ours()).push(&r.top(), &plan, &environment).unwrap();
        assert_eq!(r.output_in(&r.dir.path().join("origin"), &["tag"]), "");
        // Programs such as `gh` ask git for the status, which needs the objects of the index.
        let harmless = Publication(&r.ours()).harmless_environment(&r.top()).unwrap();
        for variable in [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")] {
            assert!(harmless.contains(&(variable.0.into(), variable.1.into())), "{harmless:?}");
        }
    }

    #[test]
    fn files_in_git_lfs_are_recognised() {
        let r = with_remotes(&[]);
        r.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
        r.write("gone.bin", "pointer\n");
        r.commit("attributes");
        let has = || {
            let trees = TreePair { from: "HEAD~1", to: "HEAD" };
            Publication(&r.ours()).has_lfs_files(&r.top(), trees).unwrap()
        };
        assert!(has());
        std::fs::remove_file(r.top().join("gone.bin")).unwrap();
        r.write("text", "1\n");
        r.commit("no content");
        assert!(!has());
    }

    #[test]
    fn settings_that_instruct_the_server_are_found_in_the_repository_only() {
        let r = with_remotes(&["origin"]);
        std::fs::write(r.dir.path().join(".gitconfig"), "[push]\npushOption = ci.skip\n").unwrap();
        assert_eq!(Publication(&r.ours()).instructing_settings(&r.top()).unwrap(), [] as [&str; 0]);
        r.git(&["config", "push.pushOption", "merge_request.merge_when_pipeline_succeeds"]);
        assert_eq!(Publication(&r.ours()).instructing_settings(&r.top()).unwrap(), ["push.pushoption"]);
    }

    #[test]
    fn settings_that_start_programs_are_found_in_the_repository_only() {
        let r = with_remotes(&["origin"]);
        assert_eq!(Publication(&r.ours()).executing_settings(&r.top()).unwrap(), [] as [&str; 0]);
        r.git(&["config", "core.sshCommand", "evil"]);
        r.git(&["config", "remote.origin.receivepack", "evil"]);
        r.git(&["config", "credential.https://h.example.helper", "!evil"]);
        assert_eq!(
            Publication(&r.ours()).executing_settings(&r.top()).unwrap(),
            ["core.sshcommand", "remote.origin.receivepack", "credential.https://h.example.helper"]
        );
    }

    #[test]
    fn settings_that_send_credentials_elsewhere_are_found_in_the_repository_only() {
        let r = with_remotes(&["origin"]);
        std::fs::write(r.dir.path().join(".gitconfig"), "[http]\nproxy = http://own.example\n").unwrap();
        r.git(&["config", "http.https://h.example/.extraHeader", "x: y"]);
        assert_eq!(Publication(&r.ours()).redirecting_settings(&r.top()).unwrap(), [] as [&str; 0]);
        r.git(&["config", "http.https://h.example/.proxy", "http://evil.example"]);
        r.git(&["config", "http.sslVerify", "false"]);
        r.git(&["config", "remote.origin.proxy", "http://evil.example"]);
        let mut found = Publication(&r.ours()).redirecting_settings(&r.top()).unwrap();
        found.sort();
        assert_eq!(found, ["http.https://h.example/.proxy", "http.sslverify", "remote.origin.proxy"]);
    }
}
