//! The detail pane: the question of the selected agent and the content of the tab.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::dashboard::columns::stale_age;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::{DashboardState, DetailTab};
use crate::dashboard::view::diff::{self, Cursor};
use crate::dashboard::view::text::{line_of, put, without_columns};
use crate::dashboard::view::theme::Theme;
use crate::dashboard::view::{question, screen};
use crate::model::Agent;
use crate::rules::workspace::pull_requests::pull_request_words;
use crate::text::agent::status_word;
use crate::text::ages::ago;
use crate::text::fit::below_home;

/// Draws the detail pane below its tabs.
pub(super) fn draw(frame: &mut Frame<'_>, state: &DashboardState, theme: Theme) {
    let area = state.areas().body;
    let Some(agent) = state.selected_agent() else { return };
    let area = question::draw(frame, state, theme, area);
    let area = draw_staleness(frame, state, theme, (agent, area));
    match state.detail.tab {
        DetailTab::Screen => screen::draw(frame, state, theme, area),
        DetailTab::Diff if let Some(shown) = &state.diff => {
            diff::draw(frame, shown, theme, (area, Cursor::Hidden));
        }
        DetailTab::Details => draw_lines(frame, state, area, &details(state, agent)),
        _ => match &state.detail.loaded {
            Some(loaded) if loaded.key == AgentKey::of(agent) && loaded.tab == state.detail.tab => {
                draw_lines(frame, state, area, &loaded.lines);
            }
            _ => {
                put(frame.buffer_mut(), area, " …", theme.dim());
            }
        },
    }
}

/// Returns the area of the live screen if output of the agent changes nothing else: neither a question nor a window nor
/// the number of lines that are scrolled back is visible.
pub(super) fn bare_screen_area(state: &DashboardState) -> Option<Rect> {
    let agent = state.selected_agent()?;
    let has_screen = state.detail.tab == DetailTab::Screen && state.detail.scroll == 0;
    let is_covered = state.grid.is_some() || !state.modals.is_empty();
    let is_bare = !is_covered && agent.question.is_none() && state.stale(agent).is_none();
    let areas = state.areas();
    (has_screen && is_bare && !areas.tabs.is_empty()).then_some(areas.body)
}

/// Draws that the state of the agent is not current, and returns the rest of the area.
fn draw_staleness(
    frame: &mut Frame<'_>,
    state: &DashboardState,
    theme: Theme,
    (agent, area): (&Agent, Rect),
) -> Rect {
    let Some(stale) = state.stale(agent) else { return area };
    let text = format!(" last known state, {}: {}", stale_age(stale, state.now), stale.why);
    put(frame.buffer_mut(), line_of(area, 0), &text, theme.bad());
    let used = area.height.min(1);
    Rect { y: area.y + used, height: area.height - used, ..area }
}

fn draw_lines(frame: &mut Frame<'_>, state: &DashboardState, area: Rect, lines: &[String]) {
    let height = usize::from(area.height);
    let end = lines.len().saturating_sub(height);
    let first = match state.is_anchored_at_end() {
        true => end.saturating_sub(state.detail.scroll),
        false => state.detail.scroll.min(end),
    };
    for (at, line) in lines.iter().skip(first).take(height).enumerate() {
        let shifted = without_columns(line, state.detail.shift.into());
        let place = line_of(area, u16::try_from(at).unwrap_or(u16::MAX));
        put(frame.buffer_mut(), place, &format!(" {shifted}"), Style::new());
    }
}

/// Returns what is known about an agent, one fact for each line.
fn details(state: &DashboardState, agent: &Agent) -> Vec<String> {
    let home = state.user_home.as_deref();
    let optional = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    let at =
        |time: Option<jiff::Timestamp>| time.map_or_else(|| "never".to_owned(), |time| ago(time, state.now));
    let facts = [
        ("status", format!("{}, since {}", status_word(agent), ago(agent.status_since, state.now))),
        ("reason", agent.reason.clone()),
        ("title", optional(&agent.title)),
        ("prompt", optional(&agent.prompt)),
        ("spec", agent.spec.clone()),
        ("kind", agent.kind.clone()),
        ("command", agent.command.join(" ")),
        ("directory", below_home(&agent.working_directory, home)),
        ("project", agent.project.as_deref().map_or_else(|| "–".to_owned(), |path| below_home(path, home))),
        ("branch", optional(&agent.branch)),
        ("pull request", pull_request(state, agent)),
        ("parent", agent.parent.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string)),
        (
            "tasks",
            format!(
                "{} queued, {} running, {} done, {} failed",
                agent.tasks.queued, agent.tasks.running, agent.tasks.done, agent.tasks.failed
            ),
        ),
        ("created", ago(agent.created_at, state.now)),
        ("last output", at(agent.last_activity)),
        ("attached", format!("{} now, last {}", agent.clients.len(), at(agent.last_attached))),
        ("id", agent.id.to_string()),
    ];
    facts.into_iter().map(|(label, text)| format!("{label:<12} {text}")).collect()
}

/// Returns the state of the pull request of an agent's branch, with its address.
fn pull_request(state: &DashboardState, agent: &Agent) -> String {
    let known = state.pull_requests.get(&AgentKey::of(agent));
    known.map_or_else(|| "–".to_owned(), |known| format!("{}  {}", pull_request_words(known), known.url))
}
