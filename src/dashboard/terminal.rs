//! The user's terminal: enters and leaves the full screen, also on a panic and on signals, and hands the terminal over
//! to other programs.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui::backend::CrosstermBackend;
use rustix::process::{Signal, getpid, kill_process};

use crate::dashboard::frames::{Frames, Staleness};
use crate::dashboard::state::DashboardState;
use crate::dashboard::view::theme::Theme;
use crate::env::Env;

/// Bytes of a frame that are written at once. A frame of 160×48 cells with colours has about 10 kB; standard output alone
/// would write it in pieces of 1 kB, and the terminal might show a part of a frame.
const FRAME_BUFFER_BYTES: usize = 64 * 1024;

/// Puts the title of the terminal's window on a stack, and takes it from there (XTWINOPS). tmux sets the title to the name
/// of the agent and leaves it there after detaching. Terminals without such a stack ignore both sequences.
const SAVE_TITLE: &str = "\x1b[22;2t";
const RESTORE_TITLE: &str = "\x1b[23;2t";

/// Query of the background colour (OSC 11).
const ASK_FOR_BACKGROUND: &str = "\x1b]11;?\x1b\\";

/// Whether the terminal shows the dashboard, for the panic hook.
static IS_ENTERED: AtomicBool = AtomicBool::new(false);

/// The terminal while the dashboard uses it.
pub(crate) struct FullScreen {
    frames: Frames<CrosstermBackend<BufWriter<Stdout>>>,
}

impl FullScreen {
    /// Takes over the terminal.
    pub(crate) fn enter() -> io::Result<FullScreen> {
        restore_on_panic();
        enter()?;
        let out = BufWriter::with_capacity(FRAME_BUFFER_BYTES, stdout());
        Ok(FullScreen { frames: Frames::on(CrosstermBackend::new(out))? })
    }

    /// Returns columns and lines of the terminal.
    pub(crate) fn size() -> (u16, u16) {
        size().unwrap_or((80, 24))
    }

    /// Asks the terminal for its background colour. The answer arrives as input, or never.
    pub(crate) fn ask_for_background(&mut self) -> io::Result<()> {
        write_out(ASK_FOR_BACKGROUND)
    }

    /// Draws the parts of the state that the screen lacks. Only cells that have changed are written.
    pub(crate) fn draw(
        &mut self,
        state: &DashboardState,
        theme: Theme,
        staleness: Staleness,
    ) -> io::Result<()> {
        self.frames.draw(state, theme, staleness)
    }

    /// Draws output of the selected agent. Returns `false` if it may change more than the screen of the agent.
    pub(crate) fn draw_output(&mut self, state: &DashboardState, theme: Theme) -> io::Result<bool> {
        self.frames.draw_output(state, theme)
    }

    /// Returns the ages that the screen shows.
    pub(crate) fn ages(&self) -> &[String] {
        self.frames.ages()
    }

    /// Makes the next draw write all cells.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.frames.clear()
    }

    /// Gives the terminal to `run` and takes it over again afterwards.
    pub(crate) fn suspend_while<T>(&mut self, run: impl FnOnce() -> T) -> io::Result<T> {
        leave();
        let result = run();
        // The title was saved when the dashboard took the terminal, long before this: a tmux client discards all output
        // that the terminal has not read when the client starts (`tcflush`).
        write_out(RESTORE_TITLE)?;
        enter()?;
        self.clear()?;
        Ok(result)
    }

    /// Stops this process until the shell continues it.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        self.suspend_while(|| kill_process(getpid(), Signal::TSTP))?.map_err(Into::into)
    }

    /// Puts a text on the clipboard of the terminal, with the escape sequence OSC 52.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = stdout();
        // A terminal inside tmux gets the sequence if `set-clipboard` is on, as it is by default.
        execute!(out, CopyToClipboard::to_clipboard_from(text))?;
        out.flush()
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        leave();
        let _ = write_out(RESTORE_TITLE);
    }
}

fn write_out(text: &str) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    IS_ENTERED.store(true, Ordering::SeqCst);
    write_out(SAVE_TITLE)?;
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)
}

fn leave() {
    if IS_ENTERED.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// Restores the terminal before a panic is reported.
fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            report(panic);
        }));
    });
}

/// Returns whether a full-screen program can be shown: standard input and output are a terminal that can move its
/// cursor.
pub(crate) fn is_usable(env: &Env) -> bool {
    use std::io::IsTerminal;
    let is_dumb = env.var("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    io::stdin().is_terminal() && stdout().is_terminal() && !is_dumb
}
