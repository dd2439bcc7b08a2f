//! The selected file and line of a review, and what keys do.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::base::key_press::KeyPress;
use crate::base::plural::counted;
use crate::dashboard::bindings::KeyScreen;
use crate::dashboard::diff::rows::{DiffRow, commented};
use crate::dashboard::layout::review_areas;
use crate::dashboard::state::actions::NO_AGENT;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AgentTarget, DashboardEffect};
use crate::dashboard::state::modal::{CommentWindow, Modal};
use crate::dashboard::state::selection::Direction;
use crate::dashboard::state::text_input::TextInput;
use crate::dashboard::state::{DashboardState, DetailTab};
use crate::model::{Agent, CommentState, DashboardAction as Do, FileChange, PlacedComment};

/// Columns by which lines are scrolled sideways.
const SHIFT_COLUMNS: usize = 8;

/// Width of the lines from which on both versions are side by side.
const SIDE_BY_SIDE_WIDTH: u16 = 160;

/// How the lines of a file are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffLayout {
    Unified,
    SideBySide,
}

/// Which lines of a file are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffExtent {
    Hunks,
    WholeFile,
}

/// What the user has chosen for all reviews of this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DiffChoices {
    /// The layout; `None` depends on the width.
    pub(crate) layout: Option<DiffLayout>,
    pub(crate) extent: DiffExtent,
}

impl DiffChoices {
    /// Returns the layout for lines of this width.
    pub(crate) fn layout_in(self, width: u16) -> DiffLayout {
        self.layout.unwrap_or(match width >= SIDE_BY_SIDE_WIDTH {
            true => DiffLayout::SideBySide,
            false => DiffLayout::Unified,
        })
    }
}

/// The changes of an agent, as a worker has compared them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ComparedWork {
    pub(crate) files: Vec<FileChange>,
    /// Paths of the files that are marked as reviewed for exactly this diff.
    pub(crate) reviewed: BTreeSet<String>,
    pub(crate) comments: Vec<PlacedComment>,
    /// Facts that limit what the diff can show.
    pub(crate) remarks: Vec<String>,
}

/// The state of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DiffContent {
    Loading,
    Failed(String),
    Compared(Arc<ComparedWork>),
}

/// The rows of one file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FileRows {
    pub(crate) path: String,
    /// Number of the read, so that colours of earlier rows do not replace newer rows.
    pub(crate) read: u64,
    pub(crate) rows: Vec<DiffRow>,
}

/// The review of one agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DiffScreen {
    pub(crate) target: AgentTarget,
    pub(crate) content: DiffContent,
    /// Rows of the selected file, as soon as they are known.
    pub(crate) rows: Option<FileRows>,
    /// Index of the selected file.
    pub(crate) file: usize,
    /// Index of the selected row.
    pub(crate) cursor: usize,
    /// Other end of the selected rows.
    pub(crate) mark: Option<usize>,
    /// Columns that are scrolled out on the left.
    pub(crate) shift: usize,
    pub(crate) choices: DiffChoices,
    /// The patch that was requested since the last comparison.
    requested: Option<(String, DiffExtent)>,
    /// Line numbers of both versions on which the cursor stays when other lines of the file are shown.
    anchor: Option<(Option<u64>, Option<u64>)>,
    /// Whether the work has to be compared again.
    is_stale: bool,
}

impl DiffScreen {
    pub(crate) fn new(target: AgentTarget, choices: DiffChoices) -> DiffScreen {
        DiffScreen {
            target,
            content: DiffContent::Loading,
            rows: None,
            file: 0,
            cursor: 0,
            mark: None,
            shift: 0,
            choices,
            requested: None,
            anchor: None,
            is_stale: true,
        }
    }

    /// Returns the compared work, if it is known.
    pub(crate) fn work(&self) -> Option<&ComparedWork> {
        match &self.content {
            DiffContent::Compared(work) => Some(work),
            DiffContent::Loading | DiffContent::Failed(_) => None,
        }
    }

    /// Returns the selected file.
    pub(crate) fn selected_file(&self) -> Option<&FileChange> {
        self.work()?.files.get(self.file)
    }

    /// Returns the rows of the selected file, if they are known.
    pub(crate) fn file_rows(&self) -> Option<&[DiffRow]> {
        let file = self.selected_file()?;
        self.rows.as_ref().filter(|rows| rows.path == file.path).map(|rows| rows.rows.as_slice())
    }

    /// Returns the selected rows.
    pub(crate) fn selected_rows(&self) -> Range<usize> {
        let other = self.mark.unwrap_or(self.cursor);
        self.cursor.min(other)..self.cursor.max(other) + 1
    }

    /// Shows another comparison of the same work. The selected file stays selected.
    fn replace(&mut self, content: DiffContent) {
        let path = self.selected_file().map(|file| file.path.clone());
        self.content = content;
        let files = self.work().map(|work| work.files.as_slice()).unwrap_or_default();
        let found = path.and_then(|path| files.iter().position(|file| file.path == path));
        if found.is_none() {
            (self.cursor, self.mark) = (0, None);
        }
        self.file = found.unwrap_or(0);
        // The rows of the file stay visible until the new ones arrive.
        self.requested = None;
    }

    pub(crate) fn move_cursor(&mut self, by: isize) {
        let last = self.file_rows().map_or(0, |rows| rows.len().saturating_sub(1));
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
    }

    /// Selects the next or the previous hunk of the file, or block of changed lines if the whole file is shown.
    fn move_to_hunk(&mut self, direction: Direction) {
        let Some(rows) = self.file_rows() else { return };
        let is_begin = |at: &usize| match self.choices.extent {
            DiffExtent::Hunks => rows[*at].is_hunk(),
            DiffExtent::WholeFile => {
                rows[*at].is_change() && !at.checked_sub(1).is_some_and(|above| rows[above].is_change())
            }
        };
        let found = match direction {
            Direction::Forward => (self.cursor + 1..rows.len()).find(is_begin),
            Direction::Backward => (0..self.cursor).rev().find(is_begin),
        };
        self.cursor = found.unwrap_or(self.cursor);
    }

    /// Shows the whole file instead of its hunks, or the other way round. The cursor stays on its line.
    fn toggle_extent(&mut self) {
        self.choices.extent = match self.choices.extent {
            DiffExtent::Hunks => DiffExtent::WholeFile,
            DiffExtent::WholeFile => DiffExtent::Hunks,
        };
        let rows = self.file_rows().unwrap_or_default();
        let lines = rows.iter().skip(self.cursor).filter_map(DiffRow::line);
        let numbers = lines.map(|line| (line.old, line.new)).find(|numbers| *numbers != (None, None));
        self.anchor = numbers;
        self.mark = None;
    }

    /// Shows both versions side by side, or one below the other.
    fn toggle_layout(&mut self, width: u16) {
        self.choices.layout = Some(match self.choices.layout_in(width) {
            DiffLayout::Unified => DiffLayout::SideBySide,
            DiffLayout::SideBySide => DiffLayout::Unified,
        });
    }

    /// Puts the cursor on the line on which it was before other lines of the file were shown.
    fn return_to_anchor(&mut self) {
        let Some(anchor) = self.anchor.take() else { return };
        let rows = self.file_rows().unwrap_or_default();
        let is_same = |row: &DiffRow| row.line().is_some_and(|line| (line.old, line.new) == anchor);
        self.cursor = rows.iter().position(is_same).unwrap_or(self.cursor);
    }

    fn move_to_file(&mut self, by: isize) {
        let last = self.work().map_or(0, |work| work.files.len().saturating_sub(1));
        let next = self.file.saturating_add_signed(by).min(last);
        if next != self.file {
            (self.file, self.cursor, self.mark, self.shift) = (next, 0, None, 0);
        }
    }
}

impl DashboardState {
    /// Opens the review of the selected agent as a full screen.
    pub(crate) fn open_review(&mut self) {
        let Some(agent) = self.selected_agent().cloned() else { return self.show_error(NO_AGENT) };
        if self.refuse_host(&agent, "`symposium agent review HOST:NAME --comment` comments on its changes") {
            return;
        }
        self.show_tab(DetailTab::Diff);
        self.modals.push(Modal::Diff);
    }

    /// Opens the review that the command line asked for, as soon as the agent is listed.
    pub(crate) fn open_requested_review(&mut self) {
        let Some(name) = self.surroundings.reviewed.clone() else { return };
        let agent = self.agents.iter().find(|agent| agent.host.is_none() && agent.name == name);
        let Some(key) = agent.map(AgentKey::of) else { return };
        self.surroundings.reviewed = None;
        self.reveal(&key);
        self.open_review();
    }

    /// Returns the effect that compares the work of the selected agent or reads the patch of the selected file, if the
    /// tab shows it and it is not known yet. `before` is the selected agent before the last event.
    pub(crate) fn load_diff(&mut self, before: Option<&Agent>) -> Option<DashboardEffect> {
        let has_changed = before != self.selected_agent();
        let target = self.selected_target().filter(|target| target.key.host.is_none());
        let Some(target) = target.filter(|_| self.detail.tab == DetailTab::Diff) else {
            self.diff = None;
            return None;
        };
        let is_shown = self.diff.as_ref().is_some_and(|diff| diff.target.key == target.key);
        let diff = match self.diff.as_mut().filter(|_| is_shown) {
            Some(diff) => diff,
            None => self.diff.insert(DiffScreen::new(target.clone(), self.diff_choices)),
        };
        diff.target = target.clone();
        if std::mem::take(&mut diff.is_stale) || has_changed {
            return Some(DashboardEffect::CompareWork(target));
        }
        let wanted = (diff.selected_file()?.path.clone(), diff.choices.extent);
        if diff.requested.as_ref() == Some(&wanted) {
            return None;
        }
        let (path, extent) = diff.requested.insert(wanted).clone();
        Some(DashboardEffect::ReadPatch { target, path, extent })
    }

    /// Takes a comparison that a worker has made.
    pub(crate) fn work_compared(&mut self, key: &AgentKey, content: DiffContent) {
        if let Some(diff) = self.diff.as_mut().filter(|diff| diff.target.key == *key) {
            diff.replace(content);
        }
    }

    /// Has the work compared again, because comments have changed.
    pub(crate) fn comments_sent(&mut self, key: &AgentKey, outcome: Result<String, String>) {
        match outcome {
            Ok(text) => self.show_message(text),
            Err(why) => self.show_error(why),
        }
        if let Some(diff) = self.diff.as_mut().filter(|diff| diff.target.key == *key) {
            diff.is_stale = true;
        }
    }

    /// Takes the rows of a file that a worker has read.
    pub(crate) fn rows_read(&mut self, key: &AgentKey, rows: FileRows) {
        if let Some(diff) = self.diff.as_mut().filter(|diff| diff.target.key == *key) {
            // The user may have selected another file in the meantime.
            let is_selected = diff.selected_file().is_some_and(|file| file.path == rows.path);
            let is_newer =
                diff.rows.as_ref().is_none_or(|known| known.path != rows.path || known.read <= rows.read);
            if is_selected && is_newer {
                diff.rows = Some(rows);
                diff.return_to_anchor();
                diff.move_cursor(0);
            }
        }
    }

    /// Applies a key to the review. The window was taken from the stack and is put back unless the key closes it.
    pub(crate) fn diff_key(&mut self, key: KeyPress) -> Vec<DashboardEffect> {
        let area = self.grid_area();
        let page = isize::try_from(area.height / 2).unwrap_or(1).max(1);
        let action = self.bindings.action(KeyScreen::Diff, key);
        let Some(diff) = &mut self.diff else { return vec![] };
        self.modals.push(Modal::Diff);
        match action {
            Some(Do::Down) => diff.move_cursor(1),
            Some(Do::Up) => diff.move_cursor(-1),
            Some(Do::PageDown) => diff.move_cursor(page),
            Some(Do::PageUp) => diff.move_cursor(-page),
            Some(Do::First) => diff.cursor = 0,
            Some(Do::Last) => diff.move_cursor(isize::MAX),
            Some(Do::NextHunk) => diff.move_to_hunk(Direction::Forward),
            Some(Do::PreviousHunk) => diff.move_to_hunk(Direction::Backward),
            Some(Do::NextFile) => diff.move_to_file(1),
            Some(Do::PreviousFile) => diff.move_to_file(-1),
            Some(Do::ScrollLeft) => diff.shift = diff.shift.saturating_sub(SHIFT_COLUMNS),
            Some(Do::ScrollRight) => diff.shift += SHIFT_COLUMNS,
            Some(Do::SelectLines) => {
                diff.mark = if diff.mark.is_some() { None } else { Some(diff.cursor) };
            }
            Some(Do::MarkReviewed) => return self.toggle_reviewed(),
            Some(Do::Comment) => self.open_comment(),
            Some(Do::SendComments) => return self.send_comments(),
            Some(Do::CompareAgain) => diff.is_stale = true,
            Some(Do::SideBySide) => {
                diff.toggle_layout(review_areas(area).map_or(area, |(_, lines)| lines).width);
                self.diff_choices = diff.choices;
            }
            Some(Do::WholeFile) => {
                diff.toggle_extent();
                self.diff_choices = diff.choices;
            }
            Some(Do::Close) => {
                self.modals.pop();
                return vec![DashboardEffect::CountWork];
            }
            _ => {}
        }
        vec![]
    }

    fn open_comment(&mut self) {
        let Some(diff) = &self.diff else { return };
        let rows = diff.file_rows().and_then(|rows| commented(rows, diff.selected_rows()));
        let (Some(file), Some(rows)) = (diff.selected_file(), rows) else {
            return self.show_error("select a line of the file to comment on it");
        };
        let window = CommentWindow {
            target: diff.target.clone(),
            file: file.path.clone(),
            rows,
            input: TextInput::default(),
        };
        self.modals.push(Modal::Comment(window));
    }

    /// Stores a comment that the user has written.
    pub(crate) fn submit_comment(&mut self, window: CommentWindow) -> Vec<DashboardEffect> {
        let text = window.input.text().trim().to_owned();
        if text.is_empty() {
            return vec![];
        }
        if let Some(diff) = &mut self.diff {
            diff.mark = None;
        }
        let CommentWindow { target, file, rows, .. } = window;
        vec![DashboardEffect::Comment { target, file, rows, text }]
    }

    fn toggle_reviewed(&mut self) -> Vec<DashboardEffect> {
        let Some(diff) = &mut self.diff else { return vec![] };
        let Some(file) = diff.selected_file().cloned() else { return vec![] };
        let target = diff.target.clone();
        let is_reviewed = diff.work().is_some_and(|work| work.reviewed.contains(&file.path));
        if !is_reviewed {
            diff.move_to_file(1);
        }
        vec![DashboardEffect::ToggleReviewed { target, path: file.path }]
    }

    fn send_comments(&mut self) -> Vec<DashboardEffect> {
        let Some(diff) = &self.diff else { return vec![] };
        let drafts = diff.drafts();
        if drafts == 0 {
            self.show_error("there are no drafts to send");
            return vec![];
        }
        let target = diff.target.clone();
        self.show_message(format!("sending {}…", counted(drafts as u64, "comment", "comments")));
        vec![DashboardEffect::SendComments(target)]
    }
}

impl DiffScreen {
    /// Returns the number of comments that were not sent yet.
    pub(crate) fn drafts(&self) -> usize {
        let comments = self.work().map(|work| work.comments.as_slice()).unwrap_or_default();
        comments.iter().filter(|placed| placed.comment.state == CommentState::Draft).count()
    }
}
