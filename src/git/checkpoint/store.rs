//! Takes, lists and deletes checkpoints.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::super::branches::Branches;
use super::super::command::{CommandInput, Git, GitError};
use super::super::git_dir;
use super::super::recover::IDENTITY;
use super::super::review::{ObjectStore, SnapshotPlan, Snapshots};
use super::super::submodules::INSIDE_GIT;
use super::super::uncommitted::{Index, TreeListing};
use super::super::untrusted_file::open_regular_file;
use super::ExactFiles;
use crate::failpoint;
use crate::model::{Checkpoint, CheckpointNote};

/// The location and the content of a new checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct CheckpointPlan<'a> {
    /// Prefix of the refs of the agent, with a slash at its end.
    pub prefix: &'a str,
    /// Number of the checkpoint.
    pub number: u64,
    /// Time at which it is taken.
    pub at: Timestamp,
    /// Facts that are known before the trees are written.
    pub note: &'a CheckpointNote,
    /// The commit that is checked out; `None` before the first commit.
    pub head: Option<&'a str>,
    /// The index and the changes of the working tree.
    pub listing: &'a TreeListing,
    /// The newest checkpoint. If it has the same content, no new one is stored.
    pub newest: Option<&'a Checkpoint>,
    /// Numbers of checkpoints that are deleted when the new one is stored.
    pub expired: &'a [u64],
    /// Pathspecs that exclude files.
    pub left_out: &'a [String],
    /// Files that are stored although git may ignore them.
    pub also: &'a [PathBuf],
    /// Directory for temporary files. The index of the working tree, with all files, is left in it.
    pub scratch: &'a Path,
}

/// Stores checkpoints below private refs and restores them.
#[derive(Debug, Clone, Copy)]
pub struct CheckpointStore<'a>(pub &'a Git);

impl CheckpointStore<'_> {
    /// Stores a checkpoint and returns it, or the newest one if it has the same content.
    pub fn store(&self, top: &Path, plan: CheckpointPlan<'_>) -> Result<Checkpoint, GitError> {
        let head = plan.head.map(str::to_owned);
        let index = Index(self.0).write_tree(top, plan.scratch)?;
        let snapshot =
            SnapshotPlan { left_out: plan.left_out, scratch: plan.scratch, objects: ObjectStore::Repository };
        let tree = match (Snapshots(self.0).write_listed(top, snapshot, plan.listing)?, plan.also) {
            (tree, []) => tree,
            (_, also) => self.add_to_snapshot(top, also, plan.scratch)?,
        };
        let exact = ExactFiles(self.0).store(top, (head.as_deref(), &tree), plan.scratch)?;
        let exact = match exact.is_empty() {
            true => None,
            false => {
                let own = plan.scratch.join("exact-index");
                let _ = fs::remove_file(&own);
                Some(ExactFiles(self.0).add_to_index(top, &exact, (&own, plan.scratch))?)
            }
        };
        if let Some(newest) = plan.newest
            && (&newest.tree, &newest.note.index, &newest.note.head) == (&tree, &index, &head)
            && newest.note.exact == exact
        {
            return Ok(newest.clone());
        }
        failpoint::reached("checkpoint.trees");
        let note = CheckpointNote {
            head: head.clone(),
            index: index.clone(),
            exact: exact.clone(),
            ..plan.note.clone()
        };
        let message = plan.scratch.join("message");
        let text = serde_json::to_string(&note).map_err(|error| failed(&error.into()))?;
        fs::write(&message, format!("symposium: checkpoint\n\n{text}\n")).map_err(|error| failed(&error))?;
        let below: Vec<&str> = head.as_deref().into_iter().collect();
        let staged = self.commit_tree(top, index.as_ref().unwrap_or(&tree), &below, &message)?;
        let exact = exact.map(|exact| self.commit_tree(top, &exact, &[], &message)).transpose()?;
        let parents: Vec<&str> = std::iter::once(&*staged).chain(exact.as_deref()).collect();
        let commit = self.commit_tree(top, &tree, &parents, &message)?;
        failpoint::reached("checkpoint.commits");
        let expired = plan.expired.iter().map(|number| format!("delete {}{number}\n", plan.prefix));
        let changes = format!("create {}{} {commit}\n", plan.prefix, plan.number);
        self.update_refs(top, &(changes + &expired.collect::<String>()), plan.scratch)?;
        Ok(Checkpoint { number: plan.number, commit, tree, at: plan.at, note })
    }

    /// Returns the checkpoints below a prefix, the oldest first.
    pub fn list(&self, repository: &Path, prefix: &str) -> Result<Vec<Checkpoint>, GitError> {
        Ok(sorted_checkpoints(&self.refs_with_notes(repository, &[prefix])?, prefix))
    }

    /// Returns the checkpoints below a prefix, the oldest first, and the commit that is checked out.
    pub fn list_with_head(
        &self,
        top: &Path,
        prefix: &str,
    ) -> Result<(Vec<Checkpoint>, Option<String>), GitError> {
        let branch = Branches(self.0).current(top)?.map(|branch| format!("refs/heads/{branch}"));
        let patterns: Vec<&str> = std::iter::once(prefix).chain(branch.as_deref()).collect();
        let text = self.refs_with_notes(top, &patterns)?;
        let of_branch = branch.and_then(|branch| {
            let record = text.split("\0\n").find_map(|record| record.strip_prefix(&format!("{branch}\0")))?;
            record.split('\0').next().map(str::to_owned)
        });
        // There is no commit yet, or HEAD is detached or not in a file.
        let head = match of_branch {
            Some(head) => Some(head),
            None => self.0.head(top)?,
        };
        Ok((sorted_checkpoints(&text, prefix), head))
    }

    fn refs_with_notes(&self, repository: &Path, patterns: &[&str]) -> Result<String, GitError> {
        let format =
            "--format=%(refname)%00%(objectname)%00%(tree)%00%(creatordate:unix)%00%(contents:body)%00";
        let args = [&["for-each-ref", format][..], patterns].concat();
        let output = self.0.output(repository, &[INSIDE_GIT.to_owned()], &args)?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }

    /// Deletes checkpoints by their numbers.
    pub fn delete(
        &self,
        repository: &Path,
        prefix: &str,
        numbers: &[u64],
        scratch: &Path,
    ) -> Result<(), GitError> {
        let changes: String = numbers.iter().map(|number| format!("delete {prefix}{number}\n")).collect();
        match changes.is_empty() {
            true => Ok(()),
            false => self.update_refs(repository, &changes, scratch),
        }
    }

    /// Adds files that git may ignore to the index of a snapshot, and returns its tree.
    fn add_to_snapshot(&self, top: &Path, paths: &[PathBuf], scratch: &Path) -> Result<String, GitError> {
        let (index, list) = (scratch.join("index"), scratch.join("ignored"));
        let pathspecs = paths.iter().flat_map(|path| [b":(top,literal)", path.as_os_str().as_bytes(), b"\0"]);
        fs::write(&list, pathspecs.collect::<Vec<_>>().concat()).map_err(|error| failed(&error))?;
        let from = format!("--pathspec-from-file={}", list.display());
        let add = ["add", "--force", "--pathspec-file-nul", &from];
        self.0.output_with_input(top, &[], &add, CommandInput { input: None, index: Some(&index) })?;
        let tree = self.0.output_with_input(
            top,
            &[],
            &["write-tree"],
            CommandInput { input: None, index: Some(&index) },
        )?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    fn commit_tree(
        &self,
        top: &Path,
        tree: &str,
        parents: &[&str],
        message: &Path,
    ) -> Result<String, GitError> {
        let message = message.to_string_lossy();
        let mut args = vec!["commit-tree", "-F", &message];
        args.extend(parents.iter().flat_map(|parent| ["-p", parent]));
        args.push(tree);
        let output = self.0.output(top, &IDENTITY.map(str::to_owned), &args)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    fn update_refs(&self, repository: &Path, changes: &str, scratch: &Path) -> Result<(), GitError> {
        let file = scratch.join("refs");
        fs::write(&file, changes).map_err(|error| failed(&error))?;
        let input = File::open(&file).map_err(|error| failed(&error))?;
        let also = CommandInput { input: Some(input), index: None };
        let inside = [INSIDE_GIT.to_owned(), "core.logAllRefUpdates=false".to_owned()];
        self.0.output_with_input(repository, &inside, &["update-ref", "--stdin"], also).map(drop)
    }
}

/// Returns the number of tracked files from the header of the index, without starting git. Returns 0 without an index.
pub fn tracked_files(top: &Path) -> u32 {
    let Some(index) = git_dir(top).map(|dir| dir.join("index")) else { return 0 };
    let mut header = [0; 12];
    let read = open_regular_file(&index).and_then(|mut file| file.read_exact(&mut header));
    match read {
        Ok(()) if header.starts_with(b"DIRC") => {
            u32::from_be_bytes([header[8], header[9], header[10], header[11]])
        }
        _ => 0,
    }
}

fn sorted_checkpoints(text: &str, prefix: &str) -> Vec<Checkpoint> {
    let mut found: Vec<Checkpoint> = text.split("\0\n").filter_map(|record| parse(record, prefix)).collect();
    found.sort_by_key(|checkpoint| checkpoint.number);
    found
}

fn parse(record: &str, prefix: &str) -> Option<Checkpoint> {
    let mut fields = record.splitn(5, '\0');
    let number = fields.next()?.strip_prefix(prefix)?.parse().ok()?;
    let (commit, tree) = (fields.next()?.to_owned(), fields.next()?.to_owned());
    let at = Timestamp::from_second(fields.next()?.parse().ok()?).ok()?;
    let note = serde_json::from_str(fields.next()?.trim()).unwrap_or_default();
    Some(Checkpoint { number, commit, tree, at, note })
}

fn failed(error: &io::Error) -> GitError {
    GitError::Failed { what: "write-tree".to_owned(), output: error.to_string() }
}
