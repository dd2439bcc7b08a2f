//! Renders lists in columns: each column is as wide as its content, the last one takes the remaining width, and the
//! list fits the terminal.

use unicode_width::UnicodeWidthStr;

use crate::text::fit::{Keep, clean, cut};

/// Space between two columns.
const GAP: usize = 2;
/// Minimum width of the last column.
const MIN_WIDTH: usize = 8;

/// Renders one line for each row below a head line, and sanitizes the cells.
pub(in crate::cli) fn columns<const N: usize>(head: [&str; N], rows: &[[String; N]], width: usize) -> String {
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|cell| clean(cell))).collect();
    let head = head.map(str::to_owned);
    let last = N.saturating_sub(1);
    // A column with long words leaves space for the others.
    let most = (width / N.max(1)).max(MIN_WIDTH);
    let mut widths = [0; N];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width()).min(most);
        }
    }
    let taken: usize = widths.iter().take(last).map(|width| width + GAP).sum();
    if let Some(rest) = widths.last_mut() {
        *rest = width.saturating_sub(taken).max(MIN_WIDTH);
    }
    let bold = anstyle::Style::new().bold();
    let mut text = line(&head, &widths, bold);
    for row in &rows {
        text.push_str(&line(row, &widths, anstyle::Style::new()));
    }
    text
}

fn line<const N: usize>(cells: &[String; N], widths: &[usize; N], style: anstyle::Style) -> String {
    let mut line = String::new();
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let cell = cut(cell, *width, Keep::Beginning);
        let pad = if at + 1 == N { 0 } else { width.saturating_sub(cell.width()) + GAP };
        line.push_str(&format!("{cell}{:pad$}", ""));
    }
    format!("{style}{}{style:#}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_any_content() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let rows =
            [row(["1", "fix", "look at this"]), row(["12345", &"x".repeat(60), "\u{1b}[2J日本語 and more"])];
        let text = columns(["ID", "FROM", "TEXT"], &rows, 40);
        let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches("\u{1b}[1m")).collect();
        assert_eq!(lines[1], "1      fix            look at this");
        assert_eq!(lines[2], "12345  xxxxxxxxxxxx…   [2J日本語 and mo…");
        for line in &lines[1..] {
            assert!(line.width() <= 40 && !line.contains('\u{1b}'), "{line:?}");
        }
    }
}
