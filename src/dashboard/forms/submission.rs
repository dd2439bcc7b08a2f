//! The spawn that a form describes, as a request and as the command line that does the same.

use std::collections::BTreeMap;

use crate::dashboard::forms::spawn_form::{SpawnForm, WorkspaceChoice};
use crate::model::{DEFAULT_SPEC, SpawnChoices, TrustReview};

/// Smallest terminal whose size an agent gets, as in `agent spawn`.
const MIN_AGENT_TERMINAL: (u16, u16) = (20, 6);

/// The content of a form when it is submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpawnSubmission {
    pub(crate) name: Option<String>,
    pub(crate) directory: String,
    pub(crate) task: Option<String>,
    /// Spec, workspace and parameters, which the next form begins with.
    pub(crate) choices: SpawnChoices,
    /// The initial number of columns and lines.
    pub(crate) size: Option<(u16, u16)>,
    /// The specs of the project that the user trusts from now on.
    pub(crate) trusted: Option<TrustReview>,
}

impl SpawnForm {
    /// Returns the content of the form.
    pub(crate) fn submission(&self) -> SpawnSubmission {
        let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let declared = self.selected_option().map(|option| option.params.as_slice()).unwrap_or_default();
        let given = declared.iter().filter_map(|(name, _)| {
            let value = self.params.get(name)?.text().to_owned();
            (!value.is_empty()).then(|| (name.clone(), value))
        });
        let params: BTreeMap<String, String> = given.collect();
        let (columns, lines) = self.size;
        SpawnSubmission {
            name: filled(self.name.text()),
            directory: expanded(self.directory.text(), self.user_home.as_deref()),
            task: filled(self.task.text()),
            choices: SpawnChoices {
                spec: self.spec.clone().filter(|spec| spec != DEFAULT_SPEC),
                workspace: self.workspace.workspace(),
                taskspace: self.workspace == WorkspaceChoice::Taskspace,
                params,
                ..SpawnChoices::default()
            },
            // The last line is the status line of an attached terminal.
            size: (columns >= MIN_AGENT_TERMINAL.0 && lines >= MIN_AGENT_TERMINAL.1)
                .then(|| (columns, lines - 1)),
            trusted: None,
        }
    }

    /// Returns the first field that has to be filled before the form can be submitted, as a sentence.
    pub(crate) fn gap(&self) -> Option<String> {
        let submission = self.submission();
        if submission.directory.is_empty() {
            return Some("a directory is needed".to_owned());
        }
        if submission.choices.taskspace && submission.name.is_none() {
            return Some("a taskspace needs a name".to_owned());
        }
        if submission.choices.taskspace && submission.task.is_none() {
            return Some("a taskspace needs a task".to_owned());
        }
        let declared = self.selected_option().map(|option| option.params.as_slice()).unwrap_or_default();
        let missing = declared
            .iter()
            .find(|(name, param)| param.default.is_none() && !submission.choices.params.contains_key(name));
        missing.map(|(name, _)| format!("parameter `{name}` is needed"))
    }
}

impl SpawnSubmission {
    /// Returns the command line that starts the same agent, quoted for a shell.
    pub(crate) fn command(&self) -> String {
        let mut words: Vec<String> = vec!["symposium".into()];
        let choices = &self.choices;
        match choices.taskspace {
            true => {
                words.extend(["taskspace", "new"].map(String::from));
                words.push(self.name.clone().unwrap_or_else(|| "NAME".into()));
                words.extend(choices.spec.clone());
            }
            false => {
                words.extend(["agent", "spawn"].map(String::from));
                words.extend(choices.spec.clone());
                option(&mut words, "--name", self.name.as_deref());
            }
        }
        option(&mut words, "--dir", Some(&self.directory));
        let workspace = choices.workspace.map(|workspace| workspace.to_string());
        option(&mut words, "--workspace", workspace.as_deref());
        for (name, value) in &choices.params {
            option(&mut words, "--param", Some(&format!("{name}={value}")));
        }
        // `--task -` reads the task from standard input.
        let is_dash = self.task.as_deref() == Some("-");
        match is_dash {
            true => words.extend(["--task", "-"].map(String::from)),
            false => option(&mut words, "--task", self.task.as_deref()),
        }
        // Only a NUL character cannot be quoted, and no field accepts one.
        let command = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
        if is_dash { format!("printf %s - | {command}") } else { command }
    }
}

/// Adds an option. A value that looks like an option is joined to the name.
fn option(words: &mut Vec<String>, name: &str, value: Option<&str>) {
    match value {
        Some(value) if value.starts_with('-') => words.push(format!("{name}={value}")),
        Some(value) => words.extend([name.to_owned(), value.to_owned()]),
        None => {}
    }
}

/// Replaces a leading `~` by the home directory.
pub(crate) fn expanded(typed: &str, user_home: Option<&str>) -> String {
    let typed = typed.trim();
    match (typed.strip_prefix('~'), user_home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => typed.to_owned(),
    }
}
