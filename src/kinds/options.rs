//! Reads the options of the dialog at the bottom of an agent's screen. A marker (`❯`, `›`, `●`, `>`) precedes the
//! selected one. Options are numbered in most dialogs; some first-run dialogs have no numbers. The options of
//! OpenCode are buttons in one row, which the kind describes.

use regex_lite::Regex;

use super::recognize_screen::{bottom_lines, buttons};
use crate::model::{DialogOption, Kind, OptionPlacement};

/// The characters that mark the selected option in the dialogs of the built-in kinds.
const MARKERS: [char; 4] = ['❯', '›', '●', '>'];
/// Maximum number of options in a dialog without numbers, which ends at its key hints.
const MAX_PLAIN_OPTIONS: usize = 6;

/// Returns the options of the dialog on a screen in the format of `capture-pane -e`. Empty if no option is marked.
pub fn read_options(kind: &Kind, styled_screen: &str) -> Vec<DialogOption> {
    let button = |(label, is_selected)| DialogOption {
        number: None,
        label,
        is_selected,
        placement: OptionPlacement::Row,
    };
    let row: Vec<DialogOption> = buttons(kind, styled_screen).into_iter().map(button).collect();
    if row.is_empty() { options(&bottom_lines(styled_screen)) } else { row }
}

/// Returns the position of the first option whose label matches a pattern.
pub fn option_matching(options: &[DialogOption], pattern: &str) -> Option<usize> {
    let pattern = Regex::new(pattern).ok()?;
    options.iter().position(|option| pattern.is_match(&option.label))
}

fn options(lines: &[String]) -> Vec<DialogOption> {
    let Some(at) = lines.iter().rposition(|line| marked(line).is_some()) else { return Vec::new() };
    match marked(&lines[at]).and_then(numbered) {
        Some((number, _)) => {
            let is_first =
                |line: &String| numbered(marked(line).unwrap_or(line)).is_some_and(|(n, _)| n == 1);
            let first = if number == 1 { Some(at) } else { lines[..at].iter().rposition(is_first) };
            first.map_or_else(Vec::new, |first| numbered_options(&lines[first..]))
        }
        None => plain_options(&lines[at..]),
    }
}

/// Returns the options that are numbered from 1. Lines between them describe the option above.
fn numbered_options(lines: &[String]) -> Vec<DialogOption> {
    let mut found: Vec<DialogOption> = Vec::new();
    for line in lines {
        let text = marked(line);
        if let Some((number, label)) = numbered(text.unwrap_or(line))
            && number == found.len() as u32 + 1
        {
            found.push(DialogOption {
                number: Some(number),
                label: label.to_owned(),
                is_selected: text.is_some(),
                placement: OptionPlacement::Line,
            });
        }
    }
    found
}

/// Returns the options without numbers: the marked line and those below it, down to the key hints.
fn plain_options(lines: &[String]) -> Vec<DialogOption> {
    let is_hint = |line: &&String| {
        let line = line.to_lowercase();
        line.contains("enter to") || line.contains("esc to") || line.contains("enter continue")
    };
    let Some(end) = lines.iter().position(|line| is_hint(&line)).filter(|end| *end <= MAX_PLAIN_OPTIONS)
    else {
        return Vec::new();
    };
    let option = |line: &String| DialogOption {
        number: None,
        label: marked(line).unwrap_or(line).to_owned(),
        is_selected: marked(line).is_some(),
        placement: OptionPlacement::Line,
    };
    lines[..end].iter().map(option).collect()
}

/// Returns the text after the marker of a selected option.
fn marked(line: &str) -> Option<&str> {
    let text = line.trim().strip_prefix(MARKERS)?.strip_prefix(' ')?.trim();
    (!text.is_empty()).then_some(text)
}

/// Returns the number and label of a numbered option.
fn numbered(text: &str) -> Option<(u32, &str)> {
    let (number, label) = text.trim().split_once(". ")?;
    Some((number.parse().ok()?, label.trim())).filter(|(_, label)| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kinds;

    fn golden(name: &str) -> Vec<String> {
        let path = format!("{}/tests/golden/screens/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let screen = std::fs::read_to_string(path).unwrap();
        let kind = Kinds::builtin().get(name.split('-').next().unwrap()).unwrap();
        read_options(kind, &screen).iter().map(DialogOption::line).collect()
    }

    #[test]
    fn the_options_of_every_dialog_are_read() {
        for (name, expected) in [
            ("claude-question", &["1. Red", "2. Blue", "3. Type something.", "4. Chat about this"][..]),
            ("claude-setup", &["No, exit", "Yes, I trust this folder"]),
            ("codex-setup-trust", &["1. Trust and continue", "2. Quit"]),
            ("gemini-setup", &["1. Sign in with Google", "2. Use Gemini API Key", "3. Vertex AI"]),
            ("demo-approval", &["1. Yes", "2. No"]),
            ("opencode-approval", &["Allow once", "Allow always", "Reject"]),
            ("opencode-question-always", &["Confirm", "Cancel"]),
            (
                "copilot-setup",
                &["1. Yes", "2. Yes, and remember this folder for future sessions", "3. No (Esc)"],
            ),
        ] {
            assert_eq!(golden(name), expected, "{name}");
        }
        assert_eq!(golden("codex-setup").len(), 4);
        assert_eq!(golden("claude-approval")[3], "4. No");
    }

    #[test]
    fn selected_button_is_recognised_by_its_background() {
        let kind = Kinds::builtin().get("opencode").unwrap();
        let row = |once: u8, always: u8, reject: u8| {
            let button = |color: u8, label: &str| format!("\u{1b}[48;5;{color}m {label} \u{1b}[48;5;0m ");
            let buttons =
                [button(once, "Allow once"), button(always, "Allow always"), button(reject, "Reject")];
            format!("  ┃\u{1b}[48;5;0m  {}   ⇆ select  enter confirm", buttons.concat())
        };
        let selected = |screen: &str| {
            let options = read_options(kind, screen);
            options.iter().position(|option| option.is_selected)
        };
        assert_eq!(selected(&row(215, 0, 0)), Some(0));
        assert_eq!(selected(&row(0, 215, 0)), Some(1));
        assert_eq!(selected(&row(0, 0, 215)), Some(2));
        assert_eq!(selected(&row(0, 0, 0)), None, "text that only reads like the buttons is no dialog");
    }

    #[test]
    fn selected_option_is_recognised_by_its_marker() {
        let lines: Vec<String> =
            ["Which?", "1. Red", "❯ 2. Blue", "3. Green", "Enter to select"].map(str::to_owned).to_vec();
        let selected: Vec<bool> = options(&lines).iter().map(|option| option.is_selected).collect();
        assert_eq!(selected, [false, true, false]);
        assert_eq!(options(&["❯ a prompt that was typed".to_owned()]), []);
    }
}
