//! The grid through the keys of the dashboard.

use ratatui::layout::Rect;

use super::layout::TileGrid;
use crate::dashboard::live::LiveContent;
use crate::dashboard::live::screen::LiveScreen;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{DashboardEffect, DashboardEvent};
use crate::dashboard::state::mouse::{MouseAction, MouseInput};
use crate::dashboard::state::testing::{agent, elsewhere, list, press, state};
use crate::dashboard::state::{DashboardState, modal::Modal, update};
use crate::manager::PaneScreen;
use crate::model::Status;

fn names(state: &DashboardState) -> Vec<String> {
    state.grid.iter().flat_map(|grid| &grid.tiles).map(|tile| tile.target.name.to_string()).collect()
}

#[test]
fn tiles_cover_the_area_and_keep_a_useful_size() {
    for (width, height, tiles) in [(160, 48, 4), (80, 22, 3), (300, 98, 16), (40, 13, 5), (10, 3, 2)] {
        let area = Rect::new(0, 1, width, height);
        let grid = TileGrid::of(area, tiles);
        let places: Vec<Rect> = (0..tiles).filter_map(|tile| grid.place(area, tile, 0)).collect();
        assert!(!places.is_empty(), "{width}x{height}");
        let cells: u32 = places.iter().map(|place| place.area()).sum();
        assert_eq!(cells, area.area(), "{width}x{height}: tiles overlap or leave a gap");
        for place in &places {
            assert_eq!(place.intersection(area), *place);
            assert!(place.width >= 38.min(width) && place.height >= 8.min(height), "{place:?}");
        }
    }
}

#[test]
fn hidden_tiles_are_announced() {
    let area = |width, height| Rect::new(0, 1, width, height);
    assert!(TileGrid::of(area(40, 13), 5).has_hidden_rows());
    assert!(!TileGrid::of(area(160, 48), 5).has_hidden_rows());
}

#[test]
fn the_grid_shows_marked_agents_or_those_of_the_project() {
    let agents = vec![
        agent("a", Status::Working),
        agent("b", Status::Idle),
        agent("ended", Status::Exited),
        elsewhere(agent("c", Status::Idle), "web"),
    ];
    let mut state = state((120, 40), agents.clone());
    assert_eq!(press(&mut state, "G"), [DashboardEffect::FollowTiles]);
    assert_eq!(names(&state), ["a", "b"]);
    assert_eq!(list(&mut state, agents), [], "an unchanged list needs no other capture");
    assert_eq!(press(&mut state, "Escape"), [DashboardEffect::FollowTiles]);
    assert!(state.grid.is_none());
    press(&mut state, "M G");
    assert_eq!(names(&state), ["a", "b", "c"]);
}

#[test]
fn keys_of_the_grid_never_reach_an_agent_and_enter_selects_one() {
    let mut state = state((120, 40), vec![agent("a", Status::Working), agent("b", Status::Idle)]);
    press(&mut state, "G");
    assert_eq!(press(&mut state, "y n x Space S J K < > 1"), []);
    assert!(matches!(state.modals[..], [Modal::Grid]));
    assert_eq!(press(&mut state, "? Escape"), [], "the grid stays open below its help");
    press(&mut state, "l Enter");
    assert_eq!(state.selected_agent().unwrap().name.as_str(), "b");
    assert!(state.modals.is_empty() && state.grid.is_none());
}

#[test]
fn a_scrolled_tile_keeps_its_lines_and_the_mouse_scrolls_and_focuses_tiles() {
    let mut state = state((120, 40), vec![agent("a", Status::Working), agent("b", Status::Idle)]);
    press(&mut state, "G");
    let capture = PaneScreen {
        width: 40,
        height: 10,
        cursor: (0, 9),
        has_cursor: true,
        alternate: false,
        history: (0..100).map(|line| format!("line {line}")).collect(),
        lines: vec!["end".to_owned()],
    };
    let key = AgentKey::of(&state.agents[1]);
    let slot = state.grid.as_ref().unwrap().tiles[1].slot.clone();
    slot.set(LiveContent::Screen(key, LiveScreen::of(&capture).into()));
    let mouse = |state: &mut DashboardState, kind| {
        update(state, DashboardEvent::Mouse(MouseInput { kind, column: 100, line: 10 }));
        let grid = state.grid.as_ref().unwrap();
        (grid.focus, grid.tiles[1].scroll)
    };
    assert_eq!(mouse(&mut state, MouseAction::WheelUp), (0, 3));
    assert_eq!(mouse(&mut state, MouseAction::Press), (1, 3));
    slot.with(|content| {
        let LiveContent::Screen(_, screen) = content else { panic!("no screen") };
        screen.process(b"\r\nmore\r\nmore");
    });
    update(&mut state, DashboardEvent::LiveChanged);
    assert_eq!(state.grid.as_ref().unwrap().tiles[1].scroll, 5);
    for _ in 0..2 {
        mouse(&mut state, MouseAction::WheelDown);
    }
    assert_eq!(mouse(&mut state, MouseAction::WheelDown), (1, 0));
}
