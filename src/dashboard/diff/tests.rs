//! The review screen: selection, comments, and what is loaded when.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::dashboard::diff::patch::parse;
use crate::dashboard::diff::rows::{CommentedRows, DiffRow, commented, paired, plain_rows};
use crate::dashboard::diff::screen::{ComparedWork, DiffContent, DiffExtent, DiffLayout, FileRows};
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{DashboardEffect, DashboardEvent};
use crate::dashboard::state::testing::{agent, list, press, state};
use crate::dashboard::state::{DashboardState, DetailTab, update};
use crate::model::{
    AnchoredLines, BlobPair, CommentId, CommentPlacement, CommentState, CommentedDiff, DiffSide, FileChange,
    FileChangeKind, LineRange, PlacedComment, ReviewComment, Status,
};

const PATCH: &str = "diff --git a/a.rs b/a.rs\n@@ -1,3 +1,3 @@\n fn a() {\n-    one();\n+    two();\n }\n\
                     @@ -9,2 +9,3 @@ fn b\n b\n+c\n d\n";

fn change(path: &str) -> FileChange {
    FileChange {
        path: path.to_owned(),
        old_path: None,
        kind: FileChangeKind::Modified,
        added: Some(2),
        removed: Some(1),
        blobs: BlobPair::default(),
    }
}

fn placed(id: u64, line: Option<u64>, side: DiffSide) -> PlacedComment {
    let lines = LineRange { first: line.unwrap_or(1), last: line.unwrap_or(1) };
    let snippet = vec!["former line".to_owned()];
    PlacedComment {
        comment: ReviewComment {
            id: CommentId(id),
            file: "a.rs".to_owned(),
            side,
            anchor: AnchoredLines { lines, snippet, before: vec![], after: vec![] },
            text: format!("comment {id}"),
            state: CommentState::Draft,
            diff: CommentedDiff { base: None, blobs: BlobPair::default() },
            created_at: jiff::Timestamp::UNIX_EPOCH,
            sent_at: None,
            resolved_at: None,
            unknown: serde_json::Map::new(),
        },
        placement: if line.is_some() { CommentPlacement::Current } else { CommentPlacement::Outdated },
        current_file: "a.rs".to_owned(),
        current_lines: line.map(|_| lines),
    }
}

/// Returns a state whose review shows two files, as workers would fill it.
pub(crate) fn reviewing(size: (u16, u16)) -> DashboardState {
    let mut state = state(size, vec![agent("api", Status::Idle)]);
    press(&mut state, "g j");
    assert_eq!(effects(press(&mut state, "d")), ["compare"]);
    let key = AgentKey::of(state.selected_agent().unwrap());
    let comments = vec![placed(1, Some(2), DiffSide::New), placed(2, None, DiffSide::New)];
    let work = ComparedWork {
        files: vec![change("a.rs"), change("src/b.rs")],
        reviewed: BTreeSet::from(["src/b.rs".to_owned()]),
        comments: comments.clone(),
        remarks: vec![],
    };
    let content = DiffContent::Compared(Arc::new(work));
    let read = update(&mut state, DashboardEvent::WorkCompared { key: key.clone(), content });
    assert_eq!(effects(read), ["read a.rs"]);
    let rows = FileRows { path: "a.rs".to_owned(), read: 2, rows: plain_rows(parse(PATCH), &comments) };
    update(&mut state, DashboardEvent::RowsRead { key, rows });
    state
}

fn effects(effects: Vec<DashboardEffect>) -> Vec<String> {
    let name = |effect| match effect {
        DashboardEffect::CompareWork(_) => Some("compare".to_owned()),
        DashboardEffect::ReadPatch { path, extent: DiffExtent::Hunks, .. } => Some(format!("read {path}")),
        DashboardEffect::ReadPatch { path, .. } => Some(format!("read all of {path}")),
        DashboardEffect::Comment { rows, text, .. } => Some(format!("{:?} {} {text}", rows.side, rows.lines)),
        DashboardEffect::ToggleReviewed { path, .. } => Some(format!("toggle {path}")),
        DashboardEffect::SendComments(_) => Some("send".to_owned()),
        _ => None,
    };
    effects.into_iter().filter_map(name).collect()
}

#[test]
fn comments_are_below_their_lines_and_outdated_ones_come_first() {
    let comments = [
        placed(1, Some(2), DiffSide::New),
        placed(2, None, DiffSide::New),
        placed(3, Some(2), DiffSide::Old),
    ];
    let rows = plain_rows(parse(PATCH), &comments);
    let texts: Vec<&str> = rows
        .iter()
        .map(|row| match row {
            DiffRow::Line(line, _) => line.text.as_str(),
            DiffRow::Comment(_, text) => text.as_str(),
        })
        .collect();
    assert_eq!(
        texts,
        [
            "2 draft a.rs:1 (outdated: the lines have changed)",
            "  > former line",
            "  comment 2",
            "@@ -1,3 +1,3 @@",
            "fn a() {",
            "    one();",
            "3 draft: comment 3",
            "    two();",
            "1 draft: comment 1",
            "}",
            "@@ -9,2 +9,3 @@ fn b",
            "b",
            "c",
            "d",
        ]
    );
    let lines = |first, last, side| Some(CommentedRows { side, lines: LineRange { first, last } });
    assert_eq!(commented(&rows, 5..6), lines(2, 2, DiffSide::Old), "a removed line is in the base");
    assert_eq!(commented(&rows, 4..10), lines(1, 3, DiffSide::New));
    assert_eq!(commented(&rows, 3..4), None, "a head line is no line of the file");
    assert_eq!(commented(&rows, 90..91), None);
}

#[test]
fn a_comment_is_for_the_selected_lines() {
    let mut state = reviewing((120, 30));
    press(&mut state, "c");
    assert!(state.flash.is_some(), "the first row is a comment");
    press(&mut state, "n j c");
    press(&mut state, "w h y ?");
    assert_eq!(effects(press(&mut state, "Enter")), ["New 1 why?"]);
    press(&mut state, "v j j c x");
    assert_eq!(effects(press(&mut state, "Enter")), ["New 1-2 x"]);
    press(&mut state, "c Escape");
    assert_eq!(effects(press(&mut state, "c Enter")), [] as [&str; 0], "an empty comment is not kept");
    assert_eq!(effects(press(&mut state, "C")), ["send"]);
    press(&mut state, "Escape");
    assert!(state.modals.is_empty());
}

#[test]
fn removed_lines_are_beside_the_added_lines_that_follow_them() {
    let rows = plain_rows(parse("@@ -1,4 +1,5 @@\n a\n-b\n-c\n+d\n e\n+f\n+g\n"), &[]);
    let pairs: Vec<_> = paired(&rows).into_iter().map(|pair| (pair.left, pair.right)).collect();
    assert_eq!(
        pairs,
        [
            (Some(0), Some(0)),
            (Some(1), Some(1)),
            (Some(2), Some(4)),
            (Some(3), None),
            (Some(5), Some(5)),
            (None, Some(6)),
            (None, Some(7)),
        ]
    );
}

#[test]
fn the_whole_file_is_read_and_the_cursor_stays_on_its_line() {
    let mut state = reviewing((120, 30));
    let cursor = |state: &DashboardState| state.diff.as_ref().unwrap().cursor;
    press(&mut state, "n n j j");
    assert_eq!(effects(press(&mut state, "f")), ["read all of a.rs"]);
    let key = AgentKey::of(state.selected_agent().unwrap());
    let whole =
        "@@ -1,10 +1,11 @@\n fn a() {\n-    one();\n+    two();\n }\n 4\n 5\n 6\n 7\n 8\n b\n+c\n d\n";
    let rows = FileRows { path: "a.rs".to_owned(), read: 3, rows: plain_rows(parse(whole), &[]) };
    update(&mut state, DashboardEvent::RowsRead { key, rows });
    assert_eq!(cursor(&state), 11, "the added line `c`");
    press(&mut state, "p");
    assert_eq!(cursor(&state), 2, "the first of the changed lines before");
    press(&mut state, "n");
    assert_eq!(cursor(&state), 11);
    assert_eq!(effects(press(&mut state, "Tab")), ["read all of src/b.rs"], "the choice stays");
    assert_eq!(effects(press(&mut state, "f")), ["read src/b.rs"]);
}

#[test]
fn wide_terminals_show_both_versions_side_by_side() {
    for (width, usual) in [(120, DiffLayout::Unified), (230, DiffLayout::SideBySide)] {
        let mut state = reviewing((width, 30));
        let lines = width * 7 / 10;
        let layout = |state: &DashboardState| state.diff.as_ref().unwrap().choices.layout_in(lines);
        assert_eq!(layout(&state), usual);
        press(&mut state, "s");
        assert_ne!(layout(&state), usual);
        press(&mut state, "s");
        assert_eq!(layout(&state), usual);
    }
}

#[test]
fn late_rows_replace_neither_another_file_nor_newer_rows() {
    let mut state = reviewing((120, 30));
    let key = AgentKey::of(state.selected_agent().unwrap());
    let count = |state: &DashboardState| state.diff.as_ref().unwrap().file_rows().map(<[DiffRow]>::len);
    for (path, read, expected) in [("src/b.rs", 9, 13), ("a.rs", 1, 13), ("a.rs", 2, 0)] {
        let rows = FileRows { path: path.to_owned(), read, rows: vec![] };
        update(&mut state, DashboardEvent::RowsRead { key: key.clone(), rows });
        assert_eq!(count(&state), Some(expected), "{path} {read}");
    }
}

#[test]
fn hunks_and_files_are_selected_and_marked() {
    let mut state = reviewing((120, 30));
    let cursor = |state: &DashboardState| state.diff.as_ref().unwrap().cursor;
    press(&mut state, "n");
    assert_eq!(cursor(&state), 3);
    press(&mut state, "n n");
    assert_eq!(cursor(&state), 9);
    press(&mut state, "p");
    assert_eq!(cursor(&state), 3);
    press(&mut state, "G");
    assert_eq!(cursor(&state), 12);
    assert_eq!(effects(press(&mut state, "x")), ["toggle a.rs", "read src/b.rs"], "the next file follows");
    assert_eq!((cursor(&state), state.diff.as_ref().unwrap().file), (0, 1));
    assert_eq!(effects(press(&mut state, "Tab")), [] as [&str; 0], "there is no further file");
    assert_eq!(effects(press(&mut state, "x")), ["toggle src/b.rs"]);
    assert_eq!(effects(press(&mut state, "BTab")), ["read a.rs"]);
    assert_eq!(effects(press(&mut state, "r")), ["compare"]);
}

#[test]
fn the_work_is_compared_again_only_if_the_agent_has_changed() {
    let mut state = reviewing((120, 30));
    let same = state.agents.clone();
    assert_eq!(effects(list(&mut state, same)), [] as [&str; 0]);
    assert_eq!(effects(list(&mut state, vec![agent("api", Status::Working)])), ["compare"]);
    press(&mut state, "Escape Tab");
    assert_eq!(state.detail.tab, DetailTab::Screen);
    assert!(state.diff.is_none());
    press(&mut state, "BTab");
    assert_eq!(state.detail.tab, DetailTab::Diff);
    assert_eq!(effects(press(&mut state, "Enter")), [] as [&str; 0], "it is being compared already");
    assert_eq!(state.modals.len(), 1, "Enter opens the full screen");
}
