//! A real terminal for attach tests: one pane of a private tmux server that is separate from symposium's.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::test_env::TestEnv;
use super::wait;

/// The surroundings of the program in the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// A plain terminal.
    Nothing,
    /// A pane of the user's own tmux.
    OwnTmux,
}

/// One open terminal window, by default 100 columns wide and 30 lines high. Dropping it closes the window.
pub struct Terminal<'a> {
    env: &'a TestEnv,
    socket: PathBuf,
}

impl<'a> Terminal<'a> {
    pub(super) fn open<S: AsRef<OsStr>>(
        env: &'a TestEnv,
        argv: impl IntoIterator<Item = S>,
        around: Around,
    ) -> Terminal<'a> {
        Terminal::open_sized(env, argv, around, (100, 30))
    }

    pub(super) fn open_sized<S: AsRef<OsStr>>(
        env: &'a TestEnv,
        argv: impl IntoIterator<Item = S>,
        around: Around,
        (columns, lines): (u16, u16),
    ) -> Terminal<'a> {
        let terminal = Terminal { env, socket: env.next_terminal_socket() };
        // The screen belongs to the program alone, and stays readable after its end.
        let conf = env.root().join("terminal.conf");
        let settings = "set -g status off\nset -g remain-on-exit on\nset -g default-terminal tmux-256color\n\
                        set -s escape-time 0\nset -g remain-on-exit-format ''\n";
        std::fs::write(&conf, settings).expect("writing terminal.conf");
        let mut args: Vec<OsString> = vec!["-f".into(), conf.into()];
        args.extend(["new-session", "-d", "-s", "terminal"].map(OsString::from));
        args.extend(["-x", &columns.to_string(), "-y", &lines.to_string(), "env"].map(OsString::from));
        if around == Around::Nothing {
            args.extend(["-u", "TMUX", "-u", "TMUX_PANE"].map(OsString::from));
        }
        // tmux 3.3a sometimes loses the last output of a program that exits at once, so the shell stays for a moment.
        let linger = "\"$@\"; code=$?; sleep 0.1; exit $code";
        args.extend(["sh", "-c", linger, "terminal"].map(OsString::from));
        args.extend(argv.into_iter().map(|word| word.as_ref().to_owned()));
        env.tmux_on(&terminal.socket, args).ok();
        terminal
    }

    /// Returns whether the program uses the mouse, and whether it draws on the alternate screen.
    #[track_caller]
    pub fn modes(&self) -> String {
        let output =
            self.tmux(&["display-message", "-p", "-t", "=terminal:", "#{mouse_any_flag} #{alternate_on}"]);
        output.trim_end().to_owned()
    }

    /// Returns the title of the window.
    #[track_caller]
    pub fn title(&self) -> String {
        self.tmux(&["display-message", "-p", "-t", "=terminal:", "#{pane_title}"]).trim_end().to_owned()
    }

    /// Sets the title of the window, as a program in it would.
    #[track_caller]
    pub fn set_title(&self, title: &str) {
        self.tmux(&["select-pane", "-t", "=terminal:", "-T", title]);
    }

    /// Returns whether arrow keys and number pad are in application mode.
    #[track_caller]
    pub fn key_modes(&self) -> String {
        let flags = "#{keypad_cursor_flag} #{keypad_flag}";
        self.tmux(&["display-message", "-p", "-t", "=terminal:", flags]).trim_end().to_owned()
    }

    /// Returns the name of the terminal, as the program in it knows it.
    #[track_caller]
    pub fn tty(&self) -> String {
        self.tmux(&["display-message", "-p", "-t", "=terminal:", "#{pane_tty}"]).trim_end().to_owned()
    }

    /// Presses keys, by tmux's names for them: `Enter`, `C-b`, `d`.
    #[track_caller]
    pub fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys", "-t", "=terminal:"], keys].concat());
    }

    /// Types text verbatim, without Enter.
    #[track_caller]
    pub fn type_text(&self, text: &str) {
        // As bytes in hex: `send-keys -l` loses a trailing `;`.
        let bytes: Vec<String> = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        for some in bytes.chunks(512) {
            let mut args = vec!["send-keys", "-t", "=terminal:", "-H"];
            args.extend(some.iter().map(String::as_str));
            self.tmux(&args);
        }
    }

    /// Returns the current screen without trailing blanks.
    #[track_caller]
    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "=terminal:"]).trim_end().to_owned()
    }

    /// Returns the current screen with escape sequences for its colours.
    #[track_caller]
    pub fn coloured_screen(&self) -> String {
        self.tmux(&["capture-pane", "-e", "-p", "-t", "=terminal:"])
    }

    /// Sets the background colour that the terminal reports to the program.
    #[track_caller]
    pub fn set_background(&self, colour: &str) {
        self.tmux(&["set-option", "-p", "-t", "=terminal:", "window-style", &format!("bg={colour}")]);
    }

    /// Waits until the screen shows this text.
    #[track_caller]
    pub fn wait_for_text(&self, text: &str) {
        let what = format!("the terminal shows {text:?}");
        wait::until(&what, || self.screen().contains(text), || format!("its screen:\n{}", self.screen()));
    }

    /// Waits until the program has exited, and returns its exit code.
    #[track_caller]
    pub fn wait_for_exit(&self) -> i32 {
        let mut code = None;
        wait::until(
            "the program in the terminal ends",
            || {
                let output = self.tmux(&[
                    "display-message",
                    "-p",
                    "-t",
                    "=terminal:",
                    "#{pane_dead}#{pane_dead_status}",
                ]);
                code = output.trim().strip_prefix('1').and_then(|status| status.parse().ok());
                if output.trim() == "1" {
                    // tmux 3.3a sometimes misses the exit of a child; the next child makes it check.
                    self.tmux(&["run-shell", "true"]);
                }
                code.is_some()
            },
            || format!("its screen:\n{}", self.screen()),
        );
        code.expect("waited for it")
    }

    /// Writes everything that the program prints from now on to a file, as it is printed.
    #[track_caller]
    pub fn record(&self, file: &Path) {
        let command = shlex::try_join(["tee", file.to_str().expect("a plain path")]);
        let command = command.expect("a path without NUL") + " > /dev/null";
        self.tmux(&["pipe-pane", "-O", "-t", "=terminal:", &command]);
    }

    /// Resizes the window.
    #[track_caller]
    pub fn resize(&self, columns: u16, lines: u16) {
        self.tmux(&[
            "resize-window",
            "-t",
            "=terminal:",
            "-x",
            &columns.to_string(),
            "-y",
            &lines.to_string(),
        ]);
    }

    /// Closes the window while the program runs, as a dropped connection does.
    pub fn close(self) {}

    #[track_caller]
    fn tmux(&self, args: &[&str]) -> String {
        self.env.tmux_on(&self.socket, args).ok().stdout
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let end = || self.env.tmux_on(&self.socket, ["kill-server"]).outcome();
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(end));
    }
}
