//! Settings of the dashboard: its theme, its columns, and the keys that the user has changed.

use std::str::FromStr;

use crate::base::key_press::KeyPress;
use crate::model::dashboard_colors::RoleColors;

/// Section `[dashboard]` of `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DashboardConfig {
    /// Colours of the dashboard.
    pub theme: ThemeName,
    /// Colours that replace those of the theme.
    pub colors: RoleColors,
    /// Columns of the list, in their order.
    pub columns: Vec<DashboardColumn>,
    /// Keys that replace the default keys of an action. An empty list disables the action.
    pub keys: Vec<(DashboardAction, Vec<KeyPress>)>,
}

impl Default for DashboardConfig {
    fn default() -> DashboardConfig {
        let columns = DashboardColumn::ALL.iter().map(|(_, column)| *column).collect();
        DashboardConfig { theme: ThemeName::Auto, colors: RoleColors::default(), columns, keys: Vec::new() }
    }
}

/// The colours of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThemeName {
    /// `light` or `dark`, as the terminal reports its background; `dark` if it does not.
    Auto,
    /// Colours for a dark background.
    Dark,
    /// Colours for a light background.
    Light,
    /// No colours, only bold, dim and reversed text.
    Plain,
}

/// A column of the list of agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DashboardColumn {
    /// Status as a word.
    Status,
    /// Name of the agent, with its place in the tree.
    Name,
    /// Kind of the agent CLI.
    Kind,
    /// Age of the status.
    Age,
    /// Branch with uncommitted files and with commits ahead of and behind its upstream or base.
    Branch,
    /// Task and its progress.
    Task,
    /// The question, the last tool, the last line of output or the last prompt.
    Activity,
}

impl DashboardColumn {
    /// All columns with their names in `config.toml`, in the default order.
    pub const ALL: [(&'static str, DashboardColumn); 7] = [
        ("name", DashboardColumn::Name),
        ("status", DashboardColumn::Status),
        ("age", DashboardColumn::Age),
        ("kind", DashboardColumn::Kind),
        ("branch", DashboardColumn::Branch),
        ("task", DashboardColumn::Task),
        ("activity", DashboardColumn::Activity),
    ];
}

macro_rules! actions {
    ($($variant:ident $name:literal $what:literal,)*) => {
        /// Action of a key of the dashboard. The names are used in `[dashboard.keys]` of `config.toml`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum DashboardAction {
            $(#[doc = $what] $variant,)*
        }

        impl DashboardAction {
            /// All actions, in the order in which help shows them.
            pub const ALL: &'static [DashboardAction] = &[$(DashboardAction::$variant,)*];

            /// Returns the name of the action in `config.toml`.
            pub fn name(self) -> &'static str {
                match self { $(DashboardAction::$variant => $name,)* }
            }

            /// Returns what the action does, as help and the palette show it.
            pub fn description(self) -> &'static str {
                match self { $(DashboardAction::$variant => $what,)* }
            }
        }
    };
}

actions! {
    Down "down" "Select the next row",
    Up "up" "Select the previous row",
    PageDown "page-down" "Move the selection a page down",
    PageUp "page-up" "Move the selection a page up",
    First "first" "Select the first row",
    Last "last" "Select the last row",
    NextWaiting "next-waiting" "Jump to the next agent that needs you",
    PreviousWaiting "previous-waiting" "Jump to the previous agent that needs you",
    Fold "fold" "Fold the selected group or agent",
    Unfold "unfold" "Unfold the selected group or agent",
    ToggleFold "toggle-fold" "Fold or unfold the selected group or agent",
    FoldAll "fold-all" "Fold all groups, or unfold them",
    Filter "filter" "Filter the list as you type",
    Grouping "grouping" "Group by project, status, host, parent or not at all",
    Sorting "sorting" "Sort by name, age, activity or attention",
    Scope "scope" "Show all agents, those that run, or those that need you",
    NextTab "next-tab" "Show the next tab of the agent",
    PreviousTab "previous-tab" "Show the previous tab of the agent",
    ScrollUp "scroll-up" "Scroll back",
    ScrollDown "scroll-down" "Scroll forward",
    ScrollLeft "scroll-left" "Scroll to the left",
    ScrollRight "scroll-right" "Scroll to the right",
    Approve "approve" "Approve the agent's request once",
    Deny "deny" "Deny the agent's request",
    Skip "skip" "Leave the question unanswered and show the next one",
    Focus "focus" "Type into the agent; the list stays",
    Unfocus "unfocus" "Stop typing into the agent",
    Attach "attach" "Attach full screen; detach to come back",
    Prompt "prompt" "Write a prompt to the agent or to all marked agents",
    Spawn "spawn" "Start an agent or a taskspace",
    Grid "grid" "Show the marked agents, or those of the project, side by side",
    NextTile "next-tile" "Go to the next agent of the grid",
    PreviousTile "previous-tile" "Go to the previous agent of the grid",
    ShowInList "show-in-list" "Close the grid and select the agent in the list",
    Review "review" "Review the changes of the agent",
    NextHunk "next-hunk" "Go to the next change of the file",
    PreviousHunk "previous-hunk" "Go to the previous change of the file",
    NextFile "next-file" "Go to the next file",
    PreviousFile "previous-file" "Go to the previous file",
    SelectLines "select-lines" "Begin to select lines, or end it",
    Comment "comment" "Comment on the selected lines",
    SendComments "send-comments" "Send all drafts to the agent",
    MarkReviewed "mark-reviewed" "Mark the file as reviewed, or take its mark off",
    SideBySide "side-by-side" "Show both versions side by side, or one below the other",
    WholeFile "whole-file" "Show the whole file, or only its changes",
    CompareAgain "compare-again" "Read the changes again",
    Mark "mark" "Mark the agent, or take its mark off",
    MarkAll "mark-all" "Mark all agents of the list, or take all marks off",
    Interrupt "interrupt" "Interrupt the turn of the agent",
    Stop "stop" "End the process of the agent; its conversation stays",
    Restart "restart" "End the agent and start it again with its conversation",
    Resume "resume" "Start an ended agent again with its conversation",
    RestoreAll "restore-all" "Bring back all agents that were lost",
    Hibernate "hibernate" "Hibernate an idle agent until it is needed",
    Rename "rename" "Rename the agent",
    Remove "remove" "Remove the agent and its files",
    AddTask "add-task" "Add a task to the queue of the agent",
    SendMessage "send-message" "Send a message to the agent",
    Share "share" "Share the agent with another user of this machine",
    HandOff "hand-off" "Write the agent to a file for another machine",
    OpenEditor "open-editor" "Open the directory of the agent in your editor",
    CopyAttach "copy-attach" "Copy the command that attaches to the agent",
    Palette "palette" "Search all actions",
    Help "help" "Show the keys of this screen",
    Redraw "redraw" "Draw the screen again",
    Suspend "suspend" "Suspend the dashboard; `fg` continues it",
    Close "close" "Close what covers the list",
    Quit "quit" "Quit the dashboard; agents keep running",
}

impl DashboardAction {
    /// Returns whether the action is about the selected agent, rather than about the list or the dashboard.
    pub fn is_about_agent(self) -> bool {
        use DashboardAction as Do;
        matches!(
            self,
            Do::Approve
                | Do::Deny
                | Do::Focus
                | Do::Attach
                | Do::Prompt
                | Do::AddTask
                | Do::SendMessage
                | Do::Review
                | Do::Mark
                | Do::Interrupt
                | Do::Stop
                | Do::Restart
                | Do::Resume
                | Do::Hibernate
                | Do::Rename
                | Do::Remove
                | Do::Share
                | Do::HandOff
                | Do::OpenEditor
                | Do::CopyAttach
        )
    }
}

impl FromStr for DashboardAction {
    type Err = ();

    fn from_str(text: &str) -> Result<DashboardAction, ()> {
        DashboardAction::ALL.iter().copied().find(|action| action.name() == text).ok_or(())
    }
}
