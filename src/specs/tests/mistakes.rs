//! Tests of reporting all errors together, and of which errors prevent the use of a spec.

use super::*;
use crate::specs::syntax::file;

#[test]
fn mistakes_of_all_files_are_reported_with_positions() {
    let disk = TestProject::with(&[
        (
            "project/.symposium/agents.toml",
            "[defalts]\n[defaults]\nmodle = 'x'\n[agents.a]\nkind = 'cluade'\nextends = 'c'\n[agents.b]\nsystem_prompt = 'gone.md'\n[agents.c]\nextends = 'a'\n[agents.'d e']\n[agents.f]\nextends = 'claude'\n",
        ),
        ("home/agents.toml", "a = \nb = 'x\n"),
        ("home/specs/W/agent.md", "---\nrestart: maybe\ntools: 3\nextends: a\n---\nHi"),
    ]);
    assert_eq!(
        disk.mistakes(),
        [
            "home/agents.toml:1:5: string values must be quoted, expected literal string",
            "home/agents.toml:2:7: invalid literal string, expected `'`",
            "home/specs/W/agent.md:2:10: `restart` `maybe` is not a valid value; allowed: no, on-failure, always",
            "home/specs/W/agent.md:4:1: unknown key `extends`; allowed: name, description, kind, command, role, \
             model, tools, shell_tier, system_prompt, env, restart, heartbeat, workspace, ephemeral, max_instances, \
             params, notify, limits",
            "project/.symposium/agents.toml:1:2: unknown key `defalts`; did you mean `defaults`? allowed: defaults, agents",
            "project/.symposium/agents.toml:3:1: unknown key `modle`; did you mean `model`? allowed: kind, command, \
             role, model, tools, shell_tier, system_prompt, env, restart, heartbeat, workspace, ephemeral, \
             max_instances, params, notify, limits",
            "project/.symposium/agents.toml:5:8: `kind` `cluade` is not known; did you mean `claude`? allowed: claude, \
             codex, demo, command",
            &format!(
                "project/.symposium/agents.toml:8:17: prompt file `{}` cannot be read: No such file or directory (os error 2)",
                disk.path("project/.symposium/gone.md").display()
            )
            .replace(&format!("{}/", disk.dir.path().display()), ""),
            "project/.symposium/agents.toml:10:11: `extends` forms a cycle: a → c → a",
            "project/.symposium/agents.toml:11:9: `d e` cannot be the name of a spec: it contains ' ', only letters, \
             digits, `_` and `-` are allowed",
            "project/.symposium/agents.toml:13:11: `extends` names `claude`, and there is no such spec here; `claude` \
             is a kind: write `kind = \"claude\"`",
        ]
    );
}

#[test]
fn mistake_blocks_only_its_own_spec() {
    let disk =
        TestProject::project("[agents.good]\n[agents.bad]\nmodle = 'x'\n[agents.heir]\nextends = 'bad'\n");
    assert!(disk.specs().get("good").is_ok());
    assert_eq!(disk.refused("bad"), disk.refused("heir"));
    assert!(disk.refused("bad")[0].starts_with("project/.symposium/agents.toml:3:1: unknown key `modle`"));
}

#[test]
fn mistake_in_the_defaults_blocks_all_specs() {
    let disk = TestProject::project("[defaults]\nshell_tier = 'aprove'\n[agents.a]\n");
    assert_eq!(disk.refused("a"), disk.refused("default"));
    let misspelt = TestProject::project("[default]\nshell_tier = 'approve'\n[agents.a]\n");
    assert!(misspelt.refused("a")[0].contains("did you mean `defaults`?"));
}

#[test]
fn broken_file_blocks_every_spec_it_may_define() {
    let disk = TestProject::with(&[
        ("project/.symposium/agents.toml", "[agents.a]\n[agents.b]\nextends = 'c'\n"),
        ("home/agents.toml", "[agents"),
        ("home/specs/d/agent.md", "Hi"),
    ]);
    assert!(disk.specs().get("a").is_ok());
    for name in ["b", "c", "d", "default"] {
        assert!(disk.refused(name)[0].starts_with("home/agents.toml:1:8:"), "{name}");
    }
}

#[test]
fn cycle_of_extends_is_refused_from_every_member() {
    let disk = TestProject::project(
        "[agents.a]\nextends = 'b'\n[agents.b]\nextends = 'c'\n[agents.c]\nextends = 'b'\n[agents.d]\nextends = 'd'\n",
    );
    for name in ["a", "b", "c", "d"] {
        assert!(!disk.refused(name).is_empty(), "{name}");
    }
    assert_eq!(
        disk.refused("a"),
        ["project/.symposium/agents.toml:6:11: `extends` forms a cycle: b → c → b"]
    );
    assert_eq!(disk.mistakes().len(), 2);
}

#[test]
fn reading_a_hostile_file_runs_nothing_and_writes_nothing() {
    let disk = TestProject::project(
        "[defaults]\nenv = { X = '$(touch pwned)' }\n[agents.default]\ncommand = ['sh', '-c', 'touch pwned']\nmodel = '`touch pwned`'\n",
    );
    let files = || walk(disk.dir.path());
    let before = files();
    let spec = disk.specs().get("default").unwrap();
    assert_eq!(disk.mistakes(), Vec::<String>::new());
    assert_eq!(spec.command, ["sh", "-c", "touch pwned"]);
    assert_eq!(spec.env["X"], "$(touch pwned)");
    assert!(matches!(spec.found_in, crate::model::FoundIn::Project(_)));
    assert_eq!(files(), before);
}

fn walk(dir: &Path) -> Vec<PathBuf> {
    let (mut found, mut to_visit) = (vec![], vec![dir.to_owned()]);
    while let Some(dir) = to_visit.pop() {
        for path in file::entries(&dir) {
            if path.is_dir() {
                to_visit.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

#[test]
fn a_projects_prompt_is_a_file_of_the_project_wherever_links_lead() {
    let disk = TestProject::with(&[
        (
            "project/.symposium/agents.toml",
            "[agents.near]\nsystem_prompt = '../docs/a.md'\n[agents.far]\nsystem_prompt = '../../secret.md'\n\
             [agents.link]\nsystem_prompt = './link'\n[agents.root]\nsystem_prompt = '/etc/passwd'\n\
             [agents.heir]\nextends = 'home'\n",
        ),
        ("project/docs/a.md", "A.\n"),
        ("secret.md", "S.\n"),
        ("home/agents.toml", "[agents.home]\nsystem_prompt = '../secret.md'\n"),
        ("project/.symposium/specs/Front/agent.md", "---\nsystem_prompt: ../../../../secret.md\n---\n"),
    ]);
    std::os::unix::fs::symlink(disk.path("secret.md"), disk.path("project/.symposium/link")).unwrap();
    for name in ["near", "heir", "home"] {
        assert!(disk.specs().get(name).is_ok(), "{name}");
    }
    for name in ["far", "link", "root", "front"] {
        let mistakes = disk.refused(name);
        assert!(
            mistakes.len() == 1 && mistakes[0].contains("leads out of the project; allowed: files below "),
            "{mistakes:?}"
        );
    }
    assert_eq!(disk.mistakes().len(), 4);
}
