//! What an agent that was handed over does on this machine without being asked again, in words: what runs, and what it
//! is told. A text that reaches it is told whole and to the letter: its lines stand below one another, each behind a
//! bar, so that none can pass for one of ours, and what would not be seen is spelt out.

use serde::Serialize;

use crate::model::{GivenParam, Heartbeat, Spec, Tier, visible};
use crate::rules::lifecycle::params::{fill, settle};
use crate::rules::lifecycle::spec_rows::{quoted, rhythm};

/// More of a text than this is not told in a refusal: that there is more is said, and `--show` tells it.
const LONGEST_TOLD: usize = 8 * 1024;

/// What an agent that was handed over is told, each text to the letter as it will reach it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Told {
    /// What is added to its system prompt.
    pub system_prompt: Option<String>,
    /// The first prompt, for one that has to go on without the conversation.
    pub first: Option<String>,
    /// Its tasks.
    pub tasks: Vec<String>,
    /// Its mail.
    pub mail: Vec<String>,
    /// What it is asked regularly, and when.
    pub heartbeat: Option<Heartbeat>,
}

impl Told {
    /// What a spec tells its agent, with the parameters that this one was given.
    pub fn by(spec: &Spec, given: &[GivenParam]) -> Told {
        let given: Vec<(String, String)> =
            given.iter().map(|given| (given.name.clone(), given.value.to_string())).collect();
        // Where they do not fit, it is not started.
        let values = settle(&spec.params, &given).unwrap_or_default();
        let ask = |beat: Heartbeat| Heartbeat { prompt: fill(&beat.prompt, &values), ..beat };
        Told {
            system_prompt: spec.system_prompt.as_deref().map(|text| fill(text, &values)),
            heartbeat: spec.heartbeat.clone().map(ask),
            ..Told::default()
        }
    }

    /// A sentence about the agent for each text, with the text below it.
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

/// What acts on this machine, each in words. Nobody agrees to that by taking over an agent unseen. The demo agent does
/// nothing that it is told; that it does so by itself is worth a word.
pub fn acts(spec: &Spec, kind: &str, told: &Told) -> Vec<String> {
    let texts = match kind {
        "demo" => Told { heartbeat: told.heartbeat.clone(), ..Told::default() }.sentences(),
        _ => told.sentences(),
    };
    runs(spec, kind).into_iter().chain(texts.into_iter().map(shortened)).collect()
}

/// The same without the texts: what runs, and what may without asking. The files in its work tell an agent CLI what to
/// run, too.
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

/// Returns a text on one line, with characters that would not be seen written as `<U+XXXX>`.
pub fn spelt(text: &str) -> String {
    visible(text).join("<U+000A>")
}

/// A sentence, and a text below it.
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

/// What nobody would read on a screen that they did not ask for is left out, and that is said.
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
    use crate::model::{Param, ParamSort, ParamValue, Rhythm};

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
            heartbeat: Some(beat(Rhythm::Every(5400))),
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
        // One that does nothing that it is told does so by itself all the same.
        assert_eq!(acts(&spec, "demo", &told), told.sentences()[1..]);
        let at = Told { heartbeat: Some(beat(Rhythm::Cron("0 9 * * 1\n".into()))), ..Told::default() };
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
