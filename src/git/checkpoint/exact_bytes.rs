//! Files that git would not write again as they are. git converts line endings and encodings when it stores a file and
//! when it writes it, so that a file with mixed line endings comes back different. Copies of work keep the bytes of such
//! files.
//!
//! Filters are not considered: those of the user, such as Git LFS, restore the content, and others do not run.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::super::command::{CommandInput, Git, GitError};
use super::super::objects::Objects;

/// Attributes that make git convert a file.
const CONVERTING_ATTRIBUTES: [&str; 5] = ["text", "eol", "crlf", "working-tree-encoding", "ident"];

/// A file with the bytes that it has in the working tree, stored as an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::git) struct ExactFile {
    mode: String,
    id: String,
    path: String,
}

/// The trees with the exact files of the checkpoints before and after a restore.
#[derive(Debug, Clone, Copy)]
pub struct ExactTrees<'a> {
    /// Tree with the exact files of the present state.
    pub from: Option<&'a str>,
    /// Tree with the exact files of the restored state.
    pub to: Option<&'a str>,
    /// Tree with all files of the restored state.
    pub files: &'a str,
}

/// Stores and restores files that git would not write again as they are.
#[derive(Debug, Clone, Copy)]
pub struct ExactFiles<'a>(pub &'a Git);

impl ExactFiles<'_> {
    /// Stores the files that differ between `head` and the snapshot `tree` and that git would write with other bytes.
    /// `scratch` contains the index of the snapshot.
    pub(in crate::git) fn store(
        &self,
        top: &Path,
        (head, tree): (Option<&str>, &str),
        scratch: &Path,
    ) -> Result<Vec<ExactFile>, GitError> {
        let head = head.map_or_else(|| Objects(self.0).empty_tree(top), |head| Ok(head.to_owned()))?;
        let changed = self.changed_regular_files(top, &head, tree)?;
        let mut found = self.converted_files(top, changed, scratch)?;
        if found.is_empty() {
            return Ok(found);
        }
        let written = scratch.join("written");
        fs::create_dir_all(&written).map_err(|error| failed(&error))?;
        let prefix = format!("--prefix={}/", written.display());
        let args = ["checkout-index", "-q", "-f", "-z", "--stdin", &prefix];
        let index = scratch.join("index");
        let input = Some(list(scratch, &found, |file| format!("{}\0", file.path))?);
        // A file that git cannot write counts as one with other bytes.
        let _ = self.0.output_with_input(top, &[], &args, CommandInput { input, index: Some(&index) });
        found.retain(|file| {
            let bytes = |dir: &Path| fs::read(dir.join(&file.path)).ok();
            let own = bytes(top);
            own.is_some() && own != bytes(&written)
        });
        let _ = fs::remove_dir_all(&written);
        if found.is_empty() {
            return Ok(found);
        }
        let input = Some(list(scratch, &found, |file| format!("{}\n", quoted(&file.path)))?);
        let args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
        let ids = self.0.output_with_input(top, &[], &args, CommandInput { input, index: None })?;
        let ids = String::from_utf8_lossy(&ids).into_owned();
        Ok(found
            .into_iter()
            .zip(ids.lines())
            .map(|(file, id)| ExactFile { id: id.to_owned(), ..file })
            .collect())
    }

    /// Adds files to an index and returns its tree.
    pub(in crate::git) fn add_to_index(
        &self,
        top: &Path,
        files: &[ExactFile],
        (index, scratch): (&Path, &Path),
    ) -> Result<String, GitError> {
        let line = |file: &ExactFile| format!("{} {} 0\t{}\0", file.mode, file.id, file.path);
        let also = CommandInput { input: Some(list(scratch, files, line)?), index: Some(index) };
        self.0.output_with_input(top, &[], &["update-index", "-z", "--index-info"], also)?;
        let also = CommandInput { input: None, index: Some(index) };
        let tree = self.0.output_with_input(top, &[], &["write-tree"], also)?;
        Ok(String::from_utf8_lossy(&tree).trim().to_owned())
    }

    /// Writes the files of a restored checkpoint that have other bytes than git writes.
    pub fn restore(&self, top: &Path, trees: ExactTrees<'_>) -> Result<(), GitError> {
        let paths = |tree: Option<&str>| match tree {
            Some(tree) => {
                self.0.output(top, &[], &["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree])
            }
            None => Ok(Vec::new()),
        };
        let (from, to) = (paths(trees.from)?, paths(trees.to)?);
        let (from, to) = (String::from_utf8_lossy(&from), String::from_utf8_lossy(&to));
        let to: Vec<&str> = to.split('\0').filter(|path| !path.is_empty()).collect();
        for path in from.split('\0').filter(|path| !path.is_empty() && !to.contains(path)) {
            self.write_output(top, path, &["cat-file", "--filters", &format!("{}:{path}", trees.files)])?;
        }
        for path in to {
            let tree = trees.to.unwrap_or_default();
            self.write_output(top, path, &["cat-file", "blob", &format!("{tree}:{path}")])?;
        }
        Ok(())
    }

    /// Replaces the content of an existing file by the output of a command. Links are not followed.
    fn write_output(&self, top: &Path, path: &str, args: &[&str]) -> Result<(), GitError> {
        let file = top.join(path);
        if !fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file()) {
            return Ok(());
        }
        let bytes = self.0.stream(top, &[], args, |output| {
            let mut bytes = Vec::new();
            output.read_to_end(&mut bytes).map_err(|error| failed(&error))?;
            Ok(bytes)
        })?;
        fs::write(file, bytes).map_err(|error| failed(&error))
    }

    /// Returns the regular files that `tree` has and that differ from those in `head`. Paths that are not UTF-8 are left
    /// out.
    fn changed_regular_files(&self, top: &Path, head: &str, tree: &str) -> Result<Vec<ExactFile>, GitError> {
        let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--diff-filter=d"];
        let mut output = Vec::new();
        self.0.stream(top, &[], &[&args[..], &[head, tree, "--"]].concat(), |from| {
            from.read_to_end(&mut output).map_err(|error| failed(&error))
        })?;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let changed = fields.chunks_exact(2).filter_map(|pair| {
            let (header, path) = (std::str::from_utf8(pair[0]).ok()?, std::str::from_utf8(pair[1]).ok()?);
            let mut words = header.split(' ').skip(1);
            let mode = words.next().filter(|mode| mode.starts_with("100"))?;
            let id = words.nth(1)?;
            Some(ExactFile { mode: mode.to_owned(), id: id.to_owned(), path: path.to_owned() })
        });
        Ok(changed.collect())
    }

    /// Returns those of the files that git converts.
    fn converted_files(
        &self,
        top: &Path,
        files: Vec<ExactFile>,
        scratch: &Path,
    ) -> Result<Vec<ExactFile>, GitError> {
        if files.is_empty() {
            return Ok(files);
        }
        let setting = match self.0.conversion(top) {
            Some(settings) => settings.autocrlf.clone().unwrap_or_default(),
            None => self.0.line(top, &["config", "--get", "core.autocrlf"]).unwrap_or_default(),
        };
        let converts_all = !["", "false", "no", "off", "0"].contains(&setting.to_lowercase().as_str());
        if converts_all {
            return Ok(files);
        }
        let input = Some(list(scratch, &files, |file| format!("{}\0", file.path))?);
        let args = [&["check-attr", "-z", "--stdin"][..], &CONVERTING_ATTRIBUTES].concat();
        let output = self.0.output_with_input(top, &[], &args, CommandInput { input, index: None })?;
        let output = String::from_utf8_lossy(&output).into_owned();
        let fields: Vec<&str> = output.split('\0').collect();
        let is_converting =
            |fields: &[&str]| fields.get(2).is_some_and(|value| !["unspecified", "unset"].contains(value));
        let values = fields.chunks_exact(3).collect::<Vec<_>>();
        let per_file = values.chunks(CONVERTING_ATTRIBUTES.len());
        let converted =
            files.into_iter().zip(per_file).filter(|(_, of)| of.iter().any(|value| is_converting(value)));
        Ok(converted.map(|(file, _)| file).collect())
    }
}

/// Writes a line for each file to a temporary file and opens it.
fn list(scratch: &Path, files: &[ExactFile], line: impl Fn(&ExactFile) -> String) -> Result<File, GitError> {
    let path = scratch.join("exact");
    let text: String = files.iter().map(line).collect();
    fs::write(&path, text).and_then(|()| File::open(&path)).map_err(|error| failed(&error))
}

/// Quotes a path as git expects it in a list with one path on each line.
fn quoted(path: &str) -> String {
    match path.starts_with('"') || path.contains('\n') {
        true => format!("\"{}\"", path.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")),
        false => path.to_owned(),
    }
}

fn failed(error: &io::Error) -> GitError {
    GitError::Failed { what: "hash-object".to_owned(), output: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::super::review::{ObjectStore, SnapshotPlan};
    use super::super::super::testing::Repository;
    use super::*;
    use crate::git::review::Snapshots;

    #[test]
    fn only_files_that_git_would_write_differently_are_stored() {
        let r = Repository::new();
        r.write(".gitattributes", "*.txt text=auto\n*.dos text eol=crlf\n");
        r.commit("first");
        for (path, text) in [
            ("mixed.txt", "a\r\nb\nc\r\n"),
            ("plain.txt", "a\nb\n"),
            ("unix.dos", "a\nb\n"),
            ("usual.dos", "a\r\nb\r\n"),
            ("\"quoted\n\".txt", "a\r\n"),
            ("other", "a\r\nb\n"),
        ] {
            r.write(path, text);
        }
        let scratch = tempfile::tempdir().unwrap();
        let plan = SnapshotPlan { left_out: &[], scratch: scratch.path(), objects: ObjectStore::Repository };
        let tree = Snapshots(&r.ours()).write(&r.top(), plan).unwrap();
        let found = ExactFiles(&r.ours()).store(&r.top(), (Some("HEAD"), &tree), scratch.path()).unwrap();
        let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["\"quoted\n\".txt", "mixed.txt", "unix.dos"]);
        for file in &found {
            let bytes = r.ours().output(&r.top(), &[], &["cat-file", "blob", &file.id]).unwrap();
            assert_eq!(bytes, fs::read(r.top().join(&file.path)).unwrap(), "{}", file.path);
        }
    }
}
