//! The one table of keys. It feeds the keys themselves, the footer, the palette and the help of each screen. Users
//! change keys in `[dashboard.keys]` of `config.toml`.
//!
//! To add an action: a line in `model/dashboard.rs`, a line in the table of each screen that has it, and a case in
//! `state/actions.rs`, or in `grid/tiles.rs`, `diff/screen.rs` or `state/modal/review.rs`.

use std::collections::HashMap;

use crate::base::key_press::KeyPress;
use crate::model::{DashboardAction, DashboardConfig};

/// A part of the dashboard that has keys of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KeyScreen {
    /// The list of agents with the tab of the selected one.
    List,
    /// The agent while the user types into it.
    Agent,
    /// The filter of the list.
    Filter,
    /// The prompt and other questions with a text.
    Text,
    /// A question with yes or no.
    Confirm,
    /// Questions in full, one after the other.
    Review,
    /// The form that starts an agent.
    Form,
    /// The grid of live agents.
    Grid,
    /// The review of an agent's changes.
    Diff,
    /// A comment in the review.
    Comment,
    /// The search for an action.
    Palette,
    /// The menu of an agent.
    Menu,
    /// The help itself.
    Help,
}

impl KeyScreen {
    /// Returns the heading of the screen in the help.
    pub(crate) fn title(self) -> &'static str {
        match self {
            KeyScreen::List => "the list",
            KeyScreen::Agent => "typing into an agent",
            KeyScreen::Filter => "the filter",
            KeyScreen::Text => "writing a text",
            KeyScreen::Confirm => "a question",
            KeyScreen::Review => "questions in full",
            KeyScreen::Form => "the form that starts an agent",
            KeyScreen::Grid => "the grid",
            KeyScreen::Diff => "the review of changes",
            KeyScreen::Comment => "writing a comment",
            KeyScreen::Palette => "the palette",
            KeyScreen::Menu => "the menu of an agent",
            KeyScreen::Help => "help",
        }
    }
}

/// The default keys of an action, and its short name in the footer. Actions with an empty name are not in the footer.
struct Binding(DashboardAction, &'static [&'static str], &'static str);

use DashboardAction as Do;

const LIST_BINDINGS: &[Binding] = &[
    Binding(Do::Approve, &["y"], "approve"),
    Binding(Do::Deny, &["n"], "deny"),
    Binding(Do::Focus, &["Enter"], "type"),
    Binding(Do::Attach, &["a"], "attach"),
    Binding(Do::Prompt, &["Space"], "prompt"),
    Binding(Do::NextWaiting, &["w"], "next waiting"),
    Binding(Do::Filter, &["/"], "filter"),
    Binding(Do::Help, &["?", "F1"], "help"),
    Binding(Do::Quit, &["q", "C-c"], "quit"),
    Binding(Do::Palette, &[":", "C-k"], "actions"),
    Binding(Do::Spawn, &["N"], "new agent"),
    Binding(Do::Grid, &["G"], "grid"),
    Binding(Do::Review, &["d"], "diff"),
    Binding(Do::NextTab, &["Tab"], "tab"),
    Binding(Do::Grouping, &["b"], "group"),
    Binding(Do::Sorting, &["o"], "sort"),
    Binding(Do::Scope, &["v"], "show"),
    Binding(Do::Mark, &["m"], "mark"),
    Binding(Do::Interrupt, &["i"], "interrupt"),
    Binding(Do::AddTask, &["t"], "task"),
    Binding(Do::SendMessage, &["s"], "message"),
    Binding(Do::Stop, &["S"], "stop"),
    Binding(Do::Restart, &["R"], "restart"),
    Binding(Do::Resume, &["r"], "resume"),
    Binding(Do::Hibernate, &["H"], "hibernate"),
    Binding(Do::Rename, &["F2", "e"], "rename"),
    Binding(Do::Remove, &["X"], "remove"),
    Binding(Do::RestoreAll, &["L"], "restore all"),
    Binding(Do::Share, &["+"], "share"),
    Binding(Do::HandOff, &["O"], "hand off"),
    Binding(Do::OpenEditor, &["E"], "editor"),
    Binding(Do::CopyAttach, &["c"], "copy command"),
    Binding(Do::MarkAll, &["M"], "mark all"),
    Binding(Do::Down, &["j", "Down"], ""),
    Binding(Do::Up, &["k", "Up"], ""),
    Binding(Do::PageDown, &["PageDown"], ""),
    Binding(Do::PageUp, &["PageUp"], ""),
    Binding(Do::First, &["g", "Home"], ""),
    Binding(Do::Last, &["End"], ""),
    Binding(Do::PreviousWaiting, &["W"], ""),
    Binding(Do::Fold, &["h", "Left"], ""),
    Binding(Do::Unfold, &["l", "Right"], ""),
    Binding(Do::ToggleFold, &["z"], ""),
    Binding(Do::FoldAll, &["Z"], ""),
    Binding(Do::PreviousTab, &["BTab"], ""),
    Binding(Do::ScrollUp, &["K", "C-u"], ""),
    Binding(Do::ScrollDown, &["J", "C-d"], ""),
    Binding(Do::ScrollLeft, &["<", "S-Left"], ""),
    Binding(Do::ScrollRight, &[">", "S-Right"], ""),
    Binding(Do::Redraw, &["C-l"], ""),
    Binding(Do::Suspend, &["C-z"], ""),
];

/// Leaves the agent that the user types into. `C-]` is the escape of telnet: no agent CLI uses it, while several use
/// Escape twice.
const AGENT_BINDINGS: &[Binding] = &[Binding(Do::Unfocus, &["C-]"], "back to the list")];

const GRID_BINDINGS: &[Binding] = &[
    Binding(Do::ShowInList, &["Enter"], "select in the list"),
    Binding(Do::NextTile, &["l", "Right", "Tab"], "next"),
    Binding(Do::ScrollUp, &["K", "PageUp"], "scroll back"),
    Binding(Do::ScrollDown, &["J", "PageDown"], "forward"),
    Binding(Do::Help, &["?", "F1"], "help"),
    Binding(Do::Close, &["q", "G"], "close"),
    Binding(Do::ScrollRight, &[">", "S-Right"], "scroll sideways"),
    Binding(Do::PreviousTile, &["h", "Left", "BTab"], ""),
    Binding(Do::Down, &["j", "Down"], ""),
    Binding(Do::Up, &["k", "Up"], ""),
    Binding(Do::ScrollLeft, &["<", "S-Left"], ""),
];

const DIFF_BINDINGS: &[Binding] = &[
    Binding(Do::Comment, &["c"], "comment"),
    Binding(Do::SendComments, &["C"], "send drafts"),
    Binding(Do::NextHunk, &["n"], "next change"),
    Binding(Do::NextFile, &["Tab", "Right", "J"], "next file"),
    Binding(Do::Help, &["?", "F1"], "help"),
    Binding(Do::Close, &["q"], "close"),
    Binding(Do::SelectLines, &["v"], "select lines"),
    Binding(Do::MarkReviewed, &["x"], "reviewed"),
    Binding(Do::SideBySide, &["s"], "side by side"),
    Binding(Do::WholeFile, &["f"], "whole file"),
    Binding(Do::CompareAgain, &["r"], "read again"),
    Binding(Do::PreviousHunk, &["p"], ""),
    Binding(Do::PreviousFile, &["BTab", "Left", "K"], ""),
    Binding(Do::Down, &["j", "Down"], ""),
    Binding(Do::Up, &["k", "Up"], ""),
    Binding(Do::PageDown, &["C-d", "PageDown"], ""),
    Binding(Do::PageUp, &["C-u", "PageUp"], ""),
    Binding(Do::First, &["g", "Home"], ""),
    Binding(Do::Last, &["G", "End"], ""),
    Binding(Do::ScrollLeft, &["<", "S-Left"], ""),
    Binding(Do::ScrollRight, &[">", "S-Right"], ""),
];

const REVIEW_BINDINGS: &[Binding] = &[
    Binding(Do::Approve, &["y"], "approve and continue"),
    Binding(Do::Deny, &["n"], "deny and continue"),
    Binding(Do::Skip, &["s"], "skip"),
    Binding(Do::Help, &["?", "F1"], "help"),
    Binding(Do::Close, &["q"], "stop"),
    Binding(Do::Down, &["Down", "j", "C-n"], ""),
    Binding(Do::Up, &["Up", "k", "C-p"], ""),
    Binding(Do::PageDown, &["PageDown"], ""),
    Binding(Do::PageUp, &["PageUp"], ""),
];

const SCREENS: [(KeyScreen, &[Binding]); 5] = [
    (KeyScreen::List, LIST_BINDINGS),
    (KeyScreen::Agent, AGENT_BINDINGS),
    (KeyScreen::Grid, GRID_BINDINGS),
    (KeyScreen::Diff, DIFF_BINDINGS),
    (KeyScreen::Review, REVIEW_BINDINGS),
];

/// Keys that cannot be changed, because they edit text or answer a question.
const FIXED: &[(KeyScreen, &str, &str)] = &[
    (KeyScreen::List, "1…9", "choose an option of the question that is shown"),
    (KeyScreen::List, "Escape", "remove the filter, then the marks"),
    (KeyScreen::Agent, "all others", "go to the agent"),
    (KeyScreen::Filter, "Enter", "keep the filter"),
    (KeyScreen::Filter, "Escape", "remove the filter"),
    (KeyScreen::Filter, "Up Down", "move the selection"),
    (KeyScreen::Text, "Enter", "send"),
    (KeyScreen::Text, "M-Enter C-j", "begin a new line"),
    (KeyScreen::Text, "Tab BTab", "send now, add as a task, or write a message"),
    (KeyScreen::Text, "C-e", "write it in $EDITOR"),
    (KeyScreen::Text, "Escape", "cancel"),
    (KeyScreen::Confirm, "y", "yes"),
    (KeyScreen::Confirm, "n Escape", "no"),
    (KeyScreen::Review, "1…9", "choose an option and continue"),
    (KeyScreen::Review, "Escape", "stop"),
    (KeyScreen::Form, "Enter", "start"),
    (KeyScreen::Form, "Tab", "complete the directory, or go to the next field"),
    (KeyScreen::Form, "Up Down", "move between fields"),
    (KeyScreen::Form, "Left Right", "change a choice"),
    (KeyScreen::Form, "M-Enter C-j", "begin a new line of the task"),
    (KeyScreen::Form, "C-e", "write the task in $EDITOR"),
    (KeyScreen::Form, "C-y", "copy the command"),
    (KeyScreen::Form, "C-t", "trust the specs that are shown, and start"),
    (KeyScreen::Form, "Escape", "cancel"),
    (KeyScreen::Grid, "Escape", "close"),
    (KeyScreen::Diff, "Escape", "close"),
    (KeyScreen::Comment, "Enter", "keep as a draft"),
    (KeyScreen::Comment, "M-Enter C-j", "begin a new line"),
    (KeyScreen::Comment, "C-e", "write it in $EDITOR"),
    (KeyScreen::Comment, "Escape", "cancel"),
    (KeyScreen::Palette, "Enter", "do it"),
    (KeyScreen::Palette, "Up Down", "select"),
    (KeyScreen::Palette, "Escape", "close"),
    (KeyScreen::Menu, "Enter, click", "do it"),
    (KeyScreen::Menu, "Up Down", "select"),
    (KeyScreen::Menu, "Escape", "close"),
    (KeyScreen::Help, "Escape", "close"),
    (KeyScreen::Help, "Up Down", "scroll"),
    (KeyScreen::Help, "any text", "search"),
];

/// One line of the help: the keys and what they do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HelpLine {
    pub(crate) keys: String,
    pub(crate) what: String,
    /// Names by which a search finds the action.
    pub(crate) names: String,
}

/// The keys that are in effect.
#[derive(Debug, Clone)]
pub(crate) struct Bindings {
    actions: HashMap<(KeyScreen, KeyPress), DashboardAction>,
    /// Keys and short name of each action, in the order of the table.
    table: Vec<(KeyScreen, DashboardAction, Vec<KeyPress>, &'static str)>,
}

impl Bindings {
    /// Returns the default keys with the changes of the user. The keys that the user gives to an action apply to all
    /// screens that have it, and are taken from the other actions there.
    pub(crate) fn of(config: &DashboardConfig) -> Bindings {
        let changed =
            |action| config.keys.iter().find(|(known, _)| *known == action).map(|(_, keys)| keys.clone());
        let (mut actions, mut table) = (HashMap::new(), Vec::new());
        for (screen, Binding(action, keys, short)) in
            SCREENS.iter().flat_map(|(screen, all)| all.iter().map(move |binding| (*screen, binding)))
        {
            let keys = changed(*action).unwrap_or_else(|| keys.iter().flat_map(|key| key.parse()).collect());
            table.push((screen, *action, keys, *short));
        }
        let is_changed = |action: &DashboardAction| config.keys.iter().any(|(known, _)| known == action);
        // Keys of the user are entered last and replace default keys.
        for is_second in [false, true] {
            for (screen, action, keys, _) in table.iter().filter(|row| is_changed(&row.1) == is_second) {
                actions.extend(keys.iter().map(|key| ((*screen, *key), *action)));
            }
        }
        for (screen, action, keys, _) in &mut table {
            keys.retain(|key| actions.get(&(*screen, *key)) == Some(action));
        }
        Bindings { actions, table }
    }

    /// Returns the action of a key.
    pub(crate) fn action(&self, screen: KeyScreen, key: KeyPress) -> Option<DashboardAction> {
        self.actions.get(&(screen, key)).copied()
    }

    /// Returns whether a key shows the help of a screen. Screens without a table have the keys of the list for it.
    pub(crate) fn shows_help(&self, screen: KeyScreen, key: KeyPress) -> bool {
        let action = self.action(screen, key).or_else(|| self.action(KeyScreen::List, key));
        action == Some(DashboardAction::Help)
    }

    /// Returns the key for the footer that shows the help of a screen without a table. It types nothing, because most of
    /// these screens have a text.
    pub(crate) fn help_key(&self, screen: KeyScreen) -> Option<KeyPress> {
        let has_table = SCREENS.iter().any(|(known, _)| *known == screen);
        let mut rows = self.table.iter().filter(|row| row.0 == KeyScreen::List && row.1 == Do::Help);
        let key = rows.next()?.2.iter().find(|key| key.typed().is_none()).copied();
        key.filter(|_| !has_table && screen != KeyScreen::Help)
    }

    /// Returns the first key of an action: in the list, or in the screen that has it.
    pub(crate) fn key_of(&self, action: DashboardAction) -> Option<KeyPress> {
        self.table.iter().find(|row| row.1 == action).and_then(|row| row.2.first().copied())
    }

    /// Returns the first key of an action in a screen.
    pub(crate) fn key_in(&self, screen: KeyScreen, action: DashboardAction) -> Option<KeyPress> {
        let row = self.table.iter().find(|row| row.0 == screen && row.1 == action);
        row.and_then(|row| row.2.first().copied())
    }

    /// Returns the short name of an action.
    pub(crate) fn short_name(&self, action: DashboardAction) -> &'static str {
        let short = self.table.iter().find(|row| row.1 == action).map_or("", |row| row.3);
        if short.is_empty() { action.name() } else { short }
    }

    /// Returns the keys and short names for the footer of a screen, most important first.
    pub(crate) fn footer(&self, screen: KeyScreen) -> Vec<(DashboardAction, KeyPress, &'static str)> {
        let shown = self.table.iter().filter(|row| row.0 == screen && !row.3.is_empty());
        shown.filter_map(|row| Some((row.1, *row.2.first()?, row.3))).collect()
    }

    /// Returns all actions of a screen that the palette offers.
    pub(crate) fn palette(&self) -> Vec<DashboardAction> {
        self.table.iter().filter(|row| row.0 == KeyScreen::List).map(|row| row.1).collect()
    }

    /// Returns the fixed keys of a screen for the footer.
    pub(crate) fn fixed(screen: KeyScreen) -> impl Iterator<Item = (&'static str, &'static str)> {
        FIXED.iter().filter(move |row| row.0 == screen).map(|row| (row.1, row.2))
    }

    /// Returns the help of a screen.
    pub(crate) fn help(&self, screen: KeyScreen) -> Vec<HelpLine> {
        let order = |action: &DashboardAction| DashboardAction::ALL.iter().position(|known| known == action);
        let mut rows: Vec<_> = self.table.iter().filter(|row| row.0 == screen).collect();
        rows.sort_by_key(|row| order(&row.1));
        let names = |keys: &[KeyPress]| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let lines = rows.into_iter().map(|row| HelpLine {
            keys: names(&row.2),
            what: row.1.description().to_owned(),
            names: format!("{} {}", row.1.name(), row.3),
        });
        let fixed = Bindings::fixed(screen).map(|(keys, what)| HelpLine {
            keys: keys.into(),
            what: what.into(),
            names: String::new(),
        });
        lines.chain(fixed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> KeyPress {
        text.parse().unwrap()
    }

    #[test]
    fn every_action_has_a_key_and_no_key_has_two_actions() {
        let bindings = Bindings::of(&DashboardConfig::default());
        for action in DashboardAction::ALL {
            assert!(bindings.key_of(*action).is_some(), "{} has no key", action.name());
        }
        let keys: usize = SCREENS.iter().flat_map(|(_, all)| *all).map(|binding| binding.1.len()).sum();
        assert_eq!(
            bindings.actions.len(),
            keys,
            "two actions share a default key, or a key has a wrong name"
        );
    }

    #[test]
    fn the_manual_names_every_action() {
        let manual = include_str!("../../docs/src/dashboard.md");
        for action in DashboardAction::ALL {
            assert!(manual.contains(&format!("`{}`", action.name())), "`{}` is missing", action.name());
        }
    }

    #[test]
    fn a_key_of_the_user_applies_to_all_screens_with_the_action() {
        let keys = vec![(Do::Down, vec![key("n")]), (Do::Deny, vec![key("N")])];
        let bindings = Bindings::of(&DashboardConfig { keys, ..DashboardConfig::default() });
        for screen in [KeyScreen::List, KeyScreen::Grid, KeyScreen::Diff, KeyScreen::Review] {
            assert_eq!(bindings.action(screen, key("n")), Some(Do::Down), "{screen:?}");
            assert_eq!(bindings.action(screen, key("j")), None, "{screen:?}");
        }
        assert_eq!(bindings.key_in(KeyScreen::Diff, Do::NextHunk), None, "the user has taken its key");
        assert_eq!(bindings.key_in(KeyScreen::Review, Do::Deny), Some(key("N")));
        assert!(
            bindings.help(KeyScreen::Diff).iter().any(|line| line.keys == "n" && line.names.contains("down"))
        );
    }

    #[test]
    fn a_key_of_the_user_replaces_the_default() {
        let keys = vec![(Do::Stop, vec![key("q")]), (Do::Remove, vec![])];
        let bindings = Bindings::of(&DashboardConfig { keys, ..DashboardConfig::default() });
        assert_eq!(bindings.action(KeyScreen::List, key("q")), Some(Do::Stop));
        assert_eq!(bindings.key_of(Do::Quit), Some(key("C-c")));
        assert_eq!(bindings.action(KeyScreen::List, key("S")), None);
        assert_eq!(bindings.key_of(Do::Remove), None);
    }
}
