//! Keys in the windows above the list.

use std::path::PathBuf;

use crate::base::key_press::{KeyName, KeyPress, NamedKey};
use crate::dashboard::bindings::KeyScreen;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::event::{
    AnswerChoice, DashboardEffect, ForegroundProgram, Operation, PromptUse,
};
use crate::dashboard::state::manage::listed;
use crate::dashboard::state::modal::{
    AskPurpose, AskWindow, CommentWindow, HelpWindow, Modal, PaletteWindow, PromptWindow,
};
use crate::dashboard::state::text_input::TextInput;

const ENTER: KeyPress = KeyPress::named(NamedKey::Enter);
const ESCAPE: KeyPress = KeyPress::named(NamedKey::Escape);

impl DashboardState {
    /// Applies a key to the topmost window. The window stays open unless the key closes it.
    pub(crate) fn modal_key(&mut self, mut modal: Modal, key: KeyPress) -> Vec<DashboardEffect> {
        if key == ESCAPE || key == KeyPress::ctrl('c') {
            if let Modal::Filter(_) = modal {
                self.set_filter("");
            }
            // The user may have committed the changes or thrown them away.
            return if modal == Modal::Diff { vec![DashboardEffect::CountWork] } else { vec![] };
        }
        let screen = modal.key_screen();
        let types_text = key.typed().is_some() && modal.input().is_some();
        if screen != KeyScreen::Help && !types_text && self.bindings.shows_help(screen, key) {
            self.modals.extend([modal, Modal::Help(HelpWindow::of(screen))]);
            return vec![];
        }
        match &mut modal {
            Modal::Confirm(window) => match key.typed() {
                Some('y') if window.operation.is_some() => {
                    return window.operation.take().map(DashboardEffect::Operate).into_iter().collect();
                }
                Some('n' | 'q') => return vec![],
                _ => {}
            },
            Modal::Review(window) => return self.review_key(window.clone(), key),
            Modal::Grid => return self.grid_key(key),
            Modal::Diff => return self.diff_key(key),
            Modal::Spawn(form) => {
                let effects = form.key(key);
                self.modals.push(modal);
                return effects;
            }
            _ if key == ENTER => return self.submit(modal),
            Modal::Prompt(window) if key == KeyPress::named(NamedKey::Tab) => {
                window.how = window.how.next();
            }
            Modal::Prompt(window) if key == KeyPress::named(NamedKey::BackTab) => {
                window.how = window.how.next().next();
            }
            Modal::Prompt(PromptWindow { input, .. }) | Modal::Comment(CommentWindow { input, .. })
                if key == KeyPress::ctrl('e') =>
            {
                let text = input.text().to_owned();
                self.modals.push(modal);
                return vec![DashboardEffect::Foreground(ForegroundProgram::EditText(text))];
            }
            Modal::Filter(_) => self.filter_key(&mut modal, key),
            Modal::Palette(window) => self.palette_key(window, key),
            Modal::Menu(window) => menu_step(key).into_iter().for_each(|by| window.select(by)),
            Modal::Help(window) => self.help_key(window, key),
            _ => {
                if let Some(input) = modal.input() {
                    input.press(key);
                }
            }
        }
        self.modals.push(modal);
        vec![]
    }

    fn palette_key(&self, window: &mut PaletteWindow, key: KeyPress) {
        let last = window.matches(&self.bindings).len().saturating_sub(1);
        match step(key) {
            Some(by) => window.selected = window.selected.saturating_add_signed(by).min(last),
            None if window.input.press(key) => window.selected = 0,
            None => {}
        }
    }

    fn help_key(&self, window: &mut HelpWindow, key: KeyPress) {
        match step(key) {
            Some(by) => window.scroll_lines(by, &self.bindings),
            None if window.input.press(key) => window.scroll = 0,
            None => {}
        }
    }

    fn filter_key(&mut self, modal: &mut Modal, key: KeyPress) {
        if let Some(by) = step(key) {
            return self.move_selection(by);
        }
        if let Some(input) = modal.input() {
            input.press(key);
            let text = input.text().to_owned();
            self.set_filter(&text);
        }
    }

    /// Filters the list by a text.
    pub(crate) fn set_filter(&mut self, text: &str) {
        self.filter = text.replace('\n', " ");
        self.rebuild();
    }

    /// Applies Enter to a window and closes it.
    fn submit(&mut self, modal: Modal) -> Vec<DashboardEffect> {
        match modal {
            Modal::Filter(_)
            | Modal::Help(_)
            | Modal::Confirm(_)
            | Modal::Review(_)
            | Modal::Spawn(_)
            | Modal::Diff
            | Modal::Grid => {
                vec![]
            }
            Modal::Menu(window) => self.perform_in_menu(&window),
            Modal::Prompt(window) => self.send_prompt(window),
            Modal::Ask(window) => self.submit_ask(window),
            Modal::Comment(window) => self.submit_comment(window),
            Modal::Palette(window) => {
                let action = window.matches(&self.bindings).get(window.selected).copied();
                action.map(|action| self.act(action)).unwrap_or_default()
            }
        }
    }

    fn send_prompt(&mut self, window: PromptWindow) -> Vec<DashboardEffect> {
        let text = window.input.text().trim().to_owned();
        if text.is_empty() {
            return vec![];
        }
        if window.answers.is_some() && window.how == PromptUse::Send {
            // The window was opened for the question that is still selected.
            let is_same = self
                .selected_agent()
                .and_then(|agent| agent.question.as_ref())
                .is_some_and(|question| Some(&question.id) == window.answers.as_ref());
            return match is_same {
                true => self.answer(AnswerChoice::Text(text)),
                false => {
                    self.show_error("the agent asks another question now; nothing was sent");
                    self.modals.push(Modal::Prompt(PromptWindow { answers: None, ..window }));
                    vec![]
                }
            };
        }
        let to = listed(&window.targets);
        self.show_message(match window.how {
            PromptUse::Send => format!("sending to {to}…"),
            PromptUse::Task => format!("adding a task for {to}…"),
            PromptUse::Message => format!("writing to {to}…"),
        });
        vec![DashboardEffect::Deliver { targets: window.targets, text, how: window.how }]
    }

    fn submit_ask(&mut self, window: AskWindow) -> Vec<DashboardEffect> {
        let text = window.input.text().trim().to_owned();
        if text.is_empty() {
            return vec![];
        }
        vec![DashboardEffect::Operate(match window.purpose {
            AskPurpose::Rename(target) => Operation::Rename(target, text),
            AskPurpose::Share(name) => Operation::Share(name, text),
            AskPurpose::HandOff(name) => Operation::HandOff(name, PathBuf::from(text)),
        })]
    }

    /// Puts a text that was written in an editor into the open prompt.
    pub(crate) fn take_edited(&mut self, text: &str) {
        if let Some(input) = self.modals.last_mut().and_then(Modal::input) {
            *input = TextInput::with(text.trim_end());
        }
    }
}

/// Returns by how many rows a key moves in a window without a text.
fn menu_step(key: KeyPress) -> Option<isize> {
    match key.typed() {
        Some('j') => Some(1),
        Some('k') => Some(-1),
        _ => step(key),
    }
}

/// Returns by how many rows a key moves in a list within a window.
fn step(key: KeyPress) -> Option<isize> {
    match key.key {
        KeyName::Named(NamedKey::Down) => Some(1),
        KeyName::Named(NamedKey::Up) => Some(-1),
        KeyName::Named(NamedKey::PageDown) => Some(10),
        KeyName::Named(NamedKey::PageUp) => Some(-10),
        KeyName::Char('n') if key.ctrl => Some(1),
        KeyName::Char('p') if key.ctrl => Some(-1),
        _ => None,
    }
}
