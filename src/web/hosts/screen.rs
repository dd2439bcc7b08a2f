//! The live screen of an agent on another host: captures, and the output between them.

use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use crate::base::terminal::emulator_input::EmulatorInput;
use crate::error::Error;
use crate::manager::{Context, FrameFlow, Hosts, PaneScreen, ScreenPart};
use crate::model::{AgentName, HostName};
use crate::web::screen_text::{MIN_WIDTH, ScreenText, TextRun};

/// Lines of history that a host sends. Each capture carries them over the network.
const REMOTE_HISTORY_LINES: usize = 200;
/// Shortest time between two screens. Text that changes faster cannot be read.
const SCREEN_INTERVAL: Duration = Duration::from_millis(120);

/// Receives the screen of an agent until it ends or has no viewer any more. `publish` gets each screen.
pub(in crate::web) fn receive(
    context: &Context,
    (host, name): (&HostName, &AgentName),
    has_viewer: impl Fn() -> bool,
    publish: impl Fn(&ScreenText),
) -> Result<(), Error> {
    let mut shown: Option<EmulatedScreen> = None;
    let mut published_at: Option<Instant> = None;
    Hosts(context).receive_screen(host, (name, REMOTE_HISTORY_LINES), &mut |part| {
        // A capture follows when the output pauses, so a part of the output may be left out.
        let is_due = published_at.is_none_or(|at| at.elapsed() >= SCREEN_INTERVAL);
        let is_shown = match (part, &mut shown) {
            (ScreenPart::Screen(capture) | ScreenPart::Check(capture), shown) => {
                publish(&shown.insert(EmulatedScreen::of(&capture)).text());
                true
            }
            (ScreenPart::Output(bytes), Some(screen)) => {
                screen.process(&bytes);
                if is_due {
                    publish(&screen.text());
                }
                is_due
            }
            (ScreenPart::Output(_) | ScreenPart::Alive, _) => false,
        };
        if is_shown {
            published_at = Some(Instant::now());
        }
        if has_viewer() { FrameFlow::Continue } else { FrameFlow::Stop }
    })
}

/// A screen that begins with a capture and follows the output. Its history is that of the capture.
struct EmulatedScreen {
    history: Vec<Vec<TextRun>>,
    width: u16,
    parser: vt100::Parser,
    input: EmulatorInput,
}

impl EmulatedScreen {
    fn of(capture: &PaneScreen) -> EmulatedScreen {
        let mut history = ScreenText::of(capture).lines;
        history.truncate(capture.history.len());
        let size = |length: u16| NonZeroU16::new(length).unwrap_or(NonZeroU16::MIN);
        let mut parser = vt100::Parser::new(size(capture.height), size(capture.width.max(MIN_WIDTH)), 0);
        let mut input = EmulatorInput::default();
        for (at, line) in capture.lines.iter().take(capture.height.into()).enumerate() {
            parser.process(format!("\x1b[{};1H", at + 1).as_bytes());
            parser.process(&input.take(line.as_bytes()));
        }
        let (column, line) = capture.cursor;
        let visible = if capture.has_cursor { 'h' } else { 'l' };
        let cursor =
            format!("\x1b[0m\x1b[{};{}H\x1b[?25{visible}", line.saturating_add(1), column.saturating_add(1));
        parser.process(cursor.as_bytes());
        EmulatedScreen { history, width: capture.width, parser, input }
    }

    fn process(&mut self, bytes: &[u8]) {
        self.parser.process(&self.input.take(bytes));
    }

    fn text(&self) -> ScreenText {
        ScreenText::of_emulator(self.history.clone(), self.parser.screen(), self.width)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn output_continues_at_the_cursor_of_the_capture() {
        let capture = PaneScreen {
            width: 20,
            height: 3,
            cursor: (2, 1),
            has_cursor: true,
            alternate: false,
            history: vec!["old".into()],
            lines: vec!["one".into(), "$ ".into(), String::new()],
        };
        let mut screen = EmulatedScreen::of(&capture);
        assert_eq!(screen.text(), ScreenText::of(&capture));
        screen.process(b"ls\r\n\x1b[1mfile");
        let shown = serde_json::to_value(screen.text()).unwrap();
        assert_eq!(shown["lines"][0], json!([{ "text": "old" }]));
        assert_eq!(shown["lines"][2], json!([{ "text": "$ ls" }]));
        assert_eq!(shown["lines"][3], json!([{ "text": "file", "bold": true }]));
        assert_eq!(shown["cursor"], json!([4, 3]));
    }
}
