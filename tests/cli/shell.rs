//! `agent shell` and `agent edit`: programs of the user in an agent's workspace.

use super::workspace::{repository, workspace};
use super::{agent, spawned};

#[test]
fn a_shell_opens_in_the_workspace_with_the_variables_of_the_agent() {
    let env = repository();
    let spawn = ["--name", "fix", "--workspace", "worktree", "--env", "STAGE=test", "--", "sleep", "1000"];
    spawned(&env, &spawn);
    let script =
        "printf '%s|%s|%s|%s' \"$PWD\" \"$STAGE\" \"$SYMPOSIUM_SHELL_OF\" \"$SYMPOSIUM_AGENT_ID\"; exit 7";
    let ran = agent(&env, &["shell", "fix", "--", "sh", "-c", script]).fails(7);
    assert_eq!(ran.stdout, format!("{}|test|fix|", workspace(&env, "fix").display()));
    let shell = env.fake_program("my-shell", "echo \"shell in $PWD\"");
    let ran = agent(&env, &["shell", "fix"]).env("SHELL", shell.to_str().unwrap()).ok();
    assert_eq!(ran.stdout, format!("shell in {}\n", workspace(&env, "fix").display()));
    agent(&env, &["shell", "none"]).fails(3);
}

#[test]
fn the_editor_opens_the_workspace_or_files_in_it() {
    let env = repository();
    spawned(&env, &["--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"]);
    env.fake_program("my-editor", "echo \"$PWD: $*\"");
    let at = workspace(&env, "fix").display().to_string();
    let edit = |args: &[&str]| {
        agent(&env, &[&["edit", "fix"], args].concat()).env("EDITOR", "my-editor --wait").ok().stdout
    };
    assert_eq!(edit(&[]), format!("{at}: --wait .\n"));
    assert_eq!(edit(&["src/lib.rs"]), format!("{at}: --wait src/lib.rs\n"));
    let stderr = agent(&env, &["edit", "fix"]).env("VISUAL", "no-such-editor").fails(2).stderr;
    assert!(stderr.contains("`no-such-editor` is not installed"), "{stderr}");
}
