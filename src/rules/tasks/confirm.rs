//! Whether a text that was typed has arrived, judged from what can be seen.

/// How much of the end of a text must stand on the screen.
const TAIL: usize = 40;

/// Whether the end of the text stands on the screen, wherever the program wrapped or framed it.
pub fn shows(screen: &str, text: &str) -> bool {
    let seen = squeezed(screen);
    let wanted = squeezed(text);
    let tail: String = wanted.chars().skip(wanted.chars().count().saturating_sub(TAIL)).collect();
    !tail.is_empty() && seen.contains(&tail)
}

/// Whether all of a mark stands there: the ends of two marks may be the same.
pub fn shows_mark(screen: &str, mark: &str) -> bool {
    squeezed(screen).contains(&squeezed(mark))
}

/// Whether the prompt that an agent says it took is the one that was sent, to the letter.
pub fn is_same(sent: &str, taken: &str) -> bool {
    sent.trim_end() == taken.replace("\r\n", "\n").replace('\r', "\n").trim_end()
}

/// Whether it is the one that was sent but for tabs, which some programs take for four spaces.
pub fn is_same_but_for_tabs(sent: &str, taken: &str) -> bool {
    is_same(&sent.replace('\t', "    "), &taken.replace('\t', "    "))
}

/// Without white space and frames, which are the program's own.
pub(in crate::rules) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(*c, '\u{2500}'..='\u{257f}')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_seen_through_wrapping_and_frames() {
        let screen = "│ > fix the lo  │\n│   gin bug now │\n";
        assert!(shows(screen, "please fix the login bug now\n") || shows(screen, "fix the login bug now"));
        assert!(!shows(screen, "something else"));
        assert!(!shows(screen, ""));
    }

    #[test]
    fn a_mark_is_seen_only_whole() {
        let mark = |n: u32| format!("[symposium message {n} from {}]", "a".repeat(63));
        let screen = format!("│ {} │\n│ {} hello │", &mark(7)[..40], &mark(7)[40..]);
        assert!(shows_mark(&screen, &mark(7)) && !shows_mark(&screen, &mark(8)));
    }

    #[test]
    fn a_prompt_is_the_same_only_to_the_letter() {
        assert!(is_same("a\nb", "a\r\nb\n"));
        assert!(!is_same("a b", "a  b"));
        assert!(!is_same("a", "draft a"));
        assert!(!is_same("a\tb", "a    b") && is_same_but_for_tabs("a\tb", "a    b"));
        assert!(!is_same_but_for_tabs("a\tb", "a b"));
    }
}
