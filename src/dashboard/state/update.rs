//! Applies one event to the state and returns what has to be done.

use crate::base::key_press::{KeyName, KeyPress, NamedKey};
use crate::dashboard::bindings::KeyScreen;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{
    AnswerChoice, DashboardEffect, DashboardEvent, FollowTarget, HostAgents,
};
use crate::dashboard::state::modal::Modal;
use crate::dashboard::state::selection::target;
use crate::dashboard::state::{DashboardState, DetailTab, InputMode, LoadedTab, followed};
use crate::model::Agent;

/// Applies an event.
pub(crate) fn update(state: &mut DashboardState, event: DashboardEvent) -> Vec<DashboardEffect> {
    let before = state.selected_agent().cloned();
    let tab = state.detail.tab;
    let mut effects = match event {
        DashboardEvent::Key(key) => state.key(key),
        DashboardEvent::Paste(text) => state.paste(text),
        DashboardEvent::Mouse(input) => state.mouse(input),
        DashboardEvent::ClientSwitched => return vec![DashboardEffect::Quit],
        other => {
            state.apply_event(other);
            vec![]
        }
    };
    effects.extend(state.follow());
    effects.extend(state.follow_tiles());
    effects.extend(state.load(before.as_ref(), tab));
    effects.extend(state.load_diff(before.as_ref()));
    effects
}

impl DashboardState {
    /// Applies an event that is not input of the user.
    fn apply_event(&mut self, event: DashboardEvent) {
        match event {
            DashboardEvent::Resized(width, height) => {
                self.size = (width, height);
                self.measure_columns();
                self.scroll_to_selection();
            }
            DashboardEvent::Listed { agents, silence } => {
                self.is_loaded = true;
                self.silence = silence;
                self.replace_agents(agents);
            }
            DashboardEvent::ListFailed(why) => {
                self.is_loaded = true;
                self.silence = Some(why);
            }
            DashboardEvent::HostListed(host, listed) => {
                self.hosts.insert(host, listed);
                let own = self.agents.iter().filter(|agent| agent.host.is_none()).cloned().collect();
                self.replace_agents(own);
            }
            DashboardEvent::TabLoaded { key, tab, lines } => {
                self.detail.loaded = Some(LoadedTab { key, tab, lines });
            }
            DashboardEvent::BranchCompared(key, position) => {
                self.branches.insert(key, position);
                self.measure_columns();
            }
            DashboardEvent::WorkCompared { key, content } => self.work_compared(&key, content),
            DashboardEvent::RowsRead { key, rows } => self.rows_read(&key, rows),
            DashboardEvent::CommentsSent { key, outcome } => self.comments_sent(&key, outcome),
            DashboardEvent::ActivityRead(read) => self.take_activities(read),
            DashboardEvent::AnswerFinished { key, outcome } => self.answer_finished(&key, outcome),
            DashboardEvent::Finished(outcome) => self.report(outcome),
            DashboardEvent::RemovalPreviewed(previews) => self.confirm_removal(previews),
            DashboardEvent::PreviewFailed(why) => {
                self.modals
                    .retain(|modal| !matches!(modal, Modal::Confirm(window) if window.operation.is_none()));
                self.show_error(why);
            }
            DashboardEvent::DirectorySurveyed(survey) => self.directory_surveyed(survey),
            DashboardEvent::SpawnFinished(outcome) => self.spawn_finished(outcome),
            DashboardEvent::Edited(text) => self.take_edited(&text),
            DashboardEvent::LiveChanged => self.hold_scroll(),
            DashboardEvent::Key(_)
            | DashboardEvent::Paste(_)
            | DashboardEvent::Mouse(_)
            | DashboardEvent::ClientSwitched => {}
        }
    }

    fn take_activities(&mut self, read: Vec<(AgentKey, Option<String>)>) {
        for (key, activity) in read {
            match activity {
                Some(activity) => drop(self.activities.insert(key, activity)),
                None => drop(self.activities.remove(&key)),
            }
        }
    }

    fn replace_agents(&mut self, own: Vec<Agent>) {
        self.agents = own;
        self.agents.extend(self.hosts.values().flat_map(|HostAgents { agents, .. }| agents.iter().cloned()));
        self.rebuild();
        self.show_awaited();
        self.open_requested_review();
        // Typing ends with the agent.
        if !self.selected_agent().is_some_and(|agent| agent.status.is_live()) {
            self.mode = InputMode::List;
        }
    }

    fn key(&mut self, key: KeyPress) -> Vec<DashboardEffect> {
        self.flash = None;
        self.awaited = None;
        if let Some(modal) = self.modals.pop() {
            return self.modal_key(modal, key);
        }
        let screen = self.key_screen();
        match (self.bindings.action(screen, key), screen) {
            (Some(action), _) => self.act(action),
            (None, KeyScreen::Agent) => self.press(key),
            (None, _) => self.fixed_key(key),
        }
    }

    /// Passes a key on to the agent that the user types into.
    fn press(&mut self, key: KeyPress) -> Vec<DashboardEffect> {
        self.detail.scroll = 0;
        let target = self.selected_target();
        target.map(|target| DashboardEffect::Press { target, key: key.to_string() }).into_iter().collect()
    }

    /// Applies a key of the list that cannot be changed.
    fn fixed_key(&mut self, key: KeyPress) -> Vec<DashboardEffect> {
        match key.key {
            KeyName::Char(digit @ '1'..='9') if key.typed().is_some() => {
                return self.answer_visible(AnswerChoice::Text(digit.to_string()));
            }
            KeyName::Named(NamedKey::Escape) if !self.filter.is_empty() => self.set_filter(""),
            KeyName::Named(NamedKey::Escape) => self.marks.clear(),
            _ => {}
        }
        vec![]
    }

    fn paste(&mut self, text: String) -> Vec<DashboardEffect> {
        if let Some(Modal::Spawn(form)) = self.modals.last_mut() {
            return form.paste(&text);
        }
        if let Some(input) = self.modals.last_mut().and_then(Modal::input) {
            input.insert(&text);
            if let Some(Modal::Filter(input)) = self.modals.last() {
                let filter = input.text().to_owned();
                self.set_filter(&filter);
            }
            return vec![];
        }
        match (self.mode, self.selected_target()) {
            (InputMode::Agent, Some(target)) => vec![DashboardEffect::Paste { target, text }],
            // A text that was pasted by accident must not act as keys.
            _ => vec![],
        }
    }

    /// Returns the effect that makes the live thread follow the selected agent, if it follows another one or if the
    /// agent has another pane or other clients, which may change its size.
    fn follow(&mut self) -> Option<DashboardEffect> {
        let agent = self.selected_agent();
        let is_shown = self.detail.tab == DetailTab::Screen && !self.surroundings.is_sidebar;
        let agent = agent.filter(|_| is_shown);
        let wanted = agent.map(followed);
        if wanted == self.followed {
            return None;
        }
        let target = agent.map(|agent| FollowTarget {
            agent: target(agent),
            has_screen: wanted.as_ref().is_some_and(|wanted| wanted.pane.is_some()),
        });
        self.followed = wanted;
        Some(DashboardEffect::Follow(target))
    }

    /// Returns the effect that reads the content of the tab, if another agent or tab is shown or the agent has changed.
    fn load(&self, before: Option<&Agent>, tab: DetailTab) -> Option<DashboardEffect> {
        let agent = self.selected_agent()?;
        let is_review = self.detail.tab == DetailTab::Diff && agent.host.is_none();
        if is_review || matches!(self.detail.tab, DetailTab::Screen | DetailTab::Details) {
            return None;
        }
        let is_loaded = self
            .detail
            .loaded
            .as_ref()
            .is_some_and(|loaded| loaded.key == AgentKey::of(agent) && loaded.tab == self.detail.tab);
        let is_unchanged = self.detail.tab == tab && before == Some(agent);
        if is_unchanged && (is_loaded || before.is_some()) {
            return None;
        }
        Some(DashboardEffect::Load { target: target(agent), tab: self.detail.tab })
    }
}
