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
use crate::model::{Agent, PullRequest};

/// Number of lines by which the former end of a log is recognised in a longer one.
const LOG_END_LINES: usize = 3;

/// Applies an event.
pub(crate) fn update(state: &mut DashboardState, event: DashboardEvent) -> Vec<DashboardEffect> {
    let before = state.selected_agent().cloned();
    let tab = state.detail.tab;
    let trigger = ReloadTrigger::of(&event);
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
    effects.extend(state.load((before.as_ref(), tab), trigger));
    effects.extend(state.load_diff(before.as_ref()));
    effects
}

/// What an event says about the content of the tab of the selected agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReloadTrigger {
    Nothing,
    /// The agents of this machine were listed, for example because a message has arrived.
    Listed,
    /// The agents of another host were listed.
    HostListed,
    /// The selected agent has printed something.
    Printed,
}

impl ReloadTrigger {
    fn of(event: &DashboardEvent) -> ReloadTrigger {
        match event {
            DashboardEvent::Listed { .. } => ReloadTrigger::Listed,
            DashboardEvent::HostListed(..) => ReloadTrigger::HostListed,
            DashboardEvent::LiveChanged => ReloadTrigger::Printed,
            _ => ReloadTrigger::Nothing,
        }
    }

    /// Returns whether a tab of an agent may have other content now.
    fn concerns(self, agent: &Agent, tab: DetailTab) -> bool {
        match self {
            ReloadTrigger::Nothing => false,
            ReloadTrigger::Listed => agent.host.is_none(),
            ReloadTrigger::HostListed => agent.host.is_some(),
            ReloadTrigger::Printed => agent.host.is_none() && tab == DetailTab::Log,
        }
    }
}

/// Selects the agent that the terminal behind a popup shows.
fn select_shown_by_client(state: &mut DashboardState) {
    let Some(client) = &state.surroundings.switched_client else { return };
    // The terminal may follow the id of the client's process.
    let terminal = client.rsplit('@').next();
    let is_shown = |agent: &&Agent| {
        agent.host.is_none() && agent.clients.iter().any(|attached| Some(&*attached.tty) == terminal)
    };
    if let Some(key) = state.agents.iter().find(is_shown).map(AgentKey::of) {
        state.reveal(&key);
    }
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
                let is_first = !std::mem::replace(&mut self.is_loaded, true);
                self.silence = silence;
                self.replace_agents(agents);
                if is_first {
                    select_shown_by_client(self);
                }
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
                let loaded = LoadedTab { key, tab, lines };
                self.hold_log(&loaded);
                self.detail.loaded = Some(loaded);
            }
            DashboardEvent::BranchCompared(key, position) => {
                self.branches.insert(key, position);
                self.measure_columns();
            }
            DashboardEvent::PullRequestsRead(read) => self.take_pull_requests(read),
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
            DashboardEvent::LiveChanged => {
                self.hold_scroll();
                self.hold_tiles();
            }
            DashboardEvent::Key(_)
            | DashboardEvent::Paste(_)
            | DashboardEvent::Mouse(_)
            | DashboardEvent::BackgroundReported(_)
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

    fn take_pull_requests(&mut self, read: Vec<(AgentKey, Option<PullRequest>)>) {
        for (key, pull_request) in read {
            match pull_request {
                Some(pull_request) => drop(self.pull_requests.insert(key, pull_request)),
                None => drop(self.pull_requests.remove(&key)),
            }
        }
        self.measure_columns();
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

    pub(crate) fn key(&mut self, key: KeyPress) -> Vec<DashboardEffect> {
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
        // The log is read again when the screen changes.
        let is_followed = match self.detail.tab {
            DetailTab::Screen => true,
            DetailTab::Log => agent.is_some_and(|agent| agent.host.is_none()),
            _ => false,
        };
        let is_shown = is_followed && !self.surroundings.is_sidebar;
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

    /// Keeps the lines that the user reads in their place after the log has become longer.
    fn hold_log(&mut self, new: &LoadedTab) {
        let is_scrolled = self.detail.scroll > 0 && new.tab == DetailTab::Log;
        let before = self.detail.loaded.as_ref().filter(|old| old.tab == new.tab && old.key == new.key);
        let Some(before) = before.filter(|_| is_scrolled) else { return };
        let last = &before.lines[before.lines.len().saturating_sub(LOG_END_LINES)..];
        let added = (0..new.lines.len()).find(|added| new.lines[..new.lines.len() - added].ends_with(last));
        self.detail.scroll += added.unwrap_or(0);
    }

    /// Returns the effect that reads the content of the tab, if another agent or tab than before is shown or its content
    /// may have changed.
    fn load(
        &self,
        (before, tab): (Option<&Agent>, DetailTab),
        trigger: ReloadTrigger,
    ) -> Option<DashboardEffect> {
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
        if is_unchanged && (is_loaded || before.is_some()) && !trigger.concerns(agent, tab) {
            return None;
        }
        Some(DashboardEffect::Load { target: target(agent), tab: self.detail.tab })
    }
}
