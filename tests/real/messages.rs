//! Anthropic's Messages API as Claude Code uses it: requests are parsed, and answers are sent as server-sent events.

use serde_json::{Value, json};

use super::script::{Answer, Turn};

/// Returns the requested turn, or `None` if the request is not about the conversation but, for example, about its
/// title.
pub fn turn(body: &Value) -> Option<Turn> {
    body["tools"].as_array().filter(|tools| !tools.is_empty())?;
    let mut turn = Turn::default();
    // Messages of the program to the model, such as the list of tools, are not part of the conversation.
    for message in body["messages"].as_array()?.iter().filter(|message| message["role"] != "system") {
        turn.tool_result = None;
        if message["role"] == "user" {
            read_message(&message["content"], &mut turn);
        }
    }
    Some(turn)
}

fn read_message(content: &Value, turn: &mut Turn) {
    let whole = content.as_str();
    let blocks = content.as_array().into_iter().flatten();
    for block in blocks.clone().filter(|block| block["type"] == "tool_result") {
        let output = block["content"].to_string();
        turn.tool_results.push(output.clone());
        turn.tool_result = Some(output);
    }
    let texts = whole.into_iter().chain(blocks.filter_map(|block| block["text"].as_str()));
    // A text that begins with a tag comes from the program and not from the user.
    for text in texts.filter(|text| !text.trim_start().starts_with('<')) {
        turn.prompts.push(text.to_owned());
        turn.tool_result = None;
        turn.tool_results.clear();
    }
}

/// Returns the answer as a stream. The number makes its ids unique: messages with the same id count as one message.
pub fn stream(answer: &Answer, number: usize) -> String {
    let (block, delta, stop) = match answer {
        Answer::Words(words) => {
            let delta = json!({"type": "text_delta", "text": words});
            (json!({"type": "text", "text": ""}), delta, "end_turn")
        }
        Answer::Run(command) => {
            let input = json!({"command": command, "description": "what the test asked for"});
            tool_use("Bash", &input, number)
        }
        // Refused requests have no stream.
        Answer::Refuse(_) => return String::new(),
        Answer::Call { server, tool, input } if server.is_empty() => tool_use(tool, input, number),
        Answer::Call { server, tool, input } => tool_use(&format!("mcp__{server}__{tool}"), input, number),
    };
    let message = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": null},
            "usage": {"output_tokens": 1},
        }),
        json!({"type": "message_stop"}),
    ]
    .iter()
    .map(super::endpoint::event)
    .collect()
}

fn tool_use(name: &str, input: &Value, number: usize) -> (Value, Value, &'static str) {
    let block = json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": name, "input": {}});
    (block, json!({"type": "input_json_delta", "partial_json": input.to_string()}), "tool_use")
}
