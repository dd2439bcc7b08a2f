//! Tests of resolving a spec.

use super::*;
use crate::model::{
    ChildLimits, FoundIn, Heartbeat, NotifyOn, Origin, Param, ParamSort, ParamValue, RestartPolicy, Schedule,
    Tier, Workspace, WorkspaceConfig,
};
use crate::specs::validation::keys;

const FULL: &str = r#"
[agents.full]
description = "all of it"
kind = "claude"
command = ["my claude", "--x"]
role = "executor"
model = "opus"
tools = ["Read", "Bash(ls, cat)"]
shell_tier = "approve"
system_prompt = { file = "prompts/full.md" }
env = { A = "1" }
restart = "on-failure"
heartbeat = { every = "30m", prompt = "How is it?" }
workspace = { mode = "worktree", copy = [".env*"], setup = ["npm ci", "make"] }
ephemeral = true
max_instances = 3
notify = ["waiting", "gave-up"]
limits = { depth = 2, children = 4 }
[agents.full.params.region]
type = "choice"
choices = ["europe", "asia"]
default = "europe"
[agents.full.params.days]
type = "int"
description = "how many"
"#;

fn full() -> TestProject {
    TestProject::with(&[
        ("project/.symposium/agents.toml", FULL),
        ("project/.symposium/prompts/full.md", "You do\nall of it.\n\n"),
    ])
}

#[test]
fn every_key_sets_its_field() {
    let disk = full();
    assert_eq!(disk.mistakes(), Vec::<String>::new());
    let path = disk.path("project/.symposium/agents.toml").display().to_string();
    let mut spec = disk.specs().get("full").unwrap();
    let origins = std::mem::take(&mut spec.origins);
    let choice = ParamSort::Choice { choices: vec!["europe".into(), "asia".into()] };
    let expected = Spec {
        name: "full".into(),
        description: Some("all of it".into()),
        kind: Some("claude".into()),
        command: vec!["my claude".into(), "--x".into()],
        role: Some("executor".into()),
        model: Some("opus".into()),
        tools: Some(vec!["Read".into(), "Bash(ls, cat)".into()]),
        shell_tier: Some(Tier::Approve),
        system_prompt: Some("You do\nall of it.".into()),
        env: [("A".to_owned(), "1".to_owned())].into(),
        restart: RestartPolicy::OnFailure,
        heartbeat: Some(Heartbeat {
            schedule: Schedule::Every(1_800),
            prompt: "How is it?".into(),
            last: None,
        }),
        workspace: Workspace::Worktree,
        worktree: WorkspaceConfig { copy: vec![".env*".into()], setup: vec!["npm ci".into(), "make".into()] },
        ephemeral: true,
        max_instances: Some(3),
        params: [
            (
                "region".to_owned(),
                Param { sort: choice, default: Some(ParamValue::Text("europe".into())), description: None },
            ),
            (
                "days".to_owned(),
                Param { sort: ParamSort::Int, default: None, description: Some("how many".into()) },
            ),
        ]
        .into(),
        notify: Some(vec![NotifyOn::Waiting, NotifyOn::GaveUp]),
        limits: ChildLimits { depth: Some(2), children: Some(4) },
        found_in: FoundIn::Project(path.clone()),
        origins: Default::default(),
        remarks: vec![],
    };
    assert_eq!(spec, expected);
    assert_eq!(origins["env.A"], Origin::File { path: path.clone(), line: 11 });
    assert_eq!(origins["params.region"], Origin::File { path, line: 19 });
    for key in keys::keys(keys::Scope::Agent).iter().filter(|key| key.name != "extends") {
        let is_of =
            |origin: &&String| origin.as_str() == key.name || origin.starts_with(&format!("{}.", key.name));
        assert!(origins.keys().any(|origin| is_of(&origin)), "`{}` is not tried here", key.name);
    }
}

#[test]
fn a_frozen_spec_is_read_back() {
    let spec = full().specs().get("full").unwrap();
    let text = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec);
    assert_eq!(serde_json::from_str::<Spec>("{}").unwrap(), Spec::default());
}

#[test]
fn spec_overrides_its_base_and_the_base_overrides_defaults() {
    let disk = TestProject::project(
        "[defaults]\nmodel = 'd'\nrole = 'd'\nenv = { A = 'd', B = 'd' }\nheartbeat = { every = '1h', prompt = 'x' }\ntools = ['a']\n\
         [agents.base]\nmodel = 'b'\ndescription = 'b'\nenv = { B = 'b', C = 'b' }\nlimits.depth = 1\n\
         [agents.top]\nextends = 'base'\nheartbeat = false\nenv.C = 't'\nlimits.children = 2\ntools = []\n",
    );
    let spec = disk.specs().get("top").unwrap();
    assert_eq!((spec.model.as_deref(), spec.role.as_deref()), (Some("b"), Some("d")));
    let env: Vec<(&str, &str)> = spec.env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(env, [("A", "d"), ("B", "b"), ("C", "t")]);
    assert_eq!(spec.limits, ChildLimits { depth: Some(1), children: Some(2) });
    assert_eq!((spec.heartbeat.is_none(), spec.tools.as_deref()), (true, Some([].as_slice())));
    assert_eq!(spec.description, None, "the description is not inherited");
    let line = |key: &str| match spec.origin(key) {
        Origin::File { line, .. } => *line,
        Origin::Default => 0,
    };
    let lines: Vec<usize> = ["role", "model", "env.C", "heartbeat", "restart"].map(line).into();
    assert_eq!(lines, [3, 8, 15, 14, 0]);
}

#[test]
fn workspace_lists_are_merged_and_a_word_sets_the_mode() {
    let disk = TestProject::project(
        "[defaults]\nworkspace = { copy = ['.env'], setup = ['make'] }\n\
         [agents.word]\nworkspace = 'worktree'\n\
         [agents.heir]\nextends = 'word'\nworkspace = { mode = 'scratch', setup = [] }\n\
         [agents.back]\nextends = 'heir'\nworkspace = 'in-place'\n",
    );
    for (name, workspace, setup, line) in [
        ("word", Workspace::Worktree, &["make"][..], 4),
        ("heir", Workspace::Scratch, &[], 7),
        ("back", Workspace::InPlace, &[], 10),
    ] {
        let spec = disk.specs().get(name).unwrap();
        assert_eq!(
            (spec.workspace, &spec.worktree.copy[..]),
            (workspace, &[".env".to_owned()][..]),
            "{name}"
        );
        assert_eq!(spec.worktree.setup, setup, "{name}");
        assert!(matches!(spec.origin("workspace"), Origin::File { line: at, .. } if *at == line), "{spec:?}");
        assert!(!spec.origins.contains_key("workspace.mode"));
    }
}

#[test]
fn implicit_spec_takes_all_defaults() {
    let home = ("home/agents.toml", "[defaults]\nshell_tier = 'approve'\nmodel = 'h'\n");
    let specs = TestProject::with(&[("project/.symposium/agents.toml", "[defaults]\nmodel = 'p'\n"), home]);
    let spec = specs.specs().get("default").unwrap();
    assert_eq!((spec.shell_tier, spec.model.as_deref()), (Some(Tier::Approve), Some("p")));
    assert!(matches!(spec.found_in, FoundIn::Project(_)));
    let specs = TestProject::with(&[("project/.symposium/agents.toml", "[agents.a]\n"), home]);
    assert!(matches!(specs.specs().get("default").unwrap().found_in, FoundIn::Home(_)));
}

#[test]
fn a_project_builds_on_the_environment_but_never_changes_it() {
    let disk = TestProject::with(&[
        (
            "project/.symposium/agents.toml",
            "[defaults]\nshell_tier = 'free'\nrole = 'project'\n[agents.careful]\nextends = 'careful'\nmodel = 'p'\n\
             [agents.base]\nshell_tier = 'free'\n",
        ),
        (
            "home/agents.toml",
            "[defaults]\nshell_tier = 'approve'\n[agents.careful]\nextends = 'base'\nmodel = 'h'\n[agents.mine]\n\
             extends = 'base'\n[agents.base]\n",
        ),
    ]);
    let specs = disk.specs();
    let careful = specs.get("careful").unwrap();
    assert_eq!((careful.model.as_deref(), careful.shell_tier), (Some("p"), Some(Tier::Approve)));
    assert_eq!(careful.role.as_deref(), Some("project"));
    let mine = specs.get("mine").unwrap();
    assert_eq!((mine.shell_tier, mine.role), (Some(Tier::Approve), None));
}

#[test]
fn a_prompt_file_is_looked_for_beside_the_file_that_names_it() {
    let disk = TestProject::with(&[
        (
            "project/.symposium/agents.toml",
            "[agents.a]\nextends = 'h'\n[agents.b]\nextends='h'\nsystem_prompt = './p.md'\n",
        ),
        ("project/.symposium/p.md", "project"),
        ("home/agents.toml", "[agents.h]\nsystem_prompt = 'p.md'\n"),
        ("home/p.md", "home"),
    ]);
    let prompt = |name: &str| disk.specs().get(name).unwrap().system_prompt.unwrap();
    assert_eq!((prompt("a"), prompt("b")), ("home".to_owned(), "project".to_owned()));
    fs::remove_file(disk.path("home/p.md")).unwrap();
    assert!(disk.refused("a")[0].contains("home/agents.toml:2:17: prompt file `"));
    fs::write(disk.path("home/p.md"), " \n").unwrap();
    assert!(disk.refused("a")[0].ends_with("home/p.md` is empty"));
}

#[test]
fn a_body_of_one_word_is_a_prompt_and_not_a_path() {
    let disk = TestProject::with(&[("home/specs/x/agent.md", "---\n---\nREADME.md\n")]);
    assert_eq!(disk.specs().get("x").unwrap().system_prompt.as_deref(), Some("README.md"));
    let both = TestProject::with(&[("home/specs/x/agent.md", "---\nsystem_prompt: a\n---\nb\n")]);
    assert_eq!(
        both.refused("x"),
        ["home/specs/x/agent.md:2:1: `system_prompt` is already given by the text below the front matter"]
    );
}

#[test]
fn the_example_is_valid_and_contains_every_key() {
    let text = init_text();
    // A disabled line begins with `#` and its key.
    let switched_on: String = text
        .lines()
        .map(|line| {
            let on = line.strip_prefix('#').filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
            format!("{}\n", on.unwrap_or(line))
        })
        .collect();
    for text in [text, &switched_on] {
        let disk = TestProject::project(text);
        assert_eq!(disk.mistakes(), Vec::<String>::new());
        let specs = disk.specs();
        for name in specs.names() {
            specs.get(name).unwrap();
        }
    }
    for key in keys::keys(keys::Scope::Agent) {
        let begins = |line: &str| line.strip_prefix(key.name).is_some_and(|rest| rest.starts_with(" ="));
        let is_there = switched_on.lines().any(begins) || switched_on.contains(&format!(".{}", key.name));
        assert!(is_there, "`{}` is not in the example", key.name);
    }
}

#[test]
fn spec_of_a_bare_kind_ignores_defaults_for_other_kinds() {
    let of = |text: &str| {
        let spec = TestProject::project(text).specs().of_kind("claude").unwrap();
        assert_eq!(
            (spec.name.as_str(), spec.kind.as_deref(), spec.command.len()),
            ("claude", Some("claude"), 0)
        );
        spec
    };
    let spec = of("[defaults]\nmodel = 'opus'\nshell_tier = 'approve'\n");
    assert_eq!((spec.model.as_deref(), spec.shell_tier), (Some("opus"), Some(Tier::Approve)));
    assert_eq!(spec.remarks, [""; 0]);
    let spec = of("[defaults]\nkind = 'codex'\nmodel = 'gpt'\ntools = ['x']\nshell_tier = 'approve'\n");
    assert_eq!((spec.model, spec.tools, spec.shell_tier), (None, None, Some(Tier::Approve)));
    assert_eq!(spec.remarks, ["`[defaults]` are for codex: their model and tools are not used"]);
    let broken = TestProject::project("[defualts]\nshell_tier = 'approve'\n").specs().of_kind("claude");
    assert!(matches!(broken, Err(SpecError::Mistakes(_))), "a tier that cannot be read is not passed over");
}
