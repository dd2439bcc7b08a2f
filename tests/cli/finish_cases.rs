//! `agent finish` in unusual repositories, and what a finished agent can still do.

use std::fs;

use super::finish::{agent_with_work, assert_finished, commit, finish, finishing_repository};
use super::workspace::{git, workspace};
use super::{agent, status};

#[test]
fn a_merge_commit_with_content_of_its_own_is_not_left_out_by_a_rebase() {
    let env = finishing_repository();
    let project = env.project();
    let spawn = ["spawn", "--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"];
    agent(&env, &spawn).ok();
    let at = workspace(&env, "fix");
    commit(&env, &at, "one", "one\n");
    git(&env, &project, &["cherry-pick", "symposium/fix"]);
    git(&env, &project, &["commit", "-q", "--amend", "-m", "another message"]);
    git(&env, &at, &["merge", "--no-commit", "main"]);
    fs::write(at.join("precious"), "precious\n").unwrap();
    git(&env, &at, &["add", "precious"]);
    git(&env, &at, &["commit", "-q", "-m", "merge"]);
    let refused = agent(&env, &["finish", "fix", "--rebase", "--yes"]).fails(1).stderr;
    assert!(refused.contains("cannot be rebased") && refused.contains("`--squash`"), "{refused}");
    assert!(at.join("precious").exists());
    finish(&env, &["fix", "--squash"]);
    assert_eq!(git(&env, &project, &["show", "main:precious"]), "precious");
}

#[test]
fn changes_that_the_index_hides_stop_a_run_before_the_agent_is_ended() {
    let env = finishing_repository();
    let project = env.project();
    commit(&env, &project, "config", "one\n");
    agent_with_work(&env, "fix", &project);
    fs::write(project.join("config"), "mine\n").unwrap();
    for mark in ["--assume-unchanged", "--skip-worktree"] {
        git(&env, &project, &["update-index", mark, "config"]);
        agent(&env, &["finish", "fix", "--dry-run"]).ok();
        let at = workspace(&env, "fix");
        fs::write(at.join("config"), "two\n").unwrap();
        let refused = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
        assert!(refused.contains("changes that git does not report would be overwritten"), "{refused}");
        assert!(refused.contains("\n  config\n") && refused.contains(mark), "{refused}");
        assert_eq!(status(&env, "fix"), "working");
        assert_eq!(fs::read_to_string(project.join("config")).unwrap(), "mine\n");
        fs::write(at.join("config"), "one\n").unwrap();
        git(&env, &project, &["update-index", "--no-assume-unchanged", "config"]);
    }
    finish(&env, &["fix"]);
    assert_eq!(fs::read_to_string(project.join("config")).unwrap(), "mine\n");
}

#[test]
fn a_base_that_moves_while_the_plan_is_made_is_reported_as_such() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    let (real, moved) = (env.root().join("tools/git").display().to_string(), env.root().join("moved"));
    let (at, moved) = (project.display(), moved.display());
    // Commits to the base branch as soon as the content of the worktree is stored.
    env.fake_program(
        "git",
        &format!(
            "case \" $* \" in *\" write-tree \"*) test -e {moved} || {{ touch {moved} {at}/late; (cd {at}; unset GIT_INDEX_FILE GIT_WORK_TREE GIT_OBJECT_DIRECTORY; {real} add late; {real} commit -q -m late) }} ;; esac\nexec {real} \"$@\""
        ),
    );
    let refused = agent(&env, &["finish", "fix", "--yes"]).fails(1).stderr;
    assert!(refused.contains("or its base branch changed in the meantime"), "{refused}");
    assert_eq!(status(&env, "fix"), "working");
    finish(&env, &["fix"]);
    assert_eq!(git(&env, &project, &["log", "--format=%s", "-2", "main^"]), "late\nfirst");
}

#[test]
fn stacked_work_is_finished_after_the_work_below_it_was_squashed() {
    for method in ["--squash", "--rebase", "--merge"] {
        let env = finishing_repository();
        let project = env.project();
        commit(&env, &project, "lines", "1\n2\n3\n");
        let spawn = |name: &str, dir: &std::path::Path| {
            let spawn = ["spawn", "--name", name, "--workspace", "worktree", "--", "sleep", "1000"];
            agent(&env, &spawn).current_dir(dir).ok();
        };
        spawn("below", &project);
        let below = workspace(&env, "below");
        commit(&env, &below, "lines", "1\nbelow\n3\n");
        spawn("above", &below);
        let above = workspace(&env, "above");
        commit(&env, &above, "lines", "1\nabove\n3\n");
        finish(&env, &["below", "-m", "below", "--squash"]);
        let plan = agent(&env, &["finish", "above", method, "--dry-run"]).ok().stdout;
        assert!(plan.contains("into `main`") && plan.contains(" 1 commit with 1 changed file"), "{plan}");
        finish(&env, &["above", method]);
        assert_eq!(git(&env, &project, &["show", "main:lines"]), "1\nabove\n3");
        assert_eq!(git(&env, &project, &["show", "main~1:lines"]), "1\nbelow\n3");
    }
}

#[test]
fn commits_that_a_rebase_replaced_before_the_checks_are_reported() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    commit(&env, &project, "other", "1\n");
    fs::write(env.state().join("config.toml"), "[finish]\nchecks = [\"true\"]\n").unwrap();
    let report = finish(&env, &["fix", "--rebase"]);
    let copy = report["recovered"]["name"].as_str().expect("a copy");
    assert_eq!(report["steps"][0]["text"], "the commits before the rebase are kept for 30 days");
    assert_eq!(report["steps"][0]["undo"], format!("symposium agent recover {copy}"));
    let back = agent(&env, &["recover", copy, "--json"]).ok().json();
    let branch = back["branch"].as_str().expect("a branch");
    let replaced = git(&env, &project, &["log", "--format=%s", &format!("main~4..{branch}")]);
    assert!(replaced.ends_with("Work of agent fix\nadd two\nadd one"), "{replaced}");
}

#[test]
fn a_finished_agent_continues_in_a_new_worktree_as_the_error_says() {
    let env = finishing_repository();
    agent_with_work(&env, "fix", &env.project());
    finish(&env, &["fix"]);
    agent(&env, &["diff", "fix"]).fails(1);
    let refused = agent(&env, &["resume", "fix"]).fails(1).stderr;
    assert!(refused.contains("agent `fix` is finished: its work is in `main`"), "{refused}");
    let hint = refused.lines().find(|line| line.contains("worktree add")).unwrap();
    let commands: Vec<&str> = hint.split('`').skip(1).step_by(2).collect();
    assert_eq!(commands[1], "symposium agent resume fix");
    env.program("sh", ["-c", commands[0]]).ok();
    agent(&env, &["resume", "fix"]).ok();
    assert!(workspace(&env, "fix").join("new").exists());
    assert_eq!(status(&env, "fix"), "working");
}

#[test]
fn lfs_files_are_finished_as_pointers_and_a_missing_lfs_is_named() {
    let env = finishing_repository();
    let project = env.project();
    // Like Git LFS, which stores a pointer in the repository and the content elsewhere.
    let store = env.root().join("lfs");
    let clean = format!("tee {0} >/dev/null; echo pointer", store.display());
    let lfs = env
        .fake_program("git-lfs", &format!("case $1 in clean) {clean};; *) cat {};; esac", store.display()));
    for (key, value) in
        [("clean", "git-lfs clean -- %f"), ("smudge", "git-lfs smudge -- %f"), ("required", "true")]
    {
        git(&env, &project, &["config", "--global", &format!("filter.lfs.{key}"), value]);
    }
    commit(&env, &project, ".gitattributes", "*.bin filter=lfs -text\n");
    agent_with_work(&env, "fix", &project);
    let at = workspace(&env, "fix");
    fs::write(at.join("a.bin"), "content\n").unwrap();
    // A checkpoint, a copy with the changes, and a copy of discarded work have the pointer, and the file its content.
    let id = env.registry()["sessions"]["fix"]["id"].as_str().expect("an id").to_owned();
    assert_eq!(env.symposium(["take-checkpoint", "fix", &id]).outcome().code, 0);
    fs::remove_file(at.join("a.bin")).unwrap();
    agent(&env, &["kill", "fix"]).ok();
    agent(&env, &["checkpoint", "restore", "fix", "1", "--yes"]).ok();
    assert_eq!(fs::read_to_string(at.join("a.bin")).unwrap(), "content\n");
    let copy =
        ["spawn", "--name", "copy", "--workspace", "worktree", "--with-changes", "--", "sleep", "1000"];
    agent(&env, &copy).current_dir(&at).ok();
    assert_eq!(fs::read_to_string(workspace(&env, "copy").join("a.bin")).unwrap(), "content\n");
    agent(&env, &["discard", "copy", "--yes"]).ok();
    let back = agent(&env, &["recover", "copy", "--json"]).ok().json();
    let blob = format!("{}:a.bin", back["branch"].as_str().expect("a branch"));
    assert_eq!(git(&env, &project, &["cat-file", "blob", &blob]), "pointer");
    fs::rename(&lfs, env.root().join("git-lfs")).unwrap();
    for command in [&["diff", "fix"][..], &["finish", "fix", "--yes"]] {
        let refused = agent(&env, command).fails(1).stderr;
        assert!(refused.contains("the filter `lfs` in your git configuration needs `git-lfs`"), "{refused}");
        assert!(refused.contains("git config --global --remove-section filter.lfs"), "{refused}");
    }
    fs::rename(env.root().join("git-lfs"), &lfs).unwrap();
    finish(&env, &["fix"]);
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(git(&env, &project, &["show", "main:a.bin"]), "pointer");
    assert_eq!(fs::read_to_string(project.join("a.bin")).unwrap(), "content\n");
}

#[test]
fn work_in_a_shallow_clone_is_finished() {
    let env = finishing_repository();
    let project = env.project();
    for number in 0..3 {
        commit(&env, &project, "history", &format!("{number}\n"));
    }
    let (origin, clone) = (format!("file://{}", project.display()), env.root().join("clone"));
    git(&env, env.root(), &["clone", "-q", "--depth=1", &origin, clone.to_str().unwrap()]);
    git(&env, &clone, &["config", "user.name", "me"]);
    git(&env, &clone, &["config", "user.email", "me@example.org"]);
    for method in ["--squash", "--rebase", "--merge"] {
        let name = method.trim_start_matches('-');
        agent(&env, &["spawn", "--name", name, "--workspace", "worktree", "--", "sleep", "1000"])
            .current_dir(&clone)
            .ok();
        commit(&env, &workspace(&env, name), name, "1\n");
        commit(&env, &clone, &format!("before-{name}"), "1\n");
        finish(&env, &[name, method]);
        assert_eq!(git(&env, &clone, &["show", &format!("main:{name}")]), "1");
    }
    assert_eq!(git(&env, &clone, &["rev-parse", "--is-shallow-repository"]), "true");
}

#[test]
fn a_staged_version_that_differs_from_the_file_is_kept() {
    let env = finishing_repository();
    let project = env.project();
    agent_with_work(&env, "fix", &project);
    let at = workspace(&env, "fix");
    // A binary file and a rename are finished like other changes.
    fs::write(at.join("binary"), b"\xff\x00\r\n").unwrap();
    git(&env, &at, &["mv", ".gitignore", "renamed"]);
    fs::write(at.join("new"), "staged\n").unwrap();
    git(&env, &at, &["add", "new"]);
    let staged = git(&env, &at, &["rev-parse", ":new"]);
    fs::write(at.join("new"), "new\n").unwrap();
    let said = agent(&env, &["finish", "fix", "--yes"]).ok().stderr;
    assert!(said.contains("staged versions that differ from the files are kept for 30 days"), "{said}");
    assert_finished(&env, &project, "fix", "main");
    assert_eq!(fs::read(project.join("binary")).unwrap(), b"\xff\x00\r\n");
    assert!(!project.join(".gitignore").exists());
    assert_eq!(fs::read_to_string(project.join("renamed")).unwrap(), "target\n");
    let objects = git(&env, &project, &["rev-list", "--objects", "--all"]);
    assert!(objects.lines().any(|line| line.starts_with(&staged)), "{objects}");
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says why")]
#[test]
fn work_in_a_repository_with_reftable_is_finished() {
    let env = finishing_repository();
    let project = env.root().join("table");
    let init = ["init", "-q", "-b", "main", "--ref-format=reftable", project.to_str().unwrap()];
    if env.program("git", init).outcome().code != 0 {
        eprintln!("skipped: this git does not know the format");
        return;
    }
    for (key, value) in [("user.name", "me"), ("user.email", "me@example.org")] {
        git(&env, &project, &["config", key, value]);
    }
    fs::create_dir(project.join("src")).unwrap();
    commit(&env, &project, "src/lib.rs", "// one\n");
    agent_with_work(&env, "fix", &project);
    commit(&env, &project, "more", "more\n");
    let listed = agent(&env, &["list", "--work", "--json"]).ok().json();
    assert_eq!(listed[0]["work"]["base"]["name"], "main", "{listed}");
    finish(&env, &["fix"]);
    assert_finished(&env, &project, "fix", "main");
}
