//! Frames on an emulated terminal: one that shows only changes looks like one on which everything is drawn.

use std::cell::RefCell;
use std::io::{self, Write};
use std::num::NonZeroU16;
use std::rc::Rc;

use jiff::ToSpan;
use proptest::prelude::*;
use ratatui::backend::{ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::Size;

use super::*;
use crate::dashboard::live::LiveContent;
use crate::dashboard::live::screen::LiveScreen;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::testing::{agent, asking, press, state};
use crate::dashboard::state::update;
use crate::manager::PaneScreen;
use crate::model::{Agent, Status};

/// Interprets what is written to it.
#[derive(Clone)]
struct Emulator(Rc<RefCell<vt100::Parser>>);

impl Write for Emulator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().process(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An emulated terminal.
struct EmulatedTerminal {
    emulator: Emulator,
    backend: CrosstermBackend<Emulator>,
}

impl EmulatedTerminal {
    fn of((width, height): (u16, u16)) -> EmulatedTerminal {
        let length = |length| NonZeroU16::new(length).unwrap();
        let emulator = Emulator(Rc::new(RefCell::new(vt100::Parser::new(length(height), length(width), 0))));
        EmulatedTerminal { backend: CrosstermBackend::new(emulator.clone()), emulator }
    }

    fn resize(&self, (width, height): (u16, u16)) {
        let length = |length| NonZeroU16::new(length).unwrap();
        self.emulator.0.borrow_mut().screen_mut().set_size(length(height), length(width));
    }

    /// Returns the cells with their attributes, one text for each line, and the cursor.
    fn picture(&self) -> Vec<String> {
        let parser = self.emulator.0.borrow();
        let screen = parser.screen();
        let (height, width) = screen.size();
        let cell = |line, column| {
            let cell = screen.cell(line, column).unwrap();
            let text = if cell.has_contents() || cell.is_wide_continuation() { cell.contents() } else { " " };
            let marks = [cell.bold(), cell.dim(), cell.underline(), cell.inverse()];
            let is_plain = marks == [false; 4]
                && (cell.fgcolor(), cell.bgcolor()) == (vt100::Color::Default, vt100::Color::Default);
            match is_plain {
                true => text.to_owned(),
                false => format!("{text}<{marks:?} {:?} {:?}>", cell.fgcolor(), cell.bgcolor()),
            }
        };
        let line = |line| (0..width.get()).map(|column| cell(line, column)).collect::<String>();
        let cursor = (!screen.hide_cursor()).then(|| screen.cursor_position());
        (0..height.get()).map(line).chain([format!("{cursor:?}")]).collect()
    }
}

impl Backend for EmulatedTerminal {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        self.backend.draw(content)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.backend.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.backend.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        unreachable!("the dashboard never asks the terminal for the cursor")
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.backend.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.backend.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.backend.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        let (height, width) = self.emulator.0.borrow().screen().size();
        Ok(Size::new(width.get(), height.get()))
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::new(0, 0) })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn frames_of(size: (u16, u16)) -> Frames<EmulatedTerminal> {
    Frames::on(EmulatedTerminal::of(size)).unwrap()
}

fn picture(frames: &Frames<EmulatedTerminal>) -> Vec<String> {
    frames.terminal.backend().picture()
}

/// Returns what a new terminal shows.
fn whole_picture(state: &DashboardState) -> Vec<String> {
    let mut whole = frames_of(state.size);
    whole.draw(state, Theme::PLAIN, Staleness::Outdated).unwrap();
    picture(&whole)
}

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
    let keys = [
        "j", "k", "Tab", "i", "Escape", "g", "?", "/", "v", "PageUp", "PageDown", "Space", "1", "Enter",
        "C-]",
    ];
    let output =
        || "[a-c日👩🚀é\u{301}\u{200d}\u{ad} \r\n]{0,20}(\x1b\\[[0-9]{0,2}[mJKHA])?".prop_map(Step::Output);
    prop_oneof![
        8 => output(),
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

/// Lets the selected agent print, and captures its screen first if it is not shown yet.
fn print(state: &mut DashboardState, text: &str) -> DashboardEvent {
    let selected = state.selected_agent().map(AgentKey::of);
    state.live.with(|content| match content {
        LiveContent::Screen(key, screen) if Some(&*key) == selected.as_ref() => {
            screen.process(text.as_bytes());
        }
        content => {
            let screen = LiveScreen::of(&capture());
            *content = selected.map_or(LiveContent::Empty, |key| LiveContent::Screen(key, screen.into()));
        }
    });
    DashboardEvent::LiveChanged
}

/// Applies a step and returns what the frame lacks afterwards.
fn apply(state: &mut DashboardState, step: Step, frames: &mut Frames<EmulatedTerminal>) -> Staleness {
    let event = match step {
        Step::Output(text) => print(state, &text),
        Step::Key(key) => DashboardEvent::Key(key.parse().unwrap()),
        Step::List(version) => DashboardEvent::Listed { agents: agents(version), silence: None },
        Step::Activity(text) => {
            let working = AgentKey::of(&agents(0)[0]);
            DashboardEvent::ActivityRead(vec![(working, Some(text))])
        }
        Step::Resize(width, height) => {
            frames.terminal.backend().resize((width, height));
            frames.clear().unwrap();
            DashboardEvent::Resized(width, height)
        }
        Step::Wait(seconds) => {
            state.now += seconds.seconds();
            return Staleness::Output;
        }
    };
    let staleness = staleness_after(&event, state, frames.ages());
    update(state, event);
    staleness
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_terminal_that_gets_only_changes_looks_like_a_new_one(steps in prop::collection::vec(steps(), 1..40)) {
        let mut state = state((120, 20), agents(0));
        press(&mut state, "g j");
        let mut frames = frames_of(state.size);
        let mut staleness = Staleness::Outdated;
        for step in steps {
            if staleness != Staleness::Current {
                frames.draw(&state, Theme::PLAIN, staleness).unwrap();
                for (shown, whole) in picture(&frames).into_iter().zip(whole_picture(&state)) {
                    prop_assert_eq!(shown, whole);
                }
            }
            state.note_drawn();
            staleness = apply(&mut state, step, &mut frames);
        }
    }
}

/// Draws the output of the selected agent, and checks that no complete frame is drawn.
#[track_caller]
fn draw_output(frames: &mut Frames<EmulatedTerminal>, state: &mut DashboardState, text: &str) {
    let printed = print(state, text);
    update(state, printed);
    frames.draw(state, Theme::PLAIN, Staleness::Output).unwrap();
    assert!(frames.is_ahead, "{text:?} has drawn a complete frame");
    assert_eq!(picture(frames), whole_picture(state), "{text:?}");
}

#[test]
fn only_the_screen_is_drawn_after_output_and_wide_characters_leave_no_halves() {
    let mut state = state((120, 20), agents(0));
    press(&mut state, "g j");
    print(&mut state, "");
    let mut frames = frames_of(state.size);
    frames.draw(&state, Theme::PLAIN, Staleness::Outdated).unwrap();
    for text in [
        "\x1b[H\x1b[2Jabcdef",
        "\r日本語",
        "\rx",
        "\x1b[2G\x1b[44m日\x1b[m",
        "\r\x1b[7m日日\x1b[m\r ",
        // The terminal of the user may show more or fewer columns than the emulator.
        "\rabcdef\r👩\u{200d}🚀",
        // A wide character with a mark that changes the direction of text is not shown.
        "\rabcdef",
        "\r日\u{202e}",
        "\r\n\n\n\n\n\n\n\n\n\n\n\nlast\r\n",
    ] {
        draw_output(&mut frames, &mut state, text);
    }
    press(&mut state, "j");
    frames.draw(&state, Theme::PLAIN, Staleness::Outdated).unwrap();
    assert_eq!(picture(&frames), whole_picture(&state), "a complete frame follows");
}

#[test]
fn the_cursor_follows_the_agent_while_the_user_types() {
    let mut state = state((120, 20), agents(0));
    press(&mut state, "g j");
    print(&mut state, "");
    press(&mut state, "Enter");
    let mut frames = frames_of(state.size);
    frames.draw(&state, Theme::PLAIN, Staleness::Outdated).unwrap();
    for text in ["\x1b[3;5Hab", "\x1b[?25l", "\x1b[?25h", "\x1b[1;1H"] {
        draw_output(&mut frames, &mut state, text);
    }
}

#[test]
fn output_below_a_window_does_not_overwrite_it() {
    let mut state = state((120, 20), agents(0));
    press(&mut state, "g j");
    print(&mut state, "");
    let mut frames = frames_of(state.size);
    for keys in ["?", "Escape Space", "Escape :", "Escape G", "Escape K"] {
        press(&mut state, keys);
        frames.draw(&state, Theme::PLAIN, Staleness::Outdated).unwrap();
        let printed = print(&mut state, &"\r\nmore and more and more and more".repeat(12));
        update(&mut state, printed);
        frames.draw(&state, Theme::PLAIN, Staleness::Output).unwrap();
        assert_eq!(picture(&frames), whole_picture(&state), "{keys}");
    }
}

#[test]
fn a_window_that_covers_half_of_a_wide_character_keeps_its_edges() {
    let mut state = state((20, 23), agents(0));
    press(&mut state, "g j");
    print(&mut state, "");
    print(&mut state, "\x1b[2J\x1b[H");
    let mut frames = frames_of(state.size);
    press(&mut state, "?");
    // The window begins in the third column and ends before the last two.
    for text in [" 日", "\r👩", "\r\x1b[18G日", "\r\x1b[17G日", "\x1b[2J"] {
        let printed = print(&mut state, &text.replace('\r', "\x1b[H\x1b[2J"));
        update(&mut state, printed);
        frames.draw(&state, Theme::PLAIN, Staleness::Output).unwrap();
        assert_eq!(picture(&frames), whole_picture(&state), "{text:?}");
    }
}

#[test]
fn a_terminal_that_was_smaller_for_a_moment_is_drawn_again() {
    let state = state((120, 20), agents(0));
    let mut frames = frames_of(state.size);
    frames.draw(&state, Theme::PLAIN, Staleness::Outdated).unwrap();
    // The terminal loses what has no room, and no frame is drawn meanwhile.
    frames.terminal.backend().resize((60, 10));
    frames.terminal.backend().resize((120, 20));
    frames.clear().unwrap();
    frames.draw(&state, Theme::PLAIN, Staleness::Outdated).unwrap();
    assert_eq!(picture(&frames), whole_picture(&state));
}
