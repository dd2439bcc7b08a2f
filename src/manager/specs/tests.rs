//! Which spec a name means, what it runs, and what a project may do only with the user's trust.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::error::{Code, Error};
use crate::git::testing::Repository;
use crate::manager::specs::launch_plan::{LaunchPlan, SpawnTarget};
use crate::manager::specs::resolve::SpecLocation;
use crate::manager::specs::spawn_manifest::SpawnManifest;
use crate::manager::specs::spawn_request::{Lifetime, SpawnRequest};
use crate::manager::specs::{LaunchPlanner, ProjectTrust, SpecCatalog};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{
    AgentId, FoundIn, RestartPolicy, SpawnChoices, Spec, Status, Tier, TrustState, Workspace,
};

const FILE: &str = ".symposium/agents.toml";

/// Returns a context in whose PATH there are these programs only, which are never run.
fn with_programs(programs: &[&str]) -> (TestContext, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    for name in programs {
        let path = dir.path().join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    (TestContext::of_caller(&[("PATH", dir.path().to_str().unwrap())]), dir)
}

fn request(spec: &str) -> SpawnRequest {
    let body = SpawnTarget::Spec(Some(spec.to_owned()).filter(|name| !name.is_empty()));
    SpawnRequest { body, ..SpawnRequest::default() }
}

fn planned(context: &TestContext, request: &SpawnRequest) -> Result<LaunchPlan, Error> {
    LaunchPlanner(context).chosen(request, None, &context.project())
}

fn plan(context: &TestContext, spec: &str) -> LaunchPlan {
    planned(context, &request(spec)).unwrap()
}

fn refused(context: &TestContext, request: &SpawnRequest) -> Error {
    planned(context, request).err().unwrap()
}

fn untrusted(context: &TestContext, spec: &str) -> Option<String> {
    plan(context, spec).refuse_untrusted().err().map(|error| error.text())
}

/// Trusts the specs of the project as they are now.
fn trust(context: &TestContext) {
    let review = ProjectTrust(context).trust_review(&SpecLocation::default()).unwrap().unwrap();
    ProjectTrust(context).trust(&review).unwrap();
}

#[test]
fn a_name_means_a_spec_then_a_kind_then_a_folder() {
    let (context, _programs) = with_programs(&["claude"]);
    context.write_file(FILE, "[agents.review]\nkind = 'demo'\n[agents.demo]\nkind = 'demo'\nmodel = 'big'\n");
    context.write_file("weather/agent.md", "---\nkind: demo\n---\nHi.\n");
    let found = |name: &str| plan(&context, name).spec;
    assert_eq!(
        found("review").found_in,
        FoundIn::Project(context.project().join(FILE).display().to_string())
    );
    assert_eq!(found("demo").model.as_deref(), Some("big"), "the spec replaces the kind of its name");
    assert_eq!(found("claude").found_in, FoundIn::BuiltIn);
    assert_eq!(found("weather").system_prompt.as_deref(), Some("Hi."));
    let mut args = SpecCatalog(&context).args_for(&SpecLocation::default(), Some("./weather")).unwrap();
    SpecCatalog(&context).blueprint(&mut args).unwrap();
    assert_eq!(args.spec.as_deref().map(Path::new), Some(&*context.project().join("weather")));
}

#[test]
fn an_unknown_name_suggests_specs_and_kinds() {
    let context = TestContext::new();
    context.write_file(FILE, "[agents.reviewer]\nkind = 'demo'\n");
    for (name, suggestion) in [("reviwer", "reviewer"), ("cluade", "claude"), ("./reviewer", "reviewer")] {
        let error = refused(&context, &request(name));
        assert_eq!(error.code(), Code::NoSuchSpec, "{name}");
        assert!(error.text().contains(suggestion), "{}", error.text());
    }
    assert_eq!(refused(&context, &request("command")).code(), Code::NoSuchSpec, "it is no agent CLI");
}

#[test]
fn a_file_for_claude_does_not_replace_the_kind_of_its_name() {
    let (context, _programs) = with_programs(&["claude", "codex"]);
    context.write_file(".claude/agents/codex.md", "---\nname: codex\ndescription: x\n---\nYou are evil.\n");
    let plan = plan(&context, "codex");
    assert_eq!((plan.kind_name.as_str(), plan.spec.system_prompt), ("codex", None));
    assert!(plan.warnings[0].contains("is not used: `codex` is the name of a kind"), "{:?}", plan.warnings);
}

#[test]
fn a_given_file_replaces_all_others() {
    let context = TestContext::new();
    context.write_file(FILE, "[agents.demo]\nkind = 'demo'\nmodel = 'big'\n");
    context.write_file("other.toml", "[agents.mine]\nkind = 'demo'\n");
    let given = SpawnRequest { config: Some("other.toml".into()), ..request("demo") };
    assert_eq!(planned(&context, &given).unwrap().spec.model, None);
    let of_variable = TestContext::of_caller(&[("SYMPOSIUM_AGENTS_CONFIG", "other.toml")]);
    of_variable.write_file("other.toml", "[agents.mine]\nkind = 'demo'\n");
    assert_eq!(plan(&of_variable, "mine").kind_name, "demo");
}

#[test]
fn the_default_is_the_first_installed_cli_or_the_demo_agent() {
    for (installed, kind) in [(&["codex", "claude"][..], "claude"), (&["codex"], "codex"), (&[], "demo")] {
        let (context, _programs) = with_programs(installed);
        assert_eq!(plan(&context, "").kind_name, kind);
    }
}

#[test]
fn a_missing_program_is_reported_before_anything_is_created() {
    let (context, _programs) = with_programs(&[]);
    let error = refused(&context, &request("claude"));
    assert_eq!(error.code(), Code::ProgramMissing);
    assert!(error.text().contains("npm install"), "{}", error.text());
    context.write_file(FILE, "[agents.web]\ncommand = ['no-such-program']\n");
    let error = refused(&context, &request("web"));
    assert!(error.text().contains("agents.toml:2"), "the error names the line: {}", error.text());
}

#[test]
fn a_command_runs_with_its_path_and_without_a_spec() {
    let (context, programs) = with_programs(&["make"]);
    let command = |words: &[&str]| SpawnRequest {
        body: SpawnTarget::Command(words.iter().map(|word| (*word).to_owned()).collect()),
        ..SpawnRequest::default()
    };
    let plan = planned(&context, &command(&["make", "a b", "$x"])).unwrap();
    let make = programs.path().join("make").display().to_string();
    assert_eq!(plan.command, [make.as_str(), "a b", "$x"]);
    assert_eq!((plan.kind_name.as_str(), plan.spec.name.as_str()), ("command", "make"));
    assert_eq!(refused(&context, &command(&[])).code(), Code::Usage);
    assert_eq!(refused(&context, &command(&[""])).code(), Code::Usage);
    assert_eq!(refused(&context, &command(&["make", "a\0b"])).code(), Code::Usage);
    let pipeline = refused(&context, &command(&["make | tee log"]));
    assert_eq!(pipeline.code(), Code::ProgramMissing);
    assert!(pipeline.text().contains("a pipeline needs a shell"), "{}", pipeline.text());
}

#[test]
fn parameters_reach_prompts_and_the_record() {
    let context = TestContext::new();
    let text = "[agents.weather]\nkind = 'demo'\nsystem_prompt = 'For {{region}}, {{typo}}.'\n\
                heartbeat = { every = '1h', prompt = 'look at {{region}}' }\n\
                [agents.weather.params.region]\n";
    context.write_file(FILE, text);
    assert_eq!(refused(&context, &request("weather")).code(), Code::BadParams);
    let region =
        |value: &str| SpawnRequest { params: vec![("region".into(), value.into())], ..request("weather") };
    let plan = planned(&context, &region("{{typo}}")).unwrap();
    let prompt = "--append-system-prompt=For {{typo}}, {{typo}}.".to_owned();
    assert!(plan.command.contains(&prompt), "{:?}", plan.command);
    assert!(plan.warnings[0].contains("`{{typo}}`"), "{:?}", plan.warnings);
    let mut record = context.agent("a", Status::Starting);
    plan.write_into(&mut record);
    assert_eq!(record.heartbeat.unwrap().prompt, "look at {{typo}}");
    assert_eq!(plan.task(Some("go to {{region}}")).unwrap().unwrap().as_str(), "go to {{typo}}");
    assert_eq!(plan.task(Some("a\u{1b}[2J")).unwrap_err().code(), Code::Unsendable);
    let long = refused(&context, &region(&"x".repeat(131_072)));
    assert!(long.text().contains("the limit is 131071"), "{}", long.text());
}

#[test]
fn options_of_the_request_take_precedence_over_the_spec() {
    let context = TestContext::new();
    let text = "[agents.web]\nkind = 'demo'\ndescription = \"\"\"Serves\nmore\"\"\"\nrestart = 'always'\n";
    context.write_file(FILE, text);
    let written = |request: &SpawnRequest| {
        let mut record = context.agent_with("web", Status::Starting, |record| record.tmux = None);
        planned(&context, request).unwrap().write_into(&mut record);
        context.store.update(context.now(), |edit| edit.remove(&record.name)).unwrap();
        record
    };
    let of_spec = written(&request("web"));
    assert_eq!((of_spec.title.as_deref(), of_spec.ephemeral), (Some("Serves"), false));
    assert_eq!(of_spec.restart.policy, RestartPolicy::Always);
    let chosen = written(&SpawnRequest {
        title: Some("mine".into()),
        restart: Some(RestartPolicy::No),
        lifetime: Some(Lifetime::Task),
        ..request("web")
    });
    assert_eq!((chosen.title.as_deref(), chosen.ephemeral), (Some("mine"), true));
    assert_eq!(chosen.restart.policy, RestartPolicy::No);
}

#[test]
fn a_child_inherits_kind_model_and_tier_and_cannot_loosen_the_tier() {
    let (context, _programs) = with_programs(&["claude"]);
    let parent = context.agent("lead", Status::Working);
    let spec = Spec {
        kind: Some("demo".into()),
        model: Some("big".into()),
        shell_tier: Some(Tier::Review),
        ..Spec::default()
    };
    let manifest =
        SpawnManifest { record: parent, env: vec![], spec: Some(spec), args: None, variables: vec![] };
    LaunchPlanner(&context).write_spawn_manifest(&manifest).unwrap();
    let child = |spec: &str| {
        LaunchPlanner(&context).chosen(&request(spec), Some(&agent_name("lead")), &context.project())
    };
    let inherited = child("").unwrap();
    assert_eq!((inherited.kind_name.as_str(), inherited.spec.model.as_deref()), ("demo", Some("big")));
    assert_eq!(inherited.spec.shell_tier, Some(Tier::Review));
    let strict = "[agents.strict]\nkind = 'demo'\nshell_tier = 'approve'\n";
    context.write_file(FILE, &format!("[agents.loose]\nkind = 'demo'\nshell_tier = 'free'\n{strict}"));
    let error = child("loose").err().unwrap();
    assert_eq!(error.code(), Code::LooserTier);
    assert!(error.text().contains("acts under tier `review`"), "{}", error.text());
    assert_eq!(child("strict").unwrap().spec.shell_tier, Some(Tier::Approve));
    // Inherited values remain after the parent was removed.
    context.store.update(context.now(), |edit| edit.remove(&agent_name("lead"))).unwrap();
    std::fs::remove_dir_all(context.store.instance(&agent_name("lead")).dir()).unwrap();
    let again = LaunchPlanner(&context).plan_again(inherited.args, &context.project()).unwrap();
    assert_eq!((again.spec.model.as_deref(), again.command), (Some("big"), inherited.command));
    assert_eq!(
        LaunchPlanner(&context).inheritance(&agent_name("missing")).unwrap_err().code(),
        Code::NoSuchAgent
    );
}

#[test]
fn a_spec_of_a_project_that_changes_what_runs_needs_trust() {
    let context = TestContext::new();
    let command = "[agents.demo]\nkind = 'command'\ncommand = ['sh', '-c', 'touch ran']\n";
    for (text, effect) in [
        (command, "it runs `sh -c 'touch ran'`"),
        ("[defaults]\nenv = { LD_PRELOAD = '/evil.so' }\n", "it sets `LD_PRELOAD=/evil.so`"),
        ("[agents.demo]\nkind = 'demo'\nshell_tier = 'free'\n", "runs any command without asking"),
    ] {
        context.write_file(FILE, text);
        let refusal = untrusted(&context, "demo").unwrap();
        assert!(refusal.contains(effect) && refusal.contains("nothing was started"), "{refusal}");
        assert!(refusal.contains("symposium spec trust"), "{refusal}");
    }
    context.write_file(FILE, "[agents.demo]\nkind = 'demo'\nmodel = 'big'\nsystem_prompt = 'be brief'\n");
    assert_eq!(untrusted(&context, "demo"), None, "prompts and models need no trust");
}

#[test]
fn trust_ends_when_a_file_changes_or_it_is_revoked() {
    let context = TestContext::new();
    let state = || ProjectTrust(&context).trust_review(&SpecLocation::default()).unwrap().unwrap().state;
    context.write_file(FILE, "[agents.a]\nkind = 'demo'\nenv.A = 'one'\n");
    assert_eq!(state(), TrustState::Untrusted);
    trust(&context);
    assert_eq!((state(), untrusted(&context, "a")), (TrustState::Trusted, None));
    let trusted = ProjectTrust(&context).trusted_projects().unwrap();
    assert_eq!(trusted[0].project, context.project().display().to_string());
    assert_eq!(trusted[0].trusted_at, context.now());
    context.write_file(FILE, "[agents.a]\nkind = 'demo'\nenv.A = 'two'\n");
    assert_eq!(state(), TrustState::Changed);
    assert!(untrusted(&context, "a").unwrap().contains("changed since you trusted them"));
    trust(&context);
    assert_eq!(untrusted(&context, "a"), None);
    assert!(ProjectTrust(&context).untrust(None).unwrap().1);
    assert!(!ProjectTrust(&context).untrust(None).unwrap().1, "it is revoked already");
    assert!(untrusted(&context, "a").is_some());
}

#[test]
fn a_review_lists_only_specs_that_need_trust() {
    let context = TestContext::new();
    assert!(ProjectTrust(&context).trust_review(&SpecLocation::default()).unwrap().is_none());
    let text =
        "[agents.plain]\nkind = 'demo'\n[agents.wrong]\nkind = 7\n[agents.env]\nkind = 'demo'\nenv.A = 'x'\n";
    context.write_file(FILE, text);
    let review = ProjectTrust(&context).trust_review(&SpecLocation::default()).unwrap().unwrap();
    let names: Vec<_> = review.specs.iter().map(|spec| spec.name.as_deref()).collect();
    assert_eq!(names, [Some("env")]);
}

#[test]
fn an_agent_cannot_grant_trust() {
    let id = AgentId::fresh();
    let context =
        TestContext::of_caller(&[("SYMPOSIUM_AGENT", "lead"), ("SYMPOSIUM_AGENT_ID", &id.to_string())]);
    context.agent_with("lead", Status::Working, |record| record.id = id);
    context.write_file(FILE, "[agents.a]\nkind = 'demo'\nenv.A = 'one'\n");
    let review = ProjectTrust(&context).trust_review(&SpecLocation::default()).unwrap().unwrap();
    let error = ProjectTrust(&context).trust(&review).unwrap_err();
    assert_eq!(error.code(), Code::NotPermitted);
    assert!(error.to_string().contains("agent `lead` cannot trust the specs"), "{error}");
    assert!(untrusted(&context, "a").unwrap().contains("a user has to agree"));
}

#[test]
fn trust_in_a_repository_holds_in_the_worktrees_of_its_agents() {
    let context = TestContext::new();
    let repository = Repository::new();
    repository.write(FILE, "[agents.a]\nkind = 'demo'\nenv.A = 'one'\n");
    repository.commit("specs");
    let here = |dir: &Path| SpecLocation { config: None, dir: Some(dir.to_path_buf()) };
    let review = |dir: &Path| ProjectTrust(&context).trust_review(&here(dir)).unwrap().unwrap();
    let record = context.worktree_agent("lead", &repository.top());
    let at = PathBuf::from(&record.working_directory);
    ProjectTrust(&context).trust(&review(&repository.top())).unwrap();
    assert_eq!(review(&at).state, TrustState::Trusted);
    std::fs::write(at.join(FILE), "[agents.a]\nkind = 'demo'\nenv.A = 'two'\n").unwrap();
    assert_eq!(review(&at).state, TrustState::Changed, "the agent changed the file in its worktree");
    assert_eq!(review(&repository.top()).state, TrustState::Trusted);
}

#[test]
fn the_specs_in_the_state_directory_need_no_trust() {
    let context = TestContext::new();
    std::fs::write(context.home().join("agents.toml"), "[agents.a]\nkind = 'demo'\nenv.A = 'one'\n").unwrap();
    assert_eq!(untrusted(&context, "a"), None);
}

#[test]
fn a_list_shows_every_spec_with_its_agents_and_mistakes() {
    let context = TestContext::new();
    context.write_file(FILE, "[agents.good]\nkind = 'demo'\ndescription = 'x'\n[agents.wrong]\nkind = 7\n");
    context.agent_with("a", Status::Stopped, |record| record.spec = "good".into());
    let listed = SpecCatalog(&context).spec_list(&SpecLocation::default()).unwrap().specs;
    let rows: Vec<_> =
        listed.iter().map(|spec| (spec.name.as_str(), spec.agents, spec.wrong.len())).collect();
    assert_eq!(rows, [("default", 0, 0), ("good", 1, 0), ("wrong", 0, 1)]);
    assert_eq!(listed[1].description.as_deref(), Some("x"));
    let checked = SpecCatalog(&context).spec_check(None, &SpecLocation::default()).unwrap();
    assert_eq!(checked.names, ["default", "good", "wrong"]);
    assert_eq!(checked.mistakes.iter().map(|mistake| mistake.line).collect::<Vec<_>>(), [5]);
}

#[test]
fn a_list_of_kinds_shows_which_are_installed() {
    let (context, _programs) = with_programs(&["codex"]);
    let kinds = SpecCatalog(&context).kind_list(&SpecLocation::default()).unwrap();
    let installed: Vec<_> =
        kinds.iter().filter(|kind| kind.installed).map(|kind| kind.name.as_str()).collect();
    assert_eq!(installed, ["codex", "demo"]);
    assert!(kinds.iter().all(|kind| kind.name != "command"));
}

#[test]
fn an_example_is_valid_and_replaces_no_file() {
    let context = TestContext::new();
    let file = SpecCatalog(&context).spec_init(None).unwrap();
    assert_eq!(file, context.project().join(FILE));
    let checked = SpecCatalog(&context).spec_check(None, &SpecLocation::default()).unwrap();
    assert_eq!(checked.mistakes, []);
    std::fs::write(&file, "mine").unwrap();
    let error = SpecCatalog(&context).spec_init(None).unwrap_err();
    assert!(error.to_string().contains("already exists"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn a_spec_that_cannot_be_spawned_is_shown_with_the_reason() {
    let (context, _programs) = with_programs(&["aider"]);
    context.write_file("weather/agent.md", "---\nkind: aider\nshell_tier: review\n---\nHi.\n");
    let show = |name: &str| SpecCatalog(&context).spec_show(Some(name), vec![], &SpecLocation::default());
    let claude = show("claude").unwrap();
    assert_eq!(claude.problem.as_deref(), Some("`claude` is not installed, or not in PATH"));
    assert!(claude.command_line.is_empty());
    let weather = show("./weather").unwrap();
    assert_eq!(weather.kind.as_deref(), Some("aider"));
    assert!(weather.problem.unwrap().contains("cannot enforce the approval tier `review`"));
    let demo = show("demo").unwrap();
    assert_eq!(demo.problem, None);
    assert_eq!(demo.command_line[1..4], ["demo-agent", "--session-id", "NEW-ID"]);
    let missing = show("dmo").unwrap_err();
    assert!(missing.text().contains("`symposium spec show demo`"), "{}", missing.text());
}

#[test]
fn a_form_offers_specs_first_and_kinds_that_are_not_installed_last() {
    let (context, _programs) = with_programs(&["codex"]);
    context.write_file(
        FILE,
        "[agents.web]\nkind = 'claude'\n[agents.api]\nkind = 'demo'\n[agents.api.params.x]\n",
    );
    let choices = SpawnChoices {
        spec: Some("api".into()),
        workspace: None,
        taskspace: false,
        params: [("x".to_owned(), "1".to_owned())].into(),
        chosen_at: Timestamp::UNIX_EPOCH,
    };
    SpecCatalog(&context).keep_spawn_choices(&SpecLocation::default(), &choices).unwrap();
    let form = SpecCatalog(&context).spawn_options(&SpecLocation::default()).unwrap();
    let names: Vec<_> = form.options.iter().map(|option| option.name.as_str()).collect();
    assert_eq!(names[..5], ["default", "api", "web", "codex", "demo"]);
    assert_eq!(form.options[1].params[0].0, "x");
    assert_eq!(form.options[2].problem.as_deref(), Some("claude is not installed"));
    assert!(form.options[5..].iter().all(|option| option.problem.is_some()));
    assert_eq!(form.project, context.project().display().to_string());
    let last = form.last.unwrap();
    assert_eq!((last.spec.as_deref(), last.chosen_at), (Some("api"), context.now()));
}

#[test]
fn a_preview_names_everything_that_would_run_and_its_digest_covers_the_rest() {
    let context = TestContext::new();
    let text = "[agents.web]\nkind = 'demo'\nsystem_prompt = 'be brief'\nworkspace = 'scratch'\n\
                [agents.web.params.x]\ndefault = 'a'\n";
    context.write_file(FILE, text);
    let preview = |request: &SpawnRequest| SpecCatalog(&context).spawn_preview(request).unwrap();
    let task = SpawnRequest { task: Some("do {{x}}".into()), ..request("web") };
    let first = preview(&task);
    assert_eq!(
        (first.spec.as_str(), first.kind.as_str(), first.workspace),
        ("web", "demo", Workspace::Scratch)
    );
    assert_eq!(first.task.as_deref(), Some("do a"));
    assert!(first.command_line.len() > first.command.len(), "hooks are included");
    assert_eq!(preview(&task), first, "the same request has the same digest");
    let other = preview(&SpawnRequest { params: vec![("x".into(), "b".into())], ..task.clone() });
    assert_ne!(other.digest, first.digest);
    let named = preview(&SpawnRequest { name: Some(agent_name("n")), ..task.clone() });
    assert_ne!(named.digest, first.digest);
    context.write_file(FILE, &format!("{text}[agents.web.env]\nA = 'x'\n"));
    assert_eq!(SpecCatalog(&context).spawn_preview(&task).unwrap_err().code(), Code::UntrustedSpec);
    trust(&context);
    let with_variable = preview(&task);
    assert_eq!(with_variable.variables, ["A"]);
    assert_ne!(with_variable.digest, first.digest);
    assert!(context.store.read(context.now()).unwrap().is_empty(), "a preview creates nothing");
}

#[test]
fn agents_that_ask_before_every_action_ask_before_our_tools() {
    let (context, _programs) = with_programs(&["claude"]);
    let line = |tier: &str| {
        context.write_file(FILE, &format!("[agents.a]\nkind = 'claude'\nshell_tier = '{tier}'\n"));
        let shown = SpecCatalog(&context).spec_show(Some("a"), vec![], &SpecLocation::default()).unwrap();
        shown.command_line.join(" ")
    };
    assert!(!line("approve").contains("--allowedTools=mcp__symposium"));
    assert!(line("review").contains("--allowedTools=mcp__symposium"));
    context.configure("[mcp]\nenabled = false\n");
    assert!(!line("review").contains("mcp"));
}

#[test]
fn a_spawn_manifest_of_an_earlier_version_is_read_without_its_spec() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Stopped);
    assert!(LaunchPlanner(&context).spawn_manifest(&api.name).is_none());
    let text = serde_json::json!({ "record": api }).to_string();
    std::fs::write(context.store.instance(&api.name).spec_json(), text).unwrap();
    let manifest = LaunchPlanner(&context).spawn_manifest(&api.name).unwrap();
    assert!(manifest.spec.is_none() && manifest.args.is_none() && manifest.variables.is_empty());
    std::fs::write(context.store.instance(&api.name).spec_json(), "{").unwrap();
    assert!(LaunchPlanner(&context).spawn_manifest(&api.name).is_none());
}
