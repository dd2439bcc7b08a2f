//! The commands that undo the steps of finishing. Users paste them into a shell, so every path and name is quoted.

use std::path::Path;

use crate::base::sanitize::shell_word;
use crate::model::AgentName;
use crate::rules::workspace::finish::pull_request::ForgeProgram;

/// Moves the branch that is checked out in a directory back to a commit, with its files. Keeps uncommitted changes.
pub fn move_checkout_back(directory: &Path, commit: &str) -> String {
    format!("{} reset --keep {commit}", git_in(directory))
}

/// Moves a branch that is checked out nowhere back to the commit `from`, if it is still at `to`.
pub fn move_branch_back(repository: &Path, branch: &str, (from, to): (&str, &str)) -> String {
    let name = shell_word(format!("refs/heads/{branch}"));
    format!("{} update-ref {name} {from} {to}", git_in(repository))
}

/// Takes back the commits after a commit and keeps their changes as uncommitted ones.
pub fn uncommit(directory: &Path, commit: &str) -> String {
    format!("{} reset {commit}", git_in(directory))
}

/// Creates a removed branch again.
pub fn restore_branch(repository: &Path, branch: &str, tip: &str) -> String {
    format!("{} branch {} {tip}", git_in(repository), shell_word(branch))
}

/// Brings back commits or files from a copy that is kept for a limited time.
pub fn recover(copy: &str) -> String {
    format!("symposium agent recover {copy}")
}

/// Starts an agent that was ended.
pub fn resume(name: &AgentName) -> String {
    format!("symposium agent resume {name}")
}

/// Removes a branch that was pushed to a remote.
pub fn delete_pushed(directory: &Path, remote: &str, branch: &str) -> String {
    format!("{} push {} --delete {}", git_in(directory), shell_word(remote), shell_word(branch))
}

/// Closes a pull request, given by its address or its branch.
pub fn close_pull_request(directory: &Path, program: ForgeProgram, pull_request: &str) -> String {
    let close = match program {
        ForgeProgram::Gh => "gh pr close",
        ForgeProgram::Glab => "glab mr close",
    };
    format!("(cd {} && {close} {})", shell_word(directory), shell_word(pull_request))
}

fn git_in(directory: &Path) -> String {
    format!("git -C {}", shell_word(directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted_whatever_paths_and_branches_are_called() {
        let dir = Path::new("/my repo/$x");
        let dir_word = "'/my repo/$x'";
        for (command, expected) in [
            (move_checkout_back(dir, "c1"), format!("git -C {dir_word} reset --keep c1")),
            (uncommit(dir, "c1"), format!("git -C {dir_word} reset c1")),
            (
                move_branch_back(dir, "a;b", ("c1", "c2")),
                format!("git -C {dir_word} update-ref 'refs/heads/a;b' c1 c2"),
            ),
            (restore_branch(dir, "a;b", "c1"), format!("git -C {dir_word} branch 'a;b' c1")),
            (delete_pushed(dir, "origin", "a;b"), format!("git -C {dir_word} push origin --delete 'a;b'")),
            (
                close_pull_request(dir, ForgeProgram::Gh, "https://example.org/1"),
                format!("(cd {dir_word} && gh pr close https://example.org/1)"),
            ),
            (
                close_pull_request(dir, ForgeProgram::Glab, "a;b"),
                format!("(cd {dir_word} && glab mr close 'a;b')"),
            ),
        ] {
            assert_eq!(command, expected);
        }
    }
}
