//! The difference between two trees. Options on the command line override everything that the configuration of a
//! repository could change, and no external diff program or text conversion is started.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::command::{Git, GitError};
use super::super::uncommitted::NAMES_AS_THEY_ARE;
use crate::model::{BlobPair, FileChange, FileChangeKind};

/// The two trees or commits to compare.
#[derive(Debug, Clone, Copy)]
pub struct TreePair<'a> {
    /// The older tree.
    pub from: &'a str,
    /// The newer tree.
    pub to: &'a str,
}

/// Option for more context than any file has lines.
const ALL_LINES: &str = "--unified=10000000";

/// Options that make the output independent of the user's and the repository's configuration.
const FIXED: [&str; 11] = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--find-renames",
    "--ignore-submodules=none",
    "--submodule=short",
    "--unified=3",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    // The configuration may name a file that determines the order.
    "-O/dev/null",
];

/// The default of git. git shows no changes of files above this size, and a repository could set it to one byte.
const BIG_FILES: &str = "core.bigFileThreshold=512m";

/// Empty lines of context begin with a space, as the other ones do.
const WITH_EMPTY_CONTEXT: &str = "diff.suppressBlankEmpty=false";

/// Mode of a submodule in a tree.
const GITLINK_MODE: &str = "160000";

/// Reads the difference between two trees.
#[derive(Debug, Clone, Copy)]
pub struct Diffs<'a>(pub &'a Git);

impl Diffs<'_> {
    /// Returns the files that differ between two trees, in the order of git.
    pub fn changed_files(&self, top: &Path, trees: TreePair<'_>) -> Result<Vec<FileChange>, GitError> {
        let args =
            [&["diff", "--raw", "--numstat", "--no-abbrev", "-z"][..], &FIXED, &[trees.from, trees.to, "--"]]
                .concat();
        let mut output = Vec::new();
        let configs = [BIG_FILES.to_owned()];
        self.0.stream(top, &configs, &args, |from| from.read_to_end(&mut output).map_err(unreadable))?;
        Ok(parse(&output))
    }

    /// Writes the difference between two trees as a patch that `git apply` accepts. Limited to `paths` if there are
    /// any.
    pub fn write_patch(
        &self,
        top: &Path,
        trees: TreePair<'_>,
        paths: &[String],
        into: &mut dyn Write,
    ) -> Result<(), GitError> {
        self.write(top, (trees, &[]), paths, into)
    }

    /// Writes the difference between two trees as a patch with all lines of the changed files.
    pub fn write_whole_files(
        &self,
        top: &Path,
        trees: TreePair<'_>,
        paths: &[String],
        into: &mut dyn Write,
    ) -> Result<(), GitError> {
        self.write(top, (trees, &[ALL_LINES]), paths, into)
    }

    fn write(
        &self,
        top: &Path,
        (trees, options): (TreePair<'_>, &[&str]),
        paths: &[String],
        into: &mut dyn Write,
    ) -> Result<(), GitError> {
        let literal: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        let fixed = [&["diff", "--patch", "--binary", "--full-index"][..], &FIXED, options].concat();
        let limits = literal.iter().map(String::as_str);
        let args: Vec<&str> = fixed.into_iter().chain([trees.from, trees.to, "--"]).chain(limits).collect();
        let configs = [NAMES_AS_THEY_ARE, BIG_FILES, WITH_EMPTY_CONTEXT].map(str::to_owned);
        self.0.stream(top, &configs, &args, |from| {
            match io::copy(from, into) {
                // The reader of the output has seen enough.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                copied => copied.map(drop).map_err(unreadable),
            }
        })
    }

    /// Creates a repository in `scratch` that has the objects of `top` and of a snapshot, but neither the configuration
    /// nor the attributes of `top`. Programs that compare trees can be started in it.
    pub fn repository_for_tools(&self, top: &Path, scratch: &Path) -> Result<PathBuf, GitError> {
        let own = self.0.with_own_objects().line(top, &["rev-parse", "--git-path", "objects"])?;
        let own = top.join(own).canonicalize().map_err(unreadable)?;
        let format = self.0.line(top, &["rev-parse", "--show-object-format"])?;
        let at = scratch.join("tools.git");
        let (format, place) = (format!("--object-format={format}"), at.to_string_lossy());
        self.0.output(scratch, &[], &["init", "--quiet", "--bare", "--template=", &format, &place])?;
        let objects = [own, scratch.join("objects")];
        let alternates: String = objects.iter().map(|path| format!("{}\n", path.display())).collect();
        let info = at.join("objects/info");
        fs::create_dir_all(&info)
            .and_then(|()| fs::write(info.join("alternates"), alternates))
            .map_err(unreadable)?;
        Ok(at)
    }
}

/// Parses the output of `diff --raw --numstat -z`.
fn parse(output: &[u8]) -> Vec<FileChange> {
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let mut fields = output.split(|byte| *byte == 0);
    let mut changes: Vec<FileChange> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    while let Some(field) = fields.next() {
        if let Some(header) = field.strip_prefix(b":") {
            let header = text(header);
            let words: Vec<&str> = header.split(' ').collect();
            let [old_mode, new_mode, old_id, new_id, status] = words[..] else { continue };
            let Some(first) = fields.next().map(text) else { break };
            let second = if status.starts_with(['R', 'C']) { fields.next() } else { None };
            let (path, old_path) = match second {
                Some(second) => (text(second), Some(first)),
                None => (first, None),
            };
            places.insert(path.clone(), changes.len());
            changes.push(FileChange {
                path,
                old_path,
                kind: kind(status, [old_mode, new_mode]),
                added: None,
                removed: None,
                blobs: BlobPair { old_blob: existing(old_id), new_blob: existing(new_id) },
            });
        } else if !field.is_empty() {
            let counts = text(field);
            let mut words = counts.splitn(3, '\t');
            let (added, removed) = (words.next(), words.next());
            let path = match words.next() {
                Some("") => fields.nth(1).map(text),
                path => path.map(str::to_owned),
            };
            let Some(change) = path.and_then(|path| changes.get_mut(*places.get(&path)?)) else { continue };
            change.added = added.and_then(|number| number.parse().ok());
            change.removed = removed.and_then(|number| number.parse().ok());
        }
    }
    changes
}

/// Returns the id of an object; git writes zeros for a file that does not exist.
fn existing(id: &str) -> Option<String> {
    id.bytes().any(|byte| byte != b'0').then(|| id.to_owned())
}

fn kind(status: &str, modes: [&str; 2]) -> FileChangeKind {
    match status.chars().next() {
        _ if modes.contains(&GITLINK_MODE) => FileChangeKind::Submodule,
        Some('A') => FileChangeKind::Added,
        Some('D') => FileChangeKind::Deleted,
        Some('R') => FileChangeKind::Renamed,
        Some('C') => FileChangeKind::Copied,
        Some('T') => FileChangeKind::TypeChanged,
        _ => FileChangeKind::Modified,
    }
}

fn unreadable(error: io::Error) -> GitError {
    GitError::Failed { what: "diff".to_owned(), output: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Repository;
    use super::*;
    use crate::git::objects::Objects;

    #[test]
    fn renames_binary_files_and_counts_are_reported() {
        let r = Repository::new();
        r.write("old name", &"same line\n".repeat(20));
        r.write("bin", "a\0b");
        r.write("gone", "x\n");
        r.commit("first");
        r.git(&["mv", "old name", "new\tname"]);
        r.write("bin", "a\0c");
        r.write("added", "1\n2\n");
        std::fs::remove_file(r.top().join("gone")).unwrap();
        r.commit("second");
        let found =
            Diffs(&r.ours()).changed_files(&r.top(), TreePair { from: "HEAD~1", to: "HEAD" }).unwrap();
        let of = |path: &str| found.iter().find(|change| change.path == path).unwrap();
        assert_eq!(
            (of("added").kind, of("added").added, of("added").removed),
            (FileChangeKind::Added, Some(2), Some(0))
        );
        assert_eq!((of("bin").kind, of("bin").added), (FileChangeKind::Modified, None));
        assert_eq!(of("gone").kind, FileChangeKind::Deleted);
        assert_eq!(of("new\tname").old_path.as_deref(), Some("old name"));
        assert_eq!((of("new\tname").kind, of("new\tname").added), (FileChangeKind::Renamed, Some(0)));
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn a_file_is_read_from_a_tree_by_its_exact_path() {
        let r = Repository::new();
        r.write("dir/a b:c", "one\n");
        r.commit("first");
        let id = Objects(&r.ours()).blob_at(&r.top(), "HEAD", "dir/a b:c").unwrap().unwrap();
        assert_eq!(Objects(&r.ours()).blob(&r.top(), &id).unwrap().unwrap(), b"one\n");
        for missing in ["", "dir/a", "dir/*", "no-such"] {
            assert_eq!(Objects(&r.ours()).blob_at(&r.top(), "HEAD", missing).unwrap(), None, "{missing}");
        }
        let dir = Objects(&r.ours()).blob_at(&r.top(), "HEAD", "dir").unwrap().unwrap();
        assert_eq!(Objects(&r.ours()).blob(&r.top(), &dir).unwrap(), None, "a directory is no file");
        r.write("dir/a b:c", "two\n");
        r.commit("second");
        let trees = TreePair { from: "HEAD~1", to: "HEAD" };
        let changed = Diffs(&r.ours()).changed_files(&r.top(), trees).unwrap();
        assert_eq!(changed[0].blobs.old_blob.as_ref(), Some(&id));
    }

    #[test]
    fn a_patch_can_be_applied_and_starts_no_program_of_the_repository() {
        let r = Repository::new();
        r.write("a.x", "one\n\nend\n");
        r.write("bin", "a\0b");
        r.write(".gitattributes", "*.x diff=evil\n");
        r.commit("first");
        r.write("a.x", "two\n\nend\n");
        r.write("bin", "a\0c");
        r.commit("second");
        let marker = r.dir.path().join("marker");
        let touch = format!("touch {}", marker.display());
        for key in
            ["diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "core.pager"]
        {
            r.git(&["config", key, &touch]);
        }
        for (key, value) in
            [("diff.noprefix", "true"), ("diff.suppressBlankEmpty", "true"), ("core.bigFileThreshold", "1")]
        {
            r.git(&["config", key, value]);
        }
        let mut patch = Vec::new();
        let trees = TreePair { from: "HEAD~1", to: "HEAD" };
        Diffs(&r.ours()).write_patch(&r.top(), trees, &[], &mut patch).unwrap();
        assert!(!marker.exists());
        let text = String::from_utf8_lossy(&patch);
        assert!(text.contains("\n+two\n") && text.contains("\n \n"), "{text}");
        let file = r.dir.path().join("patch");
        std::fs::write(&file, &patch).unwrap();
        r.git(&["config", "core.fsmonitor", "false"]);
        r.git(&["reset", "-q", "--hard", "HEAD~1"]);
        r.git(&["apply", file.to_str().unwrap()]);
        assert_eq!(std::fs::read(r.top().join("bin")).unwrap(), b"a\0c");
        let mut one = Vec::new();
        Diffs(&r.ours())
            .write_patch(&r.top(), TreePair { from: "HEAD", to: "HEAD" }, &["a.x".into()], &mut one)
            .unwrap();
        assert!(one.is_empty());
    }
}
