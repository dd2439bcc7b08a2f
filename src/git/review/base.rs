//! The base of a branch: the commit from which the work on it started.
//!
//! A base branch has several copies: the local branch and one for each remote. In a fork the local copy may be months
//! older than the commit that the work started from, and a comparison with it would show the changes of other people.
//! Therefore the copy is used whose merge base has the fewest commits between it and HEAD.

use std::path::Path;

use super::super::command::{Git, GitError};

/// Names of the main branch that are tried if neither the repository nor a remote names one.
const MAIN_BRANCHES: [&str; 3] = ["main", "master", "trunk"];

/// A ref that the work on a branch may be compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseCandidate {
    /// Full name of the ref.
    pub reference: String,
    /// The merge base of the ref and HEAD.
    pub merge_base: String,
    /// Number of commits from the merge base to HEAD.
    pub commits: u64,
}

impl BaseCandidate {
    /// Returns the name of the ref as users write it: `main` or `origin/main`.
    pub fn short_name(&self) -> &str {
        let name = &self.reference;
        name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/remotes/")).unwrap_or(name)
    }
}

/// Finds the base of the work on a branch.
#[derive(Debug, Clone, Copy)]
pub struct BaseSearch<'a>(pub &'a Git);

impl BaseSearch<'_> {
    /// Returns the nearest copy of a branch, local or on a remote, or `None` if no copy has a common commit with HEAD.
    /// `own` is the branch that HEAD is on, whose copies do not count.
    pub fn nearest_copy(
        &self,
        dir: &Path,
        branch: &str,
        own: Option<&str>,
    ) -> Result<Option<BaseCandidate>, GitError> {
        self.nearest(dir, self.copies_of(dir, branch)?, own)
    }

    /// Returns the nearest main branch: one that a remote names as its default, or one with a usual name.
    pub fn nearest_main_branch(
        &self,
        dir: &Path,
        own: Option<&str>,
    ) -> Result<Option<BaseCandidate>, GitError> {
        self.nearest(dir, self.main_branches(dir)?, own)
    }

    /// Returns the refs that may be the main branch: those with a usual name, and the defaults of the remotes.
    pub(in crate::git) fn main_branches(&self, dir: &Path) -> Result<Vec<String>, GitError> {
        let remotes = self.0.line(dir, &["remote"])?;
        let local = MAIN_BRANCHES.map(|branch| format!("refs/heads/{branch}"));
        let args = ["for-each-ref", "--format=%(refname) %(symref)", "refs/remotes/"];
        let args = args.into_iter().chain(local.iter().map(String::as_str)).collect::<Vec<_>>();
        let refs = self.0.line(dir, &args)?;
        let refs: Vec<(&str, &str)> = refs.lines().filter_map(|line| line.split_once(' ')).collect();
        let mut candidates: Vec<String> =
            MAIN_BRANCHES.iter().flat_map(|branch| copies(&remotes, branch)).collect();
        candidates.retain(|candidate| refs.iter().any(|(name, _)| name == candidate));
        for (name, target) in refs {
            if name.ends_with("/HEAD")
                && !target.is_empty()
                && !candidates.iter().any(|known| known == target)
            {
                candidates.push(target.to_owned());
            }
        }
        Ok(candidates)
    }

    /// Returns the base that a ref names, or `None` if it is no commit or has no common commit with HEAD.
    pub fn at(&self, dir: &Path, reference: &str) -> Result<Option<BaseCandidate>, GitError> {
        // `--` and a leading dash would be read as options.
        if reference.starts_with('-') || self.0.commit(dir, reference)?.is_none() {
            return Ok(None);
        }
        let reference = self.full_name(dir, reference)?;
        let full = self.0.line(dir, &["rev-parse", "--symbolic-full-name", &reference])?;
        self.candidate(dir, if full.is_empty() { &reference } else { &full })
    }

    /// Returns the full name of a branch, local or on a remote, or the text itself if there is no such branch. git would
    /// prefer a tag with the same name.
    pub fn full_name(&self, dir: &Path, name: &str) -> Result<String, GitError> {
        for full in ["refs/heads/", "refs/remotes/"].map(|prefix| format!("{prefix}{name}")) {
            if self.0.commit(dir, &full)?.is_some() {
                return Ok(full);
            }
        }
        Ok(name.to_owned())
    }

    /// Returns the refs of a branch, local and on each remote. Not all of them exist.
    pub(in crate::git) fn copies_of(&self, dir: &Path, branch: &str) -> Result<Vec<String>, GitError> {
        Ok(copies(&self.0.line(dir, &["remote"])?, branch).collect())
    }

    fn nearest(
        &self,
        dir: &Path,
        references: Vec<String>,
        own: Option<&str>,
    ) -> Result<Option<BaseCandidate>, GitError> {
        let is_own = |name: &str| own.is_some_and(|own| is_copy_of(name, own));
        let mut best: Option<BaseCandidate> = None;
        for reference in references.iter().filter(|name| !is_own(name)) {
            if let Some(found) = self.candidate(dir, reference)?
                && best.as_ref().is_none_or(|best| found.commits < best.commits)
            {
                best = Some(found);
            }
        }
        Ok(best)
    }

    fn candidate(&self, dir: &Path, reference: &str) -> Result<Option<BaseCandidate>, GitError> {
        if self.0.commit(dir, reference)?.is_none() {
            return Ok(None);
        }
        let merge_base = match self.0.line(dir, &["merge-base", reference, "HEAD"]) {
            Ok(found) => found,
            // git reports in this way that there is no common commit.
            Err(GitError::Failed { output, .. }) if output.is_empty() => return Ok(None),
            Err(error) => return Err(error),
        };
        let counted = self.0.line(dir, &["rev-list", "--count", &format!("{merge_base}..HEAD"), "--"])?;
        let commits = counted.parse().unwrap_or(u64::MAX);
        Ok(Some(BaseCandidate { reference: reference.to_owned(), merge_base, commits }))
    }
}

/// Returns the names of the refs of a branch, local and on each of the remotes, which are listed one in a line.
fn copies(remotes: &str, branch: &str) -> impl Iterator<Item = String> {
    let on_remotes = remotes.lines().map(move |remote| format!("refs/remotes/{remote}/{branch}"));
    std::iter::once(format!("refs/heads/{branch}")).chain(on_remotes)
}

/// Returns whether a ref is a branch of this name, local or on a remote.
pub(in crate::git) fn is_copy_of(reference: &str, branch: &str) -> bool {
    let on_remote = reference.strip_prefix("refs/remotes/").and_then(|name| name.split_once('/'));
    reference.strip_prefix("refs/heads/") == Some(branch) || on_remote.is_some_and(|(_, name)| name == branch)
}

#[cfg(test)]
mod tests {
    use super::super::super::history::History;
    use super::super::super::testing::Repository;
    use super::BaseSearch;

    fn repository() -> Repository {
        let r = Repository::new();
        r.write("a", "one\n");
        r.commit("first");
        r
    }

    #[test]
    fn a_stale_local_branch_does_not_hide_the_remote_one() {
        let r = repository();
        r.git(&["remote", "add", "upstream", "/nowhere"]);
        r.git(&["checkout", "-q", "-b", "work"]);
        r.commit("by others");
        r.git(&["update-ref", "refs/remotes/upstream/main", "HEAD"]);
        r.commit("own");
        let found = BaseSearch(&r.ours()).nearest_copy(&r.top(), "main", Some("work")).unwrap().unwrap();
        assert_eq!((found.short_name(), found.commits), ("upstream/main", 1));
    }

    #[test]
    fn the_main_branch_is_found_without_a_record() {
        let r = repository();
        r.git(&["branch", "-m", "main", "develop"]);
        r.git(&["remote", "add", "origin", "/nowhere"]);
        r.git(&["update-ref", "refs/remotes/origin/develop", "HEAD"]);
        r.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"]);
        r.git(&["checkout", "-q", "-b", "work"]);
        r.commit("own");
        let found = BaseSearch(&r.ours()).nearest_main_branch(&r.top(), Some("work")).unwrap().unwrap();
        assert_eq!(found.reference, "refs/remotes/origin/develop");
    }

    #[test]
    fn unrelated_branches_and_texts_are_no_base() {
        let r = repository();
        r.git(&["checkout", "-q", "--orphan", "other"]);
        r.commit("unrelated");
        assert_eq!(BaseSearch(&r.ours()).nearest_copy(&r.top(), "main", Some("other")).unwrap(), None);
        for text in ["--all", "no-such", "HEAD:a", ""] {
            assert_eq!(BaseSearch(&r.ours()).at(&r.top(), text).unwrap(), None, "{text}");
        }
        assert_eq!(BaseSearch(&r.ours()).at(&r.top(), "HEAD").unwrap().unwrap().commits, 0);
    }

    #[test]
    fn a_tag_with_the_name_of_the_base_branch_is_not_the_base() {
        let r = repository();
        r.git(&["tag", "main"]);
        r.commit("later");
        r.git(&["checkout", "-q", "-b", "work"]);
        r.commit("own");
        let found = BaseSearch(&r.ours()).at(&r.top(), "main").unwrap().unwrap();
        assert_eq!((found.reference.as_str(), found.commits), ("refs/heads/main", 1));
        assert_eq!(BaseSearch(&r.ours()).full_name(&r.top(), "HEAD").unwrap(), "HEAD");
    }

    #[test]
    fn the_reflog_tells_where_head_was() {
        let r = repository();
        let first = r.ours().commit(&r.top(), "HEAD").unwrap();
        assert_eq!(History(&r.ours()).head_at(&r.top(), i64::MAX).unwrap(), first);
        assert_eq!(History(&r.ours()).head_at(&r.top(), 1).unwrap(), None);
    }
}
