//! Pictures of the dashboard at several sizes.
//!
//! - `situations`: what the footer and the help say in situations other than the usual one
//! - `columns`: the columns of the list keep their places and use the room that they have
//! - `questions`: questions that have no room
//! - `overview`: what is shown without a selected agent, and signs that there is more than what is visible

mod columns;
mod overview;
mod questions;
mod situations;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::dashboard::diff::screen::DiffContent;
use crate::dashboard::diff::tests::reviewing;
use crate::dashboard::forms::outcome::{DirectorySurvey, SpawnRefusal};
use crate::dashboard::live::LiveContent;
use crate::dashboard::live::screen::LiveScreen;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{DashboardEvent, HostAgents, StaleState};
use crate::dashboard::state::testing::{agent, asking, elsewhere, press, state};
use crate::dashboard::state::update;
use crate::manager::{PaneScreen, SpawnOption, SpawnOptions};
use crate::model::{
    Agent, BranchOutcome, BranchPosition, CheckState, DashboardColumn, Param, ParamSort, ParamValue,
    PullRequestState, Status,
};

/// Returns the screen as text, one line for each line of the terminal.
fn picture(state: &DashboardState) -> String {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    terminal.draw(|frame| draw(frame, state, Theme::PLAIN)).unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for line in 0..state.size.1 {
        let mut shown = String::new();
        for column in 0..state.size.0 {
            let symbol = buffer.cell((column, line)).unwrap().symbol();
            // The second half of a wide character is an empty cell or a space.
            if shown.width() <= column.into() {
                shown.push_str(symbol);
            }
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}

/// Changes the size of the terminal.
fn resize(state: &mut DashboardState, size: (u16, u16)) {
    update(state, DashboardEvent::Resized(size.0, size.1));
}

fn agents() -> Vec<Agent> {
    let mut child = agent("child", Status::Working);
    child.parent = "api".parse().ok();
    child.prompt = Some("write tests for the parser 日本語 🦀 and run them".into());
    let mut web = elsewhere(agent("web", Status::Crashed), "web");
    web.reason = "exit code 1".into();
    vec![
        asking("api", "q1"),
        child,
        agent("docs", Status::Idle),
        web,
        elsewhere(agent("old", Status::Stopped), "web"),
    ]
}

fn with_screen(size: (u16, u16)) -> DashboardState {
    let state = state(size, agents());
    let lines =
        ["\x1b[1mDo you want to run this?\x1b[0m", "  rm -rf build", "❯ 1. Yes", "  3. No", "日本語 🦀 wide"];
    let capture = PaneScreen {
        width: 60,
        height: 12,
        cursor: (0, 2),
        has_cursor: true,
        alternate: false,
        history: vec![],
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
    };
    let key = AgentKey::of(state.selected_agent().unwrap());
    state.live.set(LiveContent::Screen(key, LiveScreen::of(&capture).into()));
    state
}

#[test]
fn the_list_with_a_question_at_every_size() {
    for size in [(40, 15), (80, 24), (160, 50)] {
        insta::assert_snapshot!(format!("list_{}x{}", size.0, size.1), picture(&with_screen(size)));
    }
}

#[test]
fn windows_fit_at_every_size() {
    for (name, keys) in
        [("help", "?"), ("palette", ": s t o p"), ("prompt", "Space h e l l o"), ("confirm", "S")]
    {
        for size in [(40, 15), (80, 24)] {
            let mut state = with_screen(size);
            press(&mut state, keys);
            insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), picture(&state));
        }
    }
}

#[test]
fn the_form_fits_at_every_size() {
    for size in [(40, 15), (80, 24)] {
        let mut state = with_screen(size);
        press(&mut state, "N f i x");
        let param = Param { sort: ParamSort::Int, default: Some(ParamValue::Int(3)), description: None };
        let option = SpawnOption {
            name: "deploy".into(),
            description: Some("deploys a branch".into()),
            problem: None,
            params: vec![("replicas".into(), param)],
        };
        let options = SpawnOptions { project: "/p".into(), options: vec![option], last: None };
        let survey = DirectorySurvey {
            typed: "~/src/api".into(),
            is_incomplete: false,
            completions: vec!["~/src/api/".into(), "~/src/api-web/".into()],
            options: Ok(options),
        };
        update(&mut state, DashboardEvent::DirectorySurveyed(survey));
        press(&mut state, "Tab Tab");
        insta::assert_snapshot!(format!("form_{}x{}", size.0, size.1), picture(&state));
        press(&mut state, "Up Up Enter");
        let lines = vec!["agent `fix` exists already".into(), "hint: choose another name".into()];
        let refusal = SpawnRefusal { lines, review: None };
        update(&mut state, DashboardEvent::SpawnFinished(Err(refusal)));
        let shown = picture(&state);
        assert!(shown.contains("agent `fix` exists already") && shown.contains("fix"), "{shown}");
    }
}

#[test]
fn an_empty_dashboard_says_how_to_start() {
    let shown = picture(&state((80, 24), vec![]));
    assert!(shown.contains("`N` starts one"), "{shown}");
}

#[test]
fn every_size_can_be_drawn() {
    for size in [(1, 1), (3, 2), (10, 4), (39, 14), (100, 5), (300, 100)] {
        for keys in ["j", "?", ":", "Space", "S", "/ x", "Tab", "m v v", "N a"] {
            let mut state = with_screen(size);
            press(&mut state, keys);
            picture(&state);
        }
    }
}

#[test]
fn a_terminal_that_has_just_become_smaller_can_be_drawn() {
    for keys in ["j", "?", "y", "S", "G"] {
        let mut state = with_screen((120, 36));
        press(&mut state, keys);
        let mut terminal = Terminal::new(TestBackend::new(100, 30)).unwrap();
        terminal.draw(|frame| draw(frame, &state, Theme::PLAIN)).unwrap();
    }
}

#[test]
fn nothing_of_an_agent_reaches_the_terminal_but_printable_cells() {
    let mut hostile = agent("a", Status::Idle);
    hostile.title = Some("\x1b]0;owned\x07\x1b[2J\u{202e}title".into());
    let state = state((100, 30), vec![hostile]);
    let line = "x\u{9b}2J\u{202e}y\u{200b}z\x1b]52;c;aGk=\x07\x1b[c\x1b[6n".to_owned();
    let capture = PaneScreen {
        width: 40,
        height: 5,
        cursor: (0, 0),
        has_cursor: true,
        alternate: false,
        history: vec![],
        lines: vec![line],
    };
    let key = AgentKey::of(state.selected_agent().unwrap());
    state.live.set(LiveContent::Screen(key, LiveScreen::of(&capture).into()));
    let shown = picture(&state);
    let bad: Vec<char> = shown.chars().filter(|c| crate::model::is_deceptive(*c) && *c != '\n').collect();
    assert!(bad.is_empty(), "{shown:?}");
}

#[test]
fn a_row_shows_what_the_agent_does_and_where_its_branch_is() {
    let mut state = state((100, 20), vec![agent("a", Status::Working)]);
    state.columns = [DashboardColumn::Name, DashboardColumn::Branch, DashboardColumn::Activity].into();
    let key = AgentKey::of(&state.agents[0]);
    let position =
        BranchPosition { changed: Some(3), ahead: Some(2), behind: Some(1), ..BranchPosition::default() };
    update(&mut state, DashboardEvent::BranchCompared(key.clone(), position));
    update(&mut state, DashboardEvent::ActivityRead(vec![(key.clone(), Some("Bash: make".into()))]));
    // The column keeps the width of its longest text.
    let row = |state: &DashboardState| {
        let picture = picture(state);
        let words: Vec<&str> = picture.lines().nth(3).unwrap().split_whitespace().collect();
        words.join(" ")
    };
    assert!(row(&state).contains("main ±3 ↑2 ↓1 Bash: make"), "{}", row(&state));
    for (outcome, text) in
        [(BranchOutcome::Conflicts(4), "main ≠4 ↑2 Bash"), (BranchOutcome::Merged, "main merged ↑2 Bash")]
    {
        let position = BranchPosition { ahead: Some(2), outcome: Some(outcome), ..BranchPosition::default() };
        update(&mut state, DashboardEvent::BranchCompared(key.clone(), position));
        assert!(row(&state).contains(text), "{}", row(&state));
    }
    resize(&mut state, (200, 20));
    let request =
        |state, checks| crate::model::PullRequest { number: 12, url: "https://x/12".into(), state, checks };
    for (pull_request, text) in [
        (request(PullRequestState::Open, Some(CheckState::Fail)), "merged ↑2 #12✗ Bash"),
        (request(PullRequestState::Merged, Some(CheckState::Pass)), "merged ↑2 #12 Bash"),
    ] {
        update(&mut state, DashboardEvent::PullRequestsRead(vec![(key.clone(), Some(pull_request))]));
        assert!(row(&state).contains(text), "{}", row(&state));
    }
    update(&mut state, DashboardEvent::PullRequestsRead(vec![(key.clone(), None)]));
    assert!(!row(&state).contains("#12"), "{}", row(&state));
    update(&mut state, DashboardEvent::ActivityRead(vec![(key, None)]));
    assert!(!row(&state).contains("Bash"), "{}", row(&state));
}

#[test]
fn a_silent_host_is_shown_with_the_age_of_its_last_answer() {
    let mut state = state((120, 20), vec![]);
    let mut far = agent("a", Status::Working);
    far.host = Some("mill".into());
    let as_of = Some(state.now - jiff::SignedDuration::from_mins(5));
    let stale = Some(StaleState { as_of, why: "host `mill` does not answer".into() });
    let listed = HostAgents { agents: vec![far], stale };
    update(&mut state, DashboardEvent::HostListed("mill".into(), listed));
    let picture = picture(&state);
    assert!(picture.contains("as of 5m ago: "), "{picture}");
    assert!(picture.contains("last known state, 5m ago: host `mill` does not answer"), "{picture}");
}

#[test]
fn a_long_text_with_wide_characters_is_scrolled_by_columns() {
    let mut state = state((40, 15), vec![agent("a", Status::Idle)]);
    press(&mut state, "Space");
    update(&mut state, DashboardEvent::Paste("日".repeat(30) + "end"));
    let mut terminal = Terminal::new(TestBackend::new(40, 15)).unwrap();
    terminal.draw(|frame| draw(frame, &state, Theme::PLAIN)).unwrap();
    let picture = picture(&state);
    let line = picture.lines().find(|line| line.contains("end")).expect("the end of the text is visible");
    let at = line.split("end").next().unwrap().width() + 3;
    let cursor = terminal.backend().cursor_position();
    assert_eq!(usize::from(cursor.x), at, "the cursor is after the text: {line}");
}

#[test]
fn the_menu_fits_at_every_size() {
    for size in [(120, 36), (40, 15), (20, 6)] {
        let mut state = state(size, agents());
        state.open_menu(1, ratatui::layout::Position { x: size.0 - 1, y: size.1 - 1 });
        let picture = picture(&state);
        assert!(picture.contains("approve"), "{picture}");
        assert!(picture.contains("┘"), "{picture}");
    }
}

#[test]
fn the_review_fits_at_every_size() {
    for size in [(40, 15), (80, 24), (120, 30)] {
        let mut state = reviewing(size);
        insta::assert_snapshot!(format!("review_{}x{}", size.0, size.1), picture(&state));
        press(&mut state, "n j c h e l l o");
        insta::assert_snapshot!(format!("review_comment_{}x{}", size.0, size.1), picture(&state));
        press(&mut state, "Escape Escape");
        insta::assert_snapshot!(format!("review_tab_{}x{}", size.0, size.1), picture(&state));
    }
}

#[test]
fn both_versions_are_side_by_side() {
    for (size, keys) in [((220, 16), "n j j"), ((120, 16), "s n j j j")] {
        let mut state = reviewing(size);
        press(&mut state, keys);
        insta::assert_snapshot!(format!("side_by_side_{}x{}", size.0, size.1), picture(&state));
    }
}

#[test]
fn changes_that_cannot_be_compared_say_why() {
    let mut state = reviewing((80, 24));
    let key = AgentKey::of(state.selected_agent().unwrap());
    let content = DiffContent::Failed("the directory of agent `api` is not in a git repository".into());
    update(&mut state, DashboardEvent::WorkCompared { key, content });
    assert!(picture(&state).contains(" the directory of agent `api` is not in a git repository"));
}
