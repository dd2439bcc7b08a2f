//! The grid through the keys of the dashboard.

use ratatui::layout::Rect;

use super::layout::TileGrid;
use crate::dashboard::state::event::DashboardEffect;
use crate::dashboard::state::testing::{agent, elsewhere, list, press, state};
use crate::dashboard::state::{DashboardState, modal::Modal};
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
