//! Registries and handoffs of other versions, through the real binary: the older public format, the current one, and
//! one with additions of a newer version. A fixture that is checked in must stay readable.

use std::fs;

use serde_json::Value;

use crate::support::TestEnv;

const V0: &str = include_str!("registry-v0.json");
const V1: &str = include_str!("registry-v1.json");

/// Creates an environment with a registry that another version has written.
fn env_with(registry: &str) -> TestEnv {
    use std::os::unix::fs::DirBuilderExt;
    let env = TestEnv::new();
    fs::DirBuilder::new().mode(0o700).create(env.state()).unwrap();
    fs::write(env.state().join("agent-sessions.json"), registry).unwrap();
    env
}

fn listed(env: &TestEnv) -> Vec<Value> {
    env.symposium(["agent", "list", "--all", "--json"]).ok().json().as_array().unwrap().clone()
}

fn named<'a>(agents: &'a [Value], name: &str) -> &'a Value {
    agents.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no `{name}` in {agents:?}"))
}

#[test]
fn a_version_0_registry_is_migrated_and_the_original_kept() {
    let env = env_with(V0);
    let output = env.symposium(["agent", "list", "--all"]).ok();
    assert!(
        output.stderr.contains("the registry of an older symposium was migrated; agents in it: 4"),
        "{output:?}"
    );
    assert!(output.stderr.contains("not readable in it: not-an-agent"), "{output:?}");
    let agents = listed(&env);
    let words: Vec<_> =
        agents.iter().map(|one| (one["name"].as_str().unwrap(), one["status"].as_str().unwrap())).collect();
    for expected in [
        ("symposium-agent-1f0c5c1e-6a2b-4d0e-9c3a-0a1b2c3d4e5f", "lost"),
        ("review", "stopped"),
        ("review-2", "lost"),
        ("migrated-3a4b5c6d", "crashed"),
    ] {
        assert!(words.contains(&expected), "{expected:?} is not in {words:?}");
    }
    let first = named(&agents, "symposium-agent-1f0c5c1e-6a2b-4d0e-9c3a-0a1b2c3d4e5f");
    assert_eq!(first["command"], serde_json::json!(["q", "chat", "--resume"]));
    assert_eq!(first["working_directory"], "/home/user/a project");
    assert_eq!(first["created_at"], "2025-09-12T08:30:00.123Z");
    assert_eq!(env.registry()["format"], 1);
    assert_eq!(fs::read_to_string(env.state().join("agent-sessions.json.v0")).unwrap(), V0);
    assert_eq!(env.symposium(["agent", "list", "--all"]).ok().stderr, "", "the repair is reported once");
}

#[test]
fn a_migration_killed_at_any_step_is_finished_by_the_next_command() {
    for step in ["store.aside", "store.written", "store.bak", "store.synced", "store.renamed"] {
        let env = env_with(V0);
        env.symposium(["agent", "list"]).env("SYMPOSIUM_FAILPOINT", step).fails(137);
        assert_eq!(listed(&env).len(), 4, "{step}");
        assert_eq!(fs::read_to_string(env.state().join("agent-sessions.json.v0")).unwrap(), V0, "{step}");
    }
}

#[test]
fn a_migrated_agent_can_be_resumed_and_removed() {
    let env = TestEnv::new();
    let dir = env.project().display().to_string();
    let old = V0.replace("/home/user/review", &dir).replace("[\"claude\"]", "[\"/bin/sleep\", \"1000\"]");
    fs::create_dir(env.state()).unwrap();
    fs::write(env.state().join("agent-sessions.json"), old).unwrap();
    env.symposium(["agent", "resume", "review"]).ok();
    assert_eq!(named(&listed(&env), "review")["status"], "working");
    env.symposium(["agent", "kill", "review"]).ok();
    env.symposium(["agent", "rm", "review"]).ok();
    env.symposium(["agent", "rm", "migrated-3a4b5c6d"]).ok();
    assert_eq!(listed(&env).len(), 2);
}

#[test]
fn killing_an_agent_leaves_the_one_with_the_same_id_in_a_copied_environment_running() {
    let dir = TestEnv::new();
    let place = dir.project().display().to_string();
    let registry = V0.replace("/home/user/review", &place).replace("[\"claude\"]", "[\"sleep\", \"1000\"]");
    let (original, copy) = (env_with(&registry), env_with(&registry));
    for env in [&original, &copy] {
        env.symposium(["agent", "resume", "review"]).ok();
    }
    original.symposium(["agent", "kill", "review"]).ok();
    assert_eq!(named(&listed(&original), "review")["status"], "stopped");
    assert_eq!(named(&listed(&copy), "review")["status"], "working");
}

#[test]
fn a_migrated_agent_with_a_bare_program_name_is_found_in_path() {
    let dir = TestEnv::new();
    let place = dir.project().display().to_string();
    let old = V0.replace("/home/user/review", &place).replace("[\"claude\"]", "[\"sleep\", \"1000\"]");
    let env = env_with(&old);
    env.symposium(["agent", "resume", "review"]).ok();
    let review = named(&listed(&env), "review").clone();
    assert_eq!(review["status"], "working");
    assert!(review["command"][0].as_str().unwrap().ends_with("/sleep"), "{review}");
}

#[test]
fn resuming_a_migrated_agent_without_a_command_is_an_error() {
    let env = env_with(&V0.replace("/home/user/review", "/"));
    let output = env.symposium(["agent", "resume", "review-2"]).fails(1);
    assert!(output.stderr.contains("error: ") && output.stderr.contains("hint: "), "{output:?}");
    assert_eq!(named(&listed(&env), "review-2")["status"], "lost");
}

#[test]
fn an_empty_version_0_registry_is_empty() {
    let env = env_with("{}");
    assert!(listed(&env).is_empty());
    env.symposium(["agent", "spawn", "--name", "one", "--", "sleep", "1000"]).ok();
    assert_eq!(listed(&env).len(), 1);
}

#[test]
fn fields_of_a_newer_version_survive_our_changes() {
    let env = env_with(V1);
    let output = env.symposium(["agent", "list", "--all"]).ok();
    assert!(output.stderr.contains("entry `of-tomorrow`"), "{output:?}");
    env.symposium(["agent", "rename", "lead", "leader"]).ok();
    env.symposium(["agent", "kill", "api-fix"]).ok();
    env.symposium(["agent", "spawn", "--name", "one", "--", "sleep", "1000"]).ok();
    let (before, after): (Value, Value) = (serde_json::from_str(V1).unwrap(), env.registry());
    for member in ["written_by", "shards"] {
        assert_eq!(after[member], before[member]);
    }
    let entry = |registry: &Value, name: &str| registry["sessions"][name].clone();
    assert_eq!(
        entry(&after, "of-tomorrow"),
        entry(&before, "of-tomorrow"),
        "what we cannot read is left as it is"
    );
    let (old, new) = (entry(&before, "api-fix"), entry(&after, "api-fix"));
    assert_eq!(new["budget"], old["budget"]);
    assert_eq!(new["conversation"], old["conversation"]);
    assert_eq!(new["restart"]["backoff"], old["restart"]["backoff"]);
    assert_eq!(new["restart"]["next_at"], Value::Null, "a stopped agent is not restarted");
    let text = fs::read_to_string(env.state().join("agent-sessions.json")).unwrap();
    assert!(text.contains("12345678901234567890.10"), "a number was rounded");
}

#[test]
fn names_of_entries_from_a_newer_version_stay_reserved() {
    let env = env_with(V1);
    let taken = env.symposium(["agent", "spawn", "--name", "of-tomorrow", "--", "sleep", "1000"]).outcome();
    assert_ne!(taken.code, 0);
    assert!(taken.stderr.contains("of-tomorrow"), "{taken:?}");
    env.symposium(["agent", "rename", "lead", "of-tomorrow"]).fails(1);
    let before: Value = serde_json::from_str(V1).unwrap();
    assert_eq!(env.registry()["sessions"]["of-tomorrow"], before["sessions"]["of-tomorrow"]);
}

#[test]
fn older_heartbeats_and_parameters_are_read_and_kept() {
    let env = env_with(include_str!("registry-v1-specs.json"));
    let agents = listed(&env);
    assert_eq!(named(&agents, "older")["params"], serde_json::json!([]));
    assert_eq!(named(&agents, "newer")["params"][2]["value"], true);
    for name in ["older", "newer"] {
        env.symposium(["agent", "resume", name]).ok();
    }
    let written = env.registry();
    let heartbeat = |name: &str| written["sessions"][name]["heartbeat"].clone();
    assert_eq!((&heartbeat("older")["every"], &heartbeat("older")["cron"]), (&3600.into(), &Value::Null));
    assert_eq!(heartbeat("newer")["cron"], "0 9 * * 1-5");
}

#[test]
fn stored_questions_are_read_and_may_be_absent() {
    let env = env_with(include_str!("registry-v1-questions.json"));
    let agents = listed(&env);
    for name in ["told", "untold"] {
        // No agent runs that could ask.
        let agent = named(&agents, name);
        assert_eq!((&agent["status"], &agent["question"]), (&"crashed".into(), &Value::Null), "{agent}");
    }
    let noted = |name: &str| env.registry()["sessions"][name]["status"]["question"].clone();
    assert_eq!((noted("told"), noted("untold")), (Value::Null, Value::Null));
}

#[test]
fn stored_conversations_are_read_and_may_be_absent() {
    let mut registry: Value = serde_json::from_str(V1).unwrap();
    let name = registry["sessions"].as_object().unwrap().keys().next().unwrap().clone();
    let list = |env: &TestEnv| env.symposium(["conversation", "list", &name, "--json"]).ok().json();
    assert_eq!(list(&env_with(V1)).as_array().unwrap().len(), 1);
    registry["sessions"][&name]["conversations"] = serde_json::json!([{ "id": "0199-abc", "name": "login", "left_at": "2026-01-02T03:04:05Z", "newer": 1 }]);
    let listed = list(&env_with(&registry.to_string()));
    assert_eq!((&listed[1]["name"], &listed[1]["id"]), (&"login".into(), &"0199-abc".into()));
}

#[test]
fn stored_groups_and_copied_conversations_are_read_and_may_be_absent() {
    let env = env_with(include_str!("registry-v1-groups.json"));
    let compared = env.symposium(["agent", "compare", "fix-2", "--json"]).ok().json();
    assert_eq!((&compared[0]["name"], &compared[1]["name"]), (&"fix-1".into(), &"fix-2".into()));
    env.symposium(["agent", "compare", "alone"]).fails(2);
    env.symposium(["agent", "rename", "alone", "other"]).ok();
    let stored = &env.registry()["sessions"];
    assert_eq!(stored["fix-1"]["conversation"]["forked_from"], "22222222-2222-4222-8222-222222222222");
    assert_eq!(stored["fix-1"]["group"], stored["fix-2"]["group"]);
    assert_eq!(
        (&stored["other"]["group"], &stored["fix-1"]["conversation"]["newer"]),
        (&Value::Null, &1.into())
    );
}

/// A handoff of format 1, with fields that a newer version may add.
const HANDOFF_V1: &[u8] = include_bytes!("handoff-v1.tar.gz");

#[test]
fn a_handoff_of_format_1_can_be_imported() {
    let env = TestEnv::new();
    let (file, shop) = (env.root().join("v1.handoff.tar.gz"), env.root().join("shop"));
    fs::write(&file, HANDOFF_V1).unwrap();
    let paths = [&file, &shop].map(|path| path.to_str().unwrap());
    env.symposium(["agent", "handoff", "import", paths[0], "--clone-to", paths[1], "--yes"]).ok();
    for (name, text) in [("lib.rs", "// one\n"), ("new", "x\n")] {
        assert_eq!(fs::read_to_string(shop.join(name)).unwrap(), text);
    }
    let output = env.symposium(["agent", "show", "fix", "--json"]).ok().json();
    assert_eq!((&output["title"], &output["branch"]), (&"the login bug".into(), &"symposium/fix".into()));
    assert_eq!(output["conversation"]["id"], "0f8fad5b-d9cb-469f-a165-70867728950e");
    assert_eq!(crate::cli::prompts(&env, "fix"), ["remember plum"]);
    let tasks = env.symposium(["task", "list", "--json"]).ok().json();
    assert_eq!((&tasks[0]["text"], &tasks[0]["priority"]), (&"go on".into(), &"high".into()));
    let mail = env.symposium(["message", "list", "--agent", "fix", "--json"]).ok().json();
    assert!(mail[0]["text"].as_str().unwrap().contains("mind the gap"), "{mail}");
}
