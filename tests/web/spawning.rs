//! Starting agents from the page: what is offered, the preview, and the start of what was confirmed.

use std::fs;

use serde_json::{Value, json};

use super::{Device, Response, Server, wait_for};
use crate::support::TestEnv;

struct Page<'a> {
    env: &'a TestEnv,
    server: Server,
    device: Device,
}

impl Page<'_> {
    fn open(env: &TestEnv) -> Page<'_> {
        let server = Server::start(env);
        let device = server.paired(env, "phone");
        Page { env, server, device }
    }

    fn post(&self, path: &str, body: &Value) -> Response {
        self.server.send(&self.server.post(&self.device, path, body))
    }

    /// The form for an agent in the project of the environment.
    fn form(&self, more: &Value) -> Value {
        let mut form = json!({ "spec": "demo", "directory": self.env.project().display().to_string() });
        more.as_object().unwrap().iter().for_each(|(key, value)| form[key] = value.clone());
        form
    }

    fn preview(&self, form: &Value) -> Value {
        let response = self.post("/api/spawn/preview", form);
        assert_eq!(response.status, 200, "{response:?}");
        response.json()
    }

    fn agents(&self) -> Value {
        self.env.symposium(["agent", "list", "--json"]).ok().json()
    }

    fn write_specs(&self, text: &str) {
        let dir = self.env.project().join(".symposium");
        fs::create_dir_all(&dir).expect("a directory");
        fs::write(dir.join("agents.toml"), text).expect("a file");
    }
}

#[test]
fn an_agent_is_started_after_its_preview_was_confirmed() {
    let env = TestEnv::new();
    let page = Page::open(&env);
    let directory = json!({ "directory": env.project().display().to_string() });
    let options = page.post("/api/spawn/options", &directory).json();
    let names: Vec<&Value> =
        options["options"].as_array().unwrap().iter().map(|option| &option["name"]).collect();
    assert!(names.contains(&&json!("demo")), "{options}");
    let form = page.form(&json!({ "name": "web-made", "task": "say hello", "workspace": "scratch" }));
    let preview = page.preview(&form);
    assert_eq!((&preview["kind"], &preview["workspace"]), (&json!("demo"), &json!("scratch")));
    assert_eq!(preview["task"], "say hello");
    let words = |key: &str| preview[key].as_array().unwrap().len();
    assert!(words("command") > 0 && words("command_line") > words("command"), "{preview}");
    assert_eq!(page.agents(), json!([]), "a preview starts nothing");
    for digest in ["", "another"] {
        let refused = page.post("/api/spawn", &json!({ "agent": form, "digest": digest }));
        assert_eq!((refused.status, refused.code().as_str()), (409, "preview-changed"));
    }
    let mut other = form.clone();
    other["task"] = "something else".into();
    let refused = page.post("/api/spawn", &json!({ "agent": other, "digest": preview["digest"] }));
    assert_eq!(refused.code(), "preview-changed");
    assert_eq!(page.agents(), json!([]), "an unconfirmed form starts nothing");
    let started = page.post("/api/spawn", &json!({ "agent": form, "digest": preview["digest"] }));
    assert_eq!((started.status, &started.json()["name"]), (200, &json!("web-made")), "{started:?}");
    wait_for(&env, "web-made", "idle");
    let last = page.post("/api/spawn/options", &directory).json();
    assert_eq!((&last["last"]["spec"], &last["last"]["workspace"]), (&json!("demo"), &json!("scratch")));
}

#[test]
fn an_untrusted_or_changed_spec_of_a_project_starts_nothing() {
    let env = TestEnv::new();
    let page = Page::open(&env);
    let form = page.form(&json!({}));
    let confirmed = page.preview(&form);
    page.write_specs("[agents.demo]\nkind = 'command'\ncommand = ['sh', '-c', 'touch ran']\n");
    for response in [
        page.post("/api/spawn/preview", &form),
        page.post("/api/spawn", &json!({ "agent": form, "digest": confirmed["digest"] })),
    ] {
        assert_eq!(response.code(), "untrusted-spec", "{response:?}");
        assert!(response.body.contains("touch ran"), "the reason is given: {response:?}");
    }
    env.symposium(["spec", "trust", "--yes"]).ok();
    let stale = page.post("/api/spawn", &json!({ "agent": form, "digest": confirmed["digest"] }));
    assert_eq!(stale.code(), "preview-changed", "{stale:?}");
    assert_eq!(page.agents(), json!([]));
    assert!(!env.project().join("ran").exists());
}

#[test]
fn only_offered_specs_and_absolute_directories_are_accepted() {
    let env = TestEnv::new();
    let page = Page::open(&env);
    page.write_specs("[agents.x]\nkind = 'command'\ncommand = ['sh', '-c', 'touch ran']\n");
    let file = env.project().join(".symposium/agents.toml").display().to_string();
    for fields in [
        json!({ "spec": file }),
        json!({ "spec": "./.symposium" }),
        json!({ "directory": "project" }),
        json!({ "directory": "" }),
        json!({ "name": "../x" }),
        json!({ "params": { "no-such": "1" } }),
    ] {
        let response = page.post("/api/spawn/preview", &page.form(&fields));
        assert!((400..500).contains(&response.status), "{fields}: {response:?}");
    }
}
