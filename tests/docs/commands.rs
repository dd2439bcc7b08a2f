//! Runs the `sh` blocks of the README and the book line by line, each page in its own environment and repository, with
//! the demo agent in place of Claude Code.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::{blocks, commands, markdown_in};
use crate::cli::workspace;
use crate::support::TestEnv;

/// Pages whose commands are run by a test below, or, for hosts, by `tests/hosts/book.rs`.
const EXECUTED: &[&str] = &[
    "README.md",
    "docs/src/agents.md",
    "docs/src/attaching.md",
    "docs/src/concepts.md",
    "docs/src/configuration.md",
    "docs/src/getting-started.md",
    "docs/src/handoff.md",
    "docs/src/hosts.md",
    "docs/src/introduction.md",
    "docs/src/json.md",
    "docs/src/kinds.md",
    "docs/src/mcp.md",
    "docs/src/specs.md",
    "docs/src/supervision.md",
    "docs/src/tasks.md",
    "docs/src/troubleshooting.md",
    "docs/src/workspaces.md",
];

/// Before a line that contains the first text, the agent of the second must have the status of the third.
type Wait = (&'static str, &'static str, &'static str);

/// A repository with `symposium`, an agent CLI called `claude` and a `cargo` that never ends in PATH.
fn environment() -> TestEnv {
    let env = workspace::repository();
    env.fake_program("symposium", &format!("exec {} \"$@\"", env.binary()));
    env.fake_program("claude", "exec symposium demo-agent \"$@\"");
    env.fake_program("cargo", "exec sleep 1000");
    env
}

fn run(env: &TestEnv, line: &str) -> String {
    let outcome = env.program("sh", ["-c", line]).outcome();
    assert_eq!(outcome.code, 0, "{line}\n{outcome:?}\n{}", env.report());
    outcome.stdout
}

/// Waits until an agent has a status and its input line takes a prompt.
fn wait_for(env: &TestEnv, agent: &str, status: &str) {
    run(env, &format!("symposium agent wait {agent} --for {status} --timeout 20s"));
}

/// Runs a line that attaches the terminal, and detaches it with the keys that the book names.
fn run_in_terminal(env: &TestEnv, line: &str) {
    let terminal = env.terminal(["sh", "-c", line]);
    if line.contains("--watch") {
        terminal.wait_for_text("NAME");
        terminal.close();
        return;
    }
    terminal.wait_for_text("detach:");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0, "{line}\n{}", env.report());
}

/// Runs all commands of a page.
fn run_page(env: &TestEnv, page: &str, waits: &[Wait]) {
    assert!(EXECUTED.contains(&page), "{page} is not in the list of executed pages");
    let lines = commands(page);
    assert!(!lines.is_empty(), "{page} has no commands");
    for line in &lines {
        for (_, agent, status) in waits.iter().filter(|(text, ..)| line.contains(text)) {
            wait_for(env, agent, status);
        }
        let command = line.split(" # ").next().unwrap_or_default();
        if command.contains("symposium attach") || command.contains("--watch") {
            run_in_terminal(env, line);
        } else {
            run(env, line);
        }
    }
}

/// Returns the names of all agents, sorted: the list itself is in order of status, which may change meanwhile.
fn names(env: &TestEnv) -> Vec<String> {
    let agents = env.symposium(["agent", "list", "--all", "--json"]).ok().json();
    let agents = agents.as_array().cloned().unwrap_or_default();
    let mut names: Vec<String> =
        agents.iter().filter_map(|agent| agent["name"].as_str().map(str::to_owned)).collect();
    names.sort();
    names
}

#[test]
fn every_page_with_commands_is_executed() {
    let pages = markdown_in("docs/src").into_iter().chain(["README.md".to_owned()]);
    let with_commands: BTreeSet<String> = pages.filter(|page| !commands(page).is_empty()).collect();
    let executed: BTreeSet<String> = EXECUTED.iter().map(|page| (*page).to_owned()).collect();
    assert_eq!(with_commands, executed);
}

#[test]
fn code_blocks_have_a_known_language() {
    // `sh` is run, `console` shows commands that cannot be run in a test, behind a prompt.
    let known = ["sh", "console", "text", "toml", "rust", "json"];
    for page in markdown_in("docs/src").into_iter().chain(["README.md".to_owned()]) {
        for block in blocks(&page) {
            assert!(known.contains(&block.language.as_str()), "{page}: ```{}", block.language);
            let prompts = block.text.lines().all(|line| line.starts_with("$ "));
            assert!(block.language != "console" || prompts, "{page}: a line without `$ `:\n{}", block.text);
        }
    }
}

#[test]
fn the_commands_of_the_readme_work() {
    let env = environment();
    run_page(&env, "README.md", &[("symposium send", "api-fix", "idle"), ("approve", "docs", "waiting")]);
    assert_eq!(names(&env), ["api-fix", "docs"]);
}

#[test]
fn the_commands_of_the_introduction_work() {
    run_page(&environment(), "docs/src/introduction.md", &[]);
}

#[test]
fn the_commands_of_getting_started_work() {
    let env = environment();
    run_page(&env, "docs/src/getting-started.md", &[("symposium send", "first", "idle")]);
    assert_eq!(names(&env).len(), 2, "{:?}", names(&env));
}

#[test]
fn the_commands_about_environments_work() {
    let env = environment();
    run_page(&env, "docs/src/concepts.md", &[]);
    assert!(!env.state().join("envs/client-a").exists());
}

#[test]
fn the_commands_about_agents_work() {
    let env = environment();
    fs::write(env.project().join("src/lib.rs"), "// two\n").expect("a change for `git diff`");
    let waits = [
        ("symposium send", "api-fix", "idle"),
        ("symposium restart", "api-fix", "idle"),
        ("symposium answer", "docs", "waiting"),
    ];
    run_page(&env, "docs/src/agents.md", &waits);
    let left = names(&env);
    assert!(!left.contains(&"login".to_owned()) && left.contains(&"build".to_owned()), "{left:?}");
}

#[test]
fn the_commands_about_attaching_work() {
    run_page(&environment(), "docs/src/attaching.md", &[("symposium attach", "api-fix", "idle")]);
}

#[test]
fn the_commands_about_specs_work() {
    let env = environment();
    run_page(&env, "docs/src/specs.md", &[]);
    let names = names(&env);
    for name in ["reviewer-1", "weather-1", "weather-assistant-1", "reviewer-review-the-last-commit"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
}

#[test]
fn the_commands_about_workspaces_work() {
    let env = environment();
    run_page(&env, "docs/src/workspaces.md", &[("agent finish", "done", "idle")]);
    assert_eq!(names(&env), ["notes"]);
}

#[test]
fn the_commands_about_tasks_and_messages_work() {
    let env = environment();
    for line in commands("docs/src/tasks.md") {
        let line = line.replace("@shop", "@project");
        run(&env, &format!("SYMPOSIUM_SUPERVISOR=on; export SYMPOSIUM_SUPERVISOR; {line}"));
    }
    assert!(run(&env, "symposium task list --all").contains("done"));
    let mail =
        |name: &str| env.symposium(["message", "list", "--agent", name, "--all", "--json"]).ok().json();
    let wakes = |name: &str| -> Vec<Value> {
        mail(name)
            .as_array()
            .map_or(vec![], |all| all.iter().map(|message| message["wake"].clone()).collect())
    };
    assert_eq!(wakes("api-fix"), [true, false]);
    assert_eq!(wakes("docs"), [true]);
}

#[test]
fn the_commands_about_delegation_work() {
    let env = environment();
    run_page(&env, "docs/src/mcp.md", &[]);
    assert!(run(&env, "symposium ls").is_empty(), "the child was ended too\n{}", env.report());
}

#[test]
fn the_commands_about_supervision_work() {
    run_page(&environment(), "docs/src/supervision.md", &[("agent hibernate", "rests", "idle")]);
}

#[test]
fn the_commands_about_handoffs_work() {
    let env = environment();
    run_page(&env, "docs/src/handoff.md", &[]);
    wait_for(&env, "api-fix-2", "idle");
}

#[test]
fn the_commands_of_the_reference_work() {
    let env = environment();
    for page in ["configuration", "kinds", "json", "troubleshooting"] {
        run_page(&env, &format!("docs/src/{page}.md"), &[]);
    }
}
