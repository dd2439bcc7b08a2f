//! Escape sequences that reset a terminal after a full-screen program.

pub(crate) mod emulator_input;
pub mod output;
pub(crate) mod raw_mode;

/// Leaves the alternate screen and restores the cursor position.
pub const LEAVE_ALTERNATE_SCREEN: &str = "\x1b[?1049l";

/// Switches off the modes that a full-screen program may have left on: mouse, focus events, bracketed paste,
/// application keys, line drawing characters, scroll region, hidden cursor, colours. It begins with a soft reset
/// (`\x1b[!p`), the only sequence that resets the origin mode without moving the cursor.
pub const MODES_OFF: &str = "\x1b[!p\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?1l\x1b>\x1b[>4m\x1b(B\x1b7\x1b[r\x1b8\x1b[?25h\x1b[0m";
