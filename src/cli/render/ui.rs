//! The only file that prints. Data goes to stdout, everything else to stderr.

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use dialoguer::Confirm;
use dialoguer::theme::SimpleTheme;
use serde::Serialize;

use crate::base::terminal::output;
use crate::base::terminal::raw_mode::RawMode;
use crate::base::terminal::{LEAVE_ALTERNATE_SCREEN, MODES_OFF};
use crate::env::Env;
use crate::error::Error;
use crate::model::{Status, without_deception};
use crate::text::fit::clean;

/// Condition under which output has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Sets the use of colour for the whole process.
    pub(in crate::cli) fn apply(self) {
        let choice = match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Output settings of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Ui {
    /// Whether results are printed as JSON.
    pub json: bool,
    /// Whether remarks are left out.
    pub quiet: bool,
}

impl Ui {
    /// Checks whether a user is present and has not asked for quiet or JSON output.
    pub(in crate::cli) fn can_ask(&self) -> bool {
        !self.json && !self.quiet && is_interactive() && is_stderr_terminal()
    }

    /// Asks the user for confirmation. No answer means no, and C-c ends the command.
    pub(in crate::cli) fn confirm(&self, question: &str) -> Result<bool, Error> {
        let confirm = Confirm::with_theme(&SimpleTheme).with_prompt(question).default(false);
        match confirm.interact_opt() {
            Ok(answer) => Ok(answer == Some(true)),
            Err(dialoguer::Error::IO(source)) => Err(Error::io("cannot ask")(source)),
        }
    }

    /// Prints data to stdout. A reader that closed the pipe (`| head`) is not an error.
    pub(in crate::cli) fn data(&self, text: &str) {
        let mut out = anstream::stdout().lock();
        let _ = out.write_all(text.as_bytes());
        if !text.ends_with('\n') && !text.is_empty() {
            let _ = out.write_all(b"\n");
        }
        let _ = out.flush();
    }

    /// Prints data: on a terminal it replaces the previous output, elsewhere it is appended. Returns `false` if the
    /// reader is gone.
    pub(in crate::cli) fn print_replacing(&self, text: &str) -> bool {
        let mut out = anstream::stdout().lock();
        let clear = if !self.json && is_shown() { "\x1b[H\x1b[J" } else { "" };
        let end = if text.ends_with('\n') { "" } else { "\n" };
        write!(out, "{clear}{text}{end}").and_then(|()| out.flush()).is_ok()
    }

    /// Returns a writer to stdout that passes on bytes unchanged, including escape sequences.
    pub(in crate::cli) fn raw(&self) -> impl Write {
        io::BufWriter::with_capacity(64 * 1024, io::stdout().lock())
    }

    /// Prints a value as JSON to stdout.
    pub(in crate::cli) fn json(&self, value: &impl Serialize) {
        // Control characters are escaped, because a terminal may show the output.
        self.data(&output::escaped(&serde_json::to_string(value).unwrap_or_else(|_| "null".into())));
    }

    /// Prints a message to stderr, unless the output is quiet or JSON.
    pub(in crate::cli) fn say(&self, text: &str) {
        if !self.quiet && !self.json {
            let _ = writeln!(anstream::stderr().lock(), "{}", without_deception(text));
        }
    }

    /// Returns whether warnings reach the user: the output is not quiet, and a program that reads JSON does not show
    /// stderr.
    pub(in crate::cli) fn shows_warnings(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Prints a warning to stderr. With `--json` it is an object like everything else on stderr.
    pub(in crate::cli) fn warn(&self, text: &str) {
        if self.json && !self.quiet {
            let line = serde_json::json!({ "warning": text }).to_string();
            let _ = writeln!(anstream::stderr().lock(), "{}", output::escaped(&line));
        } else if !self.quiet {
            let style = Style::new().fg_color(Some(AnsiColor::Yellow.into())).bold();
            let _ =
                writeln!(anstream::stderr().lock(), "{style}warning:{style:#} {}", without_deception(text));
        }
    }

    /// Prints an error to stderr and returns its exit code.
    pub(in crate::cli) fn error(&self, error: &Error) -> u8 {
        let mut err = anstream::stderr().lock();
        if self.json {
            let _ = writeln!(err, "{}", output::escaped(&error.json().to_string()));
            return error.exit();
        }
        let red = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
        let cyan = Style::new().fg_color(Some(AnsiColor::Cyan.into())).bold();
        let _ = writeln!(err, "{red}error:{red:#} {}", without_deception(&error.to_string()));
        for line in error.observations() {
            let _ = writeln!(err, "  {}", without_deception(line));
        }
        for hint in error.hints() {
            let _ = writeln!(err, "{cyan}hint:{cyan:#} {}", without_deception(hint));
        }
        error.exit()
    }

    /// Prints an error of clap or the requested help. An argument that clap repeats may contain control characters;
    /// then the message is printed without colours.
    pub(in crate::cli) fn clap_message(error: &clap::Error) {
        let plain = error.render().to_string();
        let clean = without_deception(&plain);
        if clean == plain {
            let _ = error.print();
        } else {
            let _ = write!(io::stderr().lock(), "{clean}");
        }
    }
}

/// Checks whether stdout still has a reader.
pub(in crate::cli) fn has_reader() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let out = rustix::stdio::stdout();
    let mut fds = [PollFd::from_borrowed_fd(out, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_err() || fds[0].revents().is_empty()
}

/// Checks whether both stdin and stdout are terminals.
pub(in crate::cli) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Checks whether stdout is shown in a terminal, on this or on another machine.
pub(in crate::cli) fn is_shown() -> bool {
    REMOTE_SCREEN_SIZE.get().is_some() || io::stdout().is_terminal()
}

/// Checks whether stderr is a terminal.
pub(in crate::cli) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct ScreenSize {
    columns: u16,
    lines: u16,
}

/// The size of the terminal on another machine that shows the output.
static REMOTE_SCREEN_SIZE: std::sync::OnceLock<ScreenSize> = std::sync::OnceLock::new();

/// Parses a terminal size such as `100x30`.
pub(in crate::cli) fn screen(text: &str) -> Result<ScreenSize, String> {
    let (columns, lines) = text.split_once('x').ok_or("expected COLUMNSxLINES")?;
    let number = |text: &str| text.parse::<u16>().map_err(|why| why.to_string());
    Ok(ScreenSize { columns: number(columns)?, lines: number(lines)? })
}

/// Sets the size of the terminal on another machine that shows the output.
pub(in crate::cli) fn set_remote_screen(screen: Option<ScreenSize>) {
    if let Some(screen) = screen {
        let _ = REMOTE_SCREEN_SIZE.set(screen);
    }
}

/// Returns the size of the terminal that shows the output, on this or on another machine.
fn shown_in() -> Option<ScreenSize> {
    REMOTE_SCREEN_SIZE.get().copied().or_else(|| {
        let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
        Some(ScreenSize { columns: size.ws_col, lines: size.ws_row })
    })
}

/// Returns the option that passes the size of this terminal to another machine, or `None` without a terminal.
pub(in crate::cli) fn screen_word() -> Option<String> {
    let ScreenSize { columns, lines } = shown_in().filter(|_| is_shown())?;
    Some(format!("--screen={columns}x{lines}"))
}

/// The width for output without a terminal, which is never cut. Sums of several such widths do not overflow.
const UNLIMITED_WIDTH: usize = usize::MAX / 16;

/// Returns the number of columns for output: of the terminal, else from `COLUMNS`, else unlimited.
pub(in crate::cli) fn width() -> usize {
    let columns = shown_in().map(|screen| usize::from(screen.columns)).filter(|columns| *columns > 0);
    columns.or_else(Env::columns).unwrap_or(UNLIMITED_WIDTH)
}

/// Returns the columns and lines that an agent would have in this terminal, without its status line. Returns `None`
/// if there is no terminal or if it is too small to work in.
pub(in crate::cli) fn agent_terminal_size() -> Option<(u16, u16)> {
    // The name of the new agent may be captured in a shell variable; then only stderr is the terminal.
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stderr()).ok()?;
    (size.ws_col >= 20 && size.ws_row >= 6).then(|| (size.ws_col, size.ws_row - 1))
}

/// Returns the height of the terminal, or an unlimited height if there is none.
pub(in crate::cli) fn height() -> usize {
    shown_in().map(|screen| usize::from(screen.lines)).filter(|lines| *lines > 0).unwrap_or(usize::MAX)
}

/// Returns the colour of a status. The text of the status carries the same information.
pub(in crate::cli) fn style(status: Status) -> Style {
    let color = match status {
        Status::Waiting => AnsiColor::Yellow,
        Status::Crashed | Status::Lost => AnsiColor::Red,
        Status::Working | Status::Starting => AnsiColor::Blue,
        Status::Idle => AnsiColor::Green,
        Status::Unknown => AnsiColor::Magenta,
        Status::Exited | Status::Stopped | Status::Hibernated => return Style::new().dimmed(),
    };
    Style::new().fg_color(Some(color.into()))
}

/// Reads keys from the terminal of standard input, which is in raw mode until this is dropped.
pub(in crate::cli) struct RawTerminal {
    _mode: RawMode,
}

impl RawTerminal {
    /// Switches the terminal to raw mode.
    pub(in crate::cli) fn enter() -> io::Result<RawTerminal> {
        Ok(RawTerminal { _mode: RawMode::enter()? })
    }

    /// Waits for keys and returns their bytes.
    pub(in crate::cli) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = [0; 256];
        loop {
            match rustix::io::read(rustix::stdio::stdin(), &mut bytes) {
                // Resizing the window interrupts the read.
                Err(rustix::io::Errno::INTR) => {}
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => return Ok(bytes[..read?].to_vec()),
            }
        }
    }
}

/// Reads all of standard input as text.
pub(in crate::cli) fn standard_input() -> io::Result<String> {
    io::read_to_string(io::stdin().lock())
}

/// Reads all of standard input as bytes.
pub(in crate::cli) fn standard_bytes() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::stdin().lock(), &mut bytes)?;
    Ok(bytes)
}

/// Returns standard input for reading in pieces.
pub(in crate::cli) fn raw_input() -> impl io::BufRead + Send + 'static {
    io::BufReader::new(io::stdin())
}

/// Checks whether output to stdout is coloured.
pub(in crate::cli) fn is_colored() -> bool {
    match anstream::ColorChoice::global() {
        anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => true,
        anstream::ColorChoice::Never => false,
        anstream::ColorChoice::Auto => {
            anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
        }
    }
}

/// The stream to which the output of another machine is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum OutputTarget {
    Out,
    Err,
}

/// Writes sanitized output of another machine. Returns `false` if the reader is gone.
pub(in crate::cli) fn pass_on(bytes: &[u8], stream: OutputTarget) -> bool {
    let written = match stream {
        OutputTarget::Out => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
        OutputTarget::Err => io::stderr().write_all(bytes),
    };
    written.is_ok()
}

/// Discards input that was typed and not read yet.
pub(in crate::cli) fn forget_typed() {
    use rustix::termios::{QueueSelector, tcflush};
    let _ = tcflush(rustix::stdio::stdin(), QueueSelector::IFlush);
}

/// The modes of this terminal before it was handed over to another machine.
#[derive(Clone)]
pub(in crate::cli) struct SavedTerminal(Option<rustix::termios::Termios>);

impl SavedTerminal {
    /// Saves the current terminal modes.
    pub(in crate::cli) fn save() -> SavedTerminal {
        SavedTerminal(rustix::termios::tcgetattr(rustix::stdio::stdin()).ok())
    }

    /// Restores the terminal after a program was cut off: leaves its screen and resets its mouse, cursor and colour
    /// modes.
    pub(in crate::cli) fn leave_screen(&self) {
        self.restore();
        let _ =
            write!(io::stdout(), "{LEAVE_ALTERNATE_SCREEN}{MODES_OFF}\r").and_then(|()| io::stdout().flush());
    }

    /// Restores the terminal after a program that ended without doing so. Returns whether that was necessary.
    pub(in crate::cli) fn reclaim(&self) -> bool {
        let modes = |termios: &rustix::termios::Termios| {
            (termios.input_modes, termios.output_modes, termios.local_modes)
        };
        let now = rustix::termios::tcgetattr(rustix::stdio::stdin()).ok();
        let is_changed =
            self.0.as_ref().zip(now.as_ref()).is_some_and(|(before, now)| modes(before) != modes(now));
        if is_changed {
            self.leave_screen();
        }
        is_changed
    }

    /// Restores the terminal after a program that ended by itself, and prints its message.
    pub(in crate::cli) fn restore_and_say(&self, text: &str) {
        self.restore();
        // A program that ended properly has done this already; any other one may have left mouse reporting on. The
        // screen is switched without moving the cursor, whose position on the main screen is correct.
        let _ = write!(io::stdout(), "\x1b[?1047l{MODES_OFF}").and_then(|()| io::stdout().flush());
        // The user has just closed the connection and does not need this line.
        let is_relevant = |line: &&str| !(line.contains("onnection to ") && line.ends_with(" closed."));
        for line in text.lines().filter(is_relevant) {
            let _ = writeln!(anstream::stderr().lock(), "{}", clean(line));
        }
    }

    fn restore(&self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(before) = &self.0 {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
        }
    }
}
