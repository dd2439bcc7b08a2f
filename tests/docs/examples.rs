//! The configuration files that the book shows are valid. `src/config/tests.rs` checks `config.toml`.

use std::fs;

use super::blocks;
use crate::cli::workspace;

/// The first TOML block of a page that contains a text.
fn example(page: &str, text: &str) -> String {
    let block = blocks(page).into_iter().find(|block| block.language == "toml" && block.text.contains(text));
    block.unwrap_or_else(|| panic!("{page} has no example with {text}")).text
}

#[test]
fn the_example_of_a_spec_is_valid() {
    let env = workspace::repository();
    env.fake_program("claude", "exec sleep 1000");
    let symposium = env.project().join(".symposium");
    fs::create_dir_all(symposium.join("prompts")).expect("a directory for specs");
    fs::write(symposium.join("agents.toml"), example("docs/src/specs.md", "[agents.reviewer]"))
        .expect("agents.toml");
    fs::write(symposium.join("prompts/review.md"), "You review.\n").expect("a prompt");
    env.symposium(["spec", "check"]).ok();
    let shown = env.symposium(["spec", "show", "reviewer", "--json"]).ok().json();
    assert_eq!(shown["spec"]["workspace"], "worktree");
    assert_eq!(shown["problem"], serde_json::Value::Null);
}

#[test]
fn the_example_of_a_kind_is_valid() {
    let env = workspace::repository();
    env.fake_program("claude-beta", "exec sleep 1000");
    env.symposium(["agent", "list"]).ok();
    fs::create_dir_all(env.state()).expect("the state directory");
    fs::write(env.state().join("kinds.toml"), example("docs/src/kinds.md", "[claude]")).expect("kinds.toml");
    let kinds = env.symposium(["spec", "list", "--kinds", "--json"]).ok().json();
    let kinds = kinds.as_array().cloned().unwrap_or_default();
    for (name, installed) in [("claude", true), ("mytool", false)] {
        let expected = serde_json::json!({ "name": name, "installed": installed });
        assert!(kinds.contains(&expected), "{expected}: {kinds:?}");
    }
}
