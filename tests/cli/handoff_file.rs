//! `agent handoff export -o`: where the file is written, and that it overwrites nothing.

use std::fs;

use insta::assert_snapshot;

use super::handoff::{elsewhere, import, prompted_agent};
use super::workspace::repository;
use super::{agent, prompts, spawned, wait_for};

#[test]
fn export_replaces_a_file_only_on_request() {
    let env = repository();
    spawned(&env, &["demo", "--name", "fix"]);
    let path = agent(&env, &["handoff", "export", "fix"]).ok().stdout;
    let file = env.project().join("fix.handoff.tar.gz");
    assert_eq!(path.trim_end(), file.to_str().unwrap());
    let before = fs::read(&file).unwrap();
    assert_snapshot!(env.redacted(&agent(&env, &["handoff", "export", "fix"]).fails(1).stderr), @"
    error: `[ROOT]/project/fix.handoff.tar.gz` already exists
      nothing was changed
    hint: choose another file with `-o`, or replace it with `--force`
    ");
    assert_eq!(fs::read(&file).unwrap(), before);
    agent(&env, &["handoff", "export", "fix", "--force"]).ok();
    let prompted_agent =
        agent(&env, &["handoff", "import", file.to_str().unwrap(), "--show", "--json"]).ok().json();
    assert!(
        !prompted_agent["manifest"].to_string().contains("unstaged.patch"),
        "the first is not in the second: {prompted_agent}"
    );
    agent(&env, &["handoff", "export", "none"]).fails(3);
    // In a directory the file gets its default name.
    fs::create_dir(env.root().join("out")).unwrap();
    let path = agent(&env, &["handoff", "export", "fix", "-o", env.root().join("out").to_str().unwrap()]);
    assert_eq!(path.ok().stdout.trim_end(), env.root().join("out/fix.handoff.tar.gz").to_str().unwrap());
}

#[test]
fn export_to_stdout_writes_only_the_archive() {
    let one = repository();
    prompted_agent(&one);
    let file = one.root().join("sent");
    let script = format!("{} agent handoff export fix -o - > {}", one.binary(), file.display());
    let outcome = one.program("sh", ["-c", &script]).ok();
    assert!(outcome.stderr.contains("import it with: symposium agent handoff import FILE"), "{outcome:?}");
    assert!(!one.project().join("-").exists());
    let two = elsewhere(&one);
    import(&two, &file, &[]).ok();
    wait_for(&two, "fix", "idle");
    assert_eq!(prompts(&two, "fix"), ["remember plum"]);
    let rooms = fs::read_dir(one.state().join("run")).unwrap().flatten();
    assert!(rooms.into_iter().all(|entry| !entry.file_name().to_string_lossy().starts_with("_staging")));
}

#[test]
fn export_to_a_full_device_is_an_error() {
    let env = repository();
    spawned(&env, &["demo", "--name", "fix"]);
    let script = format!("{} agent handoff export fix -o - > /dev/full", env.binary());
    let refused = env.program("sh", ["-c", &script]).fails(1);
    assert!(refused.stderr.contains("error: cannot write the hand-off to standard output"), "{refused:?}");
    assert!(!refused.stderr.contains("import it with"), "{refused:?}");
}

#[test]
fn export_refuses_a_terminal_and_json_as_destination() {
    let env = repository();
    spawned(&env, &["demo", "--name", "fix"]);
    let json = agent(&env, &["handoff", "export", "fix", "-o", "-", "--json"]).fails(2);
    assert_eq!(json.stdout, "");
    assert!(json.stderr.contains("cannot be combined with `--json`"), "{json:?}");
    let terminal = env.terminal([env.binary(), "agent", "handoff", "export", "fix", "-o", "-"]);
    terminal.wait_for_text("cannot be written to a terminal");
    assert_eq!(terminal.wait_for_exit(), 2);
    assert!(!env.project().join("-").exists());
    agent(&env, &["handoff", "export", "fix", "-o", "./-"]).ok();
    assert!(env.project().join("-").exists());
}
