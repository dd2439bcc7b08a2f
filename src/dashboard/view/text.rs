//! Text that fits into a number of columns, by display width.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text::fit::{Keep, clean, cut, display_width, is_printable_ascii};

/// Returns text that is safe to show, in at most `width` columns.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    cut(&clean(text), width, Keep::Beginning)
}

/// Returns fitted text, filled up with spaces.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let text = fitted(text, width);
    let missing = width.saturating_sub(display_width(&text));
    text + &" ".repeat(missing)
}

/// Returns text without its first columns. A wide character that is cut in half is replaced by a space.
pub(crate) fn without_columns(text: &str, columns: usize) -> String {
    let mut skipped = 0;
    for (at, character) in text.grapheme_indices(true) {
        if skipped >= columns {
            return " ".repeat(skipped - columns) + &text[at..];
        }
        skipped += character.width();
    }
    " ".repeat(skipped.saturating_sub(columns))
}

/// Writes text at the beginning of an area's line and returns the number of columns that it took.
pub(crate) fn put(buffer: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    // The terminal may have become smaller before the state knows it.
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
    }
    // Most texts are ASCII, and several thousand cells are written for each frame.
    if is_printable_ascii(text) {
        let width = usize::from(area.width);
        let (kept, mark) = if text.len() <= width { (text, "") } else { (&text[..width - 1], "…") };
        return put_simple(buffer, area, kept.chars().chain(mark.chars()), style);
    }
    let text = fitted(text, area.width.into());
    let (simple, rest) = text.split_at(one_column_prefix(&text));
    let x = area.x + put_simple(buffer, area, simple.chars(), style);
    let width = u16::try_from(rest.width()).unwrap_or(area.width);
    if !rest.is_empty() {
        cells_of(buffer, Rect { x, width, ..area }).iter_mut().for_each(Cell::reset);
        buffer.set_string(x, area.y, rest, style);
    }
    x - area.x + width
}

/// Writes characters that take one column each, and returns their number.
fn put_simple(buffer: &mut Buffer, area: Rect, text: impl Iterator<Item = char>, style: Style) -> u16 {
    let mut cells = cells_of(buffer, area).iter_mut();
    let mut columns = 0;
    for character in text {
        if let Some(cell) = cells.next() {
            // Nothing of what was there before shines through, such as the style of a line below a title.
            cell.reset();
            cell.set_char(character).set_style(style);
        }
        columns += 1;
    }
    columns
}

/// Returns the cells of the first line of an area, as far as they are in the buffer.
pub(crate) fn cells_of(buffer: &mut Buffer, area: Rect) -> &mut [Cell] {
    let line = Rect { height: 1, ..area }.intersection(buffer.area);
    if line.is_empty() {
        return &mut [];
    }
    let (x, y) = (usize::from(line.x - buffer.area.x), usize::from(line.y - buffer.area.y));
    let first = y * usize::from(buffer.area.width) + x;
    buffer.content.get_mut(first..first + usize::from(line.width)).unwrap_or_default()
}

/// Replaces the halves of wide characters beside an area whose other halves are in it by spaces. The terminal would show
/// the whole character, or leave what was there before.
pub(super) fn cut_wide_characters(buffer: &mut Buffer, area: Rect) {
    for y in area.top()..area.bottom() {
        let left = area.x.checked_sub(1).and_then(|x| buffer.cell_mut((x, y)));
        if let Some(left) = left.filter(|cell| cell.symbol().width() > 1) {
            left.set_symbol(" ");
        }
        let right = buffer.cell_mut((area.right(), y));
        if let Some(right) = right.filter(|cell| cell.symbol().is_empty()) {
            right.set_symbol(" ");
        }
    }
}

/// Returns the length of the beginning of a text whose characters take one column each: printable ASCII, and the mark of
/// a cut at its end. An ASCII character before another one does not belong to it, because the other one may combine
/// with it.
fn one_column_prefix(text: &str) -> usize {
    let ascii = text.bytes().take_while(|byte| matches!(byte, b' '..=b'~')).count();
    match &text[ascii..] {
        "" | "…" => text.len(),
        _ => ascii.saturating_sub(1),
    }
}

/// Returns the part of an area that begins after a number of columns.
pub(crate) fn after(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect { x: area.x + columns, width: area.width - columns, ..area }
}

/// Returns the first columns of an area.
pub(crate) fn first_columns(area: Rect, columns: usize) -> Rect {
    Rect { width: u16::try_from(columns).unwrap_or(u16::MAX).min(area.width), ..area }
}

/// Returns an area without its first lines.
pub(crate) fn without_lines(area: Rect, lines: usize) -> Rect {
    let lines = u16::try_from(lines).unwrap_or(u16::MAX).min(area.height);
    Rect { y: area.y + lines, height: area.height - lines, ..area }
}

/// Returns one line of an area, which is empty if the area has fewer lines.
pub(crate) fn line_of(area: Rect, line: u16) -> Rect {
    let height = u16::from(line < area.height);
    Rect { y: area.y + line.min(area.height), height, ..area }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;

    use super::*;

    #[test]
    fn scrolled_text_keeps_its_columns() {
        assert_eq!(without_columns("日本語", 0), "日本語");
        assert_eq!(without_columns("日本語", 2), "本語");
        assert_eq!(without_columns("日本語", 3), " 語", "half of a wide character is a space");
        assert_eq!(without_columns("👩‍🚀a", 2), "a", "an emoji of several characters is cut as a whole");
        assert_eq!(without_columns("e\u{301}x", 1), "x");
        assert_eq!(without_columns("ab", 5), "");
    }

    #[test]
    fn text_is_written_by_columns() {
        let area = Rect::new(1, 0, 6, 1);
        for (text, shown, width) in [
            ("", "", 0),
            ("ab", " ab", 2),
            ("abcdef", " abcdef", 6),
            ("abcdefgh", " abcde…", 6),
            ("ae\u{301}b", " ae\u{301}b", 3),
            // The second column of a wide character is a space in the buffer.
            ("a日本", " a日 本", 5),
            ("日a\u{1b}b", " 日 a b", 5),
        ] {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
            assert_eq!(put(&mut buffer, area, text, Style::new()), width, "{text}");
            let line: String = (0..8).filter_map(|x| Some(buffer.cell((x, 0))?.symbol())).collect();
            assert_eq!(line.trim_end(), shown, "{text}");
        }
    }

    #[test]
    fn text_replaces_the_style_of_what_was_there() {
        let area = Rect::new(0, 0, 6, 1);
        let mut buffer = Buffer::empty(area);
        put(&mut buffer, area, "──────", Style::new().add_modifier(Modifier::DIM));
        put(&mut buffer, area, "ab日", Style::new().add_modifier(Modifier::BOLD));
        let modifiers: Vec<Modifier> = buffer.content.iter().map(|cell| cell.modifier).collect();
        assert_eq!(modifiers[..3], [Modifier::BOLD; 3]);
        assert_eq!(modifiers[4..], [Modifier::DIM; 2]);
    }

    #[test]
    fn padded_text_has_the_width_of_its_column() {
        assert_eq!(padded("日本語", 5), "日本…");
        assert_eq!(padded("日", 5), "日   ");
    }
}
