//! The areas of the screen. The detail pane is beside the list in a wide terminal and below it in a narrow one.

use ratatui::layout::Rect;

use crate::dashboard::state::DetailTab;

/// Width from which on list and detail pane are side by side.
const SIDE_BY_SIDE_WIDTH: u16 = 100;
/// Minimum height at which a detail pane below the list is shown.
const STACKED_HEIGHT: u16 = 12;
/// Minimum width of the list and of the detail pane beside it.
const MIN_PANE_WIDTH: u16 = 28;
/// Minimum height of the list and of the detail pane below it.
const MIN_PANE_HEIGHT: u16 = 4;
/// Minimum height of a list that has a line for the names of its columns.
const HEADINGS_HEIGHT: u16 = 8;

/// The areas of the screen. An area that is not shown is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Areas {
    /// Counters and chips, one line.
    pub(crate) header: Rect,
    /// The names of the columns, one line.
    pub(crate) headings: Rect,
    /// The list of agents.
    pub(crate) list: Rect,
    /// The line between list and detail pane.
    pub(crate) divider: Rect,
    /// The names of the tabs, one line.
    pub(crate) tabs: Rect,
    /// The content of the tab.
    pub(crate) body: Rect,
    /// Keys and messages, one line.
    pub(crate) footer: Rect,
}

/// Returns the areas for a terminal of this size. `share` is the part of the list in percent.
pub(crate) fn areas(width: u16, height: u16, share: u16) -> Areas {
    let whole = Rect::new(0, 0, width, height);
    let header = Rect { height: height.min(1), ..whole };
    let footer_height = if height >= 3 { 1 } else { 0 };
    let footer = Rect { y: height.saturating_sub(footer_height), height: footer_height, ..whole };
    let middle =
        Rect { y: header.height, height: height.saturating_sub(header.height + footer_height), ..whole };
    let bare = Areas { header, footer, list: middle, ..Areas::default() };
    if width >= SIDE_BY_SIDE_WIDTH {
        let list_width = part(width, share).clamp(MIN_PANE_WIDTH, width - MIN_PANE_WIDTH - 1);
        let list = Rect { width: list_width, ..middle };
        let divider = Rect { x: list_width, width: 1, ..middle };
        let right = Rect { x: list_width + 1, width: width - list_width - 1, ..middle };
        return with_headings(with_detail(Areas { list, divider, ..bare }, right));
    }
    if middle.height < STACKED_HEIGHT {
        return bare;
    }
    let list_height = part(middle.height, share).clamp(MIN_PANE_HEIGHT, middle.height - MIN_PANE_HEIGHT - 1);
    let list = Rect { height: list_height, ..middle };
    let divider = Rect { y: middle.y + list_height, height: 0, ..middle };
    let below = Rect { y: middle.y + list_height, height: middle.height - list_height, ..middle };
    with_headings(with_detail(Areas { list, divider, ..bare }, below))
}

/// Takes a line for the names of the columns from a list that is high enough.
fn with_headings(areas: Areas) -> Areas {
    if areas.list.height < HEADINGS_HEIGHT {
        return areas;
    }
    let headings = Rect { height: 1, ..areas.list };
    let list = Rect { y: areas.list.y + 1, height: areas.list.height - 1, ..areas.list };
    Areas { headings, list, ..areas }
}

/// Returns the areas of a sidebar: the list, and below it room for a question that takes `share` percent.
pub(crate) fn sidebar_areas(width: u16, height: u16, share: u16) -> Areas {
    let Areas { header, footer, .. } = areas(width, height, 0);
    let middle = height.saturating_sub(header.height + footer.height);
    let below = part(middle, share).min(middle.saturating_sub(MIN_PANE_HEIGHT));
    let list = Rect { x: 0, y: header.height, width, height: middle - below };
    let body = Rect { y: list.y + list.height, height: below, ..list };
    Areas { header, list, body, footer, ..Areas::default() }
}

fn with_detail(areas: Areas, detail: Rect) -> Areas {
    let tabs = Rect { height: detail.height.min(1), ..detail };
    let body = Rect { y: detail.y + tabs.height, height: detail.height - tabs.height, ..detail };
    Areas { tabs, body, ..areas }
}

fn part(of: u16, percent: u16) -> u16 {
    u16::try_from(u32::from(of) * u32::from(percent) / 100).unwrap_or(of)
}

/// Width from which on the files of a review are beside the lines.
const FILES_BESIDE_WIDTH: u16 = 90;

/// Returns the areas of the files and of the lines of a review, or `None` if the files have no room beside the lines.
pub(crate) fn review_areas(area: Rect) -> Option<(Rect, Rect)> {
    if area.width < FILES_BESIDE_WIDTH {
        return None;
    }
    let width = (area.width * 3 / 10).clamp(24, 48);
    // The line between them takes one column.
    let lines = Rect { x: area.x + width + 1, width: area.width - width - 1, ..area };
    Some((Rect { width, ..area }, lines))
}

/// Widest window. Longer lines are hard to read.
const MAX_WINDOW_WIDTH: u16 = 90;

/// Returns the width of a window with its frame in a terminal of this width.
pub(crate) fn window_width(whole: u16) -> u16 {
    whole.saturating_sub(4).clamp(1, MAX_WINDOW_WIDTH).min(whole)
}

/// Returns the width of the lines of a window, which have a space on both sides.
pub(crate) fn window_text_width((width, _): (u16, u16)) -> usize {
    window_width(width).saturating_sub(4).into()
}

/// Returns the area of a window with its frame around a number of lines, as far as they have room.
pub(crate) fn window_area((whole_width, whole_height): (u16, u16), lines: usize) -> Rect {
    let width = window_width(whole_width);
    let height = u16::try_from(lines + 2).unwrap_or(u16::MAX).min(whole_height.saturating_sub(2).max(1));
    let height = height.min(whole_height);
    Rect { x: (whole_width - width) / 2, y: (whole_height - height) / 3, width, height }
}

/// Width of a menu with its frame.
const MENU_WIDTH: u16 = 34;

/// Returns the area of a menu with a number of entries that was opened at a position. It is moved into the terminal.
pub(crate) fn menu_area((column, line): (u16, u16), (width, height): (u16, u16), entries: usize) -> Rect {
    let menu_height = u16::try_from(entries).unwrap_or(u16::MAX).saturating_add(2).min(height);
    let menu_width = MENU_WIDTH.min(width);
    Rect {
        x: column.min(width - menu_width),
        y: line.saturating_add(1).min(height - menu_height),
        width: menu_width,
        height: menu_height,
    }
}

/// Returns the place of each tab in the line. If not all of them fit, the first ones are left out until there is room for
/// the active one.
pub(crate) fn tab_places(area: Rect, active: DetailTab) -> Vec<(DetailTab, Rect)> {
    let from = |first: usize| places_of(area, &DetailTab::ALL[first..]);
    let has_active = |places: &Vec<(DetailTab, Rect)>| places.iter().any(|(tab, _)| *tab == active);
    (0..DetailTab::ALL.len()).map(from).find(has_active).unwrap_or_else(|| from(0))
}

fn places_of(area: Rect, tabs: &[DetailTab]) -> Vec<(DetailTab, Rect)> {
    let mut rest = area;
    let mut places = Vec::new();
    for tab in tabs.iter().copied() {
        let width = u16::try_from(tab.word().len() + 2).unwrap_or(0);
        if rest.width < width || rest.height == 0 {
            break;
        }
        places.push((tab, Rect { width, ..rest }));
        rest = Rect { x: rest.x + width, width: rest.width - width, ..rest };
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidebar_is_covered_at_every_size() {
        for (width, height) in [(20, 40), (30, 15), (1, 1), (5, 2), (12, 7)] {
            for share in [0, 60, 100] {
                let Areas { header, list, body, footer, .. } = sidebar_areas(width, height, share);
                let cells = [header, list, body, footer].iter().map(|area| area.area()).sum::<u32>();
                assert_eq!(cells, u32::from(width) * u32::from(height), "{width}x{height} {share}%");
            }
        }
    }

    #[test]
    fn the_active_tab_is_always_visible() {
        for width in [9, 10, 20, 40, 80] {
            for active in DetailTab::ALL {
                let places = tab_places(Rect::new(3, 5, width, 1), active);
                let wide = usize::from(width) >= active.word().len() + 2;
                assert_eq!(places.iter().any(|(tab, _)| *tab == active), wide, "{width} {active:?}");
            }
        }
    }

    #[test]
    fn areas_cover_the_terminal_at_every_size_without_overlap() {
        for (width, height) in
            [(40, 15), (80, 24), (99, 30), (100, 30), (160, 50), (300, 100), (1, 1), (20, 5), (5, 2)]
        {
            for share in [0, 10, 40, 90, 100] {
                let Areas { header, headings, list, divider, tabs, body, footer } =
                    areas(width, height, share);
                let all = [header, headings, list, divider, tabs, body, footer];
                let cells = all.iter().map(|area| area.area()).sum::<u32>();
                assert_eq!(cells, u32::from(width) * u32::from(height), "{width}x{height} {share}%");
                let whole = Rect::new(0, 0, width, height);
                for area in [header, headings, list, tabs, body, footer] {
                    assert_eq!(area.intersection(whole).area(), area.area(), "{width}x{height} {share}%");
                }
                let is_small = height < 15;
                assert!(is_small || !body.is_empty(), "{width}x{height} {share}% has no detail pane");
            }
        }
    }
}
