//! Tests of which file defines a spec.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::model::FoundIn;

fn model(specs: &Specs, name: &str) -> Option<String> {
    specs.get(name).unwrap().model
}

#[test]
fn without_any_file_there_is_the_default_spec() {
    let disk = TestProject::with(&[]);
    let specs = disk.specs();
    assert_eq!(specs.names(), ["default"]);
    assert_eq!(specs.get("default").unwrap(), Spec::built_in());
    assert_eq!(specs.check(KINDS), []);
    match specs.get("defualt") {
        Err(SpecError::NoSuchSpec { near, known, .. }) => {
            assert_eq!(
                (near.as_deref(), known.as_slice()),
                (Some("default"), ["default".to_owned()].as_slice())
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_nearest_project_file_comes_first_and_the_environment_behind_it() {
    let disk = TestProject::with(&[
        ("project/.symposium/agents.toml", "[agents.a]\nmodel = 'far'\n"),
        ("project/deep/.symposium/agents.toml", "[agents.a]\nmodel = 'near'\n"),
        ("home/agents.toml", "[agents.a]\nmodel = 'home'\n[agents.b]\nmodel = 'home'\n"),
    ]);
    let specs = disk.specs();
    assert_eq!(specs.names(), ["a", "b", "default"]);
    assert_eq!(model(&specs, "a").as_deref(), Some("near"));
    assert_eq!(model(&specs, "b").as_deref(), Some("home"));
    let path = |path: &str| disk.path(path).display().to_string();
    assert_eq!(
        specs.get("a").unwrap().found_in,
        FoundIn::Project(path("project/deep/.symposium/agents.toml"))
    );
    assert_eq!(specs.get("b").unwrap().found_in, FoundIn::Home(path("home/agents.toml")));
}

#[test]
fn explicitly_named_file_is_used_alone() {
    let disk = TestProject::with(&[
        ("project/.symposium/agents.toml", "[agents.a]\n"),
        ("home/agents.toml", "[agents.b]\n"),
        ("mine.toml", "[agents.c]\n"),
    ]);
    let specs = disk.find_with_config(Some(&disk.path("mine.toml"))).unwrap();
    assert_eq!(specs.names(), ["c", "default"]);
    let missing = disk.find_with_config(Some(&disk.path("none.toml"))).unwrap_err();
    assert!(missing.to_string().starts_with("cannot read `"), "{missing}");
}

#[test]
fn the_environment_is_not_taken_for_a_project_around_it() {
    let disk = TestProject::with(&[("project/.symposium/agents.toml", "[agents.a]\n")]);
    let (dir, home) = (disk.path("project/deep"), disk.path("project/.symposium"));
    let specs = Specs::find(&SpecSearch { dir: &dir, home: &home, config: None }).unwrap();
    assert!(matches!(specs.get("a").unwrap().found_in, FoundIn::Home(_)));
}

#[test]
fn a_folder_is_a_spec_called_after_it() {
    let text =
        "---\nkind: claude\nrestart: no\nparams:\n  region: {default: europe}\n---\nYou tell the weather.\n";
    let disk = TestProject::with(&[
        ("home/specs/WeatherAssistant/agent.mdx", text),
        ("home/specs/empty/readme", ""),
        ("Reviewer/agent.md", "Review.\n"),
        ("notes/tester.md", "---\nname: qa\n---\n"),
    ]);
    let spec = disk.specs().get("weather-assistant").unwrap();
    assert_eq!(spec.system_prompt.as_deref(), Some("You tell the weather."));
    assert_eq!((spec.kind.as_deref(), spec.params.len()), (Some("claude"), 1));
    assert_eq!(disk.specs().names(), ["default", "weather-assistant"]);
    for (path, name) in
        [("Reviewer", "reviewer"), ("Reviewer/agent.md", "reviewer"), ("notes/tester.md", "qa")]
    {
        assert_eq!(Specs::from_path(&disk.path(path)).unwrap().name, name, "{path}");
    }
}

#[test]
fn named_path_without_a_spec_is_reported_with_the_reason() {
    let disk = TestProject::with(&[
        ("empty/readme", ""),
        ("x.json", "{}"),
        ("agents.toml", "[agents.a]\n"),
        ("both/agent.md", "A"),
        ("both/agent.mdx", "B"),
        ("日本/agent.md", "A"),
    ]);
    for (path, says) in [
        ("none", "No such file"),
        ("empty", "it holds no `agent.md`"),
        ("x.json", "a spec is an `agents.toml`, or Markdown"),
        ("agents.toml", "it holds specs by name"),
        ("both", "both/agent.md:1:1: exists beside `agent.mdx`"),
        ("日本", "cannot be the name of a spec: it is empty; say `name:`"),
    ] {
        let error = Specs::from_path(&disk.path(path)).unwrap_err().to_string();
        assert!(error.contains(says), "{path}: {error}");
    }
}

#[test]
fn claude_agent_files_are_specs() {
    let disk = TestProject::with(&[
        (
            "project/.claude/agents/reviewer.md",
            "---\nname: code-reviewer\ndescription: Use when: done\ntools: Read, Grep\nmodel: inherit\npermissionMode: plan\n---\nReview.\n",
        ),
        ("project/.claude/agents/README.md", "No front matter.\n"),
        ("project/.claude/agents/bad.md", "---\nname: x\n"),
    ]);
    let specs = disk.specs();
    let spec = specs.get("code-reviewer").unwrap();
    assert_eq!(spec.kind.as_deref(), Some("claude"));
    assert_eq!(spec.tools, None, "available tools are not approved tools");
    assert_eq!(spec.description.as_deref(), Some("Use when: done"));
    assert_eq!((spec.model, spec.system_prompt.as_deref()), (None, Some("Review.")));
    assert_eq!(spec.remarks, ["its file also sets tools, permissionMode, which is ignored"]);
    assert_eq!(specs.names(), ["bad", "code-reviewer", "default"]);
    assert_eq!(
        disk.refused("bad"),
        ["project/.claude/agents/bad.md:1:1: front matter is not closed: a line `---` must follow"]
    );
    let path = disk.path("project/.claude/agents/reviewer.md");
    assert_eq!(Specs::from_path(&path).unwrap().name, "code-reviewer");
}

#[test]
fn specs_in_shared_directories_must_belong_to_the_user() {
    let disk = TestProject::with(&[("project/.symposium/agents.toml", "[agents.a]\n")]);
    let project = disk.path("project");
    fs::set_permissions(&project, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(disk.specs().get("a").is_ok(), "it is ours");
    if rustix::process::getuid().is_root() {
        std::os::unix::fs::chown(project.join(".symposium"), Some(65_534), None).unwrap();
        assert_eq!(disk.specs().names(), ["default"]);
        assert!(disk.specs().remarks()[0].contains("is ignored"), "{:?}", disk.specs().remarks());
    }
}
