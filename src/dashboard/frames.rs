//! What a frame has to show anew: everything, or only the output of the selected agent.

use ratatui::Frame;
use ratatui::buffer::Buffer;

use crate::dashboard::state::event::DashboardEvent;
use crate::dashboard::state::{DashboardState, DetailTab};
use crate::dashboard::view;
use crate::dashboard::view::theme::Theme;

/// What the frame on the screen lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Staleness {
    Current,
    /// Only output of the agent is missing, which may wait for the next frame.
    Output,
    Outdated,
}

/// Returns what the frame will lack after an event, before the event is applied. `ages` are the ages on the screen.
pub(crate) fn staleness_after(event: &DashboardEvent, state: &DashboardState, ages: &[String]) -> Staleness {
    match event {
        DashboardEvent::LiveChanged if !shows_screens(state) => Staleness::Current,
        DashboardEvent::LiveChanged => Staleness::Output,
        DashboardEvent::Listed { agents, silence } => {
            let own = state.agents.iter().filter(|agent| agent.host.is_none());
            let is_same = own.eq(agents.iter()) && state.silence == *silence && state.is_loaded;
            match is_same && view::ages(state) == ages {
                true => Staleness::Current,
                false => Staleness::Outdated,
            }
        }
        _ => Staleness::Outdated,
    }
}

/// Returns whether the screen of an agent is visible.
fn shows_screens(state: &DashboardState) -> bool {
    state.grid.is_some() || state.detail.tab == DetailTab::Screen
}

/// The last complete frame. A frame that only lacks output takes everything but the detail pane from it: drawing the list,
/// the header and the footer anew took a quarter of the time of a frame.
#[derive(Default)]
pub(crate) struct FrameCache {
    complete: Option<Buffer>,
    ages: Vec<String>,
}

impl FrameCache {
    /// Returns the ages of the visible rows in the last frame.
    pub(crate) fn ages(&self) -> &[String] {
        &self.ages
    }

    /// Draws a frame. The passage of time makes the last complete frame outdated, too.
    pub(crate) fn draw(
        &self,
        frame: &mut Frame<'_>,
        (state, theme): (&DashboardState, Theme),
        staleness: Staleness,
    ) {
        match &self.complete {
            Some(complete) if self.is_reusable(state, staleness) => {
                view::draw_output(frame, state, theme, complete);
            }
            _ => view::draw(frame, state, theme),
        }
    }

    /// Keeps a frame that was drawn with the same arguments.
    pub(crate) fn keep(&mut self, drawn: &Buffer, state: &DashboardState, staleness: Staleness) {
        if self.is_reusable(state, staleness) {
            return;
        }
        self.ages = view::ages(state);
        let complete = self.complete.get_or_insert_default();
        complete.area = drawn.area;
        complete.content.clone_from(&drawn.content);
    }

    fn is_reusable(&self, state: &DashboardState, staleness: Staleness) -> bool {
        staleness == Staleness::Output && self.complete.is_some() && view::ages(state) == self.ages
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use proptest::prelude::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::dashboard::live::LiveContent;
    use crate::dashboard::live::screen::LiveScreen;
    use crate::dashboard::state::agent_key::AgentKey;
    use crate::dashboard::state::testing::{agent, asking, state};
    use crate::dashboard::state::update;
    use crate::manager::PaneScreen;
    use crate::model::{Agent, Status};

    /// A change of what the dashboard shows.
    #[derive(Debug, Clone)]
    enum Step {
        Output(String),
        Key(&'static str),
        List(usize),
        Activity(String),
        Resize(u16, u16),
        Wait(i64),
    }

    fn steps() -> impl Strategy<Value = Step> {
        let keys = ["j", "k", "Tab", "i", "Escape", "g", "?", "/", "v", "PageUp", "PageDown", "Space", "1"];
        prop_oneof![
            4 => "[a-c日é \r\n]{0,20}(\x1b\\[[0-9]{0,2}[mJKHA])?".prop_map(Step::Output),
            3 => prop::sample::select(keys.to_vec()).prop_map(Step::Key),
            1 => (0..4usize).prop_map(Step::List),
            1 => "[a-z]{1,9}".prop_map(Step::Activity),
            1 => (20..130u16, 5..40u16).prop_map(|(width, height)| Step::Resize(width, height)),
            1 => (0..200i64).prop_map(Step::Wait),
        ]
    }

    fn agents(version: usize) -> Vec<Agent> {
        let mut agents = vec![agent("a", Status::Working), asking("b", "q"), agent("c", Status::Idle)];
        agents[2].reason = format!("reason {version}");
        agents.truncate(if version == 3 { 2 } else { 3 });
        agents
    }

    fn capture() -> PaneScreen {
        let lines = vec!["first".to_owned(); 12];
        PaneScreen {
            width: 40,
            height: 12,
            cursor: (0, 0),
            has_cursor: true,
            alternate: false,
            history: vec!["old".to_owned(); 30],
            lines,
        }
    }

    /// Applies a step and returns what the frame lacks afterwards.
    fn apply(state: &mut DashboardState, step: Step, ages: &[String]) -> Staleness {
        let event = match step {
            Step::Output(text) => {
                let selected = state.selected_agent().map(AgentKey::of);
                state.live.with(|content| match content {
                    LiveContent::Screen(key, screen) if Some(&*key) == selected.as_ref() => {
                        screen.process(text.as_bytes());
                    }
                    content => {
                        let screen = LiveScreen::of(&capture());
                        *content = selected
                            .map_or(LiveContent::Empty, |key| LiveContent::Screen(key, screen.into()));
                    }
                });
                DashboardEvent::LiveChanged
            }
            Step::Key(key) => DashboardEvent::Key(key.parse().unwrap()),
            Step::List(version) => DashboardEvent::Listed { agents: agents(version), silence: None },
            Step::Activity(text) => {
                let working = AgentKey::of(&agents(0)[0]);
                DashboardEvent::ActivityRead(vec![(working, Some(text))])
            }
            Step::Resize(width, height) => DashboardEvent::Resized(width, height),
            Step::Wait(seconds) => {
                state.now += seconds.seconds();
                return Staleness::Output;
            }
        };
        let staleness = staleness_after(&event, state, ages);
        update(state, event);
        staleness
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_frame_with_cached_parts_is_like_a_complete_one(steps in prop::collection::vec(steps(), 1..30)) {
            let mut state = state((120, 20), agents(0));
            let mut frames = FrameCache::default();
            let mut staleness = Staleness::Outdated;
            for step in steps {
                let size = state.size;
                let terminal = || Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
                let (mut cached, mut whole) = (terminal(), terminal());
                let shown = cached.draw(|frame| frames.draw(frame, (&state, Theme::PLAIN), staleness)).unwrap();
                frames.keep(shown.buffer, &state, staleness);
                let complete = whole.draw(|frame| view::draw(frame, &state, Theme::PLAIN)).unwrap();
                if staleness != Staleness::Current {
                    prop_assert_eq!(shown.buffer, complete.buffer);
                }
                state.note_drawn();
                staleness = apply(&mut state, step, frames.ages());
            }
        }
    }
}
