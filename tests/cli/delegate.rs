//! Agents that spawn agents: what a child inherits, and which agents may answer for it.

use super::{agent, shown, spawned, trusted_specs};
use crate::support::TestEnv;

const SPECS: &str = "[agents.lead]\nkind = 'demo'\nmodel = 'big'\nshell_tier = 'review'\n\
                     [agents.loose]\nkind = 'demo'\nshell_tier = 'free'\n\
                     [agents.strict]\nkind = 'demo'\nshell_tier = 'approve'\n";

fn words(env: &TestEnv, name: &str) -> String {
    shown(env, name)["command"].as_array().expect("words").iter().filter_map(|word| word.as_str()).fold(
        String::new(),
        |mut all, word| {
            all.push_str(word);
            all.push(' ');
            all
        },
    )
}

/// Runs our binary as an agent does from its shell.
fn as_agent(env: &TestEnv, name: &str, args: &[&str]) -> crate::support::run::Run {
    let id = shown(env, name)["id"].as_str().expect("an id").to_owned();
    agent(env, args).env("SYMPOSIUM_AGENT", name).env("SYMPOSIUM_AGENT_ID", id)
}

#[test]
fn a_child_inherits_kind_model_and_tier_and_cannot_loosen_the_tier() {
    let env = TestEnv::new();
    trusted_specs(&env, SPECS);
    spawned(&env, &["lead", "--name", "lead"]);
    let parent = words(&env, "lead");
    assert!(parent.contains("big"), "{parent}");
    as_agent(&env, "lead", &["spawn", "--name", "child"]).ok();
    let child = shown(&env, "child");
    assert_eq!((&child["parent"], &child["kind"]), (&"lead".into(), &"demo".into()));
    assert_eq!(words(&env, "child"), parent, "the same model and tier");
    let refused = as_agent(&env, "lead", &["spawn", "loose", "--name", "x"]).fails(1);
    assert!(refused.stderr.contains("acts under tier `review`"), "{}", refused.stderr);
    agent(&env, &["show", "x"]).fails(3);
    as_agent(&env, "lead", &["spawn", "strict", "--name", "strict"]).ok();
    // Inherited values remain after the parent was removed.
    agent(&env, &["rm", "--force", "lead"]).ok();
    agent(&env, &["restart", "child", "--fresh"]).ok();
    assert_eq!(words(&env, "child"), parent);
}

#[test]
fn a_parent_may_approve_for_children_only_as_their_tier_allows() {
    let env = TestEnv::new();
    trusted_specs(&env, SPECS);
    spawned(&env, &["lead", "--name", "lead"]);
    spawned(&env, &["demo", "--name", "stranger"]);
    for (name, spec) in [("child", "lead"), ("strict", "strict")] {
        as_agent(&env, "lead", &["spawn", spec, "--name", name, "--task", "/ask make"]).ok();
        agent(&env, &["wait", name, "--for", "waiting", "--timeout", "20s"]).ok();
    }
    let refused = as_agent(&env, "stranger", &["approve", "child"]).fails(1);
    assert!(refused.stderr.contains("may not approve `child`"), "{}", refused.stderr);
    as_agent(&env, "child", &["approve", "child"]).fails(1);
    as_agent(&env, "lead", &["approve", "child"]).ok();
    agent(&env, &["wait", "child", "--for", "idle", "--timeout", "20s"]).ok();
    let strict = as_agent(&env, "lead", &["approve", "strict"]).fails(1);
    assert!(strict.stderr.contains("leaves every answer to a person"), "{}", strict.stderr);
    agent(&env, &["deny", "strict"]).ok();
}
