//! Merges two commits into a tree object. Needs git 2.40 or later.

use std::path::Path;

use super::super::command::{Git, GitError};

/// Exit code of `git merge-tree` for a merge with conflicts.
const CONFLICTS: i32 = 1;

/// A merge driver that does what git does without a driver. Drivers of a repository are untrusted programs; git cannot
/// be told to ignore them, so they are replaced.
const PLAIN_DRIVER: &str = "git merge-file -q --marker-size=%L %A %O %B";

/// The result of merging two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergedTree {
    /// Id of the merged tree.
    Clean(String),
    /// Paths with conflicts.
    Conflicts(Vec<String>),
}

/// Merges commits without a working tree.
#[derive(Debug, Clone, Copy)]
pub struct Merges<'a>(pub &'a Git);

impl Merges<'_> {
    /// Merges `theirs` into `ours`. `base` is the common ancestor, which git determines if it is `None`. Writes objects
    /// only.
    pub fn merged_tree(
        &self,
        dir: &Path,
        base: Option<&str>,
        (ours, theirs): (&str, &str),
    ) -> Result<MergedTree, GitError> {
        let configs = self.own_drivers_off(dir)?;
        let base = base.map(|base| format!("--merge-base={base}"));
        let mut args = vec!["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
        args.extend(base.as_deref());
        args.extend([ours, theirs]);
        let (code, output) = self.0.output_with_exit_codes(dir, &configs, &args, &[0, CONFLICTS])?;
        let text = String::from_utf8_lossy(&output).into_owned();
        let mut fields = text.split('\0').filter(|field| !field.is_empty());
        let tree = fields.next().unwrap_or_default().to_owned();
        if code == 0 {
            return Ok(MergedTree::Clean(tree));
        }
        let mut paths: Vec<String> = fields.map(str::to_owned).collect();
        paths.dedup();
        Ok(MergedTree::Conflicts(paths))
    }

    /// Returns configuration values that replace the merge drivers that the repository itself configures.
    fn own_drivers_off(&self, dir: &Path) -> Result<Vec<String>, GitError> {
        let args =
            ["config", "--null", "--show-scope", "--name-only", "--get-regexp", r"^merge\..*\.driver$"];
        let names = match self.0.output(dir, &[], &args) {
            Ok(names) => names,
            // git reports in this way that there are none.
            Err(GitError::Failed { output, .. }) if output.is_empty() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let names = String::from_utf8_lossy(&names).into_owned();
        let fields: Vec<&str> = names.split('\0').collect();
        let own = fields.chunks_exact(2).filter(|pair| pair[0] != "global" && pair[0] != "system");
        own.map(|pair| match pair[1].contains('=') || pair[1].contains('\u{fffd}') {
            true => Err(GitError::Failed {
                what: "config".to_owned(),
                output: "the name of a merge driver is not a plain word".to_owned(),
            }),
            false => Ok(format!("{}={PLAIN_DRIVER}", pair[1])),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Repository;
    use super::*;

    fn diverged(ours: &str, theirs: &str) -> Repository {
        let r = Repository::new();
        r.write("a", "1\n2\n3\n4\n5\n");
        r.commit("base");
        r.git(&["checkout", "-q", "-b", "work"]);
        r.write("a", theirs);
        r.commit("theirs");
        r.git(&["checkout", "-q", "main"]);
        r.write("a", ours);
        r.commit("ours");
        r
    }

    #[test]
    fn changes_of_both_sides_are_merged_without_a_working_tree() {
        let r = diverged("one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n");
        let MergedTree::Clean(tree) =
            Merges(&r.ours()).merged_tree(&r.top(), None, ("main", "work")).unwrap()
        else {
            panic!("conflict");
        };
        let merged = r.ours().line(&r.top(), &["cat-file", "blob", &format!("{tree}:a")]).unwrap();
        assert_eq!(merged, "one\n2\n3\n4\nfive");
        assert_eq!(std::fs::read_to_string(r.top().join("a")).unwrap(), "one\n2\n3\n4\n5\n");
    }

    #[test]
    fn conflicts_are_reported_by_path() {
        let r = diverged("one\n", "uno\n");
        let merged = Merges(&r.ours()).merged_tree(&r.top(), None, ("main", "work")).unwrap();
        assert_eq!(merged, MergedTree::Conflicts(vec!["a".into()]));
    }

    #[test]
    fn merge_drivers_of_the_repository_do_not_run() {
        let r = diverged("one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n");
        let marker = r.dir.path().join("marker");
        r.git(&["config", "merge.evil.driver", &format!("touch {}", marker.display())]);
        r.git(&["config", "merge.default", "evil"]);
        r.write(".git/info/attributes", "* merge=evil\n");
        let merged = Merges(&r.ours()).merged_tree(&r.top(), None, ("main", "work")).unwrap();
        assert!(!marker.exists());
        let MergedTree::Clean(tree) = merged else { panic!("conflict") };
        let merged = r.ours().line(&r.top(), &["cat-file", "blob", &format!("{tree}:a")]).unwrap();
        assert_eq!(merged, "one\n2\n3\n4\nfive");
    }
}
