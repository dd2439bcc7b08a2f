//! Transfers the commits of a branch as one file: writes a git bundle from a repository and imports it into another.
//!
//! An imported bundle may come from an untrusted source. Its header is parsed here and must name exactly one commit,
//! `HEAD`, so that no name in it becomes a ref. git checks its objects before it stores them; missing objects and an
//! excessive checkout size are detected before anything is created from them. Bundles contain neither hooks nor
//! configuration.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use super::checkout_size::CheckoutSize;
use super::command::{CommandInput, Git, GitError};
use super::submodules::INSIDE_GIT;
use super::uncommitted::NAMES_AS_THEY_ARE;

/// Length of an object name in a repository with the SHA-256 format.
const SHA256: usize = 64;

/// Maximum number of remotes to record, more than repositories have in practice.
const MAX_REMOTES: usize = 16;
/// Maximum number of root commits to record, more than histories have in practice.
const MAX_ROOTS: usize = 16;
/// Maximum length of a line in the header of a bundle, in bytes.
const MAX_LINE_BYTES: u64 = 4096;

/// The state of a branch, with the data that other repositories need to find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchTip {
    /// The commit at the tip of the branch.
    pub head: String,
    /// The newest ancestor of `head` that a remote has.
    pub base: Option<String>,
    /// The root commits of its history.
    pub roots: Vec<String>,
    /// The URLs of the remotes, unchanged.
    pub remotes: Vec<String>,
}

/// Transfers the commits of a branch in a file.
#[derive(Debug, Clone, Copy)]
pub struct Bundles<'a>(pub &'a Git);

impl Bundles<'_> {
    /// Writes the complete history of HEAD to a file. Returns `None` if there is no commit yet.
    pub fn write(&self, top: &Path, into: &Path) -> Result<Option<BranchTip>, GitError> {
        if self.0.commit(top, "HEAD")?.is_none() {
            return Ok(None);
        }
        let output = self.0.output(top, &[], &["rev-parse", "--is-shallow-repository"])?;
        if output.starts_with(b"true") {
            return Err(failed("bundle", "this clone is shallow; `git fetch --unshallow` completes it"));
        }
        self.0.output(top, &[], &["bundle", "create", "--quiet", &into.to_string_lossy(), "HEAD"])?;
        // The agent may commit in the meantime: the commit in the file counts.
        let (head, _) = header(into)?;
        let roots = self.lines(top, &["rev-list", "--max-parents=0", &head])?;
        let base = self.published_base(top, &head)?;
        let keys = ["config", "--null", "--get-regexp", r"^remote\..*\.url$"];
        let remotes = match self.0.output(top, &[], &keys) {
            Ok(output) => output,
            Err(GitError::Failed { output, .. }) if output.is_empty() => Vec::new(),
            Err(error) => return Err(error),
        };
        let remotes = String::from_utf8_lossy(&remotes)
            .split('\0')
            .filter_map(|pair| pair.split_once('\n').map(|(_, address)| address.to_owned()))
            .take(MAX_REMOTES)
            .collect();
        Ok(Some(BranchTip { head, base, roots: roots.into_iter().take(MAX_ROOTS).collect(), remotes }))
    }

    /// Writes the messages and changes of all commits that are on no remote to a file, for inspection.
    pub fn write_unpublished(&self, top: &Path, head: &str, into: &Path) -> Result<(), GitError> {
        let output = format!("--output={}", into.display());
        let plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-show-signature", "--no-renames"];
        // Includes files that `.gitattributes` excludes from diffs: the attribute determines how a file is shown, not
        // whether it is transferred.
        let what = [
            "log",
            "-p",
            "--text",
            "--diff-merges=first-parent",
            "--format=commit %H%n%an <%ae>%n%cn <%ce>%n%B",
            &output,
        ];
        let names = [NAMES_AS_THEY_ARE.to_owned()];
        self.0.output(top, &names, &[&what[..], &plain, &[head, "--not", "--remotes"]].concat()).map(drop)
    }

    fn published_base(&self, top: &Path, head: &str) -> Result<Option<String>, GitError> {
        if self.0.output(top, &[], &["for-each-ref", "--count=1", "refs/remotes/"])?.is_empty() {
            return Ok(None);
        }
        let ahead = self.lines(top, &["rev-list", "--boundary", head, "--not", "--remotes"])?;
        let boundary = ahead.iter().find_map(|line| line.strip_prefix('-').map(str::to_owned));
        Ok(if ahead.is_empty() { Some(head.to_owned()) } else { boundary })
    }

    /// Imports the objects of a bundle into a repository without creating a ref. The bundle must be for the commit
    /// `head`.
    pub fn import_objects(&self, repository: &Path, bundle: &Path, head: &str) -> Result<(), GitError> {
        let (named, begin) = header(bundle)?;
        if named != head {
            return Err(failed("bundle", "it contains another commit than the hand-off names"));
        }
        let mut input = File::open(bundle).map_err(|error| failed("bundle", &error.to_string()))?;
        input.seek(SeekFrom::Start(begin)).map_err(|error| failed("bundle", &error.to_string()))?;
        let size = fs::metadata(bundle).map_or(0, |meta| meta.len());
        let most = format!("--max-input-size={size}");
        let args = ["index-pack", "--stdin", "--fsck-objects", &most];
        let inside = [INSIDE_GIT.to_owned()];
        let git = self.0.with_memory_limit();
        git.output_with_input(repository, &inside, &args, CommandInput { input: Some(input), index: None })?;
        CheckoutSize::default().plus_checkout(&git, (repository, head), CheckoutSize::most_of(size))?;
        // A complete pack may still lack objects that its commits refer to.
        git.output(repository, &inside, &["rev-list", "--objects", "--quiet", head, "--"]).map(drop)
    }

    /// Creates a repository in an empty directory, with the object format that the name of `commit` implies.
    pub fn create_repository(&self, dir: &Path, branch: &str, commit: &str) -> Result<(), GitError> {
        let first = format!("--initial-branch={branch}");
        let mut args = vec!["init", "--quiet", &first];
        args.extend((commit.len() == SHA256).then_some("--object-format=sha256"));
        self.0.output(dir, &[], &args).map(drop)
    }

    /// Creates the first branch of a new repository at an existing commit and checks it out.
    pub fn create_first_branch(&self, dir: &Path, branch: &str, commit: &str) -> Result<(), GitError> {
        self.0.output(dir, &[], &["update-ref", &format!("refs/heads/{branch}"), commit])?;
        self.0.with_memory_limit().output(dir, &[], &["reset", "--quiet", "--hard", commit]).map(drop)
    }

    fn lines(&self, dir: &Path, args: &[&str]) -> Result<Vec<String>, GitError> {
        let output = self.0.output(dir, &[], args)?;
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }
}

/// Returns the one commit that a bundle names, and the offset of its pack data.
fn header(bundle: &Path) -> Result<(String, u64), GitError> {
    let unreadable = |error: std::io::Error| failed("bundle", &error.to_string());
    let bad = |why: &str| failed("bundle", why);
    let mut source = BufReader::new(File::open(bundle).map_err(unreadable)?);
    let (mut head, mut begin) = (None, 0);
    for at in 0.. {
        let mut line = Vec::new();
        let read = std::io::Read::take(&mut source, MAX_LINE_BYTES).read_until(b'\n', &mut line);
        begin += read.map_err(unreadable)? as u64;
        let Some(line) = line.strip_suffix(b"\n") else { return Err(bad("its bundle is truncated")) };
        let line = std::str::from_utf8(line).map_err(|_| bad("its bundle cannot be read"))?;
        match (at, line) {
            (0, "# v2 git bundle" | "# v3 git bundle") => {}
            (0, _) => return Err(bad("its bundle is not a git bundle")),
            (_, "") => break,
            (_, "@object-format=sha1" | "@object-format=sha256") if head.is_none() => {}
            _ => match (line.split_once(' '), &head) {
                (Some((commit, "HEAD")), None) if is_commit(commit) => head = Some(commit.to_owned()),
                _ => return Err(bad("its bundle does not contain exactly one commit")),
            },
        }
    }
    head.map(|head| (head, begin)).ok_or_else(|| bad("its bundle contains no commit"))
}

fn is_commit(text: &str) -> bool {
    (text.len() == 40 || text.len() == 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn failed(what: &str, output: &str) -> GitError {
    GitError::Failed { what: what.to_owned(), output: output.to_owned() }
}

#[cfg(test)]
mod tests;
