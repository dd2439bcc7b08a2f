//! The state of the dashboard and how events change it. Nothing here performs I/O: [`update()`] returns the effects
//! that the workers carry out.
//!
//! - `event`: what can happen, and what the dashboard asks its workers to do
//! - `update`: applies an event
//! - `actions`: what the actions of the key table do in the list
//! - `manage`: actions that change agents, and their confirmation
//! - `answer`: answering questions
//! - `question`: how much of a question is visible
//! - `modal`: windows above the list, such as the prompt, the palette and the help; with their keys in `modal/keys`, and
//!   the menu of an agent in `modal/menu`, and questions in full in `modal/review`
//! - `mouse`: clicks, the wheel and dragging
//! - `rows`, `filter`, `agent_key`: which rows the list has
//! - `selection`: the selected row, marks and scrolling of the list
//! - `text_input`: texts that the user edits

pub(crate) mod actions;
pub(crate) mod agent_key;
pub(crate) mod answer;
pub(crate) mod event;
pub(crate) mod filter;
pub(crate) mod manage;
pub(crate) mod modal;
pub(crate) mod mouse;
pub(crate) mod question;
pub(crate) mod rows;
pub(crate) mod selection;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod text_input;
mod update;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::Timestamp;

use crate::dashboard::DashboardSurroundings;
use crate::dashboard::bindings::{Bindings, KeyScreen};
use crate::dashboard::columns::ColumnWidths;
use crate::dashboard::diff::screen::{DiffChoices, DiffExtent, DiffScreen};
use crate::dashboard::grid::tiles::LiveGrid;
use crate::dashboard::layout::{Areas, areas, sidebar_areas};
use crate::dashboard::live::LiveSlot;
use crate::model::{Agent, BranchPosition, DashboardColumn, DashboardConfig, PullRequest};
use agent_key::AgentKey;
use answer::{DrawnQuestion, TakenAnswer};
use modal::Modal;
use mouse::LastClick;
use rows::{Arrangement, Grouping, ListRow, ListScope, Sorting};
use selection::RowKey;

pub(crate) use update::update;

/// Part of the list in percent, beside the detail pane and above it.
const DEFAULT_SHARE: u16 = 45;
/// Part of a question in percent, below the list of a sidebar.
const SIDEBAR_QUESTION_SHARE: u16 = 60;

/// Everything that the dashboard shows.
pub(crate) struct DashboardState {
    pub(crate) now: Timestamp,
    /// Columns and lines of the terminal.
    pub(crate) size: (u16, u16),
    pub(crate) bindings: Bindings,
    pub(crate) columns: Vec<DashboardColumn>,
    /// The user's home directory, to shorten paths.
    pub(crate) user_home: Option<String>,
    /// Directory in which the dashboard was started.
    pub(crate) start_directory: Option<String>,
    /// Agents of this machine and then of other hosts.
    pub(crate) agents: Vec<Agent>,
    /// Agents of other hosts, by host.
    pub(crate) hosts: BTreeMap<String, event::HostAgents>,
    pub(crate) is_loaded: bool,
    /// Why tmux does not answer, if it does not.
    pub(crate) silence: Option<String>,
    pub(crate) arrangement: Arrangement,
    pub(crate) scope: ListScope,
    pub(crate) filter: String,
    pub(crate) rows: Vec<ListRow>,
    pub(crate) selected: usize,
    pub(crate) selected_key: Option<RowKey>,
    /// Index of the first visible row.
    pub(crate) offset: usize,
    pub(crate) marks: BTreeSet<AgentKey>,
    pub(crate) detail: Detail,
    pub(crate) mode: InputMode,
    pub(crate) modals: Vec<Modal>,
    pub(crate) flash: Option<Flash>,
    pub(crate) taken: HashMap<AgentKey, TakenAnswer>,
    pub(crate) drawn_question: Option<DrawnQuestion>,
    /// Agent that was started here and is selected as soon as the list has it.
    pub(crate) awaited: Option<AgentKey>,
    /// Positions of the branches of agents, as far as they are known.
    pub(crate) branches: HashMap<AgentKey, BranchPosition>,
    /// Pull requests of the branches of agents, as far as they are known.
    pub(crate) pull_requests: HashMap<AgentKey, PullRequest>,
    /// The last tool or the last line of output of working agents, as far as it is known.
    pub(crate) activities: HashMap<AgentKey, String>,
    /// Widths of the columns of the list.
    pub(crate) widths: ColumnWidths,
    /// Part of the list in percent.
    pub(crate) share: u16,
    pub(crate) last_click: Option<LastClick>,
    pub(crate) live: LiveSlot,
    /// The open grid.
    pub(crate) grid: Option<LiveGrid>,
    /// The changes of the selected agent, while their tab is shown.
    pub(crate) diff: Option<DiffScreen>,
    pub(crate) diff_choices: DiffChoices,
    pub(crate) surroundings: DashboardSurroundings,
    /// The agent whose screen the live thread follows.
    pub(crate) followed: Option<Followed>,
}

/// The screen that the live thread follows. A change of any field needs another capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Followed {
    pub(crate) key: AgentKey,
    /// Id of the pane; `None` if the agent does not run.
    pub(crate) pane: Option<String>,
    /// Number of attached clients, which determine the size.
    pub(crate) clients: usize,
}

/// Returns what a feed has to follow to show an agent.
pub(crate) fn followed(agent: &Agent) -> Followed {
    Followed {
        key: AgentKey::of(agent),
        pane: agent.tmux.as_ref().filter(|_| agent.status.is_live()).map(|tmux| tmux.pane.clone()),
        clients: agent.clients.len(),
    }
}

/// Where keys go while no window is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputMode {
    List,
    Agent,
}

/// A tab of the detail pane. Further tabs are added here, in `effects/load.rs` and in `view/detail.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DetailTab {
    Screen,
    Recap,
    Tasks,
    Messages,
    Log,
    Details,
    Diff,
}

impl DetailTab {
    pub(crate) const ALL: [DetailTab; 7] = [
        DetailTab::Screen,
        DetailTab::Recap,
        DetailTab::Tasks,
        DetailTab::Messages,
        DetailTab::Log,
        DetailTab::Details,
        DetailTab::Diff,
    ];

    /// Returns the name of the tab.
    pub(crate) fn word(self) -> &'static str {
        match self {
            DetailTab::Screen => "screen",
            DetailTab::Recap => "recap",
            DetailTab::Tasks => "tasks",
            DetailTab::Messages => "messages",
            DetailTab::Log => "log",
            DetailTab::Details => "details",
            DetailTab::Diff => "diff",
        }
    }
}

/// The detail pane.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Detail {
    pub(crate) tab: DetailTab,
    /// Lines between the end of the content and the last visible line for the screen and the log, and between the
    /// beginning and the first visible line for other tabs.
    pub(crate) scroll: usize,
    /// End of the live screen when it was scrolled, so that new output does not move what the user reads.
    pub(crate) anchor: usize,
    /// Columns that are scrolled out on the left.
    pub(crate) shift: u16,
    pub(crate) loaded: Option<LoadedTab>,
}

/// The content of a tab that a worker has read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadedTab {
    pub(crate) key: AgentKey,
    pub(crate) tab: DetailTab,
    pub(crate) lines: Vec<String>,
}

/// A message in the footer. The next key removes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flash {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

/// Whether a message reports a success or a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
}

impl DashboardState {
    /// Creates the state before the agents are known.
    pub(crate) fn new(config: &DashboardConfig, size: (u16, u16), now: Timestamp) -> DashboardState {
        DashboardState {
            now,
            size,
            bindings: Bindings::of(config),
            columns: config.columns.clone(),
            user_home: None,
            start_directory: None,
            agents: Vec::new(),
            hosts: BTreeMap::new(),
            is_loaded: false,
            silence: None,
            arrangement: Arrangement {
                grouping: Grouping::Project,
                sorting: Sorting::Name,
                folded: HashSet::new(),
            },
            scope: ListScope::All,
            filter: String::new(),
            rows: Vec::new(),
            selected: 0,
            selected_key: None,
            offset: 0,
            marks: BTreeSet::new(),
            detail: Detail { tab: DetailTab::Screen, scroll: 0, anchor: 0, shift: 0, loaded: None },
            mode: InputMode::List,
            modals: Vec::new(),
            flash: None,
            taken: HashMap::new(),
            drawn_question: None,
            awaited: None,
            branches: HashMap::new(),
            pull_requests: HashMap::new(),
            activities: HashMap::new(),
            widths: ColumnWidths::default(),
            share: DEFAULT_SHARE,
            last_click: None,
            live: LiveSlot::default(),
            grid: None,
            diff: None,
            diff_choices: DiffChoices { layout: None, extent: DiffExtent::Hunks },
            surroundings: DashboardSurroundings::default(),
            followed: None,
        }
    }

    /// Returns the areas of the screen.
    pub(crate) fn areas(&self) -> Areas {
        let asks = || self.selected_agent().is_some_and(|agent| agent.question.is_some());
        match self.surroundings.is_sidebar {
            true => sidebar_areas(self.size.0, self.size.1, u16::from(asks()) * SIDEBAR_QUESTION_SHARE),
            false => areas(self.size.0, self.size.1, self.share),
        }
    }

    /// Returns the screen whose keys apply now.
    pub(crate) fn key_screen(&self) -> KeyScreen {
        match (self.modals.last(), self.mode) {
            (Some(modal), _) => modal.key_screen(),
            (None, InputMode::Agent) => KeyScreen::Agent,
            (None, InputMode::List) => KeyScreen::List,
        }
    }

    pub(crate) fn show_message(&mut self, text: impl Into<String>) {
        self.flash = Some(Flash { text: text.into(), tone: Tone::Good });
    }

    pub(crate) fn show_error(&mut self, text: impl Into<String>) {
        self.flash = Some(Flash { text: text.into(), tone: Tone::Bad });
    }

    /// Shows how something in the background ended. A failure stays visible until the next key, also if something else
    /// ends meanwhile.
    pub(crate) fn report(&mut self, outcome: Result<String, String>) {
        let failure = self.flash.take_if(|flash| flash.tone == Tone::Bad).map(|flash| flash.text);
        match (failure, outcome) {
            (None, Ok(text)) => self.show_message(text),
            (None, Err(why)) => self.show_error(why),
            (Some(failure), Ok(_)) => self.show_error(failure),
            (Some(failure), Err(why)) => self.show_error(format!("{failure}; {why}")),
        }
    }

    /// Returns the number of agents that need the user, that work, and that crashed or were lost.
    pub(crate) fn counters(&self) -> Counters {
        use crate::model::Status;
        let count =
            |wanted: &dyn Fn(&Agent) -> bool| self.agents.iter().filter(|agent| wanted(agent)).count();
        Counters {
            needing_you: count(&rows::needs_you),
            working: count(&|agent| agent.status == Status::Working),
            crashed: count(&|agent| agent.status == Status::Crashed),
            lost: count(&|agent| agent.status == Status::Lost),
            idle: count(&|agent| agent.status == Status::Idle),
        }
    }
}

/// Number of agents in the statuses that the header shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) needing_you: usize,
    pub(crate) working: usize,
    pub(crate) crashed: usize,
    pub(crate) lost: usize,
    pub(crate) idle: usize,
}
