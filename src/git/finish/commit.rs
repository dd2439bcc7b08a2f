//! Commit objects. They are written directly, because `git commit` would need a working tree and would run hooks and
//! signing programs.

use std::collections::BTreeSet;
use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::super::command::{CommandInput, Git, GitError};
use super::super::objects::Objects;
use super::super::recover::IDENTITY;
use super::super::uncommitted::Index;
use super::Merges;
use super::in_the_way::read_paths;
use super::merge::MergedTree;

/// A commit to write.
#[derive(Debug, Clone, Copy)]
pub struct CommitPlan<'a> {
    /// Id of the tree.
    pub tree: &'a str,
    /// Ids of the parents.
    pub parents: &'a [&'a str],
    /// The whole message of the commit.
    pub message: &'a str,
    /// Author and committer.
    pub identity: &'a CommitIdentity,
}

/// The author and the committer that the environment of the user names. The configuration of git names the others.
#[derive(Debug, Clone, Default)]
pub struct CommitIdentity(Vec<String>);

/// Variables of the environment, with the configuration that has the same meaning.
const IDENTITY_VARIABLES: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "author.name"),
    ("GIT_AUTHOR_EMAIL", "author.email"),
    ("GIT_COMMITTER_NAME", "committer.name"),
    ("GIT_COMMITTER_EMAIL", "committer.email"),
];

impl CommitIdentity {
    /// Reads the identity from the variables that git reads. Passes them to git as configuration, because git gets no
    /// other part of the user's environment.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> CommitIdentity {
        let pairs = IDENTITY_VARIABLES.iter();
        let values = pairs.filter_map(|(name, key)| Some(format!("{key}={}", variable(name)?)));
        CommitIdentity(values.collect())
    }
}

/// The result of copying commits onto another base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayedCommits {
    /// Id of the last copied commit.
    Done(String),
    /// A commit has conflicts with the base.
    Conflicts {
        /// Id of the commit.
        commit: String,
        /// Paths with conflicts.
        paths: Vec<String>,
    },
}

/// Writes commit objects. No ref is changed.
#[derive(Debug, Clone, Copy)]
pub struct CommitWriter<'a>(pub &'a Git);

impl CommitWriter<'_> {
    /// Writes a commit with the identity of the user and returns its id. No ref is changed.
    pub fn write(&self, dir: &Path, plan: CommitPlan<'_>) -> Result<String, GitError> {
        let mut args = vec!["commit-tree", plan.tree, "-m", plan.message];
        args.extend(plan.parents.iter().flat_map(|parent| ["-p", parent]));
        let output = self.0.output(dir, &plan.identity.0, &args)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Writes a commit with the index, if it has versions of files that neither the commit `head` nor the tree `tree` of
    /// the working tree has, and returns its id. `scratch` is for temporary files.
    pub fn staged_versions(
        &self,
        top: &Path,
        (head, tree): (&str, &str),
        scratch: &Path,
    ) -> Result<Option<String>, GitError> {
        let Some(staged) = Index(self.0).write_tree(top, scratch)? else { return Ok(None) };
        let changed = |from: &str, to: &str, filter: &str| -> Result<BTreeSet<PathBuf>, GitError> {
            let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", filter, from, to, "--"];
            Ok(self.0.stream(top, &[], &args, read_paths)?.into_iter().collect())
        };
        let own = changed(head, &staged, "--diff-filter=AMT")?;
        let replaced = changed(&staged, tree, "--diff-filter=MDT")?;
        match own.is_disjoint(&replaced) {
            true => Ok(None),
            false => self.write_temporary(top, &staged, head).map(Some),
        }
    }

    /// Copies the commits of `tip` that neither `start` nor `onto` has onto `onto`, the oldest first, with their authors
    /// and messages. Merge commits and commits that change nothing any more are left out. Writes objects only; `scratch`
    /// is for temporary files.
    pub fn replay(
        &self,
        dir: &Path,
        (start, onto, tip): (&str, &str, &str),
        (identity, scratch): (&CommitIdentity, &Path),
    ) -> Result<ReplayedCommits, GitError> {
        let args = ["rev-list", "--reverse", "--topo-order", "--no-merges", tip, "--not", start, onto, "--"];
        let list = self.0.line(dir, &args)?;
        let mut last = onto.to_owned();
        for commit in list.lines() {
            let Some(parent) = self.0.commit(dir, &format!("{commit}^"))? else {
                return Err(failed(format!("`{commit}` has no parent")));
            };
            if parent == last {
                last = commit.to_owned();
                continue;
            }
            let tree = match Merges(self.0).merged_tree(dir, Some(&parent), (&last, commit))? {
                MergedTree::Clean(tree) => tree,
                MergedTree::Conflicts(paths) => {
                    return Ok(ReplayedCommits::Conflicts { commit: commit.to_owned(), paths });
                }
            };
            let changes_nothing = tree == Objects(self.0).tree_of(dir, &last)?;
            if changes_nothing
                && Objects(self.0).tree_of(dir, &parent)? != Objects(self.0).tree_of(dir, commit)?
            {
                continue;
            }
            last = self.copy(dir, commit, (&tree, &last), (identity, scratch))?;
        }
        Ok(ReplayedCommits::Done(last))
    }

    /// Writes a copy of a commit with another tree and parent.
    fn copy(
        &self,
        dir: &Path,
        commit: &str,
        (tree, parent): (&str, &str),
        (identity, scratch): (&CommitIdentity, &Path),
    ) -> Result<String, GitError> {
        let original = self.0.output(dir, &[], &["cat-file", "commit", commit])?;
        let end = original.windows(2).position(|pair| pair == b"\n\n");
        let Some(end) = end else { return Err(failed(format!("`{commit}` is damaged"))) };
        let (headers, message) = original.split_at(end);
        let header = |name: &[u8]| {
            headers.split(|byte| *byte == b'\n').find(|line| line.starts_with(name)).map(<[u8]>::to_vec)
        };
        let Some(author) = header(b"author ") else { return Err(failed(format!("`{commit}` is damaged"))) };
        let committer = self.0.output(dir, &identity.0, &["var", "GIT_COMMITTER_IDENT"])?;
        let committer = String::from_utf8_lossy(&committer).trim_end_matches('\n').to_owned();
        let mut copy = format!("tree {tree}\nparent {parent}\n").into_bytes();
        copy.extend(author);
        copy.extend(format!("\ncommitter {committer}").into_bytes());
        if let Some(encoding) = header(b"encoding ") {
            copy.push(b'\n');
            copy.extend(encoding);
        }
        copy.extend(message);
        let path = scratch.join("commit");
        fs::write(&path, copy).map_err(|error| failed(error.to_string()))?;
        let input = File::open(&path).map_err(|error| failed(error.to_string()))?;
        let args = ["hash-object", "-t", "commit", "-w", "--stdin"];
        let output =
            self.0.output_with_input(dir, &[], &args, CommandInput { input: Some(input), index: None })?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Writes a commit that only a comparison needs and returns its id. It has no identity of the user, who may have
    /// configured none. No ref is changed.
    pub fn write_temporary(&self, dir: &Path, tree: &str, parent: &str) -> Result<String, GitError> {
        let args = ["commit-tree", tree, "-p", parent, "-m", "work"];
        let output = self.0.output(dir, &IDENTITY.map(str::to_owned), &args)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }
}

fn failed(output: String) -> GitError {
    GitError::Failed { what: "commit-tree".to_owned(), output }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Repository;
    use super::*;

    #[test]
    fn commits_are_copied_with_author_and_message_onto_a_moved_base() {
        let r = Repository::new();
        r.write("a", "1\n");
        r.commit("base");
        r.git(&["checkout", "-q", "-b", "work"]);
        r.write("b", "1\n");
        r.git(&["add", "-A"]);
        r.git(&["commit", "-q", "--author=Ann <ann@example.org>", "-m", "add b\n\nwith a body"]);
        r.write("both", "same\n");
        r.commit("already there");
        r.git(&["checkout", "-q", "main"]);
        r.write("both", "same\n");
        r.commit("moved");
        let scratch = tempfile::tempdir().unwrap();
        let (git, top) = (r.ours(), r.top());
        r.git(&["config", "user.name", "me"]);
        r.git(&["config", "user.email", "me@example.org"]);
        let identity = CommitIdentity::default();
        let onto = git.commit(&top, "main").unwrap().unwrap();
        let tip = git.commit(&top, "work").unwrap().unwrap();
        let ReplayedCommits::Done(done) =
            CommitWriter(&git).replay(&top, (&onto, &onto, &tip), (&identity, scratch.path())).unwrap()
        else {
            panic!("conflict");
        };
        let log = git.line(&top, &["log", "--format=%an %cn %s %b", &format!("{onto}..{done}")]).unwrap();
        assert_eq!(log, "Ann me add b with a body", "the commit that changes nothing is left out");
        assert_eq!(git.commit(&top, &format!("{done}^")).unwrap(), Some(onto.clone()));
        let ReplayedCommits::Done(same) =
            CommitWriter(&git).replay(&top, (&onto, &onto, &done), (&identity, scratch.path())).unwrap()
        else {
            panic!("conflict");
        };
        assert_eq!(same, done, "commits that are in place are not copied");
    }

    #[test]
    fn the_configuration_of_the_user_may_be_at_another_place() {
        let r = Repository::new();
        r.commit("first");
        let config = r.dir.path().join("xdg/git/config");
        fs::create_dir_all(config.parent().unwrap()).unwrap();
        fs::write(&config, "[user]\nname = Ann\nemail = ann@example.org\n").unwrap();
        let tree = Objects(&r.ours()).tree_of(&r.top(), "main").unwrap();
        let identity = CommitIdentity::default();
        let plan = CommitPlan { tree: &tree, parents: &["main"], message: "second", identity: &identity };
        for (name, value) in
            [("GIT_CONFIG_GLOBAL", config.clone()), ("XDG_CONFIG_HOME", r.dir.path().join("xdg"))]
        {
            let git = r.ours().with_user_variables(|asked| (asked == name).then(|| value.clone().into()));
            let commit = CommitWriter(&git).write(&r.top(), plan).unwrap();
            assert_eq!(
                git.line(&r.top(), &["log", "-1", "--format=%ae", &commit]).unwrap(),
                "ann@example.org"
            );
        }
    }

    #[test]
    fn variables_of_the_environment_name_author_and_committer() {
        let r = Repository::new();
        r.commit("first");
        let (git, top) = (r.ours(), r.top());
        let identity = CommitIdentity::from_variables(|name| Some(format!("{}@x", name.to_lowercase())));
        let tree = Objects(&git).tree_of(&top, "main").unwrap();
        let plan = CommitPlan { tree: &tree, parents: &["main"], message: "second", identity: &identity };
        let commit = CommitWriter(&git).write(&top, plan).unwrap();
        let shown = git.line(&top, &["log", "-1", "--format=%an %ae %cn %ce", &commit]).unwrap();
        assert_eq!(shown, "git_author_name@x git_author_email@x git_committer_name@x git_committer_email@x");
    }
}
