//! `agent recover`: copies of removed work are listed and come back to the byte.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::workspace::{git, repository, workspace};
use super::{agent, spawned};

#[test]
fn removed_work_is_listed_and_comes_back() {
    let env = repository();
    assert_eq!(agent(&env, &["recover", "--json"]).ok().json(), json!([]));
    assert_eq!(agent(&env, &["recover"]).ok().stderr, "no copies of removed work\n");
    agent(&env, &["spawn", "--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"]).ok();
    let at = workspace(&env, "fix");
    fs::write(at.join("src/lib.rs"), b"// changed\n\xff").unwrap();
    fs::write(at.join("new"), "new\n").unwrap();
    agent(&env, &["rm", "--force", "--yes", "fix"]).ok();
    agent(&env, &["spawn", "--name", "notes", "--workspace", "scratch", "--", "sleep", "1000"]).ok();
    let at = workspace(&env, "notes");
    fs::create_dir(at.join("sub")).unwrap();
    fs::write(at.join("sub/result"), "42\n").unwrap();
    symlink("/nowhere", at.join("link")).unwrap();
    env.program("mkfifo", [at.join("pipe")]).ok();
    agent(&env, &["rm", "--force", "--yes", "notes"]).ok();

    let copies: Value = agent(&env, &["recover", "--json"]).ok().json();
    let agents: Vec<&Value> = copies.as_array().unwrap().iter().map(|copy| &copy["agent"]).collect();
    assert_eq!(agents, ["notes", "fix"], "the newest comes first");
    let listed = agent(&env, &["recover"]).ok();
    assert!(listed.stdout.contains("fix-") && listed.stdout.contains("days left"), "{}", listed.stdout);

    let back = agent(&env, &["recover", "fix", "--json"]).ok().json();
    let branch = back["branch"].as_str().unwrap();
    let project = env.project();
    assert_eq!(git(&env, &project, &["show", &format!("{branch}:new")]), "new");
    let size = git(&env, &project, &["cat-file", "-s", &format!("{branch}:src/lib.rs")]);
    assert_eq!(size, "12");
    // The same copy again changes nothing; a branch with other commits is not overwritten.
    agent(&env, &["recover", "fix"]).ok();
    git(&env, &project, &["update-ref", &format!("refs/heads/{branch}"), "HEAD"]);
    let refused = agent(&env, &["recover", "fix"]).fails(1);
    assert!(refused.stderr.contains("already exists"), "{}", refused.stderr);

    let back = agent(&env, &["recover", "notes", "--json"]).ok().json();
    let folder = std::path::Path::new(back["folder"].as_str().unwrap());
    assert_eq!(folder.parent(), Some(project.as_path()));
    assert_eq!(fs::read_to_string(folder.join("sub/result")).unwrap(), "42\n");
    assert_eq!(fs::read_link(folder.join("link")).unwrap().to_str(), Some("/nowhere"));
    let refused = agent(&env, &["recover", "notes"]).fails(1);
    assert!(refused.stderr.contains("exists already"), "{}", refused.stderr);
    let missing = agent(&env, &["recover", "nothing"]).fails(3);
    assert!(missing.stderr.contains("no copy of removed work named `nothing`"), "{}", missing.stderr);
}

#[test]
fn commits_that_a_finish_with_keep_replaces_can_be_recovered() {
    let env = repository();
    git(&env, &env.project(), &["config", "user.name", "me"]);
    git(&env, &env.project(), &["config", "user.email", "me@example.org"]);
    spawned(&env, &["--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"]);
    let at = workspace(&env, "fix");
    fs::write(at.join("new"), "1\n").unwrap();
    git(&env, &at, &["add", "new"]);
    git(&env, &at, &["commit", "-q", "-m", "work"]);
    let commit = git(&env, &at, &["rev-parse", "HEAD"]);
    let report = agent(&env, &["finish", "fix", "--yes", "--keep", "--squash", "--json"]).ok().json();
    let reference = report["recovered"]["refs"][0]["reference"].as_str().expect("a ref").to_owned();
    assert_eq!(git(&env, &env.project(), &["rev-parse", &format!("{reference}^")]), commit);
    // Nothing is replaced if the result contains the commits.
    fs::write(at.join("new"), "2\n").unwrap();
    let report = agent(&env, &["finish", "fix", "--yes", "--keep", "--merge", "--json"]).ok().json();
    assert_eq!(report["recovered"], Value::Null);
}
