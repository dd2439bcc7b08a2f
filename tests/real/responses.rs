//! OpenAI's Responses API as Codex uses it: requests are parsed, and answers are sent as server-sent events.

use serde_json::{Value, json};

use super::script::{Answer, Turn};

/// Returns the requested turn, or `None` if the request is not about the conversation but, for example, about its
/// title.
pub fn turn(body: &Value) -> Option<Turn> {
    body["tools"].as_array().filter(|tools| !tools.is_empty())?;
    let mut turn = Turn::default();
    for item in body["input"].as_array()? {
        turn.tool_result = None;
        if item["type"] == "function_call_output" {
            let output = item["output"].to_string();
            turn.tool_results.push(output.clone());
            turn.tool_result = Some(output);
        } else if item["role"] == "user" {
            let blocks = item["content"].as_array().into_iter().flatten();
            turn.prompts.extend(blocks.filter_map(|block| block["text"].as_str()).map(str::to_owned));
            turn.tool_results.clear();
        }
    }
    // Such a prompt comes from the program and not from the user.
    let is_theirs = |prompt: &str| prompt.trim_start().starts_with(['<', '#']);
    turn.prompts.retain(|prompt| !is_theirs(prompt));
    Some(turn)
}

/// Returns the answer as a stream; the number makes its ids unique.
pub fn stream(answer: &Answer, number: usize) -> String {
    let item = match answer {
        Answer::Words(words) => json!({
            "type": "message", "role": "assistant", "id": format!("msg_{number}"),
            "content": [{"type": "output_text", "text": words}],
        }),
        Answer::Run(command) => {
            let arguments = json!({
                "cmd": command,
                "sandbox_permissions": "require_escalated",
                "justification": "May I do what the test asked for?",
            });
            json!({
                "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"), "name": "exec_command",
                "arguments": arguments.to_string(),
            })
        }
        // Refused requests have no stream.
        Answer::Refuse(_) => return String::new(),
        Answer::Call { server, tool, input } => json!({
            "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
            "namespace": format!("mcp__{server}"), "name": tool, "arguments": input.to_string(),
        }),
    };
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null,
        "total_tokens": 2,
    });
    [
        json!({"type": "response.created", "response": {"id": format!("resp_{number}")}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": format!("resp_{number}"), "usage": usage}}),
    ]
    .iter()
    .map(super::endpoint::event)
    .collect()
}
