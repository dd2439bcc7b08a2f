//! How git is started.

use super::super::testing::Repository;
use super::GitError;

#[test]
fn only_commands_that_write_are_started_through_the_wrapper() {
    let repository = Repository::new();
    repository.commit("first");
    let (top, git) =
        (repository.top(), repository.ours().with_long_timeout().with_wrapper(["/bin/false", "tied"]));
    let head = git.head(&top).unwrap().unwrap();
    assert_eq!(git.line(&top, &["config", "--get", "core.bare"]).unwrap(), "false");
    for writes in [&["update-ref", "refs/heads/other", &head][..], &["config", "core.bare", "true"]] {
        let refused = git.line(&top, writes);
        assert!(matches!(refused, Err(GitError::Failed { .. })), "{writes:?}: {refused:?}");
    }
}
