//! What is shown without a selected agent, and signs that there is more than what is visible.

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::{picture, resize};
use crate::dashboard::live::LiveContent;
use crate::dashboard::live::screen::LiveScreen;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::testing::{agent, asking, list, press, state};
use crate::dashboard::view::draw;
use crate::dashboard::view::theme::Theme;
use crate::env::Env;
use crate::manager::PaneScreen;
use crate::model::{DashboardConfig, Status};

#[test]
fn a_group_is_summarised_and_an_empty_list_says_how_to_start() {
    let mut state = state((120, 30), vec![agent("a", Status::Idle), asking("b", "q")]);
    press(&mut state, "k");
    let group = picture(&state);
    assert!(group.contains("2 agents · 1 waiting · 1 idle"), "{group}");
    assert!(group.contains("? b: Bash: rm -rf build"), "{group}");
    list(&mut state, vec![]);
    assert!(picture(&state).contains("symposium agent spawn demo"), "{}", picture(&state));
}

#[test]
fn a_list_says_how_many_rows_are_hidden_above_and_below() {
    let agents = (10..50).map(|number| agent(&format!("a{number}"), Status::Idle)).collect();
    let mut state = state((80, 24), agents);
    assert!(picture(&state).contains(" ↓33") && !picture(&state).contains('↑'), "{}", picture(&state));
    press(&mut state, "End");
    assert!(picture(&state).contains(" ↑33") && !picture(&state).contains('↓'), "{}", picture(&state));
}

#[test]
fn a_screen_that_is_scrolled_back_says_so() {
    let mut state = state((200, 24), vec![agent("a", Status::Idle)]);
    let capture = PaneScreen {
        width: 40,
        height: 20,
        cursor: (0, 0),
        has_cursor: true,
        alternate: false,
        history: (0..100).map(|line| format!("line {line}")).collect(),
        lines: vec!["end".to_owned()],
    };
    let key = AgentKey::of(state.selected_agent().unwrap());
    state.live.set(LiveContent::Screen(key, LiveScreen::of(&capture).into()));
    assert!(!picture(&state).contains(" back"), "{}", picture(&state));
    press(&mut state, "K");
    assert!(picture(&state).contains("10 lines back · J forward"), "{}", picture(&state));
}

#[test]
fn a_small_terminal_has_chips_the_active_tab_and_a_line_between_the_panes() {
    let mut state = state((40, 16), vec![agent("a", Status::Idle), asking("b", "q")]);
    let header = picture(&state).lines().next().unwrap_or_default().to_owned();
    assert!(header.starts_with(" ?1 ○1") && header.contains("[project] [name]"), "{header}");
    press(&mut state, "BTab");
    let shown = picture(&state);
    assert!(shown.contains(" diff "), "{shown}");
    resize(&mut state, (60, 24));
    assert!(picture(&state).contains("──"), "{}", picture(&state));
}

#[test]
fn the_reason_why_an_agent_has_no_screen_is_wrapped() {
    let state = state((40, 16), vec![agent("a", Status::Stopped)]);
    let key = AgentKey::of(state.selected_agent().unwrap());
    let why = "It is not running. This is the end of its transcript:".to_owned();
    state.live.set(LiveContent::Text(key, why, vec!["one".into(), "two".into()]));
    let shown = picture(&state);
    let at = shown.lines().position(|line| line.ends_with("transcript:")).expect("the end of the reason");
    assert_eq!(shown.lines().nth(at + 1), Some("one"), "{shown}");
}

#[test]
fn a_filter_that_is_kept_is_visible_in_a_narrow_terminal() {
    let mut state = state((40, 16), vec![agent("docs", Status::Idle), asking("b", "q")]);
    press(&mut state, "/ d o c s Enter");
    let header = picture(&state).lines().next().unwrap_or_default().to_owned();
    assert!(header.contains("[/docs]"), "{header}");
}

#[test]
fn the_selected_row_has_no_text_of_less_importance() {
    let env = Env::of_test(&[("TERM", "xterm-256color")], "/".into());
    let theme = Theme::choose(&DashboardConfig::default(), &env);
    let mut state = state((100, 20), vec![agent("a", Status::Stopped), agent("b", Status::Stopped)]);
    press(&mut state, "g j");
    let mut terminal = Terminal::new(TestBackend::new(100, 20)).unwrap();
    terminal.draw(|frame| draw(frame, &state, theme)).unwrap();
    let buffer = terminal.backend().buffer();
    let is_dim = |line| (0..40).any(|column| Some(buffer.cell((column, line)).unwrap().fg) == theme.dim().fg);
    let selected = state.areas().list.y + 1;
    assert!(!is_dim(selected), "it is hard to read on the background of the row");
    assert!(is_dim(selected + 1));
}
