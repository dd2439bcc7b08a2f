//! Parses a prompt into the action of the demo agent. Pure.

use std::time::Duration;

/// Time that the agent spends on a plain prompt.
const DEFAULT_ANSWER_DELAY: Duration = Duration::from_millis(800);

/// The answer to `/help`.
pub(super) const HELP: &str = "\
I am a stand-in for an agent CLI. I repeat what you say, and:
  remember X     keeps X in this conversation; `recall` tells it
  /work 3s       works that long
  /ask COMMAND   asks for your approval
  /question TEXT asks you something
  /flood 10MB    prints that much
  /fail CODE [TEXT]  ends the turn with this error, such as rate_limit
  /crash [CODE]  exits with that code
  /abort         dies by a signal
  /hang          stops answering
  /spawn-child   leaves a stray process behind
  /exit          leaves";

/// The action that a prompt requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PromptAction {
    /// Think for a while, then answer.
    Answer {
        /// The time before the answer.
        after: Duration,
        /// The content of the answer.
        reply: Reply,
    },
    /// Ask for approval of this command.
    Ask(String),
    /// Ask the user this question.
    Question(String),
    /// Print this number of bytes.
    Flood(u64),
    /// End the turn with this error code and message.
    Fail(String, String),
    /// Exit with this code.
    Crash(i32),
    /// Terminate with SIGABRT.
    Abort,
    /// Stop reacting to input.
    Hang,
    /// Start a process in a session of its own.
    SpawnChild,
    /// Exit with code 0.
    Exit,
}

/// The content of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// Repeat the prompt.
    Echo,
    /// Confirm that this text is remembered.
    Remembered(String),
    /// List the remembered texts.
    Recall,
    /// Answer with this text.
    Text(String),
}

/// Returns the action that a prompt requests.
pub(super) fn parse(prompt: &str) -> PromptAction {
    let prompt = without_task_marker(prompt);
    let (word, rest) = prompt.split_once(char::is_whitespace).unwrap_or((prompt, ""));
    let rest = rest.trim();
    let say = |text: String| PromptAction::Answer { after: Duration::ZERO, reply: Reply::Text(text) };
    let usage = |how: &str| say(format!("I did not understand that. Usage: {how}"));
    match word {
        "/work" => match duration(rest) {
            Some(after) => PromptAction::Answer { after, reply: Reply::Text(format!("Worked for {rest}.")) },
            None => usage("/work 3s"),
        },
        "/ask" if rest.is_empty() => usage("/ask rm -rf build"),
        "/ask" => PromptAction::Ask(rest.to_owned()),
        "/question" if rest.is_empty() => usage("/question which colour?"),
        "/question" => PromptAction::Question(rest.to_owned()),
        "/flood" => size(rest).map_or_else(|| usage("/flood 10MB"), PromptAction::Flood),
        "/fail" if rest.is_empty() => usage("/fail rate_limit You've hit your limit"),
        "/fail" => {
            let (code, message) = rest.split_once(char::is_whitespace).unwrap_or((rest, rest));
            PromptAction::Fail(code.to_owned(), message.trim().to_owned())
        }
        "/crash" if rest.is_empty() => PromptAction::Crash(1),
        "/crash" => {
            rest.parse::<u8>().map_or_else(|_| usage("/crash 3"), |code| PromptAction::Crash(code.into()))
        }
        "/abort" => PromptAction::Abort,
        "/hang" => PromptAction::Hang,
        "/spawn-child" => PromptAction::SpawnChild,
        "/exit" | "/quit" => PromptAction::Exit,
        "/help" => say(HELP.to_owned()),
        _ if word.starts_with('/') && rest.is_empty() && !word[1..].contains('/') => {
            say(format!("Unknown command: {word}. Try /help."))
        }
        "remember" if !rest.is_empty() => {
            PromptAction::Answer { after: DEFAULT_ANSWER_DELAY, reply: Reply::Remembered(rest.to_owned()) }
        }
        "recall" if rest.is_empty() => {
            PromptAction::Answer { after: DEFAULT_ANSWER_DELAY, reply: Reply::Recall }
        }
        _ => PromptAction::Answer { after: DEFAULT_ANSWER_DELAY, reply: Reply::Echo },
    }
}

/// Removes the marker of a task or message from a prompt.
fn without_task_marker(prompt: &str) -> &str {
    let prompt = prompt.trim();
    let task = prompt.rsplit_once("[symposium task ").filter(|(_, mark)| mark.ends_with(']'));
    let prompt = task.map_or(prompt, |(text, _)| text.trim_end());
    let message = prompt.strip_prefix("[symposium message ").and_then(|behind| behind.split_once("] "));
    message.map_or(prompt, |(_, text)| text.trim_start())
}

/// Returns the text that a prompt asks to remember.
pub(super) fn remembered(prompt: &str) -> Option<String> {
    match parse(prompt) {
        PromptAction::Answer { reply: Reply::Remembered(what), .. } => Some(what),
        _ => None,
    }
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = split_number(text)?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|long| long.as_secs() <= 24 * 3600)
}

fn size(text: &str) -> Option<u64> {
    let (number, unit) = split_number(text)?;
    let factor = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "K" | "KB" => 1e3,
        "M" | "MB" => 1e6,
        "G" | "GB" => 1e9,
        _ => return None,
    };
    Some((number * factor) as u64)
}

fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prompt_commands_are_parsed() {
        let answer = |after: u64, reply| PromptAction::Answer { after: Duration::from_millis(after), reply };
        let moment = DEFAULT_ANSWER_DELAY.as_millis() as u64;
        for (prompt, act) in [
            ("hello\nyou", answer(moment, Reply::Echo)),
            ("remember the milk ", answer(moment, Reply::Remembered("the milk".into()))),
            ("remember", answer(moment, Reply::Echo)),
            ("recall", answer(moment, Reply::Recall)),
            ("recall [symposium task 7/2]", answer(moment, Reply::Recall)),
            ("[symposium message 3 from a-b] recall", answer(moment, Reply::Recall)),
            ("recall that day", answer(moment, Reply::Echo)),
            ("/work 3s", answer(3000, Reply::Text("Worked for 3s.".into()))),
            ("/work 50ms", answer(50, Reply::Text("Worked for 50ms.".into()))),
            ("/ask rm -rf build", PromptAction::Ask("rm -rf build".into())),
            ("/question which colour?", PromptAction::Question("which colour?".into())),
            ("/flood 10MB", PromptAction::Flood(10_000_000)),
            ("/flood 1.5 kb", PromptAction::Flood(1500)),
            ("/fail rate_limit no more", PromptAction::Fail("rate_limit".into(), "no more".into())),
            ("/fail server_error", PromptAction::Fail("server_error".into(), "server_error".into())),
            ("/crash", PromptAction::Crash(1)),
            ("/crash 42", PromptAction::Crash(42)),
            ("/abort", PromptAction::Abort),
            ("/hang", PromptAction::Hang),
            ("/spawn-child", PromptAction::SpawnChild),
            ("/exit", PromptAction::Exit),
            ("/usr/bin is a path", answer(moment, Reply::Echo)),
            ("/usr/bin", answer(moment, Reply::Echo)),
        ] {
            assert_eq!(parse(prompt), act, "{prompt}");
        }
        for wrong in ["/work", "/work soon", "/work 99999h", "/crash 300", "/flood x", "/ask", "/what"] {
            assert!(matches!(parse(wrong), PromptAction::Answer { reply: Reply::Text(_), .. }), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_prompt_makes_it_panic(prompt in any::<String>(), word in "/(work|flood|crash|ask) .*") {
            parse(&prompt);
            parse(&word);
        }
    }
}
