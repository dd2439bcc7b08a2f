//! Describes the effects of a handed-over agent on this machine: the programs that run, and the texts that the agent
//! receives. A text is shown completely and unchanged: each of its lines follows a bar, so that it cannot be mistaken
//! for our own output, and invisible characters are escaped.

use serde::Serialize;

use crate::model::{GivenParam, Heartbeat, Spec, Tier, visible};
use crate::rules::lifecycle::params::{fill, settle};
use crate::rules::lifecycle::spec_rows::{quoted, rhythm};

/// Maximum length of a text in a refusal; the refusal states that there is more, and `--show` prints all of it.
const LONGEST_TOLD: usize = 8 * 1024;

/// Texts that a handed-over agent receives, exactly as they will reach it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Told {
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

impl Told {
    /// Returns the texts of a spec, with the given parameters substituted.
    pub fn by(spec: &Spec, given: &[GivenParam]) -> Told {
        let given: Vec<(String, String)> =
            given.iter().map(|given| (given.name.clone(), given.value.to_string())).collect();
        // An agent whose parameters are invalid is not started.
        let values = settle(&spec.params, &given).unwrap_or_default();
        let ask = |beat: Heartbeat| Heartbeat { prompt: fill(&beat.prompt, &values), ..beat };
        Told {
            system_prompt: spec.system_prompt.as_deref().map(|text| fill(text, &values)),
            heartbeat: spec.heartbeat.clone().map(ask),
            ..Told::default()
        }
    }

    /// Returns one sentence about the agent for each text, followed by the text.
    pub fn sentences(&self) -> Vec<String> {
        let system = self.system_prompt.iter().map(|text| told("has this in its system prompt:", text));
        let first = "is told this first, where its conversation cannot be resumed:";
        let first = self.first.iter().map(|text| told(first, text));
        let tasks = self.tasks.iter().map(|text| told("is given the task:", text));
        let mail = self.mail.iter().map(|text| told("is sent:", text));
        let beat = self.heartbeat.iter().map(|beat| {
            let when = spelt(&rhythm(&beat.rhythm));
            told(&format!("works by itself at set times (heartbeat), {when}, and is asked:"), &beat.prompt)
        });
        system.chain(first).chain(tasks).chain(mail).chain(beat).collect()
    }
}

/// Returns the effects on this machine, one sentence each; the user has to agree to them before an import. The demo
/// agent does not act on texts, but its heartbeat is listed because it runs by itself.
pub fn acts(spec: &Spec, kind: &str, told: &Told) -> Vec<String> {
    let texts = match kind {
        "demo" => Told { heartbeat: told.heartbeat.clone(), ..Told::default() }.sentences(),
        _ => told.sentences(),
    };
    runs(spec, kind).into_iter().chain(texts.into_iter().map(shortened)).collect()
}

/// Returns the effects without the texts: the programs that run, and the actions that need no approval. Files in the
/// agent's work can also make an agent CLI run programs.
pub fn runs(spec: &Spec, kind: &str) -> Vec<String> {
    let mut runs = Vec::new();
    if !spec.command.is_empty() {
        runs.push(format!("runs `{}`", spelt(&quoted(&spec.command))));
    }
    runs.extend(
        spec.worktree.setup.iter().map(|line| format!("sets its worktree up with `{}`", spelt(line))),
    );
    runs.extend(spec.worktree.copy.iter().map(|name| format!("copies `{}` into its worktree", spelt(name))));
    if let Some(tools) = spec.tools.as_ref().filter(|tools| !tools.is_empty()) {
        runs.push(format!("uses without asking: {}", spelt(&tools.join(", "))));
    }
    match spec.shell_tier {
        Some(Tier::Free) => runs.push("runs whatever it likes without asking (tier `free`)".into()),
        Some(Tier::Review) => runs.push("edits files without asking (tier `review`)".into()),
        Some(Tier::Approve) | None => {}
    }
    if kind != "demo" {
        runs.push(format!(
            "runs `{}` in the work that comes with it, whose files may say what to run",
            spelt(kind)
        ));
    }
    runs
}

/// Returns a text on one line, with invisible characters written as `<U+XXXX>`.
pub fn spelt(text: &str) -> String {
    visible(text).join("<U+000A>")
}

/// Returns a sentence with a text below it.
fn told(sentence: &str, text: &str) -> String {
    let mut told = sentence.to_owned();
    for line in visible(text) {
        told.push_str("\n|");
        if !line.is_empty() {
            told.push(' ');
            told.push_str(&line);
        }
    }
    told
}

/// Truncates a long text, and states how much was omitted.
fn shortened(told: String) -> String {
    match told.char_indices().nth(LONGEST_TOLD) {
        None => told,
        Some((end, _)) => {
            let more = told[end..].chars().count();
            format!("{}\n… and {more} characters that `--show` shows", &told[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Param, ParamSort, ParamValue, Schedule};

    #[test]
    fn a_text_is_told_to_the_letter() {
        let first = Some("run `x`\n\n  now\u{202e}\u{200b}\t\u{e0041}é".to_owned());
        let told = Told { first, ..Told::default() };
        assert_eq!(
            told.sentences(),
            ["is told this first, where its conversation cannot be resumed:\n| run `x`\n|\n|   now\
              <U+202E><U+200B><U+0009><U+E0041>é"]
        );
    }

    #[test]
    fn whoever_is_asked_knows_every_prompt_and_when_it_comes() {
        let param = Param {
            sort: ParamSort::String,
            default: Some(ParamValue::Text("eu".into())),
            description: None,
        };
        let beat = |rhythm| Heartbeat { rhythm, prompt: "look at {{where}}\nand act".into(), last: None };
        let spec = Spec {
            system_prompt: Some("You are nice.\nObey {{where}}.".into()),
            heartbeat: Some(beat(Schedule::Every(5400))),
            params: [("where".to_owned(), param)].into(),
            ..Spec::built_in()
        };
        let given = [GivenParam { name: "where".into(), value: ParamValue::Text("`rm`".into()) }];
        let told = Told::by(&spec, &given);
        assert_eq!(
            told.sentences(),
            [
                "has this in its system prompt:\n| You are nice.\n| Obey `rm`.",
                "works by itself at set times (heartbeat), every 1h 30m, and is asked:\n| look at `rm`\n| and act",
            ]
        );
        // The demo agent does not act on texts, but its heartbeat runs by itself.
        assert_eq!(acts(&spec, "demo", &told), told.sentences()[1..]);
        let at = Told { heartbeat: Some(beat(Schedule::Cron("0 9 * * 1\n".into()))), ..Told::default() };
        assert!(at.sentences()[0].contains(", at 0 9 * * 1<U+000A>, and is asked:"), "{at:?}");
    }

    #[test]
    fn a_refusal_says_that_there_is_more_and_the_screen_has_it() {
        let told = Told { tasks: vec!["x".repeat(9000)], ..Told::default() };
        let acts = acts(&Spec::built_in(), "claude", &told);
        assert!(acts[1].ends_with("x\n… and 829 characters that `--show` shows"), "{}", &acts[1][8000..]);
        assert!(told.sentences()[0].ends_with(&"x".repeat(9000)));
    }

    #[test]
    fn a_command_is_told_as_one_could_type_it() {
        let command = ["sh", "-c", "x\u{1b}[2J\ny `z`"].map(str::to_owned).to_vec();
        let spec = Spec { command, ..Spec::built_in() };
        assert_eq!(runs(&spec, "demo"), ["runs `sh -c 'x<U+001B>[2J<U+000A>y `z`'`"]);
    }
}
