//! Opens the form in the dashboard and shows there what workers report.

use crate::dashboard::forms::outcome::{DirectorySurvey, SpawnRefusal};
use crate::dashboard::forms::spawn_form::{FormPhase, SpawnForm};
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::DashboardEffect;
use crate::dashboard::state::modal::Modal;
use crate::text::fit::below_home;

/// An agent that the form has started.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StartedAgent {
    pub(crate) key: AgentKey,
    /// The sentence that reports the start.
    pub(crate) report: String,
}

impl DashboardState {
    /// Opens the form for the project of the selected agent, or else for the directory of the dashboard.
    pub(crate) fn open_spawn_form(&mut self) -> Vec<DashboardEffect> {
        let own = self.selected_agent().filter(|agent| agent.host.is_none());
        let project = own.map(|agent| agent.project.as_ref().unwrap_or(&agent.working_directory).clone());
        let directory = project.or_else(|| self.start_directory.clone()).unwrap_or_default();
        let home = self.user_home.as_deref();
        let form = SpawnForm::new(&below_home(&directory, home), home, self.size);
        let effects = form.directory_lookup();
        self.modals.push(Modal::Spawn(Box::new(form)));
        effects
    }

    /// Passes what is known about a directory on to the form.
    pub(crate) fn directory_surveyed(&mut self, survey: DirectorySurvey) {
        if let Some(form) = self.spawn_form() {
            form.take_survey(survey);
        }
    }

    /// Closes the form after its agent was started, or shows in it why the agent was not started.
    pub(crate) fn spawn_finished(&mut self, outcome: Result<StartedAgent, SpawnRefusal>) {
        let form = self.spawn_form().filter(|form| form.phase == FormPhase::Starting);
        match (outcome, form) {
            (Ok(started), form) => {
                if form.is_some() {
                    self.modals.retain(|modal| !matches!(modal, Modal::Spawn(_)));
                }
                self.show_message(started.report);
                self.awaited = Some(started.key);
                self.show_awaited();
            }
            (Err(refusal), Some(form)) => form.phase = FormPhase::Refused(refusal),
            // The user has closed the form in the meantime.
            (Err(refusal), None) => self.show_error(refusal.lines.join("; ")),
        }
    }

    /// Selects the agent that the form has started, as soon as the list has it.
    pub(crate) fn show_awaited(&mut self) {
        let Some(key) = self.awaited.clone() else { return };
        if self.agents.iter().any(|agent| AgentKey::of(agent) == key) {
            self.awaited = None;
            self.reveal(&key);
        }
    }

    fn spawn_form(&mut self) -> Option<&mut SpawnForm> {
        self.modals.iter_mut().find_map(|modal| match modal {
            Modal::Spawn(form) => Some(form.as_mut()),
            _ => None,
        })
    }
}
