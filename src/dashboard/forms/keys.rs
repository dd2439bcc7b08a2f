//! What keys do in the form that starts an agent.

use crate::base::key_press::{KeyName, KeyPress, NamedKey};
use crate::dashboard::forms::outcome::{SpawnRefusal, common_beginning};
use crate::dashboard::forms::spawn_form::{FormField, FormPhase, SpawnForm, WorkspaceChoice};
use crate::dashboard::forms::submission::SpawnSubmission;
use crate::dashboard::state::event::{DashboardEffect, ForegroundProgram};
use crate::dashboard::state::text_input::TextInput;

impl SpawnForm {
    /// Applies a key.
    pub(crate) fn key(&mut self, key: KeyPress) -> Vec<DashboardEffect> {
        if self.phase == FormPhase::Starting {
            return vec![];
        }
        match key.key {
            _ if key == KeyPress::named(NamedKey::Enter) => return self.submit(),
            _ if key == KeyPress::ctrl('t') => return self.submit_trusting(),
            _ if key == KeyPress::ctrl('y') => {
                return vec![DashboardEffect::Copy(self.submission().command())];
            }
            _ if key == KeyPress::ctrl('e') && self.focus == FormField::Task => {
                let text = self.task.text().to_owned();
                return vec![DashboardEffect::Foreground(ForegroundProgram::EditText(text))];
            }
            KeyName::Named(NamedKey::Tab) if self.complete() => return self.directory_lookup(),
            KeyName::Named(NamedKey::Tab | NamedKey::Down) => self.move_focus(1),
            KeyName::Named(NamedKey::BackTab | NamedKey::Up) => self.move_focus(-1),
            _ => return self.edit(key),
        }
        vec![]
    }

    /// Cleans up after text was inserted into the field with the focus, and returns what has to be looked up.
    pub(crate) fn edited(&mut self) -> Vec<DashboardEffect> {
        let is_one_line = self.focus != FormField::Task;
        if let Some(input) = self.input()
            && is_one_line
            && input.text().contains('\n')
        {
            *input = TextInput::with(input.text().replace('\n', " ").trim());
        }
        self.has_own_choices |= matches!(self.focus, FormField::Param(_));
        match self.focus {
            FormField::Directory => self.directory_lookup(),
            _ => vec![],
        }
    }

    /// Inserts text that was pasted into the field with the focus.
    pub(crate) fn paste(&mut self, text: &str) -> Vec<DashboardEffect> {
        if self.phase == FormPhase::Starting {
            return vec![];
        }
        let Some(input) = self.input() else { return vec![] };
        input.insert(text);
        self.phase = FormPhase::Editing;
        self.edited()
    }

    /// Returns the effect that looks up the directory.
    pub(crate) fn directory_lookup(&self) -> Vec<DashboardEffect> {
        vec![DashboardEffect::SurveyDirectory(self.directory.text().to_owned())]
    }

    fn edit(&mut self, key: KeyPress) -> Vec<DashboardEffect> {
        // A question about trust is not about a form that was changed since.
        self.phase = FormPhase::Editing;
        let Some(input) = self.input() else {
            self.choose(key);
            return vec![];
        };
        match input.press(key) {
            true => self.edited(),
            false => vec![],
        }
    }

    fn move_focus(&mut self, by: isize) {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.focus).unwrap_or(0);
        let next = (at + fields.len()).saturating_add_signed(by) % fields.len();
        self.focus = fields[next].clone();
    }

    /// Changes the choice with the focus: the arrows take the next one, a letter the next one that begins with it.
    fn choose(&mut self, key: KeyPress) {
        let (words, at): (Vec<String>, _) = match self.focus {
            FormField::Spec => {
                let at = self.options().iter().position(|option| Some(&option.name) == self.spec.as_ref());
                (self.options().iter().map(|option| option.name.clone()).collect(), at)
            }
            _ => {
                let at = WorkspaceChoice::ALL.iter().position(|choice| *choice == self.workspace);
                (WorkspaceChoice::ALL.iter().map(|choice| choice.word().to_owned()).collect(), at)
            }
        };
        let (count, at) = (words.len(), at.unwrap_or(0));
        if count == 0 {
            return;
        }
        let next = match key.key {
            KeyName::Named(NamedKey::Right) | KeyName::Char(' ') => Some((at + 1) % count),
            KeyName::Named(NamedKey::Left) => Some((at + count - 1) % count),
            KeyName::Named(NamedKey::Home) => Some(0),
            KeyName::Named(NamedKey::End) => Some(count - 1),
            _ => key.typed().and_then(|letter| {
                let order = (1..=count).map(|step| (at + step) % count);
                order.into_iter().find(|next| words[*next].starts_with(letter))
            }),
        };
        let Some(next) = next else { return };
        self.has_own_choices = true;
        match self.focus {
            FormField::Spec => self.spec = Some(words[next].clone()),
            _ => self.workspace = WorkspaceChoice::ALL[next],
        }
    }

    /// Completes the directory as far as it is unambiguous. Returns `false` if there is nothing to complete.
    fn complete(&mut self) -> bool {
        let Some(survey) = self.survey.as_ref().filter(|_| self.focus == FormField::Directory) else {
            return false;
        };
        let longer = common_beginning(&survey.completions);
        if survey.typed != self.directory.text() || longer.len() <= self.directory.text().len() {
            return false;
        }
        // The path of a directory is complete without a slash at its end.
        if !survey.is_incomplete && longer.strip_suffix('/') == Some(self.directory.text()) {
            return false;
        }
        self.directory = TextInput::with(&longer);
        self.phase = FormPhase::Editing;
        true
    }

    fn submit(&mut self) -> Vec<DashboardEffect> {
        if let Some(gap) = self.gap() {
            self.phase = FormPhase::Refused(SpawnRefusal { lines: vec![gap], review: None });
            return vec![];
        }
        self.phase = FormPhase::Starting;
        vec![DashboardEffect::Spawn(Box::new(self.submission()))]
    }

    /// Trusts the specs that the form shows, and submits it.
    fn submit_trusting(&mut self) -> Vec<DashboardEffect> {
        let FormPhase::Refused(SpawnRefusal { review: Some(review), .. }) = &self.phase else {
            return vec![];
        };
        let submission = SpawnSubmission { trusted: Some(review.clone()), ..self.submission() };
        self.phase = FormPhase::Starting;
        vec![DashboardEffect::Spawn(Box::new(submission))]
    }
}
