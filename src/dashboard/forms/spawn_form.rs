//! The fields of the form that starts an agent, and their values.

use std::collections::BTreeMap;

use crate::dashboard::forms::outcome::{DirectorySurvey, SpawnRefusal};
use crate::dashboard::state::text_input::TextInput;
use crate::manager::SpawnOption;
use crate::model::{SpawnChoices, Workspace};

/// A field of the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FormField {
    Task,
    Spec,
    Directory,
    Workspace,
    Name,
    /// The parameter of the spec with this name.
    Param(String),
}

/// Where the new agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkspaceChoice {
    FromSpec,
    InPlace,
    Worktree,
    Scratch,
    Taskspace,
}

impl WorkspaceChoice {
    pub(crate) const ALL: [WorkspaceChoice; 5] = [
        WorkspaceChoice::FromSpec,
        WorkspaceChoice::InPlace,
        WorkspaceChoice::Worktree,
        WorkspaceChoice::Scratch,
        WorkspaceChoice::Taskspace,
    ];

    /// Returns the word for the choice.
    pub(crate) fn word(self) -> &'static str {
        match self {
            WorkspaceChoice::FromSpec => "as the spec says",
            WorkspaceChoice::InPlace => "in-place",
            WorkspaceChoice::Worktree => "worktree",
            WorkspaceChoice::Scratch => "scratch",
            WorkspaceChoice::Taskspace => "taskspace",
        }
    }

    /// Returns what the choice means.
    pub(crate) fn description(self) -> &'static str {
        match self {
            WorkspaceChoice::FromSpec => "in-place, unless the spec says otherwise",
            WorkspaceChoice::InPlace => "the directory as it is",
            WorkspaceChoice::Worktree => "a git worktree and branch of its own",
            WorkspaceChoice::Scratch => "an empty directory of its own",
            WorkspaceChoice::Taskspace => "worktree, agent and task, deleted together",
        }
    }

    /// Returns the kind of workspace, if the choice names one.
    pub(crate) fn workspace(self) -> Option<Workspace> {
        match self {
            WorkspaceChoice::FromSpec | WorkspaceChoice::Taskspace => None,
            WorkspaceChoice::InPlace => Some(Workspace::InPlace),
            WorkspaceChoice::Worktree => Some(Workspace::Worktree),
            WorkspaceChoice::Scratch => Some(Workspace::Scratch),
        }
    }

    fn of(choices: &SpawnChoices) -> WorkspaceChoice {
        match (choices.taskspace, choices.workspace) {
            (true, _) => WorkspaceChoice::Taskspace,
            (false, None) => WorkspaceChoice::FromSpec,
            (false, Some(Workspace::InPlace)) => WorkspaceChoice::InPlace,
            (false, Some(Workspace::Worktree)) => WorkspaceChoice::Worktree,
            (false, Some(Workspace::Scratch)) => WorkspaceChoice::Scratch,
        }
    }
}

/// What the form does now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FormPhase {
    Editing,
    /// The spawn is under way. Keys do not change the form.
    Starting,
    Refused(SpawnRefusal),
}

/// The form that starts an agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpawnForm {
    pub(crate) focus: FormField,
    pub(crate) task: TextInput,
    /// Name of the spec or kind; `None` until the options are known.
    pub(crate) spec: Option<String>,
    pub(crate) directory: TextInput,
    pub(crate) workspace: WorkspaceChoice,
    pub(crate) name: TextInput,
    /// Values of parameters, also of specs that were selected before.
    pub(crate) params: BTreeMap<String, TextInput>,
    /// What is known about the directory that was typed last.
    pub(crate) survey: Option<DirectorySurvey>,
    pub(crate) phase: FormPhase,
    /// The user's home directory, which `~` stands for.
    pub(crate) user_home: Option<String>,
    /// Columns and lines of the terminal, which the agent gets.
    pub(crate) size: (u16, u16),
    /// Whether the user has changed a field that the last spawn determines otherwise.
    pub(crate) has_own_choices: bool,
    /// Project whose last choices the form has.
    project: Option<String>,
}

impl SpawnForm {
    /// Creates a form for a directory.
    pub(crate) fn new(directory: &str, user_home: Option<&str>, size: (u16, u16)) -> SpawnForm {
        SpawnForm {
            focus: FormField::Task,
            task: TextInput::default(),
            spec: None,
            directory: TextInput::with(directory),
            workspace: WorkspaceChoice::FromSpec,
            name: TextInput::default(),
            params: BTreeMap::new(),
            survey: None,
            phase: FormPhase::Editing,
            user_home: user_home.map(str::to_owned),
            size,
            has_own_choices: false,
            project: None,
        }
    }

    /// Returns the fields in their order.
    pub(crate) fn fields(&self) -> Vec<FormField> {
        let params = self.selected_option().map(|option| option.params.as_slice()).unwrap_or_default();
        let params = params.iter().map(|(name, _)| FormField::Param(name.clone()));
        [FormField::Task, FormField::Spec, FormField::Directory, FormField::Workspace, FormField::Name]
            .into_iter()
            .chain(params)
            .collect()
    }

    /// Returns the specs and kinds that can be selected.
    pub(crate) fn options(&self) -> &[SpawnOption] {
        let options = self.survey.as_ref().and_then(|survey| survey.options.as_ref().ok());
        options.map(|options| options.options.as_slice()).unwrap_or_default()
    }

    /// Returns the selected spec or kind.
    pub(crate) fn selected_option(&self) -> Option<&SpawnOption> {
        self.options().iter().find(|option| Some(&option.name) == self.spec.as_ref())
    }

    /// Returns the text of a field, if the field has one.
    pub(crate) fn text(&self, field: &FormField) -> Option<&TextInput> {
        match field {
            FormField::Task => Some(&self.task),
            FormField::Directory => Some(&self.directory),
            FormField::Name => Some(&self.name),
            FormField::Param(name) => self.params.get(name),
            FormField::Spec | FormField::Workspace => None,
        }
    }

    /// Returns the text that is edited, if the field with the focus has one.
    pub(crate) fn input(&mut self) -> Option<&mut TextInput> {
        match &self.focus {
            FormField::Task => Some(&mut self.task),
            FormField::Directory => Some(&mut self.directory),
            FormField::Name => Some(&mut self.name),
            FormField::Param(name) => Some(self.params.entry(name.clone()).or_default()),
            FormField::Spec | FormField::Workspace => None,
        }
    }

    /// Takes over what a worker has found out about a directory, unless another one was typed since.
    pub(crate) fn take_survey(&mut self, survey: DirectorySurvey) {
        if survey.typed != self.directory.text() {
            return;
        }
        // While a path is being typed it mostly names nothing. The options of the last directory stay until then.
        let options = match (&survey.options, self.survey.take()) {
            (Err(_), Some(DirectorySurvey { options: Ok(before), .. })) if survey.is_incomplete => Ok(before),
            _ => survey.options.clone(),
        };
        self.survey = Some(DirectorySurvey { options, ..survey });
        self.begin_with_last_choices();
        if self.selected_option().is_none() {
            // If nothing can be spawned, the first option shows the reason.
            let usable = self.options().iter().find(|option| option.problem.is_none());
            self.spec = usable.or(self.options().first()).map(|option| option.name.clone());
        }
        if !self.fields().contains(&self.focus) {
            self.focus = FormField::Task;
        }
    }

    /// Fills the form with the choices of the last spawn in this project, unless the user has chosen already.
    fn begin_with_last_choices(&mut self) {
        let Some(Ok(options)) = self.survey.as_ref().map(|survey| &survey.options) else { return };
        if self.project.as_ref() == Some(&options.project) || self.has_own_choices {
            return;
        }
        self.project = Some(options.project.clone());
        let Some(last) = options.last.clone() else { return };
        self.workspace = WorkspaceChoice::of(&last);
        self.spec = last.spec.or_else(|| options.options.first().map(|option| option.name.clone()));
        self.params =
            last.params.iter().map(|(name, value)| (name.clone(), TextInput::with(value))).collect();
    }
}
