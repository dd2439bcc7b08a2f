//! The lines of an emulated screen that output may have changed. vt100 does not report them, so they follow from the
//! cursor before and after each piece of text and each escape sequence.
//!
//! A line that is missing here would stay on the screen as it was, so everything uncertain counts as a change.

use std::ops::Range;

const ESCAPE: u8 = 0x1b;
/// Control characters that end an escape sequence.
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
/// Private modes that show the other one of the two screens.
const SCREEN_MODES: [u16; 2] = [47, 1049];

/// Lines that have changed, as positions since the beginning: a line keeps its position when it scrolls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScreenDamage {
    Lines(Range<usize>),
    All,
}

impl ScreenDamage {
    pub(super) const NONE: ScreenDamage = ScreenDamage::Lines(0..0);

    /// Returns whether a line has changed.
    pub(super) fn has(&self, line: usize) -> bool {
        match self {
            ScreenDamage::Lines(lines) => lines.contains(&line),
            ScreenDamage::All => true,
        }
    }

    fn add(&mut self, added: Range<usize>) {
        match self {
            ScreenDamage::Lines(lines) if lines.start == lines.end => *lines = added,
            ScreenDamage::Lines(lines) => *lines = lines.start.min(added.start)..lines.end.max(added.end),
            ScreenDamage::All => {}
        }
    }
}

/// Follows output and collects the lines that it changes.
#[derive(Default)]
pub(super) struct DamageTracker {
    parser: vte::Parser,
    /// The sequence that the parser is in.
    sequence: Sequence,
    is_in_sequence: bool,
    /// Whether only a part of the main screen scrolls, and of the alternate one. Each has margins of its own.
    has_margins: [bool; 2],
}

/// The place of the cursor, and how far the screen has scrolled.
#[derive(Debug, Clone, Copy)]
struct CursorLine {
    line: usize,
    scrolled: usize,
}

impl DamageTracker {
    /// Lets the emulator interpret bytes, and adds the lines that they change to `damage`. Positions of lines begin with
    /// `first_line`, the position of the first line of the screen. The scrollback of the emulator must be set to 1.
    pub(super) fn process(
        &mut self,
        emulator: &mut vt100::Parser,
        bytes: &[u8],
        (first_line, damage): (usize, &mut ScreenDamage),
    ) {
        let is_following = emulator.screen().scrollback() > 0;
        let start = scrolled(emulator.screen(), is_following);
        let mut rest = bytes;
        let mut before = cursor_line(emulator.screen(), is_following);
        while !rest.is_empty() {
            let (count, change) = self.next_part(rest);
            emulator.process(&rest[..count]);
            rest = &rest[count..];
            let screen = emulator.screen();
            if let Some(has_margins) = self.sequence.margins.take() {
                self.has_margins[usize::from(screen.alternate_screen())] = has_margins;
            }
            let after = cursor_line(screen, is_following);
            self.add(damage, change, (screen, (before, after), first_line.wrapping_sub(start)));
            before = after;
        }
        let screen = emulator.screen();
        let most = if is_following { screen.scrollback_len() } else { screen.scrollback_capacity() };
        // More lines may have left the screen than the emulator counts.
        if !screen.alternate_screen() && scrolled(screen, is_following) == most {
            *damage = ScreenDamage::All;
        }
    }

    /// Returns the length of the next text or escape sequence, and what it changes.
    fn next_part(&mut self, bytes: &[u8]) -> (usize, Change) {
        if !self.is_in_sequence {
            match bytes.iter().position(|byte| *byte == ESCAPE) {
                Some(0) => {}
                Some(text) => return (text, Change::Passed),
                None => return (bytes.len(), Change::Passed),
            }
            self.sequence = Sequence::default();
        }
        let count = self.parser.advance_until_terminated(&mut self.sequence, bytes);
        self.is_in_sequence = !self.sequence.is_complete;
        (count, self.sequence.change)
    }

    fn add(
        &self,
        damage: &mut ScreenDamage,
        change: Change,
        (screen, (before, after), origin): (&vt100::Screen, (CursorLine, CursorLine), usize),
    ) {
        let height = usize::from(screen.size().0.get());
        let position = |at: usize, scrolled: usize| origin.wrapping_add(scrolled + at);
        // The emulator reports only lines that leave the top of the main screen.
        let may_have_scrolled = screen.alternate_screen() && after.line + 1 == height;
        let has_margins = self.has_margins[usize::from(screen.alternate_screen())];
        match change {
            Change::Nothing => {}
            Change::Passed if has_margins || may_have_scrolled => *damage = ScreenDamage::All,
            Change::Passed => {
                let first = position(before.line, before.scrolled).min(position(after.line, after.scrolled));
                damage.add(first..position(after.line.max(before.line), after.scrolled) + 1);
            }
            Change::Below => {
                damage.add(position(before.line, before.scrolled)..position(height, after.scrolled));
            }
            Change::Everything => *damage = ScreenDamage::All,
        }
    }
}

fn cursor_line(screen: &vt100::Screen, is_following: bool) -> CursorLine {
    CursorLine { line: screen.cursor_position().0.into(), scrolled: scrolled(screen, is_following) }
}

/// Returns a number that grows with each line that leaves the top of the screen.
fn scrolled(screen: &vt100::Screen, is_following: bool) -> usize {
    if is_following { screen.scrollback() } else { screen.scrollback_len() }
}

/// What a text or an escape sequence changes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// No cell, only the cursor or a mode.
    Nothing,
    /// The lines through which the cursor has moved downwards.
    #[default]
    Passed,
    /// The line of the cursor and those below it.
    Below,
    Everything,
}

/// The current escape sequence.
#[derive(Debug, Default)]
struct Sequence {
    change: Change,
    is_complete: bool,
    /// Whether the sequence sets margins, or resets them.
    margins: Option<bool>,
}

impl Sequence {
    fn end(&mut self, change: Change) {
        self.is_complete = true;
        if self.change != Change::Everything {
            self.change = change;
        }
    }
}

impl vte::Perform for Sequence {
    fn print(&mut self, _: char) {
        // The parser has skipped a malformed sequence, and takes text together with the beginning of the next sequence.
        self.change = Change::Everything;
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            CANCEL | SUBSTITUTE => self.end(Change::Passed),
            // A control character within a sequence, which continues.
            _ => self.change = Change::Everything,
        }
    }

    fn csi_dispatch(&mut self, params: &vte::Params, intermediates: &[u8], _: bool, action: char) {
        let first = params.iter().next().and_then(|param| param.first().copied()).unwrap_or(0);
        let change = match (intermediates, action) {
            ([], 'A' | 'F' | 'H' | 'f' | 'd' | 'm') => Change::Nothing,
            ([], 'J') if first == 0 => Change::Below,
            ([], 'L' | 'M') => Change::Below,
            ([], 'J' | 'S' | 'T') | ([b'?', ..], 'J') => Change::Everything,
            ([], 'r') => {
                self.margins = Some(params.iter().flatten().any(|margin| *margin > 0));
                Change::Everything
            }
            ([b'?', ..], 'h' | 'l') if params.iter().flatten().any(|mode| SCREEN_MODES.contains(mode)) => {
                Change::Everything
            }
            ([b'?', ..], 'h' | 'l') => Change::Nothing,
            _ => Change::Passed,
        };
        self.end(change);
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _: bool, byte: u8) {
        self.end(match (intermediates, byte) {
            ([], b'M' | b'c') => Change::Everything,
            ([], b'8') => Change::Nothing,
            _ => Change::Passed,
        });
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], is_ended_by_bell: bool) {
        // Otherwise the first byte of another sequence has ended it.
        if is_ended_by_bell {
            self.end(Change::Nothing);
        }
    }

    fn terminated(&self) -> bool {
        self.is_complete
    }
}
