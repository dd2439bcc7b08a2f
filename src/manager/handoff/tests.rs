//! Exports and imports of agents: what is packed, which secrets are found, and what is refused without a change. The
//! repositories are real, and no agent is started.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Code, Error};
use crate::git::testing::Repository;
use crate::manager::handoff::export::Exported;
use crate::manager::handoff::{
    Destination, ExportRequest, Handoff, HandoffExport, HandoffImport, IfExists, ImportRequest,
    OpenedHandoff, QueueImport, Secrets, Trust,
};
use crate::manager::queue::TaskQueue;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::spawn_manifest::SpawnManifest;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{AgentId, AgentRecord, Assignee, NewTask, Part, Spec, Status, Tier, Workspace};

/// Returns a repository with one commit on `main`.
fn repository() -> Repository {
    let repository = Repository::new();
    repository.write("lib.rs", "one\n");
    repository.write(".gitattributes", "*.cfg -diff\n*.pem binary\n");
    repository.commit("first");
    repository
}

fn top(record: &AgentRecord) -> PathBuf {
    PathBuf::from(&record.working_directory)
}

/// Exports the agent `fix` to the file `f` in the project.
fn export(context: &TestContext, secrets: Secrets) -> Result<Exported, Error> {
    export_to(context, Destination::File(Some("f".into()), IfExists::Kept), secrets, &mut Vec::new())
}

fn export_to(
    context: &TestContext,
    to: Destination,
    secrets: Secrets,
    out: &mut Vec<u8>,
) -> Result<Exported, Error> {
    let request = ExportRequest { name: agent_name("fix"), to, secrets, recap_text: &|_| "a recap".into() };
    HandoffExport(context).handoff_export(&request, out)
}

fn open(context: &TestContext, file: &Path) -> OpenedHandoff {
    Handoff(context).handoff_open(file).unwrap()
}

/// Imports a hand-off, which is refused.
fn refused(context: &TestContext, opened: &OpenedHandoff, change: impl FnOnce(&mut ImportRequest)) -> Error {
    let mut request =
        ImportRequest { name: None, dir: None, clone_to: None, trust: Trust::All, queue: QueueImport::Take };
    change(&mut request);
    HandoffImport(context).handoff_import(opened, &request).map(drop).unwrap_err()
}

/// Asserts that a refused import left nothing.
#[track_caller]
fn assert_untouched(context: &TestContext) {
    assert!(context.store.read(context.now()).unwrap().is_empty());
    assert!(!context.store.instance(&agent_name("fix")).dir().exists());
    assert!(!context.store.run_dir().join("fix.lock").exists(), "its lock is left");
    let run = fs::read_dir(context.store.run_dir()).into_iter().flatten().flatten();
    let left: Vec<_> = run
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("_staging"))
        .collect();
    assert!(left.len() <= 1, "only the opened hand-off has a temporary directory: {left:?}");
}

/// A made-up GitHub token, which is not in the source as one text.
fn token() -> String {
    ["ghp", "q7Gk2mZx9Lw4Tn8Vb3Rc6Yd1Hf5Js0Pa42Kx"].join("_")
}

#[test]
fn an_exported_agent_is_opened_as_it_was() {
    let (context, repository) = (TestContext::new(), repository());
    let fix = context.worktree_agent("fix", &repository.top());
    context.edit("fix", |record| record.title = Some("the plum".into()));
    fs::write(top(&fix).join("committed"), "x\n").unwrap();
    repository.git_in(&top(&fix), &["add", "-A"]);
    repository.git_in(&top(&fix), &["commit", "-q", "-m", "second"]);
    fs::write(top(&fix).join("lib.rs"), "two\n").unwrap();
    let new = NewTask::plain(Assignee::Agent(fix.id, fix.name.clone()), "fix it", "person");
    TaskQueue(&context).queue(&new).unwrap();
    let exported = export(&context, Secrets::Refused).unwrap();
    assert_eq!(exported.manifest.made_at, context.now());
    let opened = open(&TestContext::new(), exported.file.as_deref().unwrap());
    assert_eq!((opened.manifest.name.as_str(), opened.manifest.kind.as_str()), ("fix", "demo"));
    assert_eq!(opened.record.title.as_deref(), Some("the plum"));
    assert_eq!((opened.recap.as_str(), opened.tasks[0].text.as_str()), ("a recap", "fix it"));
    let work = opened.manifest.work.as_ref().unwrap();
    assert_eq!((work.branch.as_deref(), work.workspace), (Some("symposium/fix"), Workspace::Worktree));
    assert!(opened.manifest.has(Part::Bundle) && opened.manifest.has(Part::Unstaged));
}

#[test]
fn a_file_is_replaced_only_on_request_and_a_stream_gets_the_same() {
    let context = TestContext::new();
    context.agent("fix", Status::Working);
    let exported = export(&context, Secrets::Refused).unwrap();
    let file = exported.file.unwrap();
    assert_eq!(file, context.project().join("f"));
    assert!(exported.remarks.iter().any(|remark| remark.contains("it is working")), "{:?}", exported.remarks);
    fs::write(&file, "mine").unwrap();
    assert_eq!(export(&context, Secrets::Refused).map(drop).unwrap_err().code(), Code::Unsafe);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let replace = Destination::File(Some("f".into()), IfExists::Replaced);
    let size = export_to(&context, replace, Secrets::Refused, &mut Vec::new()).unwrap().size;
    assert_eq!(fs::metadata(&file).unwrap().len(), size);
    let mut out = Vec::new();
    let sent = export_to(&context, Destination::Stream, Secrets::Refused, &mut out).unwrap();
    assert_eq!((sent.file, sent.size), (None, out.len() as u64));
    fs::write(&file, out).unwrap();
    assert_eq!(open(&context, &file).manifest.name, agent_name("fix"));
    let folder = Destination::File(Some(".".into()), IfExists::Kept);
    let named = export_to(&context, folder, Secrets::Refused, &mut Vec::new()).unwrap().file.unwrap();
    assert_eq!(named, context.project().join("fix.handoff.tar.gz"));
}

#[test]
fn an_export_reports_files_outside_of_a_repository_as_not_packed() {
    let context = TestContext::new();
    context.agent("fix", Status::Idle);
    let exported = export(&context, Secrets::Refused).unwrap();
    assert!(exported.manifest.work.is_none());
    assert!(exported.remarks[0].contains("is not in a git repository"), "{:?}", exported.remarks);
    let empty = Repository::new();
    context.edit("fix", |record| record.working_directory = empty.top().to_string_lossy().into_owned());
    let to = Destination::File(Some("g".into()), IfExists::Kept);
    let exported = export_to(&context, to, Secrets::Refused, &mut Vec::new()).unwrap();
    assert!(exported.remarks[0].contains("has no commit yet"), "{:?}", exported.remarks);
}

#[test]
fn an_agent_may_neither_export_nor_import() {
    let id = AgentId::fresh();
    let context =
        TestContext::of_caller(&[("SYMPOSIUM_AGENT", "fix"), ("SYMPOSIUM_AGENT_ID", &id.to_string())]);
    context.agent_with("fix", Status::Working, |record| record.id = id);
    let error = export(&context, Secrets::Refused).map(drop).unwrap_err();
    assert_eq!(error.code(), Code::NotPermitted);
    assert!(error.to_string().contains("agent `fix` may not hand an agent over"), "{error}");
    assert!(!context.project().join("f").exists());
    let other = TestContext::new();
    other.agent("fix", Status::Idle);
    let file = export(&other, Secrets::Refused).unwrap().file.unwrap();
    let error = refused(&context, &open(&context, &file), |_| {});
    assert!(error.to_string().contains("agent `fix` may not take an agent over"), "{error}");
}

/// Exports an agent whose worktree was changed, and asserts that the token is found at this place and not shown.
#[track_caller]
fn assert_token_is_found(place: &str, change: impl FnOnce(&Repository, &Path)) {
    let (context, repository) = (TestContext::new(), repository());
    let fix = context.worktree_agent("fix", &repository.top());
    change(&repository, &top(&fix));
    let error = export(&context, Secrets::Refused).map(drop).unwrap_err();
    assert_eq!(error.code(), Code::SecretsInHandoff);
    let text = error.text();
    assert!(text.contains(&format!("{place}: a GitHub token: ghp_… (")), "{place}: {text}");
    assert!(!text.contains(&token()), "{text}");
    assert!(!context.project().join("f").exists());
    export(&context, Secrets::Allowed).unwrap();
}

#[test]
fn secrets_are_found_in_names() {
    assert_token_is_found("manifest.json (branch)", |repository, at| {
        repository.git_in(at, &["checkout", "-q", "-b", &format!("fix/{}", token())]);
    });
    assert_token_is_found("unstaged.patch line 1", |_, at| fs::write(at.join(token()), "").unwrap());
    assert_token_is_found("unstaged.patch line 1", |_, at| {
        let dir = at.join(format!("é{}", token()));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("ü"), [0, 1]).unwrap();
    });
}

#[test]
fn secrets_are_found_in_uncommitted_files_of_any_attribute() {
    let line = format!("token = {}\n", token());
    assert_token_is_found("unstaged.patch (a.cfg line 1)", |_, at| {
        fs::write(at.join("a.cfg"), &line).unwrap();
    });
    assert_token_is_found("staged.patch (a.pem line 1)", |repository, at| {
        fs::write(at.join("a.pem"), &line).unwrap();
        repository.git_in(at, &["add", "a.pem"]);
    });
}

#[test]
fn secrets_are_found_in_commits_even_if_a_later_commit_removed_them() {
    let line = format!("token = {}\n", token());
    assert_token_is_found("(a.cfg line 1)", |repository, at| {
        fs::write(at.join("a.cfg"), &line).unwrap();
        repository.git_in(at, &["add", "a.cfg"]);
        repository.git_in(at, &["commit", "-q", "-m", "with a key"]);
        repository.git_in(at, &["rm", "-q", "a.cfg"]);
        repository.git_in(at, &["commit", "-q", "-m", "without"]);
    });
    assert_token_is_found("", |repository, at| {
        repository.git_in(at, &["commit", "-q", "--allow-empty", "-m", "subject", "-m", &format!("{line}.")]);
    });
}

#[test]
fn a_made_up_password_is_reported_by_its_position_only() {
    let (context, repository) = (TestContext::new(), repository());
    let fix = context.worktree_agent("fix", &repository.top());
    let made_up = ["sun", "shine"].concat();
    let write = |name: &str, text: String| {
        fs::write(top(&fix).join(name), text).unwrap();
    };
    write("app.yml", format!("db:\n  user: app\n  password:\n    \"{made_up}\"\n"));
    repository.git_in(&top(&fix), &["add", "app.yml"]);
    write("notes", format!("one\ncurl -u bob:{made_up} https://host/\n"));
    let error = export(&context, Secrets::Refused).map(drop).unwrap_err();
    assert_eq!(
        error.observations()[..2],
        [
            "staged.patch (app.yml line 4): a value of `password`: hidden (too short to show a prefix)",
            "unstaged.patch (notes line 2): a password on a command line: hidden (too short to show a prefix)",
        ]
    );
    assert!(!error.text().contains(&made_up[..3]), "{}", error.text());
    // A placeholder is not a password.
    write("app.yml", "db:\n  user: app\n  password:\n    \"changeme\"\n".into());
    repository.git_in(&top(&fix), &["add", "app.yml"]);
    write("notes", "one\ncurl -u \"$USER:$TOKEN\" https://host/\n".into());
    export(&context, Secrets::Refused).unwrap();
}

#[test]
fn binary_files_are_not_searched() {
    let (context, repository) = (TestContext::new(), repository());
    let fix = context.worktree_agent("fix", &repository.top());
    // The content of a library that can read keys.
    let library =
        b"\x7fELF\0\0\n-----BEGIN RSA PRIVATE KEY-----\nhttp://user:Pa55w0rd+x@host\n\0".repeat(1000);
    fs::write(top(&fix).join("one.so"), &library).unwrap();
    repository.git_in(&top(&fix), &["add", "one.so"]);
    repository.git_in(&top(&fix), &["commit", "-q", "-m", "a library"]);
    fs::write(top(&fix).join("two.so"), &library).unwrap();
    export(&context, Secrets::Refused).unwrap();
}

#[test]
fn the_values_of_variables_are_left_out_and_found_in_every_text() {
    let context = TestContext::of_caller(&[("THEIR_TOKEN", "battery-staple"), ("LANG", "battery")]);
    let fix = context.agent_with("fix", Status::Idle, |record| record.prompt = Some("x".into()));
    let spec = Spec {
        kind: Some("demo".into()),
        env: [("SPEC_PASSWORD".to_owned(), "tree-house".to_owned())].into(),
        ..Spec::default()
    };
    LaunchPlanner(&context)
        .write_spawn_manifest(&SpawnManifest {
            record: fix.clone(),
            env: vec![("MY_TOKEN".into(), "correct-horse".into())],
            spec: Some(spec),
            args: None,
            variables: vec![],
        })
        .unwrap();
    let transcript = context.store.instance(&fix.name).transcript();
    for (value, name) in
        [("correct-horse", "MY_TOKEN"), ("battery-staple", "THEIR_TOKEN"), ("tree-house", "SPEC_PASSWORD")]
    {
        fs::write(&transcript, format!("it printed {value}\r\n")).unwrap();
        let error = export(&context, Secrets::Refused).map(drop).unwrap_err();
        assert!(
            error.text().contains(&format!("the value of {name}: hidden (too short")),
            "{}",
            error.text()
        );
        assert!(!error.text().contains(value), "{}", error.text());
    }
    fs::write(&transcript, "battery\r\n").unwrap();
    let exported = export(&context, Secrets::Refused).unwrap();
    assert_eq!(exported.manifest.variables, ["MY_TOKEN", "SPEC_PASSWORD"]);
    let opened = open(&context, exported.file.as_deref().unwrap());
    assert!(!serde_json::to_string(&opened.spec).unwrap().contains("tree-house"));
}

/// Exports an agent whose spec acts without asking.
fn exported_with_actions(repository: &Repository) -> (TestContext, PathBuf) {
    let context = TestContext::new();
    let fix = context.worktree_agent("fix", &repository.top());
    let mut spec = Spec {
        kind: Some("demo".into()),
        shell_tier: Some(Tier::Free),
        tools: Some(vec!["Bash".into()]),
        ..Spec::default()
    };
    spec.worktree.setup = vec!["touch set-up-here".into()];
    let manifest =
        SpawnManifest { record: fix, env: vec![], spec: Some(spec), args: None, variables: vec![] };
    LaunchPlanner(&context).write_spawn_manifest(&manifest).unwrap();
    let file = export(&context, Secrets::Refused).unwrap().file.unwrap();
    (context, file)
}

#[test]
fn an_import_needs_consent_to_commands_and_permissions() {
    let repository = repository();
    let (_exporter, file) = exported_with_actions(&repository);
    let context = TestContext::new();
    let opened = open(&context, &file);
    let error = refused(&context, &opened, |request| {
        (request.trust, request.dir) = (Trust::Nothing, Some(repository.top()));
    });
    assert_eq!(
        error.text(),
        "error: agent `fix` would perform actions on this machine that need your consent\n  \
         it sets up its worktree with `touch set-up-here`\n  it uses without asking: Bash\n  \
         it runs any command without asking (tier `free`)\n  nothing was changed\n\
         hint: inspect it with `--show`; if you agree, add `--yes --trust`"
    );
    assert_untouched(&context);
}

#[test]
fn an_import_without_a_fitting_destination_is_refused() {
    let repository = repository();
    let exporter = TestContext::new();
    exporter.worktree_agent("fix", &repository.top());
    let file = export(&exporter, Secrets::Refused).unwrap().file.unwrap();
    let context = TestContext::new();
    let opened = open(&context, &file);
    let foreign = Repository::new();
    foreign.write("a", "x");
    foreign.commit("other history");
    let error = refused(&context, &opened, |_| {});
    assert!(error.to_string().contains("is not in a git repository"), "{error}");
    let error = refused(&context, &opened, |request| request.dir = Some(foreign.top()));
    assert!(error.to_string().contains("shares no history"), "{error}");
    let existing = context.write_file("existing", "x");
    let error = refused(&context, &opened, |request| request.clone_to = Some(existing));
    assert!(error.to_string().contains("it already exists"), "{error}");
    let error = refused(&context, &opened, |request| request.clone_to = Some("no/such/parent".into()));
    assert!(error.to_string().contains("its parent directory does not exist"), "{error}");
    assert_untouched(&context);
}

#[test]
fn a_hand_off_without_work_creates_no_repository() {
    let exporter = TestContext::new();
    exporter.agent("fix", Status::Idle);
    let file = export(&exporter, Secrets::Refused).unwrap().file.unwrap();
    let context = TestContext::new();
    let error = refused(&context, &open(&context, &file), |request| request.clone_to = Some("new".into()));
    assert_eq!(error.code(), Code::Usage);
    assert!(!context.project().join("new").exists());
    assert_untouched(&context);
}

#[test]
fn an_import_whose_setup_fails_leaves_nothing() {
    let repository = repository();
    let exporter = TestContext::new();
    let fix = exporter.worktree_agent("fix", &repository.top());
    fs::write(top(&fix).join("lib.rs"), "two\n").unwrap();
    let file = export(&exporter, Secrets::Refused).unwrap().file.unwrap();
    let context = TestContext::new();
    context.configure("[workspace]\nsetup = ['exit 3']\n");
    let before = repository.output_in(&repository.top(), &["for-each-ref"]);
    let error = refused(&context, &open(&context, &file), |request| request.dir = Some(repository.top()));
    assert!(error.to_string().contains("`exit 3` failed"), "{error}");
    assert_untouched(&context);
    assert_eq!(repository.output_in(&repository.top(), &["for-each-ref"]), before);
    let worktrees = repository.output_in(&repository.top(), &["worktree", "list"]);
    assert_eq!(worktrees.lines().count(), 2, "its own and that of the exported agent: {worktrees}");
}

#[test]
fn an_import_does_not_overwrite_the_work_of_a_lost_record() {
    let repository = repository();
    let exporter = TestContext::new();
    exporter.worktree_agent("fix", &repository.top());
    let file = export(&exporter, Secrets::Refused).unwrap().file.unwrap();
    let context = TestContext::new();
    let other = self::repository();
    let fix = context.worktree_agent("fix", &other.top());
    let precious = top(&fix).join("precious");
    fs::write(&precious, "x").unwrap();
    context.store.update(context.now(), |edit| edit.remove(&fix.name)).unwrap();
    let error = refused(&context, &open(&context, &file), |request| request.dir = Some(repository.top()));
    assert!(error.text().contains("1 uncommitted file: precious"), "{}", error.text());
    assert!(precious.exists());
}

#[test]
fn a_file_that_is_no_hand_off_is_refused_without_a_trace() {
    let context = TestContext::new();
    let file = context.write_file("f", "not an archive");
    assert!(Handoff(&context).handoff_open(&file).is_err());
    assert!(Handoff(&context).handoff_open(Path::new("missing")).is_err());
    assert_untouched(&context);
}
