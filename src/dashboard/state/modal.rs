//! Windows above the list. They form a stack; the topmost one gets the keys, and Escape closes it.

mod keys;
mod menu;
pub(crate) mod review;

use crate::dashboard::bindings::{Bindings, HelpLine, KeyScreen};
use crate::dashboard::diff::rows::CommentedRows;
use crate::dashboard::forms::spawn_form::SpawnForm;
use crate::dashboard::state::event::{AgentTarget, Operation, PromptUse};
use crate::dashboard::state::filter::best_first;
use crate::dashboard::state::text_input::TextInput;
use crate::model::{AgentName, DashboardAction};
use review::ReviewWindow;

/// An open window.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Modal {
    /// The filter of the list, which is edited in the footer.
    Filter(TextInput),
    Prompt(PromptWindow),
    /// A question for a short text.
    Ask(AskWindow),
    Confirm(ConfirmWindow),
    Review(ReviewWindow),
    Spawn(Box<SpawnForm>),
    /// The grid of live agents, which covers the list.
    Grid,
    /// The review of an agent's changes, which covers the list.
    Diff,
    /// A comment on lines of the changes.
    Comment(CommentWindow),
    Palette(PaletteWindow),
    Menu(MenuWindow),
    Help(HelpWindow),
}

/// The window in which a prompt is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PromptWindow {
    pub(crate) targets: Vec<AgentTarget>,
    pub(crate) input: TextInput,
    pub(crate) how: PromptUse,
    /// Id of the question that the text answers.
    pub(crate) answers: Option<String>,
}

/// The window in which a comment is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CommentWindow {
    pub(crate) target: AgentTarget,
    pub(crate) file: String,
    pub(crate) rows: CommentedRows,
    pub(crate) input: TextInput,
}

/// A window that asks for a short text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AskWindow {
    pub(crate) title: String,
    pub(crate) input: TextInput,
    pub(crate) purpose: AskPurpose,
}

/// What the text of an [`AskWindow`] is for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AskPurpose {
    Rename(AgentTarget),
    Share(AgentName),
    HandOff(AgentName),
}

/// A question with yes or no.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfirmWindow {
    pub(crate) title: String,
    /// Consequences, one for each line.
    pub(crate) lines: Vec<String>,
    /// What yes does; `None` while the consequences are not known yet.
    pub(crate) operation: Option<Operation>,
}

/// The search for an action.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PaletteWindow {
    pub(crate) input: TextInput,
    pub(crate) selected: usize,
}

impl PaletteWindow {
    /// Returns the actions that match the input, the best match first.
    pub(crate) fn matches(&self, bindings: &Bindings) -> Vec<DashboardAction> {
        let actions: Vec<DashboardAction> =
            bindings.palette().into_iter().filter(|action| *action != DashboardAction::Palette).collect();
        let texts = actions.iter().map(|action| format!("{} {}", action.name(), action.description()));
        best_first(texts, self.input.text()).into_iter().map(|at| actions[at]).collect()
    }
}

/// The menu of an agent, which the right mouse button opens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MenuWindow {
    pub(crate) title: String,
    pub(crate) actions: Vec<DashboardAction>,
    pub(crate) selected: usize,
    /// Column and line of the click.
    pub(crate) at: (u16, u16),
}

/// The keys of one screen, which can be searched.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HelpWindow {
    pub(crate) screen: KeyScreen,
    pub(crate) input: TextInput,
    pub(crate) scroll: usize,
}

impl HelpWindow {
    /// Returns the help of a screen, from its beginning.
    pub(crate) fn of(screen: KeyScreen) -> HelpWindow {
        HelpWindow { screen, input: TextInput::default(), scroll: 0 }
    }

    /// Scrolls by lines; a negative number scrolls back.
    pub(crate) fn scroll_lines(&mut self, by: isize, bindings: &Bindings) {
        let last = self.lines(bindings).len().saturating_sub(1);
        self.scroll = self.scroll.saturating_add_signed(by).min(last);
    }

    /// Returns the lines that match the search, the best match first.
    pub(crate) fn lines(&self, bindings: &Bindings) -> Vec<HelpLine> {
        let lines = bindings.help(self.screen);
        let texts = lines.iter().map(|line| format!("{} {} {}", line.keys, line.names, line.what));
        best_first(texts, self.input.text()).into_iter().map(|at| lines[at].clone()).collect()
    }
}

impl Modal {
    /// Returns the screen whose keys apply while this window is on top.
    pub(crate) fn key_screen(&self) -> KeyScreen {
        match self {
            Modal::Filter(_) => KeyScreen::Filter,
            Modal::Prompt(_) | Modal::Ask(_) => KeyScreen::Text,
            Modal::Comment(_) => KeyScreen::Comment,
            Modal::Diff => KeyScreen::Diff,
            Modal::Confirm(_) => KeyScreen::Confirm,
            Modal::Review(_) => KeyScreen::Review,
            Modal::Spawn(_) => KeyScreen::Form,
            Modal::Grid => KeyScreen::Grid,
            Modal::Palette(_) => KeyScreen::Palette,
            Modal::Menu(_) => KeyScreen::Menu,
            Modal::Help(_) => KeyScreen::Help,
        }
    }

    /// Returns the text that is edited, if there is one.
    pub(crate) fn input(&mut self) -> Option<&mut TextInput> {
        match self {
            Modal::Filter(input) => Some(input),
            Modal::Prompt(window) => Some(&mut window.input),
            Modal::Ask(window) => Some(&mut window.input),
            Modal::Comment(window) => Some(&mut window.input),
            Modal::Spawn(form) => form.input(),
            Modal::Palette(window) => Some(&mut window.input),
            Modal::Help(window) => Some(&mut window.input),
            Modal::Confirm(_) | Modal::Review(_) | Modal::Menu(_) | Modal::Grid | Modal::Diff => None,
        }
    }
}
