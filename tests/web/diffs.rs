//! The changes of an agent on the page.

use std::fs;

use serde_json::Value;

use super::{Server, spawned};
use crate::support::TestEnv;

#[test]
fn the_changes_of_an_agent_are_the_patch_of_the_command_line() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let device = server.paired(&env, "phone");
    let author = ["-c", "user.name=t", "-c", "user.email=t@t"];
    env.program("git", ["init", "-q", "-b", "trunk"]).ok();
    env.program("git", author.iter().chain(&["commit", "-q", "--allow-empty", "-m", "begin"])).ok();
    spawned(&env, "a", None, "idle");
    fs::write(env.project().join("page.html"), "<script>alert(1)</script>\n").expect("a file");
    let get = |name: &str| server.send(&server.get(&device, &format!("/api/agents/{name}/diff")));
    let response = get("a");
    assert_eq!(response.status, 200, "{response:?}");
    let shown = response.json();
    let files: Vec<&Value> =
        shown["diff"]["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!((files, &shown["is_cut"]), (vec![&Value::from("page.html")], &Value::Bool(false)));
    let patch = shown["patch"].as_str().unwrap();
    assert!(patch.contains("\n+<script>alert(1)</script>\n"), "{patch}");
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(get("no-such").status, 404);
}
