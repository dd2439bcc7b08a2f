//! Agents that spawn agents: what a child inherits, and which agents may answer for it.

use super::{agent, shown, spawned, trusted_specs};
use crate::support::TestEnv;

const SPECS: &str = "[agents.lead]\nkind = 'demo'\nmodel = 'big'\nshell_tier = 'review'\n\
                     [agents.strict]\nkind = 'demo'\nshell_tier = 'approve'\n";

/// Runs our binary as an agent does from its shell.
fn as_agent(env: &TestEnv, name: &str, args: &[&str]) -> crate::support::run::Run {
    let id = shown(env, name)["id"].as_str().expect("an id").to_owned();
    agent(env, args).env("SYMPOSIUM_AGENT", name).env("SYMPOSIUM_AGENT_ID", id)
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
