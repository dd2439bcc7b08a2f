//! Tests for the conversion of terminal output to plain text.

use proptest::prelude::*;

use super::lines::{MAX_HELD_BYTES, MAX_LINE_BYTES};
use super::*;

fn shown(bytes: &[u8], rows: u16, cols: u16) -> String {
    let mut out = Vec::new();
    plain(bytes, &mut out, TerminalSize { rows, cols }).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn text_is_what_the_terminal_showed_at_last() {
    for (what, bytes, expected) in [
        ("plain lines", "one\r\ntwo\r\n", "one\ntwo\n"),
        ("colours", "\x1b[1;31mred\x1b[0m rest\r\n", "red rest\n"),
        ("a spinner", "\r⠋ work\r⠙ work\r\x1b[Kdone\r\n", "done\n"),
        ("a redrawn block", "a\r\nb\r\nc\r\n\x1b[3A\x1b[JA\r\nB\r\n", "A\nB\n"),
        ("backspaces", "abx\x08c\r\n", "abc\n"),
        ("a title", "\x1b]0;name\x07text\r\n", "text\n"),
        ("a wrapped line", "0123456789abcdef\r\nnext\r\n", "0123456789abcdef\nnext\n"),
        ("a line as wide as the screen", "0123456789\r\nnext\r\n", "0123456789\nnext\n"),
        ("blanks at the end", "x   \r\n\r\n\r\n\r\n\r\n\r\n\r\n", "x\n"),
        ("blank lines between", "x\r\n\r\n\r\n\r\n\r\n\r\ny", "x\n\n\n\n\n\ny\n"),
        ("wide characters", "漢字漢字漢字x\r\n", "漢字漢字漢字x\n"),
        ("nothing", "", ""),
        ("nothing but sequences", "\x1b[2J\x1b[H\x1b[?25l", ""),
    ] {
        assert_eq!(shown(bytes.as_bytes(), 4, 10), expected, "{what}");
    }
}

#[test]
fn lines_that_scrolled_off_appear_once() {
    let text: String = (0..1000).map(|n| format!("line {n} {}\r\n", "x".repeat(n % 40))).collect();
    assert_eq!(shown(text.as_bytes(), 5, 20), text.replace("\r\n", "\n").replace(" \n", "\n"));
}

#[test]
fn the_alternate_screen_appears_once_as_it_was_when_left() {
    for (on, off) in [("1049", "1049"), ("1047", "1047"), ("47", "47"), ("2004;1049", "1049;2004")] {
        let text = format!("before\r\n\x1b[?{on}h\x1b[Hdraft\x1b[Hfinal\x1b[?{off}lafter\r\n");
        assert_eq!(shown(text.as_bytes(), 4, 10), "before\nfinal\nafter\n", "{on}");
    }
    assert_eq!(shown(b"main\r\n\x1b[?1049h\x1b[Hstill open", 4, 20), "main\nstill open\n");
}

#[test]
fn the_alternate_screen_does_not_break_the_line_before_it() {
    let text = "1\r\n2\r\n3\r\n4\r\n5\r\n\x1b[?1049h\x1b[Hfull\x1b[?1049l6\r\n7\r\n8\r\n";
    assert_eq!(shown(text.as_bytes(), 3, 10), "1\n2\n3\n4\n5\nfull\n6\n7\n8\n");
}

#[test]
fn alternate_screen_appears_between_earlier_and_later_output() {
    let alt = |text: &str| format!("\x1b[?1049h\x1b[2J\x1b[H{text}\x1b[?1049l");
    for (what, bytes, expected) in [
        ("as agents do", format!("plain\r\n{}back\r\n", alt("ALT SCREEN\n")), "plain\nALT SCREEN\nback\n"),
        ("first of all", format!("{}back\r\n", alt("ALT")), "ALT\nback\n"),
        ("last of all", format!("plain\r\n{}", alt("ALT")), "plain\nALT\n"),
        ("behind a prompt", format!("$ vi\r\nok$ {}\r\nback\r\n", alt("ALT")), "$ vi\nok$\nALT\nback\n"),
        ("at the beginning of a line", format!("plain\r{}\r\nback", alt("ALT")), "plain\nALT\nback\n"),
        ("in a wrapped line", format!("0123456789ab{}cd\r\nback", alt("ALT")), "0123456789abcd\nALT\nback\n"),
        ("several", format!("a\r\n{}b\r\n{}{}c", alt("1"), alt("2"), alt("3")), "a\n1\nb\n2\n3\nc\n"),
        ("one that shows nothing", format!("a\r\n{}b", alt("")), "a\nb\n"),
        ("before a redraw", format!("a\r\nb\r\n{}\x1b[1AB\r\nc", alt("ALT")), "a\nB\nALT\nc\n"),
        ("before half a clear", format!("a\r\nb\r\n{}\x1b[1A\x1b[Jc", alt("ALT")), "a\nALT\nc\n"),
    ] {
        assert_eq!(shown(bytes.as_bytes(), 6, 10), expected, "{what}");
        // The same case with enough lines before and after it that everything scrolls off the screen.
        let lines = "x\n".repeat(9);
        let long = format!("{lines}{bytes}\n{lines}").replace('\n', "\r\n");
        let text = shown(long.as_bytes(), 6, 10).replace("\n\n", "\n");
        assert_eq!(text, format!("{lines}{expected}{lines}"), "{what}, within much");
    }
    let cleared = format!("a\r\nb\r\n{}\x1b[H\x1b[2Jc\r\nd", alt("ALT"));
    assert_eq!(shown(cleared.as_bytes(), 6, 10), "ALT\nc\nd\n");
}

#[test]
fn many_alternate_screens_use_bounded_memory() {
    let mut terminal = LineEmulator::new(TerminalSize { rows: 24, cols: 80 });
    terminal.take(b"plain\r\n");
    let screen = format!("\x1b[?1049h\x1b[H{}\x1b[?1049l", "full ".repeat(300));
    let mut seen = 0;
    for _ in 0..2000 {
        terminal.take(screen.as_bytes());
        assert!(terminal.lines().waits() <= MAX_HELD_BYTES);
        seen += terminal.lines().done().matches("full").count();
    }
    terminal.finish();
    assert_eq!(seen + terminal.lines().done().matches("full").count(), 2000 * 300);
}

#[test]
fn a_reset_keeps_what_was_on_the_screen() {
    assert_eq!(shown(b"before\r\n\x1bcafter\r\n", 4, 10), "before\nafter\n");
    assert_eq!(shown(b"m\r\n\x1b[?1049h\x1b[Halt\x1bcafter\r\n", 4, 10), "m\nalt\nafter\n");
}

#[test]
fn a_changed_size_neither_loses_nor_invents_lines() {
    let lines: String = (0..12).map(|n| format!("{n}\r\n")).collect();
    let expected: String = (0..12).map(|n| format!("{n}\n")).collect();
    for resize in ["\x1b[8;3;10t", "\x1b[8;40;10t", "\x1b[8;2;10t\x1b[8;50;10t"] {
        assert_eq!(
            shown(format!("{lines}{resize}end").as_bytes(), 6, 10),
            format!("{expected}end\n"),
            "{resize:?}"
        );
    }
    assert_eq!(shown(b"\x1b[8;4;40t0123456789abcdef\x1b[8;0;0t", 4, 10), "0123456789abcdef\n");
}

#[test]
fn a_character_in_two_pieces_does_not_swallow_the_next() {
    let bytes = "éaéé".as_bytes();
    for at in 0..bytes.len() {
        assert_eq!(in_two(bytes, at), "éaéé\n", "cut at {at}");
    }
}

#[test]
fn endless_line_uses_bounded_memory() {
    let mut terminal = LineEmulator::new(TerminalSize { rows: 4, cols: 80 });
    let mut seen = 0;
    for _ in 0..1024 {
        terminal.take(&[b'x'; STEP]);
        seen += terminal.lines().done().len();
        assert!(terminal.lines().open.len() <= MAX_LINE_BYTES + STEP);
    }
    assert!(seen >= 2 << 20);
}

/// Generates typical program output: text, colours, cursor movement, erasing, scrolling, screen switches, sizes.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        4 => "[a-z é漢🙂]{0,12}".prop_map(String::into_bytes),
        2 => Just(b"\r\n".to_vec()),
        2 => (0u16..30, 0u16..30, prop::sample::select(b"ABCDEFGHJKLMPSTXdfmrb@".to_vec()))
            .prop_map(|(a, b, last)| format!("\x1b[{a};{b}{}", char::from(last)).into_bytes()),
        1 => prop::sample::select(vec!["1049h", "1049l", "1047h", "1047l", "47h", "47l", "2004h", "6h", "6l"])
            .prop_map(|mode| format!("\x1b[?{mode}").into_bytes()),
        1 => (0u16..12, 0u16..30).prop_map(|(rows, cols)| format!("\x1b[8;{rows};{cols}t").into_bytes()),
        1 => prop::sample::select(vec!["\x1bc", "\x1bM", "\x1b7", "\x1b8", "\t", "\x08", "\u{301}", "\x1b]0;t\x07"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

/// Converts the output with the input split into two reads at `at`.
fn in_two(bytes: &[u8], at: usize) -> String {
    let mut out = Vec::new();
    let (head, tail) = bytes.split_at(at);
    plain(head.chain(tail), &mut out, TerminalSize { rows: 5, cols: 12 }).unwrap();
    String::from_utf8(out).unwrap()
}

proptest! {
    #[test]
    fn cutting_the_output_anywhere_changes_nothing(bytes in output(), at in any::<prop::sample::Index>()) {
        prop_assert_eq!(in_two(&bytes, at.index(bytes.len() + 1)), shown(&bytes, 5, 12));
    }

    #[test]
    fn any_output_gives_clean_text(bytes in output(), rows in 0u16..8, cols in 0u16..20) {
        let text = shown(&bytes, rows, cols);
        prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{:?}", text);
        prop_assert!(!text.ends_with("\n\n") && text != "\n");
    }

    #[test]
    fn lines_of_any_length_are_kept_unchanged(
        lines in proptest::collection::vec("([!-~]([ -~]{0,60}[!-~])?)?", 0..30),
        rows in 2u16..8,
        cols in 2u16..20,
    ) {
        let text: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        let mut expected: String = lines.iter().map(|line| format!("{line}\n")).collect();
        while expected.ends_with("\n\n") || expected == "\n" {
            expected.pop();
        }
        prop_assert_eq!(shown(text.as_bytes(), rows, cols), expected);
    }
}
