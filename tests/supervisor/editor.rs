//! The output that the editor extension reads. Each answer, with varying values replaced, is one of the files in
//! `vscode-extension/src/test/golden`, and the extension's own tests check its parsers against the same files, so a
//! change of one side alone fails a test.

use std::fs;
use std::path::Path;

use regex_lite::Regex;
use serde_json::{Value, json};

use super::queue::{add, idle, prompts, task, wait};
use super::symposium;
use crate::cli::workspace::{git, repository};
use crate::support::TestEnv;

#[test]
fn cli_output_matches_the_golden_files_of_the_extension() {
    let env = repository();
    let specs = "[agents.reviewer]\ndescription = \"Reads what others wrote\"\nkind = \"demo\"\nrole = \"critic\"\nworkspace = \"worktree\"\n";
    fs::create_dir(env.project().join(".symposium")).unwrap();
    fs::write(env.project().join(".symposium/agents.toml"), specs).unwrap();
    let mut spawned = ask(&env, &["agent", "spawn", "demo", "--name", "api", "--title", "a title"]);
    wait_for(&env, "api", "idle");
    // Whether it is idle when spawn returns is random.
    for (key, value) in
        [("status", json!("starting")), ("reason", json!("a text")), ("last_activity", json!(null))]
    {
        spawned[key] = value;
    }
    check(&env, "spawned", spawned, &[]);
    git(&env, &env.project(), &["commit", "-q", "--allow-empty", "-m", "second"]);
    idle(&env, "child", &["--parent", "api"]);
    let first = add(&env, &["child", "count to three"]);
    wait(&env, &first);
    let second = add(&env, &["child", "/work 10m", "--priority", "high"]);
    env.wait_until("the task is running", || task(&env, &second)["state"] == "running");
    symposium(&env, &["task", "progress", &second, "40", "half way"]).ok();
    add(&env, &["child", "later", "--after", &second]);
    ask(&env, &["taskspace", "new", "space", "demo", "--task", "remember blue"]);
    env.wait_until("the agent has replied", || {
        let space = &ask(&env, &["agent", "show", "space"]);
        space["status"] == "idle" && space["reason"] == "I will remember: blue"
    });
    idle(&env, "fallen", &[]);
    symposium(&env, &["agent", "send", "fallen", "/crash 3"]).ok();
    wait_for(&env, "fallen", "crashed");
    symposium(&env, &["message", "send", "api", "hello"]).ok();
    env.wait_until("the prompt was delivered", || {
        prompts(&env).iter().any(|prompt| prompt.contains("hello"))
    });
    wait_for(&env, "api", "idle");
    fs::write(env.project().join("src/lib.rs"), "// two\n").unwrap();
    symposium(&env, &["agent", "send", "api", "/ask make clean"]).ok();
    wait_for(&env, "api", "waiting");
    let terminal = env.terminal([env.binary(), "agent", "attach", "api", "--observe"]);
    terminal.wait_for_text("api");
    env.wait_until("the client is attached", || agents(&env)[0]["clients"][0]["observer"] == true);

    check(&env, "agents", agents(&env), &[]);
    check(&env, "tasks", ask(&env, &["task", "list", "--all"]), &[]);
    check(&env, "recap", ask(&env, &["agent", "recap", "api"]), &["changes", "spent", "commits"]);
    check(&env, "recap-tasks", ask(&env, &["agent", "recap", "child"])["done"].take(), &[]);
    check(&env, "specs", ask(&env, &["spec", "list"]), &[]);
    check(&env, "kinds", json!([ask(&env, &["spec", "list", "--kinds"])[0]]), &[]);
    let workspace = ask(&env, &["spec", "show", "reviewer"])["spec"]["workspace"].take();
    check(&env, "workspace", json!({ "spec": { "workspace": workspace } }), &[]);
    check(&env, "taskspaces", ask(&env, &["taskspace", "list"]), &[]);
    check(&env, "screen", ask(&env, &["agent", "peek", "api"]), &["screen"]);
    let checks = symposium(&env, &["doctor", "--json"]).outcome().json();
    check(&env, "doctor", json!([checks[0]]), &[]);
    let failure = symposium(&env, &["agent", "show", "nobody", "--json"]).fails(3).stderr;
    check(&env, "failure", serde_json::from_str(&failure).expect("one object"), &[]);
}

#[test]
fn work_in_lists_matches_the_golden_file_of_the_extension() {
    let env = repository();
    git(&env, &env.project(), &["remote", "add", "origin", "https://github.com/me/project.git"]);
    let listed = json!([{
        "number": 12,
        "url": "https://github.com/me/project/pull/12",
        "state": "OPEN",
        "headRefName": "symposium/fix",
        "headRepositoryOwner": {"login": "me"},
        "closedAt": null,
        "statusCheckRollup": [{"state": "SUCCESS"}],
    }]);
    env.fake_program("gh", &format!("echo '{listed}'"));
    ask(&env, &["agent", "spawn", "demo", "--name", "fix", "--workspace", "worktree"]);
    let top = ask(&env, &["agent", "show", "fix"])["working_directory"].as_str().unwrap().to_owned();
    for (place, text) in [(Path::new(&top), "// of the agent\n"), (&env.project(), "// of main\n")] {
        fs::write(place.join("src/lib.rs"), text).unwrap();
        git(&env, place, &["commit", "-q", "-a", "-m", "change"]);
    }
    let mut agents = ask(&env, &["agent", "list", "--work"]);
    let agent = &mut agents[0];
    check(&env, "work", json!([{ "id": agent["id"].take(), "work": agent["work"].take() }]), &[]);
}

#[track_caller]
fn ask(env: &TestEnv, args: &[&str]) -> Value {
    symposium(env, &[args, &["--json"]].concat()).ok().json()
}

/// Returns all agents, sorted by name: the list itself begins with waiting agents.
#[track_caller]
fn agents(env: &TestEnv) -> Value {
    let mut list = ask(env, &["agent", "list"]);
    let all = list.as_array_mut().expect("a list");
    all.sort_by_key(|agent| agent["name"].to_string());
    list
}

#[track_caller]
fn wait_for(env: &TestEnv, name: &str, status: &str) {
    symposium(env, &["agent", "wait", name, "--for", status, "--timeout", "20s"]).ok();
}

/// Compares an answer with its file. Of the lists in `first_of` only the first entry counts.
#[track_caller]
pub(crate) fn check(env: &TestEnv, name: &str, mut answer: Value, first_of: &[&str]) {
    for list in first_of {
        if let Some(entries) = answer[list].as_array_mut() {
            entries.truncate(1);
        }
    }
    settle(&mut answer, "");
    let text = env.redacted(&serde_json::to_string_pretty(&answer).expect("it is JSON"));
    let text = in_place_of_words(&text) + "\n";
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("vscode-extension/src/test/golden");
    let known = fs::read_to_string(golden.join(format!("{name}.json"))).unwrap_or_default();
    if known != text {
        let found = env.root().join(format!("{name}.json"));
        fs::write(&found, &text).expect("writing the findings");
        let differs = known.lines().zip(text.lines()).find(|(a, b)| a != b);
        panic!(
            "the extension expects something else, first {differs:?}; when that is right: `cp {} {}`, then `npm test` in vscode-extension/",
            found.display(),
            golden.display()
        );
    }
}

/// Replaces values that vary between runs or machines, selected by the name of their field.
fn settle(value: &mut Value, key: &str) {
    match (key, &*value) {
        ("pid" | "seconds" | "attempts" | "size", Value::Number(_)) => *value = json!(1),
        ("tty", _) => *value = json!("/dev/pts/0"),
        // The tests type nothing.
        ("focused", _) => *value = json!(true),
        ("user", Value::String(_)) => *value = json!("tester"),
        ("with", Value::String(_)) => *value = json!("guest"),
        ("uid", Value::Number(_)) => *value = json!(1001),
        ("saw" | "what", Value::String(_)) => *value = json!("a text"),
        ("from" | "to", Value::String(word)) if !["person", "api", "screen"].contains(&word.as_str()) => {
            *value = json!("working")
        }
        ("program" | "why", Value::String(_)) => *value = json!("a text"),
        _ => {}
    }
    match value {
        Value::Array(entries) => entries.iter_mut().for_each(|entry| settle(entry, key)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| settle(field, name)),
        _ => {}
    }
}

/// Replaces the placeholders of `redacted` by values of their type, so that the files are possible outputs of the
/// binary.
fn in_place_of_words(text: &str) -> String {
    let commit = Regex::new(r#""id": "[0-9a-f]{7,40}""#).expect("a constant pattern");
    let socket = Regex::new(r"tmux-\d+").expect("a constant pattern");
    let text = commit.replace_all(text, r#""id": "0123abc""#);
    let text = socket.replace_all(&text, "tmux-1000").into_owned();
    [
        ("[UUID]", "00000000-0000-4000-8000-000000000000"),
        ("[TIME]", "2026-01-01T00:00:00Z"),
        ("[ROOT]", "/work"),
        ("[PANE]", "%0"),
        ("[PID]", "1"),
        ("[DURATION]", "1s"),
        (env!("CARGO_BIN_EXE_symposium"), "/usr/bin/symposium"),
    ]
    .iter()
    .fold(text, |text, (word, value)| text.replace(word, value))
}
