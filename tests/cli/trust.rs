//! `spec trust`: specs of a project run their commands only after the user agreed to them.

use insta::assert_snapshot;
use serde_json::json;

use super::workspace::repository;
use super::{agent, in_project, shown, spawned};
use crate::support::TestEnv;
use crate::support::run::Run;

const FILE: &str = ".symposium/agents.toml";
/// A project that replaces a kind with its own command.
const HOSTILE: &str = "[agents.demo]\nkind = 'command'\ncommand = ['sh', '-c', 'touch ran; sleep 1000']\n";

fn spec(env: &TestEnv, args: &[&str]) -> Run {
    env.symposium([&["spec"], args].concat())
}

fn nothing_ran(env: &TestEnv) -> bool {
    !env.project().join("ran").exists() && agent(env, &["list", "--json"]).ok().json() == json!([])
}

#[test]
fn a_project_spec_cannot_replace_a_kind_without_trust() {
    let env = TestEnv::new();
    in_project(&env, FILE, HOSTILE);
    let refused = agent(&env, &["-q", "spawn", "demo"]).fails(1).stderr;
    assert_snapshot!(env.redacted(&refused), @"
    error: spec `demo` comes with this project and is not trusted
      it runs `sh -c 'touch ran; sleep 1000'` ([ROOT]/project/.symposium/agents.toml:3)
      nothing was started
    hint: if you agree: `symposium spec trust [ROOT]/project`, or repeat the command with `--trust`
    ");
    let json = agent(&env, &["spawn", "demo", "--json"]).fails(1).stderr;
    assert!(json.contains("\"code\":\"untrusted-spec\""), "{json}");
    env.symposium(["taskspace", "new", "x", "demo", "--task", "t"]).fails(1);
    env.symposium(["task", "add", "demo", "t"]).fails(1);
    assert!(nothing_ran(&env));
    assert!(!env.symposium(["spec", "show", "demo", "--json"]).ok().json()["warnings"][0].is_null());
}

#[test]
fn project_defaults_with_variables_need_trust_for_every_kind() {
    let env = TestEnv::new();
    in_project(&env, FILE, "[defaults]\nenv = { LD_PRELOAD = '/evil.so' }\n");
    let refused = agent(&env, &["spawn", "demo"]).fails(1).stderr;
    assert!(refused.contains("it sets `LD_PRELOAD=/evil.so` in its environment"), "{refused}");
    agent(&env, &["spawn"]).fails(1);
    let review = spec(&env, &["trust", "--yes"]).ok().stderr;
    assert!(review.contains("every kind, by `[defaults]`"), "{review}");
    spawned(&env, &["demo"]);
}

#[test]
fn specs_with_prompts_only_need_no_trust() {
    let env = TestEnv::new();
    in_project(&env, FILE, "[agents.demo]\nkind = 'demo'\nmodel = 'big'\nsystem_prompt = 'be brief'\n");
    spawned(&env, &["demo"]);
    assert!(spec(&env, &["trust"]).ok().stderr.contains("need no trust"));
}

#[test]
fn trust_ends_when_a_file_changes_or_it_is_revoked() {
    let env = TestEnv::new();
    in_project(&env, FILE, "[agents.a]\nkind = 'demo'\nenv.A = 'one'\n");
    spec(&env, &["trust"]).fails(2);
    agent(&env, &["spawn", "a", "--trust"]).ok();
    assert_eq!(spec(&env, &["trust", "--list"]).ok().stdout.trim_end(), env.project().to_str().unwrap());
    spawned(&env, &["a"]);
    in_project(&env, FILE, "[agents.a]\nkind = 'demo'\nenv.A = 'two'\n");
    let refused = agent(&env, &["restart", "--fresh", "a-1"]).fails(1).stderr;
    assert!(refused.contains("changed since you trusted them"), "{refused}");
    spec(&env, &["trust", "--yes"]).ok();
    agent(&env, &["restart", "--fresh", "a-1"]).ok();
    spec(&env, &["untrust"]).ok();
    agent(&env, &["spawn", "a"]).fails(1);
    assert_eq!(spec(&env, &["trust", "--list", "--json"]).ok().json(), json!([]));
}

#[test]
fn spawn_asks_for_trust_at_a_terminal() {
    let env = TestEnv::new();
    in_project(&env, FILE, HOSTILE);
    let terminal = env.terminal([env.binary(), "agent", "spawn", "demo"]);
    terminal.wait_for_text("Trust the specs of this project?");
    terminal.wait_for_text("runs `sh -c 'touch ran; sleep 1000'`");
    terminal.keys(&["n"]);
    assert_eq!(terminal.wait_for_exit(), 1);
    assert!(nothing_ran(&env));
    let terminal = env.terminal([env.binary(), "agent", "spawn", "demo"]);
    terminal.wait_for_text("Trust the specs of this project?");
    terminal.keys(&["y"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    env.wait_until("the trusted command ran", || env.project().join("ran").exists());
}

#[test]
fn an_agent_cannot_grant_trust_and_uses_what_the_user_trusted() {
    let env = repository();
    in_project(&env, FILE, "[agents.a]\nkind = 'demo'\nenv.A = 'one'\n");
    super::workspace::git(&env, &env.project(), &["add", "-A"]);
    super::workspace::git(&env, &env.project(), &["commit", "-q", "-m", "specs"]);
    spawned(&env, &["demo", "--name", "lead", "--workspace", "worktree"]);
    let lead = shown(&env, "lead");
    let as_lead = |run: Run| {
        let id = lead["id"].as_str().unwrap().to_owned();
        let dir = lead["working_directory"].as_str().unwrap().to_owned();
        run.env("SYMPOSIUM_AGENT", "lead").env("SYMPOSIUM_AGENT_ID", id).current_dir(dir)
    };
    let refused = as_lead(agent(&env, &["spawn", "a", "--trust"])).fails(1).stderr;
    assert!(refused.contains("agent `lead` cannot trust the specs"), "{refused}");
    as_lead(spec(&env, &["trust", "--yes"])).fails(1);
    let refused = as_lead(agent(&env, &["spawn", "a"])).fails(1).stderr;
    assert!(refused.contains("a user has to agree"), "{refused}");
    spec(&env, &["trust", "--yes"]).ok();
    as_lead(agent(&env, &["spawn", "a"])).ok();
}

#[test]
fn setup_lines_of_a_project_run_only_with_consent_to_their_content() {
    let env = repository();
    let marker = env.root().join("ran");
    let text = |line: &str| {
        format!("[agents.web]\nkind = 'demo'\nworkspace = {{ mode = 'worktree', setup = ['{line}'] }}\n")
    };
    let first = format!("echo one >> {}", marker.display());
    in_project(&env, FILE, &text(&first));
    for command in [
        &["agent", "spawn", "web", "--name", "a"][..],
        &["taskspace", "new", "a", "web", "--task", "t"],
        &["agent", "spawn", "web", "--name", "a", "--workspace", "worktree", "--json"],
    ] {
        let refused = env.symposium(command).fails(1).stderr;
        assert!(refused.contains("it sets up its worktree with"), "{refused}");
    }
    assert!(!marker.exists());
    spec(&env, &["trust", "--yes"]).ok();
    agent(&env, &["spawn", "web", "--name", "a"]).ok();
    agent(&env, &["spawn", "web", "--name", "b"]).ok();
    assert_eq!(std::fs::read_to_string(&marker).unwrap(), "one\none\n", "one agreement is enough");
    // Another line needs another agreement.
    in_project(&env, FILE, &text(&format!("echo two >> {}", marker.display())));
    let refused = agent(&env, &["spawn", "web", "--name", "c"]).fails(1).stderr;
    assert!(refused.contains("changed since you trusted them"), "{refused}");
    assert_eq!(std::fs::read_to_string(&marker).unwrap(), "one\none\n");
}
