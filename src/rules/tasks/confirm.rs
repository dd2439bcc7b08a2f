//! Decides from the screen or a hook whether a typed text has arrived.

/// Number of characters at the end of a text that must be on the screen.
const TAIL: usize = 40;

/// Returns whether the end of the text is on the screen, regardless of how the program wrapped or framed it.
pub fn shows(screen: &str, text: &str) -> bool {
    let seen = without_decoration(screen);
    let wanted = without_decoration(text);
    let tail: String = wanted.chars().skip(wanted.chars().count().saturating_sub(TAIL)).collect();
    !tail.is_empty() && seen.contains(&tail)
}

/// Returns whether a complete marker is on the screen: the ends of two markers may be the same.
pub fn shows_mark(screen: &str, mark: &str) -> bool {
    without_decoration(screen).contains(&without_decoration(mark))
}

/// Returns whether the prompt that an agent reports as accepted is exactly the one that was sent.
pub fn is_same(sent: &str, taken: &str) -> bool {
    sent.trim_end() == taken.replace("\r\n", "\n").replace('\r', "\n").trim_end()
}

/// Returns whether the prompts are the same except for tabs, which some programs replace by four spaces.
pub fn is_same_but_for_tabs(sent: &str, taken: &str) -> bool {
    is_same(&sent.replace('\t', "    "), &taken.replace('\t', "    "))
}

/// Removes white space and box-drawing characters, which the program may have added.
pub(in crate::rules) fn without_decoration(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(*c, '\u{2500}'..='\u{257f}')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_found_despite_wrapping_and_frames() {
        let screen = "│ > fix the lo  │\n│   gin bug now │\n";
        assert!(shows(screen, "please fix the login bug now\n") || shows(screen, "fix the login bug now"));
        assert!(!shows(screen, "something else"));
        assert!(!shows(screen, ""));
    }

    #[test]
    fn marker_is_recognised_only_if_complete() {
        let mark = |n: u32| format!("[symposium message {n} from {}]", "a".repeat(63));
        let screen = format!("│ {} │\n│ {} hello │", &mark(7)[..40], &mark(7)[40..]);
        assert!(shows_mark(&screen, &mark(7)) && !shows_mark(&screen, &mark(8)));
    }

    #[test]
    fn prompts_are_equal_only_if_identical() {
        assert!(is_same("a\nb", "a\r\nb\n"));
        assert!(!is_same("a b", "a  b"));
        assert!(!is_same("a", "draft a"));
        assert!(!is_same("a\tb", "a    b") && is_same_but_for_tabs("a\tb", "a    b"));
        assert!(!is_same_but_for_tabs("a\tb", "a b"));
    }
}
