//! Commit objects. They are written directly, because `git commit` would need a working tree and would run hooks and
//! signing programs.

use std::collections::BTreeSet;
use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::super::command::{CommandInput, Git, GitError};
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

impl Git {
    /// Writes a commit with the identity of the user and returns its id. No ref is changed.
    pub fn write_commit(&self, dir: &Path, plan: CommitPlan<'_>) -> Result<String, GitError> {
        let mut args = vec!["commit-tree", plan.tree, "-m", plan.message];
        args.extend(plan.parents.iter().flat_map(|parent| ["-p", parent]));
        let output = self.output(dir, &plan.identity.0, &args)?;
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
        let Some(staged) = self.index_tree(top, scratch)? else { return Ok(None) };
        let changed = |from: &str, to: &str, filter: &str| -> Result<BTreeSet<PathBuf>, GitError> {
            let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", filter, from, to];
            Ok(self.stream(top, &[], &args, read_paths)?.into_iter().collect())
        };
        let own = changed(head, &staged, "--diff-filter=AMT")?;
        let replaced = changed(&staged, tree, "--diff-filter=MDT")?;
        match own.is_disjoint(&replaced) {
            true => Ok(None),
            false => self.write_temporary_commit(top, &staged, head).map(Some),
        }
    }

    /// Returns the tree of a commit.
    pub fn tree_of(&self, dir: &Path, commit: &str) -> Result<String, GitError> {
        self.line(dir, &["rev-parse", "--verify", &format!("{commit}^{{tree}}")])
    }

    /// Returns the messages of the commits in `to` that `from` lacks, the oldest first. Merge commits are left out.
    pub fn messages_between(&self, dir: &Path, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let range = format!("{from}..{to}");
        let quiet = ["--no-show-signature", "--no-notes", "--encoding=UTF-8", "--no-color"];
        let args =
            [&["log", "-z", "--reverse", "--no-merges", "--format=%B"][..], &quiet, &[&range, "--"]].concat();
        let output = self.output(dir, &[], &args)?;
        let text = String::from_utf8_lossy(&output).into_owned();
        Ok(text.split('\0').map(str::trim_end).filter(|text| !text.is_empty()).map(str::to_owned).collect())
    }

    /// Returns whether a commit in `to` that `from` lacks is a merge commit.
    pub fn has_merges(&self, dir: &Path, from: &str, to: &str) -> Result<bool, GitError> {
        let range = format!("{from}..{to}");
        Ok(self.line(dir, &["rev-list", "--count", "--merges", &range, "--"])? != "0")
    }

    /// Copies the commits of `onto..tip` onto `onto`, the oldest first, with their authors and messages. Merge commits
    /// and commits that change nothing any more are left out. Writes objects only; `scratch` is for temporary files.
    pub fn replay(
        &self,
        dir: &Path,
        (onto, tip): (&str, &str),
        (identity, scratch): (&CommitIdentity, &Path),
    ) -> Result<ReplayedCommits, GitError> {
        let range = format!("{onto}..{tip}");
        let list = self.line(dir, &["rev-list", "--reverse", "--topo-order", "--no-merges", &range, "--"])?;
        let mut last = onto.to_owned();
        for commit in list.lines() {
            let Some(parent) = self.commit(dir, &format!("{commit}^"))? else {
                return Err(failed(format!("`{commit}` has no parent")));
            };
            if parent == last {
                last = commit.to_owned();
                continue;
            }
            let tree = match self.merged_tree(dir, Some(&parent), (&last, commit))? {
                MergedTree::Clean(tree) => tree,
                MergedTree::Conflicts(paths) => {
                    return Ok(ReplayedCommits::Conflicts { commit: commit.to_owned(), paths });
                }
            };
            let changes_nothing = tree == self.tree_of(dir, &last)?;
            if changes_nothing && self.tree_of(dir, &parent)? != self.tree_of(dir, commit)? {
                continue;
            }
            last = self.copy_commit(dir, commit, (&tree, &last), (identity, scratch))?;
        }
        Ok(ReplayedCommits::Done(last))
    }

    /// Writes a copy of a commit with another tree and parent.
    fn copy_commit(
        &self,
        dir: &Path,
        commit: &str,
        (tree, parent): (&str, &str),
        (identity, scratch): (&CommitIdentity, &Path),
    ) -> Result<String, GitError> {
        let original = self.output(dir, &[], &["cat-file", "commit", commit])?;
        let end = original.windows(2).position(|pair| pair == b"\n\n");
        let Some(end) = end else { return Err(failed(format!("`{commit}` is damaged"))) };
        let (headers, message) = original.split_at(end);
        let header = |name: &[u8]| {
            headers.split(|byte| *byte == b'\n').find(|line| line.starts_with(name)).map(<[u8]>::to_vec)
        };
        let Some(author) = header(b"author ") else { return Err(failed(format!("`{commit}` is damaged"))) };
        let committer = self.output(dir, &identity.0, &["var", "GIT_COMMITTER_IDENT"])?;
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
            self.output_with_input(dir, &[], &args, CommandInput { input: Some(input), index: None })?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Returns whether a commit is contained in the history of another one.
    pub fn is_ancestor(&self, dir: &Path, ancestor: &str, descendant: &str) -> Result<bool, GitError> {
        let args = ["merge-base", "--is-ancestor", ancestor, descendant];
        Ok(self.output_with_exit_codes(dir, &[], &args, &[0, 1])?.0 == 0)
    }

    /// Returns the number of commits on a branch that none of these commits contains; 0 if there is no such branch.
    pub fn commits_outside(&self, dir: &Path, branch: &str, commits: &[&str]) -> Result<u64, GitError> {
        let Some(tip) = self.branch_tip(dir, branch)? else { return Ok(0) };
        let args = [&["rev-list", "--count", &tip, "--not"][..], commits, &["--"]].concat();
        let count = self.line(dir, &args)?;
        count.parse().map_err(|_| failed(format!("`{count}` is not a number")))
    }

    /// Returns the number of commits in `to` that `from` lacks.
    pub fn count_between(&self, dir: &Path, from: &str, to: &str) -> Result<u64, GitError> {
        let count = self.line(dir, &["rev-list", "--count", &format!("{from}..{to}"), "--"])?;
        count.parse().map_err(|_| failed(format!("`{count}` is not a number")))
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
            git.replay(&top, (&onto, &tip), (&identity, scratch.path())).unwrap()
        else {
            panic!("conflict");
        };
        let log = git.line(&top, &["log", "--format=%an %cn %s %b", &format!("{onto}..{done}")]).unwrap();
        assert_eq!(log, "Ann me add b with a body", "the commit that changes nothing is left out");
        assert_eq!(git.commit(&top, &format!("{done}^")).unwrap(), Some(onto.clone()));
        let ReplayedCommits::Done(same) =
            git.replay(&top, (&onto, &done), (&identity, scratch.path())).unwrap()
        else {
            panic!("conflict");
        };
        assert_eq!(same, done, "commits that are in place are not copied");
    }

    #[test]
    fn variables_of_the_environment_name_author_and_committer() {
        let r = Repository::new();
        r.commit("first");
        let (git, top) = (r.ours(), r.top());
        let identity = CommitIdentity::from_variables(|name| Some(format!("{}@x", name.to_lowercase())));
        let tree = git.tree_of(&top, "main").unwrap();
        let plan = CommitPlan { tree: &tree, parents: &["main"], message: "second", identity: &identity };
        let commit = git.write_commit(&top, plan).unwrap();
        let shown = git.line(&top, &["log", "-1", "--format=%an %ae %cn %ce", &commit]).unwrap();
        assert_eq!(shown, "git_author_name@x git_author_email@x git_committer_name@x git_committer_email@x");
    }
}
