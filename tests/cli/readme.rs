//! The README, typed in: its tours are run to the letter in a fresh home, with the demo agent in the place of Claude Code.

use std::fs;

use super::{in_project, wait_for, workspace};
use crate::support::TestEnv;

const README: &str = include_str!("../../README.md");

/// The commands of all blocks for a shell in the section with this heading.
fn tour(heading: &str) -> Vec<&'static str> {
    let section = README.split(heading).nth(1).expect(heading);
    let section = section.split("\n## ").next().unwrap_or_default();
    let blocks = section.split("```\n").filter(|block| block.starts_with("symposium "));
    let lines: Vec<&str> = blocks.flat_map(str::lines).filter(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty(), "no commands below {heading}");
    lines
}

fn home() -> TestEnv {
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

#[test]
fn the_tour_of_agents_is_true() {
    let env = home();
    fs::write(env.project().join("src/lib.rs"), "// two\n").unwrap();
    let lines = tour("## A tour");
    assert!(lines.len() > 20, "{lines:?}");
    // These need a person, a dialog or systemd, and have tests of their own.
    let alone = ["symposium attach", "--watch", "symposium answer", "symposium approve", "service install"];
    for line in lines.iter().filter(|line| !alone.iter().any(|what| line.contains(what))) {
        if line.contains("symposium send") || line.contains("symposium restart") {
            wait_for(&env, "api-fix", "idle");
        }
        run(&env, line);
    }
    let left = env.symposium(["agent", "list", "--json"]).ok().stdout;
    assert!(!left.contains("\"login\"") && left.contains("\"build\""), "{left}");
}

#[test]
fn the_tour_of_specs_is_true() {
    let env = home();
    let lines = tour("## Specs");
    assert!(lines.len() >= 10, "{lines:?}");
    for line in &lines {
        run(&env, line);
    }
    let names: Vec<String> =
        env.symposium(["agent", "list", "--json"]).ok().json().as_array().map_or(vec![], |all| {
            all.iter().filter_map(|agent| agent["name"].as_str().map(str::to_owned)).collect()
        });
    for name in ["reviewer-1", "weather-1", "weather-assistant-1", "reviewer-review-the-last-commit"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
}

#[test]
fn the_tour_of_tasks_is_true() {
    let env = home();
    let lines = tour("## Tasks");
    assert!(lines.len() >= 10, "{lines:?}");
    // What an agent reports is reported while it is at it, and has tests of its own.
    for line in lines.iter().filter(|line| !line.contains("task progress") && !line.contains("task done")) {
        run(&env, &format!("SYMPOSIUM_SUPERVISOR=on; export SYMPOSIUM_SUPERVISOR; {line}"));
    }
    assert!(run(&env, "symposium task list --all").contains("done"));
}

#[test]
fn the_tour_of_messages_is_true() {
    let env = home();
    for name in ["api-fix", "docs"] {
        env.symposium(["agent", "spawn", "demo", "--name", name]).ok();
    }
    let lines = tour("## Messages and board");
    assert!(lines.len() >= 9, "{lines:?}");
    for line in &lines {
        run(&env, &line.replace("@shop", "@project"));
    }
    let mail = |name: &str| env.symposium(["message", "list", "--agent", name, "--json"]).ok().json();
    let wake = |name: &str, at: usize| mail(name)[at]["wake"].as_bool();
    assert_eq!(
        (wake("api-fix", 0), wake("api-fix", 1), wake("docs", 0)),
        (Some(true), Some(false), Some(true))
    );
}

#[test]
fn the_tour_of_handing_over_is_true() {
    let env = home();
    env.symposium(["agent", "spawn", "demo", "--name", "api-fix", "--task", "remember plum"]).ok();
    wait_for(&env, "api-fix", "idle");
    let lines = tour("## Handing over");
    assert!(lines.len() >= 3, "{lines:?}");
    for line in &lines {
        run(&env, line);
    }
    wait_for(&env, "api-fix-2", "idle");
}

#[test]
fn the_spec_that_it_shows_is_right() {
    let env = home();
    let blocks = README.split("```toml\n").filter_map(|rest| rest.split("```").next());
    let text = blocks.into_iter().find(|text| text.contains("[agents.reviewer]")).expect("an example");
    in_project(&env, ".symposium/agents.toml", text);
    in_project(&env, ".symposium/prompts/review.md", "You review.\n");
    env.symposium(["spec", "check"]).ok();
    let shown = env.symposium(["spec", "show", "reviewer", "--json"]).ok().json();
    assert_eq!(
        (&shown["spec"]["workspace"], &shown["problem"]),
        (&"worktree".into(), &serde_json::Value::Null)
    );
}
