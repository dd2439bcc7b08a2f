//! The `agent answer` command, and the code that `agent approve` and `agent deny` share.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::render::agent_table::{clean, status_word};
use crate::cli::{
    Invocation,
    agent::attach_shared,
    render::{picker, ui},
};
use crate::error::Error;
use crate::manager::{Answer, Answered};
use crate::manager::{StatusTracker, Terminals};
use crate::model::{AgentName, AskedQuestion, Dialog, Extent, visible};

/// The agents to answer, and the question that was read.
#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The agents; none means the one that waits, or a choice among those that wait
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Only if it still asks this: the question's `id` in `agent show --json`
    #[arg(long, value_name = "ID")]
    if_asks: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AnswerArguments {
    /// The agent; none means the one that waits, or a choice among those that wait
    name: Option<String>,
    /// The number or text of an option, or the answer itself; none shows the options
    #[arg(value_name = "OPTION")]
    answer: Option<String>,
    /// Only if it still asks this: the question's `id` in `agent show --json`
    #[arg(long, value_name = "ID")]
    if_asks: Option<String>,
}

/// Answers the dialogs of agents with yes or no. If several agents are named, or none, the user confirms each
/// question in turn, and each answer applies only to the question that was shown.
pub(in crate::cli) fn run(args: &Arguments, answer: Answer, context: &Invocation) -> Result<u8, Error> {
    run_with(args, answer, context, |name, read| Terminals(&context.manager).answer(name, answer, read))
}

/// Does the same as [`run`] with a custom answer function, which receives the agent and the id of the question that
/// the user read.
pub(in crate::cli) fn run_with(
    args: &Arguments,
    answer: Answer,
    context: &Invocation,
    give: impl Fn(&AgentName, Option<&str>) -> Result<Answered, Error>,
) -> Result<u8, Error> {
    let named = args.names.iter().map(|name| attach_shared::own(name)).collect::<Result<Vec<_>, _>>()?;
    if let [name] = &named[..] {
        let answered = give(name, args.if_asks.as_deref())?;
        tell(context, name, answer, &answered);
        return Ok(0);
    }
    if args.if_asks.is_some() && named.len() != 1 {
        return Err(Error::Usage {
            what: "`--if-asks` names the question of one agent".into(),
            hint: Some(format!("`symposium agent {} NAME --if-asks ID`", answer.verb())),
        });
    }
    let names = match named.is_empty() {
        true => waiting(context, answer.verb())?.into_iter().collect(),
        false => named,
    };
    let mut worst = 0;
    for name in names {
        if let Err(error) = one_of_several(&name, answer, context, &give) {
            worst = context.ui.error(&error.report());
        }
    }
    Ok(worst)
}

/// Shows the question of an agent, asks for confirmation at the terminal, and answers it.
fn one_of_several(
    name: &AgentName,
    answer: Answer,
    context: &Invocation,
    give: &impl Fn(&AgentName, Option<&str>) -> Result<Answered, Error>,
) -> Result<(), Error> {
    let question = StatusTracker(&context.manager).show(name)?.question;
    if let Some(question) = &question {
        context.ui.say(&format!("`{name}` asks:\n{}", indented(question)));
    }
    if context.ui.can_ask() && !context.ui.confirm(&format!("{} this?", capitalized(answer.verb())))? {
        return Ok(());
    }
    let read = question.map(|question| question.id);
    let answered = give(name, read.as_deref())?;
    tell(context, name, answer, &answered);
    Ok(())
}

fn tell(context: &Invocation, name: &AgentName, answer: Answer, answered: &Answered) {
    if context.ui.json {
        return context.ui.json(&told(name, answer.verb(), answered));
    }
    let done = match answer {
        Answer::Approve => "approved",
        Answer::Deny => "denied",
    };
    let now = status_word(&answered.agent);
    context.ui.say(&format!("{done} in `{name}`: {}; it is {now} now", clean(&answered.asked)));
    if let Some(more) = answered.question.as_ref().and_then(|question| more(question, &answered.asked)) {
        context.ui.say(&more);
    }
}

fn told(name: &AgentName, answer: &str, answered: &Answered) -> Value {
    json!({
        "agent": name,
        "answer": answer,
        "asked": answered.asked,
        "question": answered.question,
        "status": answered.agent.status,
    })
}

/// Answers a dialog with one of its options or with a text. Without an answer, shows the options.
pub(in crate::cli) fn choose(args: &AnswerArguments, context: &Invocation) -> Result<u8, Error> {
    let named = args.name.as_deref().map(attach_shared::own).transpose()?;
    let Some(name) = named.map_or_else(|| waiting(context, "answer"), |name| Ok(Some(name)))? else {
        return Ok(0);
    };
    let answer = match &args.answer {
        Some(answer) => answer.clone(),
        None => match asked(&name, context)? {
            Some(answer) => answer,
            None => return Ok(0),
        },
    };
    let answered = Terminals(&context.manager).answer_with(&name, &answer, args.if_asks.as_deref())?;
    if context.ui.json {
        context.ui.json(&told(&name, &answer, &answered));
    } else {
        let now = status_word(&answered.agent);
        context.ui.say(&format!("answered `{name}`: {}; it is {now} now", clean(&answered.asked)));
    }
    Ok(0)
}

/// Shows the dialog of an agent and returns the option that the user chooses at the terminal.
fn asked(name: &AgentName, context: &Invocation) -> Result<Option<String>, Error> {
    let dialog = Terminals(&context.manager).dialog_shown(name)?.ok_or_else(|| Error::NothingAsked {
        name: name.clone(),
        status: "not asking anything".into(),
        saw: vec![],
    })?;
    if context.ui.json {
        context.ui.json(&json!({ "agent": name, "asks": dialog.asks, "options": dialog.options }));
        return Ok(None);
    }
    if !context.ui.can_ask() || dialog.options.is_empty() {
        context.ui.data(&shown(&dialog));
        return Ok(None);
    }
    let lines: Vec<String> = dialog.options.iter().map(|option| clean(&option.line())).collect();
    let at = picker::pick_line(&clean(&dialog.asks), lines)?;
    Ok(at.and_then(|at| dialog.options.get(at)).map(|option| match option.number {
        Some(number) => number.to_string(),
        None => option.label.clone(),
    }))
}

fn shown(dialog: &Dialog) -> String {
    let options = dialog.options.iter().map(|option| format!("  {}", clean(&option.line())));
    std::iter::once(clean(&dialog.asks)).chain(options).collect::<Vec<_>>().join("\n")
}

/// Returns the only waiting agent, or the one that the user picks; `None` if the user cancelled the picker.
fn waiting(context: &Invocation, verb: &'static str) -> Result<Option<AgentName>, Error> {
    let mut waiting = Terminals(&context.manager).waiting_agents()?;
    match waiting.len() {
        0 => Err(Error::NoAgents { what: "no agent waits for an answer".into() }),
        1 => Ok(Some(waiting.remove(0).name)),
        _ if ui::is_interactive() && !context.ui.json => picker::pick(verb, &waiting),
        _ => {
            Err(Error::WhichAgent { candidates: waiting.into_iter().map(|agent| agent.name).collect(), verb })
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
