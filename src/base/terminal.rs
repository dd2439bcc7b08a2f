//! The modes of a terminal: those that the system keeps (termios), and those that escape sequences set.

use std::fmt;
use std::io;
use std::num::ParseIntError;
use std::os::fd::AsFd;
use std::str::FromStr;

use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex as Code, tcgetattr, tcsetattr,
};

/// Leaves the alternate screen and puts the cursor back to where it was before.
pub const LEAVE_ALTERNATE_SCREEN: &str = "\x1b[?1049l";

/// Switches off what a full-screen program may have left on: mouse, focus events, bracketed paste, application keys, line
/// drawing characters, scroll region, hidden cursor, colours. It begins with a soft reset (`\x1b[!p`), which alone resets the
/// origin mode without moving the cursor.
pub const MODES_OFF: &str = "\x1b[!p\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?1l\x1b>\x1b[>4m\x1b(B\x1b7\x1b[r\x1b8\x1b[?25h\x1b[0m";

/// The control characters of a terminal, in the order in which [`LineModes`] writes them.
const CODES: [Code; 17] = [
    Code::VINTR,
    Code::VQUIT,
    Code::VERASE,
    Code::VKILL,
    Code::VEOF,
    Code::VTIME,
    Code::VMIN,
    Code::VSWTC,
    Code::VSTART,
    Code::VSTOP,
    Code::VSUSP,
    Code::VEOL,
    Code::VREPRINT,
    Code::VDISCARD,
    Code::VWERASE,
    Code::VLNEXT,
    Code::VEOL2,
];

/// How a terminal treats lines, echo and control characters. As text, it can be handed to another process.
///
/// Speed and other settings of the line itself are not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineModes {
    input: u32,
    output: u32,
    local: u32,
    codes: [u8; CODES.len()],
}

impl LineModes {
    /// Reads the modes of a terminal.
    pub fn of(terminal: impl AsFd) -> io::Result<LineModes> {
        let now = tcgetattr(terminal)?;
        Ok(LineModes {
            input: now.input_modes.bits(),
            output: now.output_modes.bits(),
            local: now.local_modes.bits(),
            codes: CODES.map(|code| now.special_codes[code]),
        })
    }

    /// Gives a terminal these modes.
    pub fn set(&self, terminal: impl AsFd) -> io::Result<()> {
        let mut new = tcgetattr(&terminal)?;
        new.input_modes = InputModes::from_bits_retain(self.input);
        new.output_modes = OutputModes::from_bits_retain(self.output);
        new.local_modes = LocalModes::from_bits_retain(self.local);
        for (code, value) in CODES.into_iter().zip(self.codes) {
            new.special_codes[code] = value;
        }
        Ok(tcsetattr(terminal, OptionalActions::Now, &new)?)
    }
}

impl fmt::Display for LineModes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}:{:x}:{:x}", self.input, self.output, self.local)?;
        self.codes.iter().try_for_each(|code| write!(f, ":{code:x}"))
    }
}

impl FromStr for LineModes {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<LineModes, ParseIntError> {
        let mut words = text.split(':');
        let mut next = || u32::from_str_radix(words.next().unwrap_or_default(), 16);
        let (input, output, local) = (next()?, next()?, next()?);
        let mut codes = [0; CODES.len()];
        for code in &mut codes {
            *code = u8::from_str_radix(words.next().unwrap_or_default(), 16)?;
        }
        Ok(LineModes { input, output, local, codes })
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{Mode, OFlags, open};

    use super::*;

    #[test]
    fn modes_survive_a_trip_as_text_and_undo_raw_mode() {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let master = open("/dev/ptmx", flags, Mode::empty()).unwrap();
        rustix::pty::unlockpt(&master).unwrap();
        let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
        let terminal = open(name, flags, Mode::empty()).unwrap();
        let before = LineModes::of(&terminal).unwrap();
        let mut raw = tcgetattr(&terminal).unwrap();
        raw.make_raw();
        raw.special_codes[Code::VINTR] = 7;
        tcsetattr(&terminal, OptionalActions::Now, &raw).unwrap();
        assert_ne!(LineModes::of(&terminal).unwrap(), before);
        before.to_string().parse::<LineModes>().unwrap().set(&terminal).unwrap();
        assert_eq!(LineModes::of(&terminal).unwrap(), before);
    }

    #[test]
    fn text_that_is_cut_is_refused() {
        assert!("1:2:3".parse::<LineModes>().is_err());
        assert!("".parse::<LineModes>().is_err());
    }
}
