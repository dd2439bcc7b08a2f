//! Prints an answer word by word. Pure.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Words per second. A long answer is faster, so that it does not take much longer than [`MAX_SECONDS`].
const WORDS_PER_SECOND: f64 = 40.0;
const MAX_SECONDS: f64 = 3.0;

/// A longer line is printed as a whole, because a growing line must fit on the screen below the history.
const MAX_LINE_CHARS: usize = 400;

/// An answer that is being printed.
pub(super) struct AnswerStream {
    rest: VecDeque<String>,
    live: String,
    started: Instant,
    given: usize,
    pace: f64,
}

impl AnswerStream {
    /// Interval at which [`AnswerStream::take_due_lines`] is called.
    pub(super) const STEP_INTERVAL: Duration = Duration::from_millis(25);

    /// Creates an answer whose first word is due now.
    pub(super) fn new(answer: &str, now: Instant) -> AnswerStream {
        let answer = format!("● {answer}\n");
        let rest: VecDeque<String> = answer
            .split_inclusive('\n')
            .flat_map(|line| {
                if line.len() > MAX_LINE_CHARS {
                    vec![line.to_owned()]
                } else {
                    line.split_inclusive(char::is_whitespace).map(str::to_owned).collect()
                }
            })
            .collect();
        let pace = WORDS_PER_SECOND.max(rest.len() as f64 / MAX_SECONDS);
        AnswerStream { rest, live: String::new(), started: now, given: 0, pace }
    }

    /// Returns the lines that are complete now.
    pub(super) fn take_due_lines(&mut self, now: Instant) -> Vec<String> {
        let due = (now.saturating_duration_since(self.started).as_secs_f64() * self.pace) as usize + 1;
        let mut lines = Vec::new();
        while self.given < due
            && let Some(word) = self.rest.pop_front()
        {
            self.given += 1;
            self.live.push_str(&word);
            if let Some(line) = self.live.strip_suffix('\n') {
                lines.push(line.to_owned());
                self.live.clear();
            }
        }
        lines
    }

    /// Returns the line that is still growing.
    pub(super) fn live(&self) -> &str {
        &self.live
    }

    /// Checks whether the complete answer was printed.
    pub(super) fn is_over(&self) -> bool {
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_answer_comes_out_whole_and_soon(answer in "([^\n]{0,12}|\n|.{450}){0,6}") {
            let start = Instant::now();
            let mut stream = AnswerStream::new(&answer, start);
            let mut lines = Vec::new();
            let mut now = start;
            while !stream.is_over() {
                now += AnswerStream::STEP_INTERVAL;
                lines.extend(stream.take_due_lines(now));
            }
            prop_assert_eq!(lines.join("\n"), format!("● {answer}"));
            prop_assert!(now - start < Duration::from_secs_f64(MAX_SECONDS + 1.0));
        }
    }
}
