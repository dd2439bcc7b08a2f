//! Actions that change agents. Those that end or delete something ask once and name the agents.

use crate::base::plural::counted;
use crate::dashboard::state::DashboardState;
use crate::dashboard::state::actions::NO_AGENT;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{
    AgentTarget, DashboardEffect, ForegroundProgram, Operation, PromptUse, RemovalConsequence,
};
use crate::dashboard::state::modal::{AskPurpose, AskWindow, ConfirmWindow, Modal, PromptWindow};
use crate::dashboard::state::selection::target;
use crate::dashboard::state::text_input::TextInput;
use crate::model::{Agent, DashboardAction, Status};

/// Maximum number of names that a question lists one by one.
const MAX_LISTED_NAMES: usize = 8;
/// Kind of agents that are any program rather than an agent CLI.
const COMMAND_KIND: &str = "command";
/// Text of the question about a removal until it is known what would be lost.
const CHECKING: &str = "Checking what would be lost…";

impl DashboardState {
    /// Performs an action that changes the marked agents or the selected one.
    pub(crate) fn manage(&mut self, action: DashboardAction) -> Vec<DashboardEffect> {
        let Some(targets) = self.operands() else { return vec![] };
        let operate = |operation| vec![DashboardEffect::Operate(operation)];
        match action {
            DashboardAction::Interrupt => self.interrupt(targets),
            DashboardAction::Resume => operate(Operation::Resume(targets)),
            DashboardAction::Hibernate => operate(Operation::Hibernate(targets)),
            DashboardAction::Stop => {
                self.confirm("Stop", Operation::Stop(targets.clone()), &targets);
                vec![]
            }
            DashboardAction::Restart => {
                self.confirm("Restart", Operation::Restart(targets.clone()), &targets);
                vec![]
            }
            // The question follows when it is known what would be lost.
            DashboardAction::Remove => {
                let title = format!("Remove {}?", listed(&targets));
                let lines = vec![CHECKING.to_owned()];
                self.modals.push(Modal::Confirm(ConfirmWindow { title, lines, operation: None }));
                vec![DashboardEffect::PreviewRemoval(targets)]
            }
            DashboardAction::OpenEditor => self.open_editor(),
            _ => vec![],
        }
    }

    /// Interrupts the turn of an agent. Asks first for several agents, and for a command, which may end.
    fn interrupt(&mut self, targets: Vec<AgentTarget>) -> Vec<DashboardEffect> {
        let is_command = |agent: &&Agent| agent.kind == COMMAND_KIND;
        let commands: Vec<String> =
            self.targets().into_iter().filter(is_command).map(|agent| target(agent).address()).collect();
        let title = format!("Interrupt {}?", listed(&targets));
        let is_one = targets.len() == 1;
        let operation = Operation::Interrupt(targets);
        if is_one && commands.is_empty() {
            return vec![DashboardEffect::Operate(operation)];
        }
        let lines = match commands.is_empty() {
            true => vec!["Each stops its current turn.".to_owned()],
            false => vec![format!("{}: an interrupt may end a command.", commands.join(", "))],
        };
        self.modals.push(Modal::Confirm(ConfirmWindow { title, lines, operation: Some(operation) }));
        vec![]
    }

    fn open_editor(&mut self) -> Vec<DashboardEffect> {
        let Some(agent) = self.targets().first().copied().cloned() else { return vec![] };
        match self.refuse_host(&agent, "an editor of this machine cannot open its directory") {
            true => vec![],
            false => vec![DashboardEffect::Foreground(ForegroundProgram::Editor(agent.name))],
        }
    }

    /// Returns the agents that an action is for, or `None` after a message if there are none.
    fn operands(&mut self) -> Option<Vec<AgentTarget>> {
        let targets: Vec<AgentTarget> = self.targets().into_iter().map(target).collect();
        if targets.is_empty() {
            self.show_error(NO_AGENT);
            return None;
        }
        Some(targets)
    }

    /// Asks before an operation on these agents.
    fn confirm(&mut self, verb: &str, operation: Operation, targets: &[AgentTarget]) {
        let title = format!("{verb} {}?", listed(targets));
        let is_meant = |agent: &&Agent| targets.iter().any(|target| target.key == AgentKey::of(agent));
        let working: Vec<String> = self
            .agents
            .iter()
            .filter(is_meant)
            .filter(|agent| agent.status == Status::Working)
            .map(|agent| target(agent).address())
            .collect();
        let lines = match working.is_empty() {
            true => vec!["The conversation is kept.".to_owned()],
            false => vec![format!("Working now: {}. The conversation is kept.", working.join(", "))],
        };
        self.modals.push(Modal::Confirm(ConfirmWindow { title, lines, operation: Some(operation) }));
    }

    /// Adds to the question about a removal what would be lost, and accepts an answer from now on. Does nothing if the
    /// user has closed the question.
    pub(crate) fn confirm_removal(&mut self, consequences: Vec<RemovalConsequence>) {
        let targets: Vec<AgentTarget> = consequences.iter().map(|one| one.target.clone()).collect();
        let mut lines = Vec::new();
        for RemovalConsequence { target, is_running, losses } in &consequences {
            let name = target.address();
            if *is_running {
                lines.push(format!("`{name}` is running and will be ended"));
            }
            lines.extend(losses.iter().map(|line| format!("`{name}`: {line}")));
        }
        lines.push(match consequences.iter().any(|one| !one.losses.is_empty()) {
            true => "A copy of this work is kept for 30 days.".to_owned(),
            false => "No work would be lost.".to_owned(),
        });
        let title = format!("Remove {}?", listed(&targets));
        if let Some(Modal::Confirm(window)) = self.modals.last_mut()
            && window.operation.is_none()
            && window.title == title
        {
            *window = ConfirmWindow { title, lines, operation: Some(Operation::Remove(targets)) };
        }
    }

    /// Asks before all lost agents are restored.
    pub(crate) fn confirm_restore(&mut self) {
        let lost: Vec<AgentTarget> = self
            .agents
            .iter()
            .filter(|agent| agent.host.is_none() && agent.status == Status::Lost)
            .map(target)
            .collect();
        if lost.is_empty() {
            return self.show_message("no agent is lost");
        }
        let title = format!("Restore {}?", listed(&lost));
        let lines = vec!["Each continues its conversation.".to_owned()];
        let operation = Some(Operation::RestoreAll);
        self.modals.push(Modal::Confirm(ConfirmWindow { title, lines, operation }));
    }

    /// Opens the window in which a prompt, a task or a message is written.
    pub(crate) fn open_prompt(&mut self, how: PromptUse) {
        let Some(targets) = self.operands() else { return };
        let question = self.selected_agent().and_then(|agent| self.open_question(agent));
        let answers = question
            .filter(|question| targets.len() == 1 && question.options.is_empty() && how == PromptUse::Send)
            .filter(|_| {
                self.selected_agent()
                    .is_some_and(|agent| agent.waiting_for != Some(crate::model::WaitingFor::Approval))
            })
            .map(|question| question.id.clone());
        self.modals.push(Modal::Prompt(PromptWindow { targets, input: TextInput::default(), how, answers }));
    }

    /// Asks for the text that an action on the selected agent needs.
    pub(crate) fn ask(&mut self, action: DashboardAction) {
        let Some(agent) = self.selected_agent().cloned() else {
            return self.show_error(NO_AGENT);
        };
        let is_refused = match action {
            DashboardAction::Share => {
                self.refuse_host(&agent, "only a user of that machine can share it with another user of it")
            }
            DashboardAction::HandOff => {
                self.refuse_host(&agent, "its file would be on that machine; write it there")
            }
            _ => false,
        };
        if is_refused {
            return;
        }
        let renamed = target(&agent);
        let name = agent.name;
        let (title, text, purpose) = match action {
            DashboardAction::Rename => {
                let title = format!("New name of `{}`", renamed.address());
                (title, name.to_string(), AskPurpose::Rename(renamed))
            }
            DashboardAction::Share => (
                format!("User of this machine who may watch `{name}`"),
                String::new(),
                AskPurpose::Share(name),
            ),
            DashboardAction::HandOff => (
                format!("File for the hand-off of `{name}`"),
                format!("{name}.handoff"),
                AskPurpose::HandOff(name),
            ),
            _ => return,
        };
        self.modals.push(Modal::Ask(AskWindow { title, input: TextInput::with(&text), purpose }));
    }
}

/// Names the agents, or counts them if there are many.
pub(crate) fn listed(targets: &[AgentTarget]) -> String {
    let shown: Vec<String> =
        targets.iter().take(MAX_LISTED_NAMES).map(|target| format!("`{}`", target.address())).collect();
    match targets.len().saturating_sub(MAX_LISTED_NAMES) {
        0 => shown.join(", "),
        more => format!("{}, and {}", shown.join(", "), counted(more, "more", "more")),
    }
}
