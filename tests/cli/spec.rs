//! `spec list|show|check|init`: specs as written, their effective values and their mistakes.

use insta::assert_snapshot;
use serde_json::json;

use super::{in_project, spawned};
use crate::support::TestEnv;
use crate::support::run::Run;

fn spec(env: &TestEnv, args: &[&str]) -> Run {
    env.symposium(["spec"].iter().chain(args))
}

const TEXT: &str = r#"[defaults]
restart = "on-failure"
[agents.reviewer]
description = "Reads what others wrote"
kind = "demo"
model = "opus"
system_prompt = """
You review.
You change nothing."""
shell_tier = "approve"
env = { PORT = "1" }
heartbeat = { every = "90m", prompt = "look" }
"#;

#[test]
fn spec_list_shows_effective_specs_with_their_files() {
    let env = TestEnv::new();
    assert_eq!(
        spec(&env, &["list"]).ok().stdout,
        "SPEC     KIND  FROM  WHAT FOR\ndefault  -     -\n",
        "there is always one"
    );
    in_project(&env, ".symposium/agents.toml", TEXT);
    in_project(&env, ".symposium/specs/Weather/agent.md", "---\nkind: demo\nmodle: x\n---\nHi.\n");
    spawned(&env, &["reviewer", "--trust"]);
    let run = spec(&env, &["list"]).ok();
    // The width of a column depends on the length of the temporary directory.
    let columns = regex_lite::Regex::new("  +").unwrap();
    assert_snapshot!(columns.replace_all(&env.redacted(&run.stdout), "  "), @"
    SPEC  KIND  FROM  WHAT FOR
    default  -  [ROOT]/project/.symposium/agents.toml
    reviewer  demo  [ROOT]/project/.symposium/agents.toml  Reads what others wrote
    weather  -  -  (wrong)
    ");
    assert_eq!(run.stderr, "warning: some of these specs have mistakes; `symposium spec check` lists them\n");
    let listed = spec(&env, &["list", "--json"]).ok().json();
    assert_eq!(
        (&listed[1]["name"], &listed[1]["agents"], &listed[1]["wrong"]),
        (&json!("reviewer"), &json!(1), &json!([]))
    );
    assert_eq!(listed[2]["wrong"].as_array().map(Vec::len), Some(1));
}

#[test]
fn spec_list_shows_kinds_and_which_are_installed() {
    let env = TestEnv::new();
    env.fake_program("codex", "exec sleep 1000");
    let text = spec(&env, &["list", "--kinds"]).ok().stdout;
    assert!(text.starts_with("KIND ") && text.contains("\nclaude ") && !text.contains("command"), "{text}");
    let kinds = spec(&env, &["list", "--kinds", "--json"]).ok().json();
    let installed: Vec<_> =
        kinds.as_array().unwrap().iter().filter(|kind| kind["installed"] == true).collect();
    assert_eq!(
        installed,
        [&json!({"name": "codex", "installed": true}), &json!({"name": "demo", "installed": true})]
    );
    spec(&env, &["list", "--kinds", "--config", "x"]).fails(2);
}

#[test]
fn spec_show_prints_the_origin_of_values_and_the_command() {
    let env = TestEnv::new();
    in_project(&env, ".symposium/agents.toml", TEXT);
    let run = spec(&env, &["show", "reviewer"]).ok();
    let text = env.redacted(&run.stdout).replace(env.binary(), "[BINARY]");
    let (rows, runs) = text.split_once("   a spawn runs  ").unwrap();
    assert_snapshot!(rows, @"
               spec  reviewer
        description  Reads what others wrote  [[ROOT]/project/.symposium/agents.toml:4]
               kind  demo  [[ROOT]/project/.symposium/agents.toml:5]
            command  -  [default]
               role  -  [default]
              model  opus  [[ROOT]/project/.symposium/agents.toml:6]
              tools  -  [default]
         shell_tier  approve  [[ROOT]/project/.symposium/agents.toml:10]
      system_prompt  You review.  [[ROOT]/project/.symposium/agents.toml:7]
                     You change nothing.
           env.PORT  1  [[ROOT]/project/.symposium/agents.toml:11]
            restart  on-failure  [[ROOT]/project/.symposium/agents.toml:2]
          heartbeat  every 1h 30m: look  [[ROOT]/project/.symposium/agents.toml:12]
          workspace  in-place  [default]
     workspace.copy  -  [default]
    workspace.setup  -  [default]
          ephemeral  false  [default]
      max_instances  -  [default]
             notify  -  [default]
       limits.depth  -  [default]
    limits.children  -  [default]
    ");
    assert!(
        runs.starts_with("[BINARY] demo-agent --model opus '--append-system-prompt=You review.\n"),
        "{runs}"
    );
    let shown = spec(&env, &["show", "reviewer", "--json"]).ok().json();
    assert_eq!(shown["spec"]["origins"]["model"]["file"]["line"], 6);
    spawned(&env, &["reviewer", "--name", "a", "--trust"]);
    let line = shown["command_line"].as_array().unwrap();
    let born = super::shown(&env, "a");
    let base = born["command"].as_array().unwrap();
    assert_eq!(line[..base.len()], base[..]);
    assert_eq!(
        line[base.len()..base.len() + 3],
        [json!("--session-id"), json!("NEW-ID"), json!("--settings")]
    );
}

#[test]
fn spec_show_takes_kinds_and_folders_and_suggests_names() {
    let env = TestEnv::new();
    in_project(&env, ".symposium/agents.toml", TEXT);
    in_project(&env, "Weather/agent.md", "---\nkind: aider\nshell_tier: review\n---\nHi.\n");
    let kind = spec(&env, &["show", "claude", "--json"]).ok().json();
    assert_eq!(kind["problem"], "`claude` is not installed, or not in PATH");
    assert_eq!(kind["spec"]["restart"], "on-failure");
    env.fake_program("aider", "exec sleep 1000");
    let folder = spec(&env, &["show", "./Weather"]).ok();
    let output = "nothing: Aider cannot enforce the approval tier `review`";
    assert!(folder.stdout.contains(output), "{folder:?}");
    assert_snapshot!(spec(&env, &["show", "reviwer"]).fails(3).stderr, @"
    error: no spec or kind named `reviwer`
      known: reviewer, claude, codex, gemini, kiro, q, opencode, qwen, copilot, cursor, amp, goose, aider, demo
    hint: did you mean `symposium spec show reviewer`?
    ");
    let other = spec(&env, &["show", "nothing-like-it", "--json"]).fails(3);
    assert!(other.stderr.contains("\"code\":\"no-such-spec\""), "{other:?}");
}

#[test]
fn spec_check_reports_every_mistake() {
    let env = TestEnv::new();
    let fine = spec(&env, &["check"]).ok();
    assert_eq!((fine.stdout.as_str(), fine.stderr.as_str()), ("", "no mistakes in default\n"));
    in_project(
        &env,
        ".symposium/agents.toml",
        "[agents.a]\nkind = 'cluade'\nshell_tier = 'lose'\nsystem_prompt = './gone.md'\n\
         [agents.b]\nextends = 'c'\n[agents.c]\nextends = 'b'\nheartbeat = { every = 'soon' }\n",
    );
    let run = spec(&env, &["check"]).fails(1);
    assert_snapshot!(env.redacted(&run.stdout), @"
    [ROOT]/project/.symposium/agents.toml:2:8: `kind` `cluade` is not known; did you mean `claude`? allowed: claude, codex, gemini, kiro, q, opencode, qwen, copilot, cursor, amp, goose, aider, demo, command
    [ROOT]/project/.symposium/agents.toml:3:14: `shell_tier` `lose` is not a valid value; allowed: free, review, approve
    [ROOT]/project/.symposium/agents.toml:4:17: prompt file `[ROOT]/project/.symposium/./gone.md` cannot be read: No such file or directory (os error 2)
    [ROOT]/project/.symposium/agents.toml:8:11: `extends` forms a cycle: b → c → b
    [ROOT]/project/.symposium/agents.toml:9:13: `heartbeat` must contain `prompt`
    [ROOT]/project/.symposium/agents.toml:9:23: `heartbeat.every` `soon` is not a time span; examples: [DURATION], 30m, 2h, 1h 30m, 7d
    ");
    assert_eq!(run.stderr, "6 mistakes\n");
    let mistakes = spec(&env, &["check", "--json"]).fails(1).json();
    assert_eq!((&mistakes[0]["line"], &mistakes[0]["column"]), (&json!(2), &json!(8)));
    in_project(&env, "fine.toml", TEXT);
    spec(&env, &["check", "fine.toml"]).ok();
    spec(&env, &["check", "--config", "fine.toml"]).ok();
    spec(&env, &["check", "gone.toml"]).fails(1);
}

#[test]
fn spec_init_writes_a_valid_example_and_overwrites_nothing() {
    let env = TestEnv::new();
    let file = env.project().join(".symposium/agents.toml");
    let run = spec(&env, &["init"]).ok();
    assert_eq!(run.stdout, format!("{}\n", file.display()));
    spec(&env, &["check"]).ok();
    let shown = spec(&env, &["show", "weather", "--json"]).ok().json();
    assert_eq!(shown["spec"]["max_instances"], 3);
    std::fs::write(&file, "[agents.mine]\n").unwrap();
    assert_snapshot!(env.redacted(&spec(&env, &["init"]).fails(1).stderr), @"
    error: `[ROOT]/project/.symposium/agents.toml` already exists
      nothing was changed
    hint: edit it, then run `symposium spec check`
    ");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[agents.mine]\n");
    let home = env.home();
    spec(&env, &["init", "--dir", home.to_str().unwrap()]).ok();
    spec(&env, &["list"]).current_dir(&home).ok();
}

#[test]
fn an_unknown_parameter_in_a_prompt_is_reported_with_its_position() {
    let env = TestEnv::new();
    let specs = "[agents.weather]\nkind = \"demo\"\nsystem_prompt = \"For {{region}}, {{ regoin }}.\"\n\
        [agents.weather.params.region]\ntype = \"string\"\n\
        [agents.news]\nkind = \"demo\"\nsystem_prompt = \"news.md\"\n";
    in_project(&env, ".symposium/agents.toml", specs);
    in_project(&env, ".symposium/news.md", "You tell news.\nüOf {{place}}.\n");
    let checked = env.symposium(["spec", "check"]).fails(1).stdout;
    let root = env.project().join(".symposium").display().to_string();
    let inline = "agents.toml:3:34: `{{regoin}}` is no parameter of `weather`; did you mean `region`?";
    assert!(checked.contains(&format!("{root}/{inline}")), "{checked}");
    assert!(
        checked.contains(&format!("{root}/news.md:2:5: `{{{{place}}}}` is no parameter of `news`")),
        "{checked}"
    );
    assert_eq!(checked.lines().count(), 2, "{checked}");
}
