//! Describes the effects of a handed-over agent on this machine: the programs that run, and the texts that the agent
//! receives. A text is shown completely and unchanged: each of its lines follows a bar, so that it cannot be mistaken
//! for our own output, and invisible characters are escaped.

use serde::Serialize;

use crate::model::{GivenParam, Heartbeat, Spec, Tier, visible};
use crate::rules::specs::params::{fill, resolve_values};
use crate::rules::specs::spec_rows::{quoted, schedule};

/// Maximum length of a text in a refusal; the refusal states that there is more, and `--show` prints all of it.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// Texts that a handed-over agent receives, exactly as they will reach it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HandedTexts {
    /// Text that is appended to its system prompt.
    pub system_prompt: Option<String>,
    /// First prompt of an agent that continues without its conversation.
    pub first: Option<String>,
    /// Texts of its tasks.
    pub tasks: Vec<String>,
    /// Texts of its messages.
    pub mail: Vec<String>,
    /// Heartbeat with its schedule.
    pub heartbeat: Option<Heartbeat>,
}

impl HandedTexts {
    /// Returns the texts of a spec, with the given parameters substituted.
    pub fn from_spec(spec: &Spec, given: &[GivenParam]) -> HandedTexts {
        let given: Vec<(String, String)> =
            given.iter().map(|given| (given.name.clone(), given.value.to_string())).collect();
        // An agent whose parameters are invalid is not started.
        let values = resolve_values(&spec.params, &given).unwrap_or_default();
        let ask = |heartbeat: Heartbeat| Heartbeat { prompt: fill(&heartbeat.prompt, &values), ..heartbeat };
        HandedTexts {
            system_prompt: spec.system_prompt.as_deref().map(|text| fill(text, &values)),
            heartbeat: spec.heartbeat.clone().map(ask),
            ..HandedTexts::default()
        }
    }

    /// Returns one sentence about the agent for each text, followed by the text.
    pub fn sentences(&self) -> Vec<String> {
        let system =
            self.system_prompt.iter().map(|text| quoted_below("has this in its system prompt:", text));
        let first = "receives this prompt first if its conversation cannot be resumed:";
        let first = self.first.iter().map(|text| quoted_below(first, text));
        let tasks = self.tasks.iter().map(|text| quoted_below("is given the task:", text));
        let mail = self.mail.iter().map(|text| quoted_below("is sent:", text));
        let heartbeat = self.heartbeat.iter().map(|heartbeat| {
            let when = escape_invisible(&schedule(&heartbeat.schedule));
            quoted_below(
                &format!("receives this prompt on a schedule (heartbeat), {when}:"),
                &heartbeat.prompt,
            )
        });
        system.chain(first).chain(tasks).chain(mail).chain(heartbeat).collect()
    }
}

/// Returns the effects on this machine, one sentence each; the user has to agree to them before an import. The demo
/// agent does not act on texts, but its heartbeat is listed because it runs by itself.
pub fn effects_of_import(spec: &Spec, kind: &str, texts: &HandedTexts) -> Vec<String> {
    let texts = match kind {
        "demo" => HandedTexts { heartbeat: texts.heartbeat.clone(), ..HandedTexts::default() }.sentences(),
        _ => texts.sentences(),
    };
    runs(spec, kind).into_iter().chain(texts.into_iter().map(shortened)).collect()
}

/// Returns the effects without the texts: the programs that run, and the actions that need no approval. Files in the
/// agent's work can also make an agent CLI run programs.
pub fn runs(spec: &Spec, kind: &str) -> Vec<String> {
    let mut runs = Vec::new();
    if !spec.command.is_empty() {
        runs.push(format!("runs `{}`", escape_invisible(&quoted(&spec.command))));
    }
    runs.extend(
        spec.worktree
            .setup
            .iter()
            .map(|line| format!("sets up its worktree with `{}`", escape_invisible(line))),
    );
    runs.extend(
        spec.worktree
            .copy
            .iter()
            .map(|name| format!("copies `{}` into its worktree", escape_invisible(name))),
    );
    if let Some(tools) = spec.tools.as_ref().filter(|tools| !tools.is_empty()) {
        runs.push(format!("uses without asking: {}", escape_invisible(&tools.join(", "))));
    }
    match spec.shell_tier {
        Some(Tier::Free) => runs.push("runs any command without asking (tier `free`)".into()),
        Some(Tier::Review) => runs.push("edits files without asking (tier `review`)".into()),
        Some(Tier::Approve) | None => {}
    }
    if kind != "demo" {
        runs.push(format!(
            "runs `{}` in the imported work, whose files may configure what it runs",
            escape_invisible(kind)
        ));
    }
    runs
}

/// Returns a text on one line, with invisible characters written as `<U+XXXX>`.
pub fn escape_invisible(text: &str) -> String {
    visible(text).join("<U+000A>")
}

/// Returns a sentence with a text below it.
fn quoted_below(sentence: &str, text: &str) -> String {
    let mut quoted = sentence.to_owned();
    for line in visible(text) {
        quoted.push_str("\n|");
        if !line.is_empty() {
            quoted.push(' ');
            quoted.push_str(&line);
        }
    }
    quoted
}

/// Truncates a long text, and states how much was omitted.
fn shortened(sentence: String) -> String {
    match sentence.char_indices().nth(MAX_TEXT_BYTES) {
        None => sentence,
        Some((end, _)) => {
            let more = sentence[end..].chars().count();
            format!("{}\n… and {more} more characters; `--show` shows all of them", &sentence[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Param, ParamSort, ParamValue, Schedule};

    #[test]
    fn displayed_message_is_not_interpreted() {
        let first = Some("run `x`\n\n  now\u{202e}\u{200b}\t\u{e0041}é".to_owned());
        let texts = HandedTexts { first, ..HandedTexts::default() };
        assert_eq!(
            texts.sentences(),
            ["receives this prompt first if its conversation cannot be resumed:\n| run `x`\n|\n|   now\
              <U+202E><U+200B><U+0009><U+E0041>é"]
        );
    }

    #[test]
    fn cli_reports_every_prompt_with_its_time() {
        let param = Param {
            sort: ParamSort::String,
            default: Some(ParamValue::Text("eu".into())),
            description: None,
        };
        let heartbeat =
            |schedule| Heartbeat { schedule, prompt: "look at {{where}}\nand act".into(), last: None };
        let spec = Spec {
            system_prompt: Some("You are nice.\nObey {{where}}.".into()),
            heartbeat: Some(heartbeat(Schedule::Every(5400))),
            params: [("where".to_owned(), param)].into(),
            ..Spec::built_in()
        };
        let given = [GivenParam { name: "where".into(), value: ParamValue::Text("`rm`".into()) }];
        let texts = HandedTexts::from_spec(&spec, &given);
        assert_eq!(
            texts.sentences(),
            [
                "has this in its system prompt:\n| You are nice.\n| Obey `rm`.",
                "receives this prompt on a schedule (heartbeat), every 1h 30m:\n| look at `rm`\n| and act",
            ]
        );
        // The demo agent does not act on texts, but its heartbeat runs by itself.
        assert_eq!(effects_of_import(&spec, "demo", &texts), texts.sentences()[1..]);
        let at = HandedTexts {
            heartbeat: Some(heartbeat(Schedule::Cron("0 9 * * 1\n".into()))),
            ..HandedTexts::default()
        };
        assert!(at.sentences()[0].contains(", at 0 9 * * 1<U+000A>:"), "{at:?}");
    }

    #[test]
    fn a_refusal_mentions_texts_that_it_omits() {
        let texts = HandedTexts { tasks: vec!["x".repeat(9000)], ..HandedTexts::default() };
        let acts = effects_of_import(&Spec::built_in(), "claude", &texts);
        assert!(
            acts[1].ends_with("x\n… and 829 more characters; `--show` shows all of them"),
            "{}",
            &acts[1][8000..]
        );
        assert!(texts.sentences()[0].ends_with(&"x".repeat(9000)));
    }

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let command = ["sh", "-c", "x\u{1b}[2J\ny `z`"].map(str::to_owned).to_vec();
        let spec = Spec { command, ..Spec::built_in() };
        assert_eq!(runs(&spec, "demo"), ["runs `sh -c 'x<U+001B>[2J<U+000A>y `z`'`"]);
    }
}
