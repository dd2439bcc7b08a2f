//! `--param`: values reach prompt, task, environment and record verbatim, and nothing else.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{agent, prompts, shown, spawned, trusted_specs, wait_for};
use crate::support::TestEnv;

const TEXT: &str = r#"[agents.weather]
kind = "demo"
system_prompt = "You tell the weather in {{region}} for {{ days }} days. Keep {{this}}."
heartbeat = { every = "1h", prompt = "How is {{region}}?" }
[agents.weather.params.region]
type = "string"
[agents.weather.params.days]
type = "int"
default = 3
[agents.weather.params.unit]
type = "choice"
choices = ["c", "f"]
default = "c"
"#;

fn environment(agent: &Value) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{}/environ", agent["pid"])).unwrap();
    bytes.split(|byte| *byte == 0).map(|one| String::from_utf8_lossy(one).into_owned()).collect()
}

#[test]
fn a_parameter_reaches_prompt_task_environment_and_record_verbatim() {
    let env = TestEnv::new();
    trusted_specs(&env, TEXT);
    let odd = "Zürich \"'; $(touch x) `id` --flag {{days}} #{pane_id}\nline 2";
    let args = [
        "spawn",
        "weather",
        "--name",
        "a",
        "--param",
        &format!("region={odd}"),
        "--task",
        "Go to {{region}}!",
    ];
    let run = agent(&env, &args).ok();
    assert_eq!(
        run.stderr,
        "warning: `{{this}}` in its system prompt is not a parameter and is left unchanged\n"
    );
    wait_for(&env, "a", "idle");
    let born = shown(&env, "a");
    let prompt =
        format!("--append-system-prompt=You tell the weather in {odd} for 3 days. Keep {{{{this}}}}.");
    assert_eq!(born["command"][2], prompt);
    assert_eq!(prompts(&env, "a"), [format!("Go to {odd}!")]);
    let variables = environment(&born);
    for variable in [format!("SYMPOSIUM_PARAM_REGION={odd}"), "SYMPOSIUM_PARAM_DAYS=3".into()] {
        assert!(variables.contains(&variable), "{variable}: {variables:?}");
    }
    let params = json!([
        {"name": "days", "value": 3}, {"name": "region", "value": odd}, {"name": "unit", "value": "c"}
    ]);
    assert_eq!(born["params"], params);
    assert_eq!(env.registry()["sessions"]["a"]["params"], params);
    assert_eq!(env.registry()["sessions"]["a"]["heartbeat"]["prompt"], format!("How is {odd}?"));
    assert!(!env.project().join("x").exists());
    agent(&env, &["restart", "a"]).ok();
    assert!(environment(&shown(&env, "a")).contains(&format!("SYMPOSIUM_PARAM_REGION={odd}")));
}

#[test]
fn invalid_parameters_are_reported_and_start_nothing() {
    let env = TestEnv::new();
    trusted_specs(&env, TEXT);
    let run =
        agent(&env, &["spawn", "weather", "--param", "regon=x", "--param", "days=soon", "--param", "unit=k"]);
    assert_snapshot!(run.fails(2).stderr, @"
    error: the parameters do not match spec `weather`
      `regon` is not one of its parameters; it takes days, region, unit
      `days`: `soon` is not a whole number
      `region` must be given: a text
      `unit`: `k` is not one of c, f
      nothing was started
    hint: `symposium spec show weather` lists its parameters; set one with `--param NAME=VALUE`
    ");
    let key =
        agent(&env, &["spawn", "weather", "--param", "region=a\u{1b}[2J", "--task", "{{region}}"]).fails(2);
    assert!(key.stderr.contains("contains the control character U+001B"), "{key:?}");
    let long = format!("region={}", "x".repeat(131_060));
    let long = agent(&env, &["spawn", "weather", "--param", &long]).fails(2);
    assert!(long.stderr.contains("the system prompt would have"), "{long:?}");
    agent(&env, &["spawn", "--param", "a=b", "--", "sleep", "1000"]).fails(2);
    agent(&env, &["spawn", "weather", "--param", "region"]).fails(2);
    assert_eq!(agent(&env, &["list", "--json"]).ok().json(), json!([]));
    let shown = env.symposium(["spec", "show", "weather", "--json"]).ok().json();
    assert_eq!(shown["problem"], "`region` must be given: a text");
    let shown = env.symposium(["spec", "show", "weather", "--json", "--param", "region=asia"]).ok().json();
    assert_eq!(
        shown["command_line"][2],
        "--append-system-prompt=You tell the weather in asia for 3 days. Keep {{this}}."
    );
}

#[test]
fn a_fresh_restart_applies_the_parameters_to_the_current_spec() {
    let env = TestEnv::new();
    trusted_specs(&env, TEXT);
    spawned(&env, &["weather", "--name", "a", "--param", "region=asia", "--param", "unit=f"]);
    let text = "[agents.weather]\nkind = 'demo'\nsystem_prompt = 'Weather of {{region}}'\n\
                heartbeat = { cron = '0 9 * * *', prompt = 'x' }\n\
                params.region.default = 'europe'\nparams.unit.default = 'c'\n";
    trusted_specs(&env, text);
    agent(&env, &["restart", "--fresh", "a"]).ok();
    let born = shown(&env, "a");
    assert_eq!(born["command"][2], "--append-system-prompt=Weather of asia");
    assert_eq!(born["params"], json!([{"name": "region", "value": "asia"}, {"name": "unit", "value": "f"}]));
    let heartbeat = &env.registry()["sessions"]["a"]["heartbeat"];
    assert_eq!((&heartbeat["cron"], &heartbeat["every"]), (&json!("0 9 * * *"), &json!(null)));
}
