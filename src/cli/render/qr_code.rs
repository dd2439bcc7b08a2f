//! QR codes in a terminal, two modules in one character.

use qrcode::{Color, EcLevel, QrCode};

/// Light modules around the code, which scanners need.
const MARGIN: usize = 2;

/// Returns a QR code of a text for a dark or light terminal, or nothing if the text is too long.
pub(in crate::cli) fn drawn(text: &str) -> String {
    let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::L) else { return String::new() };
    let width = code.width();
    let modules = code.to_colors();
    let is_light = |column: usize, row: usize| {
        let inside = column.checked_sub(MARGIN).zip(row.checked_sub(MARGIN));
        let module = inside.filter(|(column, row)| *column < width && *row < width);
        module.is_none_or(|(column, row)| modules[row * width + column] == Color::Light)
    };
    let mut drawn = String::new();
    for row in (0..width + 2 * MARGIN).step_by(2) {
        for column in 0..width + 2 * MARGIN {
            // Light modules are drawn, because most terminals are dark; scanners also read an inverted code.
            drawn.push(match (is_light(column, row), is_light(column, row + 1)) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            });
        }
        drawn.push('\n');
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_square_with_a_margin() {
        let drawn = drawn("http://127.0.0.1:7717/#pair=0123456789abcdefghjk");
        let lines: Vec<&str> = drawn.lines().collect();
        let width = lines[0].chars().count();
        assert!(lines.iter().all(|line| line.chars().count() == width));
        assert_eq!(lines.len(), width.div_ceil(2));
        assert!(lines[0].chars().all(|c| c == '█'), "the margin is light");
    }

    #[test]
    fn a_text_that_does_not_fit_has_no_code() {
        assert_eq!(drawn(&"x".repeat(5000)), "");
    }
}
