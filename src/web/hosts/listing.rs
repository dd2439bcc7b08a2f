//! The agents of a host as JSON, with the words that the dashboard shows. Another machine has written all of it.

use serde_json::{Value, json};

use crate::manager::RemoteAgentList;
use crate::model::{Agent, visible, without_deception};
use crate::rules::status::display_order;
use crate::text::agent::{Location, about, status_word};

/// Returns the agents of a host in the order of the dashboard. Agents that this version cannot read are left out.
pub(super) fn listing(list: RemoteAgentList) -> Value {
    let RemoteAgentList { host, agents, as_of, silence } = list;
    let read = |agent: Value| serde_json::from_value::<Agent>(agent).ok();
    let mut agents: Vec<Agent> = agents.into_iter().filter_map(read).collect();
    display_order::by_project(&mut agents);
    for question in agents.iter_mut().filter_map(|agent| agent.question.as_mut()) {
        question.text = visible(&question.text).join("\n");
        question.options.iter_mut().for_each(|option| *option = visible(option).join("\n"));
    }
    let row = |agent: &Agent| {
        json!({
            "status": without_deception(&status_word(agent)),
            "about": without_deception(&about(agent)),
            "location": without_deception(&Location::of(agent, None).to_string()),
        })
    };
    let rows: Vec<Value> = agents.iter().map(row).collect();
    json!({
        "host": host,
        "agents": agents,
        "rows": rows,
        "as_of": as_of.map(|at| at.to_string()),
        "silence": silence.map(|why| without_deception(&why.to_string())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Code, Error};

    #[test]
    fn agents_that_cannot_be_read_are_left_out_and_silence_is_given() {
        let list = RemoteAgentList {
            host: "far".parse().unwrap(),
            agents: vec![json!("nonsense"), json!({ "name": "../x" })],
            as_of: None,
            silence: Some(Error::new(Code::HostUnreachable, "host `far` cannot be reached\u{202e}")),
        };
        let shown = listing(list);
        assert_eq!((&shown["agents"], &shown["rows"]), (&json!([]), &json!([])));
        assert_eq!(shown["silence"], "host `far` cannot be reached ");
    }
}
