//! The dashboard: a full-screen view of all agents that is kept open all day. A face like the command line: it calls the
//! same use cases and touches neither tmux nor files.
//!
//! # Structure
//!
//! | part | purpose |
//! | --- | --- |
//! | `app` | the event loop: waits for one channel, draws only if something has changed |
//! | `state` | pure: application state, rows, windows; `update(state, event)` returns effects |
//! | `bindings` | the one table of keys, for keys, footer, palette and help |
//! | `bars` | pure: texts of the header and the footer, and clicks on them |
//! | `columns` | pure: contents and widths of the columns of the list |
//! | `layout` | pure: the areas of the screen, from 40×15 to 300×100 |
//! | `canvas` | the state and its frames, shared by the loop and the thread that draws output |
//! | `view` | draws the state with ratatui |
//! | `frames` | draws everything, or only the output of the selected agent; writes the cells that have changed |
//! | `live` | the screen of the selected agent: one capture, then the output from the transcript (RFD 0028) |
//! | `forms` | the form that starts agents and taskspaces |
//! | `diff` | the review of an agent's changes |
//! | `grid` | several live agents side by side |
//! | `effects` | threads that call use cases and report back |
//! | `input` | the thread that reads keys, mouse, size and signals |
//! | `terminal` | enters and leaves the full screen, also on panics; hands it to other programs |
//!
//! An event goes `input` or `effects` → `app` → `state::update` → effects → `effects`; then `view` draws.
//!
//! # How to add
//!
//! - an action: one line in `model/dashboard.rs` and in `bindings.rs`, one case in `state/actions.rs`;
//! - a tab: a case of `DetailTab`, its content in `effects/load.rs` (or drawn from the state in `view/detail.rs`);
//! - a window: a case of `Modal`, its keys in `state/modal/keys.rs`, its picture in `view/modals.rs`;
//! - an operation on agents: a case of `Operation`, performed in `effects/act.rs`.
//!
//! # Decisions
//!
//! - `C-]` leaves an agent that the user types into. Escape twice would collide with Claude Code.
//! - Digits only answer questions and never switch tabs: a question may appear just before the key.
//! - An answer carries the id of the question that was drawn, so it cannot reach a newer question. A question is answered
//!   only after its last line was on the screen. One that has just replaced another one, and each question of a review,
//!   is not answered by a key that was pressed within half a second.
//! - Text that is pasted into the list is ignored; it must not act as keys.

mod app;
mod bars;
mod bindings;
mod canvas;
mod columns;
mod diff;
mod effects;
mod forms;
mod frames;
mod grid;
mod input;
mod layout;
mod live;
mod state;
mod terminal;
mod view;

use std::sync::Arc;

use crate::env::Env;
use crate::error::Error;
use crate::manager::Context;
use crate::model::AgentName;
use app::App;
use state::DashboardState;
use terminal::FullScreen;
use view::theme::Theme;

/// Where the dashboard is shown, which determines its layout and what choosing an agent does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DashboardSurroundings {
    /// Whether there is room for the list and questions only.
    pub is_sidebar: bool,
    /// The attached terminal that is moved to the chosen agent, after which the dashboard ends. It is the terminal in
    /// which our tmux server shows the dashboard as a popup.
    pub switched_client: Option<String>,
    /// The agent whose changes are shown first.
    pub reviewed: Option<AgentName>,
}

/// Returns whether this process has a terminal that can show the dashboard.
pub fn is_possible() -> bool {
    terminal::is_usable(&Env::capture())
}

/// Shows the dashboard until the user leaves it.
pub fn run(context: Arc<Context>, surroundings: DashboardSurroundings) -> Result<(), Error> {
    let env = Env::capture();
    if !terminal::is_usable(&env) {
        return Err(Error::no_terminal("dashboard", None));
    }
    let (config, mistake) = match context.config() {
        Ok(config) => (config, None),
        Err(error) => (context.settings(), Some(effects::sentence(&error))),
    };
    let mut state = DashboardState::new(&config.dashboard, FullScreen::size(), context.now());
    state.user_home = context.user_home();
    state.surroundings = surroundings;
    state.start_directory = env.cwd().and_then(|cwd| cwd.to_str()).map(str::to_owned);
    if let Some(mistake) = mistake {
        state.show_error(mistake);
    }
    App::start(context, state, Theme::choose(&config.dashboard, &env))?.run()
}
