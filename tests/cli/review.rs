//! `agent review`: comments are kept, follow their lines, and reach the agent to the letter.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::workspace::{git, repository, workspace};
use super::{agent, prompts, wait_for};
use crate::support::TestEnv;

const SOURCE: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";

/// Starts a demo agent in a worktree that has changed two files.
#[track_caller]
fn worktree_agent(env: &TestEnv) -> PathBuf {
    agent(env, &["spawn", "demo", "--name", "fix", "--workspace", "worktree"]).ok();
    wait_for(env, "fix", "idle");
    let at = workspace(env, "fix");
    fs::write(at.join("src/lib.rs"), SOURCE).unwrap();
    fs::write(at.join("a b:c"), "odd name\n").unwrap();
    at
}

#[track_caller]
fn comment(env: &TestEnv, place: &str, text: &str) {
    agent(env, &["review", "fix", "--comment", place, text]).ok();
}

#[track_caller]
fn comments(env: &TestEnv) -> Vec<Value> {
    let listed = agent(env, &["review", "fix", "--list", "--json"]).ok().json();
    listed["comments"].as_array().expect("comments is a list").clone()
}

fn field(comments: &[Value], key: &str) -> Vec<Value> {
    comments.iter().map(|comment| comment[key].clone()).collect()
}

const INTRODUCTION: &str = "Review comments on your changes. Handle every point, and then mark it as done: call the \
                            MCP tool `resolve_review_comment` with its number, if you have that tool.";

#[test]
fn comments_reach_the_agent_as_one_prompt_to_the_letter() {
    let env = repository();
    worktree_agent(&env);
    let empty = agent(&env, &["review", "fix"]).ok();
    assert!(empty.stderr.contains("`fix` has no review comments"), "{}", empty.stderr);
    let nothing = agent(&env, &["review", "fix", "--send"]).ok();
    assert_eq!(nothing.stderr, "`fix` has no drafts; nothing was sent\n");

    let added =
        agent(&env, &["review", "fix", "--comment", "src/lib.rs:2", "rename `one` to $(x) -- 日本"]).ok();
    assert_eq!(added.stderr, "comment 1 on src/lib.rs:2 was added\n");
    let run = agent(&env, &["review", "fix", "--comment", "./src/lib.rs:5-7", "-"]);
    run.stdin("split this\n\nand test it\n").ok();
    comment(&env, "a b:c:1", "--why this name?");
    let old = ["review", "fix", "--old", "--comment", "src/lib.rs:1", "keep this", "--json"];
    let old = agent(&env, &old).ok().json();
    assert_eq!((&old["comment"]["side"], &old["comment"]["snippet"]), (&"old".into(), &json!(["// one"])));

    let listed = agent(&env, &["review", "fix"]).ok().stdout;
    assert_eq!(
        listed,
        "1 draft src/lib.rs:2\n  >     one();\n  rename `one` to $(x) -- 日本\n\n\
         2 draft src/lib.rs:5-7\n  > fn b() {\n  >     two();\n  > }\n  split this\n  \n  and test it\n\n\
         3 draft a b:c:1\n  > odd name\n  --why this name?\n\n\
         4 draft src/lib.rs:1 in the base\n  > // one\n  keep this\n"
    );
    let sent = agent(&env, &["review", "fix", "--send"]).ok();
    assert_eq!(sent.stderr, "4 comments delivered to `fix`: the agent reported exactly this text\n");
    let expected = format!(
        "{INTRODUCTION}\n\n\
         1. src/lib.rs, line 2\n>     one();\nrename `one` to $(x) -- 日本\n\n\
         2. src/lib.rs, lines 5-7\n> fn b() {{\n>     two();\n> }}\nsplit this\n\nand test it\n\n\
         3. a b:c, line 1\n> odd name\n--why this name?\n\n\
         4. src/lib.rs, line 1 (before your change)\n> // one\nkeep this"
    );
    assert_eq!(prompts(&env, "fix"), [expected]);
    assert_eq!(field(&comments(&env), "state"), ["sent"; 4]);
    let again = agent(&env, &["review", "fix", "--send", "--json"]).ok().json();
    assert_eq!(again, json!({"agent": "fix", "sent": [], "confirmed_by": null}));

    agent(&env, &["review", "fix", "--resolve", "2"]).ok();
    let removed = agent(&env, &["review", "fix", "--remove", "3"]).ok();
    assert_eq!(removed.stderr, "comment 3 on a b:c:1 was removed: --why this name?\n");
    assert_eq!(field(&comments(&env), "state"), ["sent", "resolved", "sent"]);
    let missing = agent(&env, &["review", "fix", "--resolve", "3"]).fails(3);
    assert!(missing.stderr.contains("agent `fix` has no review comment 3"), "{}", missing.stderr);
}

#[test]
fn comments_follow_their_lines_and_changed_lines_are_marked() {
    let env = repository();
    let at = worktree_agent(&env);
    comment(&env, "src/lib.rs:2", "first");
    comment(&env, "src/lib.rs:6", "second");
    comment(&env, "a b:c:1", "third");
    assert_eq!(field(&comments(&env), "placement"), ["current"; 3]);
    git(&env, &at, &["add", "-A"]);
    git(&env, &at, &["commit", "-q", "-m", "work"]);
    assert_eq!(field(&comments(&env), "placement"), ["current"; 3], "a commit moves no line");

    fs::write(at.join("src/lib.rs"), format!("use x;\n\n{}", SOURCE.replace("two", "three"))).unwrap();
    fs::remove_file(at.join("a b:c")).unwrap();
    let found = comments(&env);
    assert_eq!(field(&found, "placement"), ["moved", "outdated", "outdated"]);
    assert_eq!(found[0]["current_lines"], json!({"first": 4, "last": 4}));
    assert_eq!((&found[1]["snippet"], &found[1]["current_lines"]), (&json!(["    two();"]), &Value::Null));
    let listed = agent(&env, &["review", "fix"]).ok().stdout;
    assert!(listed.contains("1 draft src/lib.rs:4 (moved from 2)\n"), "{listed}");
    assert!(listed.contains("2 draft src/lib.rs:6 (outdated: the lines have changed)\n"), "{listed}");
    agent(&env, &["review", "fix", "--send"]).ok();
    let prompt = prompts(&env, "fix").remove(0);
    assert!(prompt.contains("1. src/lib.rs, line 4\n>     one();\nfirst"), "{prompt}");
    assert!(
        prompt.contains("2. src/lib.rs, line 6 (the lines have changed since)\n>     two();"),
        "{prompt}"
    );

    // The file of the base gets another path.
    fs::remove_file(at.join("src/lib.rs")).unwrap();
    fs::write(at.join("other.rs"), "// one\n").unwrap();
    comment(&env, "other.rs:1", "fourth");
    fs::write(at.join("src/lib.rs"), SOURCE).unwrap();
    assert_eq!(field(&comments(&env), "placement"), ["current", "current", "outdated", "current"]);
}

#[test]
fn a_renamed_file_keeps_its_comments() {
    let env = repository();
    let text: String = (0..40).map(|line| format!("line {line}\n")).collect();
    fs::write(env.project().join("long"), &text).unwrap();
    git(&env, &env.project(), &["add", "-A"]);
    git(&env, &env.project(), &["commit", "-q", "-m", "long"]);
    let at = worktree_agent(&env);
    comment(&env, "long:30", "here");
    git(&env, &at, &["mv", "long", "longer"]);
    let found = comments(&env);
    assert_eq!((&found[0]["placement"], &found[0]["current_file"]), (&"moved".into(), &"longer".into()));
    let listed = agent(&env, &["review", "fix"]).ok().stdout;
    assert!(listed.starts_with("1 draft longer:30 (moved from long:30)\n"), "{listed}");
}

#[test]
fn mistakes_in_a_comment_are_usage_errors() {
    let env = repository();
    worktree_agent(&env);
    for (place, why) in [
        ("src/lib.rs", "it has no line number"),
        ("src/lib.rs:8", "`src/lib.rs` has no line 8\n  the file has 7 lines"),
    ] {
        let refused = agent(&env, &["review", "fix", "--comment", place, "x"]).fails(2);
        assert!(refused.stderr.contains(why), "{place}: {}", refused.stderr);
    }
    agent(&env, &["review", "fix", "--send", "--list"]).fails(2);
    agent(&env, &["review", "other"]).fails(3);
}

#[test]
fn hostile_files_reach_neither_the_terminal_nor_the_keys_of_the_agent() {
    let env = repository();
    let at = worktree_agent(&env);
    fs::write(at.join("e\u{1b}[2J\r"), "\u{1b}[201~\u{3}rm -rf\u{202e}\r\n").unwrap();
    comment(&env, "e\u{1b}[2J\r:1", "look");
    let listed = agent(&env, &["review", "fix"]).ok().stdout;
    assert!(!listed.contains(['\u{1b}', '\r', '\u{3}', '\u{202e}']), "{listed:?}");
    agent(&env, &["review", "fix", "--send"]).ok();
    let prompt = prompts(&env, "fix").remove(0);
    assert!(prompt.contains("\u{fffd}[201~\u{fffd}rm -rf\u{fffd}\nlook"), "{prompt:?}");
}

#[test]
fn comments_survive_a_kill_and_are_sent_once() {
    let env = repository();
    worktree_agent(&env);
    comment(&env, "src/lib.rs:2", "first");
    agent(&env, &["review", "fix", "--send"]).env("SYMPOSIUM_FAILPOINT", "review.recorded").fails(137);
    assert_eq!(field(&comments(&env), "state"), ["draft"]);
    assert_eq!(prompts(&env, "fix").len(), 0);
    agent(&env, &["review", "fix", "--send"]).env("SYMPOSIUM_FAILPOINT", "review.delivered").fails(137);
    wait_for(&env, "fix", "idle");
    comment(&env, "src/lib.rs:6", "second");
    let sent = agent(&env, &["review", "fix", "--send", "--json"]).ok().json();
    assert_eq!(sent["sent"], json!([1, 2]));
    let taken = prompts(&env, "fix");
    assert_eq!(taken.len(), 2, "{taken:?}");
    assert!(taken[1].contains("2. src/lib.rs, line 6") && !taken[1].contains("first"), "{taken:?}");
}

#[test]
fn a_rename_keeps_comments_and_a_removal_deletes_them() {
    let env = repository();
    let at = worktree_agent(&env);
    comment(&env, "src/lib.rs:2", "first");
    agent(&env, &["rename", "fix", "repair"]).ok();
    let listed = agent(&env, &["review", "repair", "--list", "--json"]).ok().json();
    assert_eq!(listed["comments"][0]["placement"], "current");
    // Without the worktree the comments can still be read.
    agent(&env, &["kill", "repair"]).ok();
    fs::remove_dir_all(workspace(&env, "repair")).unwrap();
    let listed = agent(&env, &["review", "repair"]).ok().stdout;
    assert!(listed.starts_with("1 draft src/lib.rs:2\n  >     one();\n  first"), "{listed}");
    agent(&env, &["rm", "--force", "--yes", "repair"]).ok();
    assert!(!at.parent().unwrap().exists());
    worktree_agent(&env);
    assert_eq!(comments(&env).len(), 0);
}
