//! The `agent answer` command, and the code that `agent approve` and `agent deny` share.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{
    Invocation,
    agent::sharing::attach_shared,
    render::{picker, ui},
};
use crate::error::{Code, Error, listed};
use crate::manager::{AgentLookup, Approvals};
use crate::manager::{AnswerResult, ApprovalAnswer};
use crate::model::{Agent, AgentName, AskedQuestion, Dialog, Extent, WaitingFor, visible};
use crate::text::agent::status_word;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "answer",
    "Choose an option of an agent's dialog, or type the answer to its question",
    Remote::ONCE,
    |args, context| choose(&parsed(args)?, context),
)
.arguments::<AnswerArguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["answer"]);

/// The agents to answer, and the question that was read.
#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Names of the agents [default: the waiting agent, or a choice if several wait]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Answer only if the question still has this `id` (see `agent show --json`)
    #[arg(long, value_name = "ID")]
    if_asks: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AnswerArguments {
    /// Name of the agent [default: the waiting agent, or a choice if several wait]
    name: Option<String>,
    /// Number or text of an option, or a free answer [default: show the options]
    #[arg(value_name = "OPTION")]
    answer: Option<String>,
    /// Answer only if the question still has this `id` (see `agent show --json`)
    #[arg(long, value_name = "ID")]
    if_asks: Option<String>,
}

/// Answers the dialogs of agents with yes or no. If several agents are named, or none, the user confirms each
/// question in turn, and each answer applies only to the question that was shown.
pub(in crate::cli) fn run(
    args: &Arguments,
    answer: ApprovalAnswer,
    context: &Invocation,
) -> Result<u8, Error> {
    run_with(args, answer, context, |name, read| Approvals(&context.manager).answer(name, answer, read))
}

/// Does the same as [`run`] with a custom answer function, which receives the agent and the id of the question that
/// the user read.
pub(in crate::cli) fn run_with(
    args: &Arguments,
    answer: ApprovalAnswer,
    context: &Invocation,
    give: impl Fn(&AgentName, Option<&str>) -> Result<AnswerResult, Error>,
) -> Result<u8, Error> {
    let named = args.names.iter().map(|name| attach_shared::own(name)).collect::<Result<Vec<_>, _>>()?;
    if let [name] = &named[..] {
        let answered = give(name, args.if_asks.as_deref())?;
        report_answer(context, name, answer, &answered);
        return Ok(0);
    }
    if args.if_asks.is_some() && named.len() != 1 {
        return Err(Error::usage("`--if-asks` names the question of one agent")
            .hint(format!("`symposium agent {} NAME --if-asks ID`", answer.verb())));
    }
    let names = match named.is_empty() {
        true => choose_waiting(
            approvals_of(Approvals(&context.manager).waiting_agents()?)?,
            answer.verb(),
            context,
        )?
        .into_iter()
        .collect(),
        false => named,
    };
    let mut worst = 0;
    for name in names {
        if let Err(error) = one_of_several(&name, answer, context, &give) {
            worst = context.ui.error(&error);
        }
    }
    Ok(worst)
}

/// Shows the question of an agent, asks for confirmation at the terminal, and answers it.
fn one_of_several(
    name: &AgentName,
    answer: ApprovalAnswer,
    context: &Invocation,
    give: &impl Fn(&AgentName, Option<&str>) -> Result<AnswerResult, Error>,
) -> Result<(), Error> {
    let question = AgentLookup(&context.manager).show(name)?.question;
    if let Some(question) = &question {
        context.ui.say(&format!("`{name}` asks:\n{}", indented(question)));
    }
    if context.ui.can_ask() && !context.ui.confirm(&format!("{} this?", capitalized(answer.verb())))? {
        return Ok(());
    }
    let read = question.map(|question| question.id);
    let answered = give(name, read.as_deref())?;
    report_answer(context, name, answer, &answered);
    Ok(())
}

fn report_answer(context: &Invocation, name: &AgentName, answer: ApprovalAnswer, answered: &AnswerResult) {
    if context.ui.json {
        return context.ui.json(&answer_json(name, answer.verb(), answered));
    }
    let done = match answer {
        ApprovalAnswer::Approve => "approved",
        ApprovalAnswer::Deny => "denied",
    };
    let now = status_word(&answered.agent);
    context.ui.say(&format!("{done} in `{name}`: {}; it is {now} now", clean(&answered.question_line)));
    if let Some(more) =
        answered.question.as_ref().and_then(|question| more(question, &answered.question_line))
    {
        context.ui.say(&more);
    }
}

fn answer_json(name: &AgentName, answer: &str, answered: &AnswerResult) -> Value {
    json!({
        "agent": name,
        "answer": answer,
        "asked": answered.question_line,
        "question": answered.question,
        "status": answered.agent.status,
    })
}

/// Answers a dialog with one of its options or with a text. Without an answer, shows the options.
pub(in crate::cli) fn choose(args: &AnswerArguments, context: &Invocation) -> Result<u8, Error> {
    let named = args.name.as_deref().map(attach_shared::own).transpose()?;
    let name = match named {
        Some(name) => Some(name),
        None => choose_waiting(Approvals(&context.manager).waiting_agents()?, "answer", context)?,
    };
    let Some(name) = name else { return Ok(0) };
    let (answer, read) = match &args.answer {
        Some(answer) => (answer.clone(), None),
        None => match choose_answer(&name, context)? {
            Some(chosen) => chosen,
            None => return Ok(0),
        },
    };
    let read = args.if_asks.as_deref().or(read.as_deref());
    let answered = Approvals(&context.manager).answer_with(&name, &answer, read)?;
    if context.ui.json {
        context.ui.json(&answer_json(&name, &answer, &answered));
    } else {
        let now = status_word(&answered.agent);
        let asked = answered.question.as_ref().and_then(|question| question.text.lines().next());
        let asked = clean(asked.unwrap_or(&answered.question_line));
        context.ui.say(&format!("answered `{name}`: {asked}; it is {now} now"));
    }
    Ok(0)
}

/// Shows the dialog of an agent. Returns the option that the user chooses at the terminal, and the id of the question
/// that they read.
fn choose_answer(name: &AgentName, context: &Invocation) -> Result<Option<(String, Option<String>)>, Error> {
    let (dialog, question) = Approvals(&context.manager)
        .dialog_with_question(name)?
        .ok_or_else(|| Error::nothing_asked(name, "not asking anything", vec![]))?;
    if context.ui.json {
        context.ui.json(&json!({
            "agent": name,
            "asks": dialog.asks,
            "question": question,
            "options": dialog.options,
        }));
        return Ok(None);
    }
    if !context.ui.can_ask() || dialog.options.is_empty() {
        context.ui.data(&shown(&dialog, question.as_ref()));
        return Ok(None);
    }
    let asked = question.as_ref().and_then(|question| beside_the_options(question, &dialog));
    asked.iter().for_each(|asked| context.ui.say(asked));
    let lines: Vec<String> = dialog.options.iter().map(|option| clean(&option.line())).collect();
    let at = picker::pick_line(&clean(&dialog.asks), lines)?;
    Ok(at.and_then(|at| dialog.options.get(at)).map(|option| {
        let answer = option.number.map_or_else(|| option.label.clone(), |number| number.to_string());
        (answer, question.map(|question| question.id))
    }))
}

fn shown(dialog: &Dialog, question: Option<&AskedQuestion>) -> String {
    let asked = question.and_then(|question| beside_the_options(question, dialog));
    let options = dialog.options.iter().map(|option| format!("  {}", clean(&option.line())));
    asked.into_iter().chain([clean(&dialog.asks)]).chain(options).collect::<Vec<_>>().join("\n")
}

/// Returns the question that the agent reported, such as the command to approve, if the line above the options does not
/// contain it.
fn beside_the_options(question: &AskedQuestion, dialog: &Dialog) -> Option<String> {
    (!dialog.asks.contains(question.text.trim())).then(|| indented(question))
}

/// Returns the agents that wait for an approval. If all of them wait for something else, the error names the command
/// that answers them.
fn approvals_of(mut waiting: Vec<Agent>) -> Result<Vec<Agent>, Error> {
    let is_approval = |agent: &Agent| agent.waiting_for == Some(WaitingFor::Approval);
    if !waiting.iter().any(is_approval)
        && let Some(first) = waiting.first()
    {
        let name = &first.name;
        let lines = waiting.iter().map(|agent| format!("`{}` is {}", agent.name, status_word(agent)));
        return Err(Error::new(Code::NoQuestion, "no agent is waiting for approval")
            .saw_all(lines.collect::<Vec<_>>())
            .hint(format!("`symposium agent answer {name}` shows what it asks and answers it")));
    }
    waiting.retain(is_approval);
    Ok(waiting)
}

/// Returns the only waiting agent, or the one that the user picks; `None` if the user cancelled the picker.
fn choose_waiting(
    mut waiting: Vec<Agent>,
    verb: &'static str,
    context: &Invocation,
) -> Result<Option<AgentName>, Error> {
    match waiting.len() {
        0 => Err(Error::no_agents("no agent is waiting for an answer")),
        1 => Ok(Some(waiting.remove(0).name)),
        _ if ui::is_interactive() && !context.ui.json => picker::pick(verb, &waiting, context),
        _ => {
            let names: Vec<AgentName> = waiting.into_iter().map(|agent| agent.name).collect();
            let first = names.first().map_or("NAME", AgentName::as_str);
            Err(Error::new(Code::AmbiguousAgent, "several agents match")
                .saw(listed(&names))
                .hint(format!("name one: `symposium agent {verb} {first}`")))
        }
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// Returns the full question, indented, if `line` shows only a part of it.
pub(in crate::cli) fn more(question: &AskedQuestion, line: &str) -> Option<String> {
    (question.text != line).then(|| indented(question))
}

fn indented(question: &AskedQuestion) -> String {
    let mut lines: Vec<String> = visible(&question.text).iter().map(|line| format!("  {line}")).collect();
    if question.extent == Extent::Cut {
        lines.push("  … (longer than what is kept)".to_owned());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;
    use crate::rules::lifecycle::capacity::tests::agent;

    #[test]
    fn the_command_to_approve_is_shown_above_the_options() {
        let question = |text: &str| AskedQuestion {
            id: "x".into(),
            text: text.into(),
            extent: Extent::Whole,
            options: vec![],
        };
        let dialog = Dialog { asks: "Do you want to proceed?".into(), options: vec![] };
        let asked = question("Bash: make clean\nrm -rf build");
        let text = shown(&dialog, Some(&asked));
        assert_eq!(text, "  Bash: make clean\n  rm -rf build\nDo you want to proceed?");
        assert_eq!(shown(&dialog, Some(&question(&dialog.asks))), "Do you want to proceed?");
    }

    #[test]
    fn only_approvals_are_offered_for_approval() {
        let waits = |name: &str, what| Agent { waiting_for: Some(what), ..agent(name, Status::Waiting) };
        let (asks, approves) = (waits("asks", WaitingFor::Question), waits("runs", WaitingFor::Approval));
        let offered = approvals_of(vec![asks.clone(), approves]).unwrap();
        assert_eq!(offered.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>(), ["runs"]);
        let refusal = approvals_of(vec![asks]).unwrap_err();
        assert_eq!(refusal.to_string(), "no agent is waiting for approval");
        assert!(refusal.hints()[0].contains("`symposium agent answer asks`"), "{refusal:?}");
        assert!(approvals_of(vec![]).unwrap().is_empty());
    }
}
