//! The script of a model that delegates: it calls our tools, each time with the result of the previous call.

use regex_lite::Regex;
use serde_json::{Value, json};

use super::script::{Answer, Turn};

/// The prompt that asks for delegation.
pub const DELEGATE: &str = "ask two others for a fruit each";
/// The beginning of the prompt for each child, followed by a fruit.
const ASK: &str = "your fruit is ";
const FRUITS: [&str; 2] = ["apple", "pear"];

/// Answers a turn of a conversation about delegation.
pub fn answer(turn: &Turn) -> Option<Answer> {
    let prompt = turn.prompts.last()?;
    if let Some(fruit) = prompt.strip_prefix(ASK) {
        let fruit = fruit.split(" [symposium task").next()?;
        return Some(match turn.tool_results.len() {
            0 => call("report_progress", json!({"percent": 50, "note": "chewing"})),
            1 => call("complete_task", json!({"result": format!("a ripe {fruit}")})),
            _ => Answer::Words(format!("I gave a {fruit}.")),
        });
    }
    if prompt != DELEGATE {
        return None;
    }
    let output = &turn.tool_results;
    Some(match output.len() {
        at @ 0..2 => call("spawn_agent", json!({"name": FRUITS[at], "task": format!("{ASK}{}", FRUITS[at])})),
        at @ 2..4 => match task_number(&output[at - 2]) {
            Some(id) => call("wait_task", json!({"id": id, "timeout_s": 300})),
            None => Answer::Words(format!("I was told no number: {}", output[at - 2])),
        },
        _ => Answer::Words(format!("I have {} and {}.", fruit(&output[2]), fruit(&output[3]))),
    })
}

fn call(tool: &str, input: Value) -> Answer {
    Answer::Call { server: "symposium".into(), tool: tool.into(), input }
}

/// Returns the number of the task in the result of a tool, which is text or JSON.
fn task_number(output: &str) -> Option<i64> {
    let text =
        Regex::new(r#"task (\d+) is on its queue|task\\*":\s*\{.*?\\*"id\\*":\s*(\d+)"#).expect("a pattern");
    let found = text.captures(output)?;
    found.get(1).or(found.get(2))?.as_str().parse().ok()
}

fn fruit(output: &str) -> String {
    let fruit = Regex::new("a ripe ([a-z]+)").expect("a pattern");
    fruit.captures(output).map_or_else(|| format!("nothing ({output})"), |found| found[1].to_owned())
}
