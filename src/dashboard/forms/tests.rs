//! The form through the keys of the dashboard.

use super::outcome::{DirectorySurvey, SpawnRefusal, common_beginning};
use super::spawn_form::{FormField, FormPhase, SpawnForm};
use super::window::StartedAgent;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{DashboardEffect, DashboardEvent};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::testing::{agent, list, press, state};
use crate::dashboard::state::{DashboardState, update};
use crate::manager::{SpawnOption, SpawnOptions};
use crate::model::{Param, ParamSort, SpawnChoices, Status, TrustReview, TrustState, Workspace};

fn option(name: &str) -> SpawnOption {
    SpawnOption { name: name.into(), description: None, problem: None, params: vec![] }
}

fn deploy() -> SpawnOption {
    let region = Param { sort: ParamSort::String, default: None, description: Some("where to".into()) };
    SpawnOption { params: vec![("region".into(), region)], ..option("deploy") }
}

fn survey(typed: &str, last: Option<SpawnChoices>) -> DirectorySurvey {
    let options = vec![option("default"), deploy(), option("claude")];
    DirectorySurvey {
        typed: typed.into(),
        is_incomplete: false,
        completions: vec![],
        options: Ok(SpawnOptions { project: "/home/u/src/api".into(), options, last }),
    }
}

/// Returns a dashboard with an open form for the project of its only agent.
fn opened(last: Option<SpawnChoices>) -> DashboardState {
    let mut state = state((100, 30), vec![agent("api", Status::Idle)]);
    assert_eq!(press(&mut state, "N"), [DashboardEffect::SurveyDirectory("~/src/api".into())]);
    update(&mut state, DashboardEvent::DirectorySurveyed(survey("~/src/api", last)));
    state
}

fn form(state: &DashboardState) -> &SpawnForm {
    match state.modals.last() {
        Some(Modal::Spawn(form)) => form,
        other => panic!("no form is open: {other:?}"),
    }
}

#[test]
fn the_form_describes_the_command_that_it_runs() {
    let mut state = opened(None);
    press(&mut state, "f i x Space i t ' s Tab d");
    assert_eq!(
        form(&state).submission().command(),
        r#"symposium agent spawn deploy --dir /home/u/src/api --task "fix it's""#
    );
    press(&mut state, "Tab Tab w Tab - x Tab e u");
    let command = form(&state).submission().command();
    assert_eq!(
        shlex::split(&command).unwrap(),
        [
            "symposium",
            "agent",
            "spawn",
            "deploy",
            "--name=-x",
            "--dir",
            "/home/u/src/api",
            "--workspace",
            "worktree",
            "--param",
            "region=eu",
            "--task",
            "fix it's"
        ]
    );
    let effects = press(&mut state, "Enter");
    let [DashboardEffect::Spawn(submission)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(submission.choices.workspace, Some(Workspace::Worktree));
    assert_eq!(submission.size, Some((100, 29)));
    assert_eq!(press(&mut state, "Enter x"), [], "a spawn happens once");
}

#[test]
fn a_form_begins_with_the_last_choices_of_the_project() {
    let params = [("region".to_owned(), "eu".to_owned())].into();
    let last =
        SpawnChoices { spec: Some("deploy".into()), taskspace: true, params, ..SpawnChoices::default() };
    let mut state = opened(Some(last));
    assert_eq!(press(&mut state, "Enter"), []);
    let FormPhase::Refused(refusal) = &form(&state).phase else { panic!() };
    assert_eq!(refusal.lines, ["a taskspace needs a name"]);
    press(&mut state, "f i x Up n e w");
    assert_eq!(form(&state).focus, FormField::Param("region".into()));
    press(&mut state, "C-u u s Up n");
    assert_eq!(
        form(&state).submission().command(),
        "symposium taskspace new n deploy --dir /home/u/src/api --param 'region=us' --task fix"
    );
}

#[test]
fn a_task_that_is_a_dash_is_sent_as_text() {
    let mut state = opened(None);
    press(&mut state, "-");
    assert_eq!(form(&state).submission().task.as_deref(), Some("-"));
    assert_eq!(
        form(&state).submission().command(),
        "printf %s - | symposium agent spawn --dir /home/u/src/api --task -"
    );
}

#[test]
fn required_parameters_are_named_before_anything_starts() {
    let mut state = opened(None);
    assert_eq!(press(&mut state, "Tab d Enter"), []);
    let FormPhase::Refused(refusal) = &form(&state).phase else { panic!() };
    assert_eq!(refusal.lines, ["parameter `region` is needed"]);
}

#[test]
fn the_directory_is_completed_and_its_specs_are_looked_up() {
    let mut state = opened(None);
    press(&mut state, "Tab Tab");
    assert_eq!(
        press(&mut state, "/ w"),
        [
            DashboardEffect::SurveyDirectory("~/src/api/".into()),
            DashboardEffect::SurveyDirectory("~/src/api/w".into())
        ]
    );
    let completions = vec!["~/src/api/web-a/".to_owned(), "~/src/api/web-b/".to_owned()];
    let missing = DirectorySurvey {
        typed: "~/src/api/w".into(),
        is_incomplete: true,
        completions,
        options: Err("no such directory".into()),
    };
    // An answer about an earlier text is not used.
    update(&mut state, DashboardEvent::DirectorySurveyed(survey("~/src/api/", None)));
    update(&mut state, DashboardEvent::DirectorySurveyed(missing));
    assert_eq!(form(&state).options().len(), 3, "the options stay while a path is typed");
    assert_eq!(press(&mut state, "Tab"), [DashboardEffect::SurveyDirectory("~/src/api/web-".into())]);
    assert_eq!(form(&state).focus, FormField::Directory);
    press(&mut state, "Tab");
    assert_eq!(form(&state).focus, FormField::Workspace, "without a completion, Tab leaves the field");
    assert_eq!(common_beginning(&["日本/".into(), "日月/".into()]), "日");
}

#[test]
fn a_form_without_any_usable_spec_shows_the_reason() {
    let mut state = state((100, 30), vec![agent("api", Status::Idle)]);
    press(&mut state, "N");
    let mut survey = survey("~/src/api", None);
    let broken = SpawnOption { problem: Some("agents.toml:2:8: invalid string".into()), ..option("default") };
    if let Ok(options) = &mut survey.options {
        options.options = vec![broken];
    }
    update(&mut state, DashboardEvent::DirectorySurveyed(survey));
    let selected = form(&state).selected_option().expect("an option is selected");
    assert_eq!(selected.problem.as_deref(), Some("agents.toml:2:8: invalid string"));
}

#[test]
fn a_refused_spawn_keeps_what_was_typed() {
    let mut state = opened(None);
    press(&mut state, "h i Enter");
    let refusal = SpawnRefusal { lines: vec!["`claude` is not installed".into()], review: None };
    update(&mut state, DashboardEvent::SpawnFinished(Err(refusal.clone())));
    assert_eq!(form(&state).phase, FormPhase::Refused(refusal.clone()));
    assert_eq!(form(&state).task.text(), "hi");
    assert_eq!(press(&mut state, "C-t"), [], "nothing needs trust");
    press(&mut state, "Enter Escape");
    update(&mut state, DashboardEvent::SpawnFinished(Err(refusal)));
    assert_eq!(state.flash.as_ref().unwrap().text, "`claude` is not installed");
}

#[test]
fn specs_are_trusted_as_they_were_shown() {
    let mut state = opened(None);
    press(&mut state, "Enter");
    let review = TrustReview {
        project: "/home/u/src/api".into(),
        sha256: "aa".into(),
        state: TrustState::Untrusted,
        specs: vec![],
    };
    let refusal = SpawnRefusal { lines: vec![], review: Some(review.clone()) };
    update(&mut state, DashboardEvent::SpawnFinished(Err(refusal.clone())));
    let mut changed = state.modals.clone();
    let effects = press(&mut state, "C-t");
    let [DashboardEffect::Spawn(submission)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(submission.trusted, Some(review));
    std::mem::swap(&mut state.modals, &mut changed);
    assert_eq!(press(&mut state, "x C-t"), [], "the form was changed after the question");
}

#[test]
fn a_started_agent_is_selected_when_the_list_has_it() {
    let mut state = opened(None);
    press(&mut state, "Enter");
    let new = agent("new", Status::Starting);
    let started = StartedAgent { key: AgentKey::of(&new), report: "`new` was started".into() };
    update(&mut state, DashboardEvent::SpawnFinished(Ok(started)));
    assert!(state.modals.is_empty());
    assert_eq!(state.selected_agent().unwrap().name.as_str(), "api");
    list(&mut state, vec![agent("api", Status::Idle), new]);
    assert_eq!(state.selected_agent().unwrap().name.as_str(), "new");
}

#[test]
fn pasted_lines_go_to_the_task_only() {
    let mut state = opened(None);
    update(&mut state, DashboardEvent::Paste("one\ntwo".into()));
    assert_eq!(form(&state).task.text(), "one\ntwo");
    press(&mut state, "Tab Tab Tab Tab");
    update(&mut state, DashboardEvent::Paste("a\nb".into()));
    assert_eq!(form(&state).name.text(), "a b");
}
