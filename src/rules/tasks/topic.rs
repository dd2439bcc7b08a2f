//! Topics: a file that is handed over with a task, and the status in its front matter.

/// Maximum size of a topic that is typed with a task; the agent can read a longer file itself.
pub const MAX_TOPIC_BYTES: usize = 64 * 1024;

/// Returns the file with its status changed from open to in-progress, or `None` if it has no such status.
pub fn started(text: &str) -> Option<String> {
    let mut lines = text.split_inclusive('\n');
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let head: usize = lines.take_while(|line| line.trim_end() != "---").map(str::len).sum();
    let begin = text.find('\n')? + 1;
    // Front matter without an end is not front matter.
    let behind = text.get(begin + head..)?;
    behind.starts_with("---").then_some(())?;
    let mut at = begin;
    for line in text[begin..begin + head].split_inclusive('\n') {
        if let Some(value) = line.strip_prefix("status:")
            && value.trim().trim_matches(['"', '\'']) == "open"
        {
            let word = at + line.find("open")?;
            return Some(format!("{}in-progress{}", &text[..word], &text[word + "open".len()..]));
        }
        at += line.len();
    }
    None
}

/// Removes control characters, which cannot be typed because a terminal would act on them.
pub fn typeable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// Returns a task followed by its topic.
pub fn with_topic(task: &str, topic: &str, content: Option<&str>) -> String {
    let task = task.trim_end();
    match content {
        Some(content) if content.len() <= MAX_TOPIC_BYTES => {
            format!("{task}\n\nTopic {topic}:\n{}", content.trim_end())
        }
        Some(_) => format!("{task}\n\nTopic {topic} (too long to be shown here: read the file)"),
        None => format!("{task}\n\nTopic {topic} (it could not be read)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_topics_become_in_progress() {
        for (text, expected) in [
            ("---\nstatus: open\n---\nbody", Some("---\nstatus: in-progress\n---\nbody")),
            ("---\ntitle: x\nstatus: \"open\"  # yes\n---\n", None),
            ("---\ntitle: x\nstatus: 'open'\n---\n", Some("---\ntitle: x\nstatus: 'in-progress'\n---\n")),
            ("---\r\nstatus: open\r\n---\r\n", Some("---\r\nstatus: in-progress\r\n---\r\n")),
            ("---\nstatus: done\n---\nstatus: open", None),
            ("---\nstatus: open\nno end", None),
            ("status: open\n", None),
            ("", None),
            ("---", None),
        ] {
            assert_eq!(started(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn typed_prompt_contains_no_control_keys() {
        assert_eq!(typeable("a\r\n\tb\u{1b}[31m\u{9b}c"), "a\n\tb[31mc");
    }

    #[test]
    fn a_missing_or_long_topic_is_referred_to_by_name() {
        assert_eq!(with_topic("do\n", "a.md", Some("x\n")), "do\n\nTopic a.md:\nx");
        assert!(with_topic("do", "a.md", Some(&"x".repeat(MAX_TOPIC_BYTES + 1))).contains("read the file"));
        assert!(with_topic("do", "a.md", None).contains("could not be read"));
    }
}
