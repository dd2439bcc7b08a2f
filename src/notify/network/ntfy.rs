//! The request that publishes a notice on a topic of ntfy, as JSON: a header could not hold every character.

use serde_json::{Value, json};

use super::HttpRequest;
use crate::model::{NoticeAnswer, NoticeChannel, NoticeMessage, Urgency, WebUrl};
use crate::notify::NoticeError;

/// Returns the request that sends a message to the topic of a channel.
pub fn ntfy_request(
    channel: &NoticeChannel,
    token: Option<&str>,
    message: &NoticeMessage,
) -> Result<HttpRequest, NoticeError> {
    let (server, topic) = channel.url.as_str().rsplit_once('/').ok_or(NoticeError::NoTopic)?;
    let mut headers = vec![("content-type", "application/json".to_owned())];
    headers.extend(token.map(|token| ("authorization", format!("Bearer {token}"))));
    let url = format!("{server}/").parse::<WebUrl>().map_err(|_| NoticeError::NoTopic)?;
    Ok(HttpRequest { url, headers, body: body(topic, message).to_string().into_bytes() })
}

fn body(topic: &str, message: &NoticeMessage) -> Value {
    let notice = &message.notice;
    // The priorities of ntfy: 2 makes no sound, 4 rings longer, 5 also passes a silent mode.
    let priority = match notice.urgency {
        Urgency::Low => 2,
        Urgency::Normal => 4,
        Urgency::Critical => 5,
    };
    let open = message.link.iter().map(|link| json!({ "action": "view", "label": "Open", "url": link }));
    let actions: Vec<Value> = message.answers.iter().map(answer_button).chain(open).collect();
    // ntfy shows a text of its own for an empty message.
    let text = if notice.body.is_empty() { &notice.title } else { &notice.body };
    let mut body = json!({
        "topic": topic,
        "title": notice.title,
        "message": text,
        "priority": priority,
        "actions": actions,
    });
    if let Some(link) = &message.link {
        body["click"] = json!(link);
    }
    body
}

/// Returns a button that sends the token of an answer, and removes the notification if it was accepted.
fn answer_button(answer: &NoticeAnswer) -> Value {
    json!({
        "action": "http",
        "label": answer.answer.label(),
        "url": answer.url,
        "method": "POST",
        "headers": { "Content-Type": "application/json" },
        "body": json!({ "token": answer.token }).to_string(),
        "clear": true,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::{Notice, NotifyOn, OfferedAnswer};

    pub(in crate::notify::network) fn message() -> NoticeMessage {
        let agent: crate::model::AgentName = "api".parse().unwrap();
        let at = "2026-01-05T10:00:00Z".parse().unwrap();
        let answer = |answer, token: &str| NoticeAnswer {
            answer,
            url: "https://box.example/api/notices/answer".into(),
            token: token.into(),
        };
        NoticeMessage {
            notice: Notice {
                title: "api waits for approval".into(),
                body: "Bash: größe \"x\"".into(),
                urgency: Urgency::Normal,
                agent: Some(agent.clone()),
                agents: vec![agent],
                on: NotifyOn::Waiting,
                at,
            },
            sent_at: at,
            link: Some("https://box.example/#agent=api".into()),
            answers: vec![answer(OfferedAnswer::Approve, "t1"), answer(OfferedAnswer::Deny, "t2")],
        }
    }

    pub(in crate::notify::network) fn channel(url: &str) -> NoticeChannel {
        NoticeChannel { url: url.parse().unwrap(), secret: None, on: None, actions: true }
    }

    #[test]
    fn a_topic_gets_text_link_and_buttons() {
        let channel = channel("https://ntfy.example:8443/secret-topic");
        let request = ntfy_request(&channel, Some("tk_x"), &message()).unwrap();
        assert_eq!(request.url.as_str(), "https://ntfy.example:8443/");
        assert!(request.headers.contains(&("authorization", "Bearer tk_x".into())));
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!((&body["topic"], &body["priority"]), (&json!("secret-topic"), &json!(4)));
        assert_eq!(
            (&body["title"], &body["message"]),
            (&json!("api waits for approval"), &json!("Bash: größe \"x\""))
        );
        assert_eq!(body["click"], "https://box.example/#agent=api");
        let labels: Vec<&Value> =
            body["actions"].as_array().unwrap().iter().map(|action| &action["label"]).collect();
        assert_eq!(labels, ["Approve", "Deny", "Open"]);
        assert_eq!(
            (&body["actions"][0]["method"], &body["actions"][0]["body"]),
            (&json!("POST"), &json!("{\"token\":\"t1\"}"))
        );
    }

    #[test]
    fn a_notice_without_a_page_has_no_buttons() {
        let plain = NoticeMessage { link: None, answers: vec![], ..message() };
        let request = ntfy_request(&channel("https://ntfy.sh/t"), None, &plain).unwrap();
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!((&body["actions"], &body["click"]), (&json!([]), &Value::Null));
        assert_eq!(request.headers.len(), 1);
    }
}
