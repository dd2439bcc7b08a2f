//! Answers, prompts and operations. Each reports one sentence, also for several agents.

use std::io;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use crate::base::plural::counted;
use crate::dashboard::effects::outcomes::ActionOutcomes;
use crate::dashboard::effects::{EventSender, remote, sentence, spawn};
use crate::dashboard::state::event::{
    AgentTarget, AnswerChoice, DashboardEffect, DashboardEvent, Operation, PromptUse, RemovalConsequence,
};
use crate::error::Error;
use crate::manager::{
    AgentInput, AgentRemoval, ApprovalAnswer, Approvals, Context, ConversationChoice, Destination,
    ExportRequest, GuestPermission, HandoffExport, Hibernation, IfExists, MessageRequest, Messages, Removal,
    Renaming, Restoration, RestoreScope, Restored, Resumption, ReviewComments, Secrets, SendRequest,
    ShareRequest, Sharing, TaskRequest, Tasks, TerminalClients, Termination,
};
use crate::model::AgentName;
use crate::rules::tasks::typing::LineHandling;
use crate::text::agent::status_word;
use crate::text::recap::recap_text;

/// How long a prompt waits until the agent is ready for it, as in `agent send`.
const READY_TIMEOUT: Duration = Duration::from_secs(30);
/// Time that an agent has to end by itself, as in `agent kill`.
const END_GRACE: Duration = Duration::from_secs(5);

/// An operation as the command that another host runs, without the name of the agent, and as it is reported.
#[derive(Clone, Copy)]
struct CommandOnAgent {
    argv: &'static [&'static str],
    /// What happened to one agent, after its name.
    report: &'static str,
    /// What happened to several agents, after their number.
    participle: &'static str,
}

const INTERRUPT: CommandOnAgent =
    CommandOnAgent { argv: &["agent", "interrupt"], report: "was interrupted", participle: "interrupted" };
const STOP: CommandOnAgent =
    CommandOnAgent { argv: &["agent", "kill"], report: "was stopped", participle: "stopped" };
const RESTART: CommandOnAgent =
    CommandOnAgent { argv: &["agent", "restart"], report: "was restarted", participle: "restarted" };
const RESUME: CommandOnAgent =
    CommandOnAgent { argv: &["agent", "resume"], report: "was resumed", participle: "resumed" };
const HIBERNATE: CommandOnAgent =
    CommandOnAgent { argv: &["agent", "hibernate"], report: "hibernates", participle: "hibernated" };
const REMOVE: CommandOnAgent = CommandOnAgent {
    argv: &["agent", "rm", "--force", "--yes"],
    report: "was removed",
    participle: "removed",
};

/// Performs an effect and reports its outcome.
pub(super) fn perform(context: &Context, events: &EventSender, effect: DashboardEffect) {
    match effect {
        DashboardEffect::Answer { target, question, choice } => {
            let outcome = answer(context, &target, &question, &choice).map_err(|error| sentence(&error));
            events.send(DashboardEvent::AnswerFinished { key: target.key, outcome });
        }
        DashboardEffect::Deliver { targets, text, how } => {
            let done = |count| {
                let agents = counted(count, "agent", "agents");
                match how {
                    PromptUse::Send => format!("delivered to {agents}"),
                    PromptUse::Task => format!("a task was added for {agents}"),
                    PromptUse::Message => format!("sent to {agents}"),
                }
            };
            each(events, &targets, done, |target| match remote::remote_host(target)? {
                None => deliver(context, &target.name, &text, how),
                Some(host) => remote::deliver(context, &host, target, (&text, how)),
            });
        }
        DashboardEffect::PreviewRemoval(targets) => {
            let previews = targets.iter().map(|target| preview(context, target));
            match previews.collect::<Result<Vec<_>, _>>() {
                Ok(previews) => events.send(DashboardEvent::RemovalPreviewed(previews)),
                Err(error) => events.send(DashboardEvent::PreviewFailed(sentence(&error))),
            }
        }
        DashboardEffect::SwitchClient { client, name } => {
            match TerminalClients(context).switch_client(&client, &name) {
                Ok(()) => events.send(DashboardEvent::ClientSwitched),
                Err(error) => events.send(DashboardEvent::Finished(Err(sentence(&error)))),
            }
        }
        DashboardEffect::SurveyDirectory(typed) => spawn::report_spawn_choices(context, events, typed),
        DashboardEffect::Spawn(submission) => spawn::spawn(context, events, &submission),
        DashboardEffect::SendComments(target) => {
            let outcome = send_comments(context, &target).map_err(|error| sentence(&error));
            events.send(DashboardEvent::CommentsSent { key: target.key, outcome });
        }
        DashboardEffect::Operate(operation) => operate(context, events, operation),
        _ => {}
    }
}

fn send_comments(context: &Context, target: &AgentTarget) -> Result<String, Error> {
    let sent = ReviewComments(context).send(&target.name, READY_TIMEOUT)?;
    let count = counted(sent.comments.len() as u64, "comment", "comments");
    Ok(format!("{count} delivered to `{}`", target.name))
}

fn answer(
    context: &Context,
    target: &AgentTarget,
    question: &str,
    choice: &AnswerChoice,
) -> Result<String, Error> {
    if let Some(host) = remote::remote_host(target)? {
        return remote::answer(context, &host, target, (question, choice));
    }
    let (approvals, name, read) = (Approvals(context), &target.name, Some(question));
    let (word, answered) = match choice {
        AnswerChoice::Approve => ("approved", approvals.answer(name, ApprovalAnswer::Approve, read)?),
        AnswerChoice::Deny => ("denied", approvals.answer(name, ApprovalAnswer::Deny, read)?),
        AnswerChoice::Text(text) => ("answered", approvals.answer_with(name, text, read)?),
    };
    Ok(format!("{word} in `{name}`: {}; it is {} now", answered.question_line, status_word(&answered.agent)))
}

fn deliver(context: &Context, name: &AgentName, text: &str, how: PromptUse) -> Result<String, Error> {
    let text = text.to_owned();
    match how {
        PromptUse::Send => {
            let request = SendRequest {
                name: name.clone(),
                text,
                lines: LineHandling::Together,
                timeout: READY_TIMEOUT,
            };
            let evidence = AgentInput(context).send(&request)?;
            Ok(format!("delivered to `{name}`: {evidence}"))
        }
        PromptUse::Task => {
            let added = Tasks(context).task_add(TaskRequest {
                to: name.to_string(),
                text,
                ..TaskRequest::default()
            })?;
            Ok(format!("task {} was added for `{name}`", added.task.id))
        }
        PromptUse::Message => {
            let request = MessageRequest { to: name.to_string(), text, ..MessageRequest::default() };
            Messages(context).message_send(&request)?;
            Ok(format!("sent to `{name}`"))
        }
    }
}

/// Returns what the removal of an agent would end and delete.
fn preview(context: &Context, target: &AgentTarget) -> Result<RemovalConsequence, Error> {
    if let Some(host) = remote::remote_host(target)? {
        return remote::preview_removal(context, &host, target);
    }
    let preview = AgentRemoval(context).removal_preview(&target.name)?;
    Ok(RemovalConsequence { target: target.clone(), is_running: preview.running, losses: preview.summary })
}

fn operate(context: &Context, events: &EventSender, operation: Operation) {
    match operation {
        Operation::Interrupt(targets) => every(context, events, (&targets, INTERRUPT), |name| {
            AgentInput(context).interrupt(name).map(drop)
        }),
        Operation::Stop(targets) => {
            every(context, events, (&targets, STOP), |name| {
                Termination(context).kill(name, END_GRACE).map(drop)
            });
        }
        Operation::Restart(targets) => every(context, events, (&targets, RESTART), |name| {
            Resumption(context).restart(name, ConversationChoice::Keep, END_GRACE).map(drop)
        }),
        Operation::Resume(targets) => {
            every(context, events, (&targets, RESUME), |name| Resumption(context).resume(name).map(drop));
        }
        Operation::Hibernate(targets) => every(context, events, (&targets, HIBERNATE), |name| {
            Hibernation(context)
                .hibernate(name, "it was hibernated on request; it wakes when it is needed")
                .map(drop)
        }),
        Operation::Remove(targets) => every(context, events, (&targets, REMOVE), |name| {
            AgentRemoval(context).rm(name, Removal::Force).map(drop)
        }),
        Operation::Rename(target, new) => finish(events, rename(context, &target, &new)),
        Operation::RestoreAll => restore_all(context, events),
        Operation::Share(name, user) => {
            let request = ShareRequest { name: &name, with: &user, may: GuestPermission::Watch, lasts: None };
            let shared = Sharing(context).share(request);
            finish(
                events,
                shared.map(|shared| {
                    format!("{user} may watch `{name}`: `symposium attach {}`", shared.address)
                }),
            );
        }
        Operation::HandOff(name, file) => {
            let request = ExportRequest {
                name: name.clone(),
                to: Destination::File(Some(file), IfExists::Kept),
                secrets: Secrets::Refused,
                recap_text: &recap_text,
            };
            let exported = HandoffExport(context).handoff_export(&request, &mut io::sink());
            finish(
                events,
                exported.map(|exported| {
                    let file = exported.file.map(|file| file.display().to_string()).unwrap_or_default();
                    format!("`{name}` was written to {file}; it keeps running here")
                }),
            );
        }
    }
}

fn rename(context: &Context, target: &AgentTarget, new: &str) -> Result<String, Error> {
    let name: AgentName = new.parse().map_err(|why| Error::bad_name(new, why))?;
    match remote::remote_host(target)? {
        None => drop(Renaming(context).rename(&target.name, &name)?),
        Some(host) => remote::rename(context, &host, &target.name, &name)?,
    }
    Ok(format!("`{}` is called `{name}` now", target.address()))
}

fn restore_all(context: &Context, events: &EventSender) {
    let names = match Restoration(context).lost() {
        Ok(names) => names,
        Err(error) => return finish(events, Err(error)),
    };
    let outcome = |restored: Restored| {
        let remark = restored.outcome.map(|remark| format!("`{}` {remark}", restored.name));
        (restored.name.to_string(), remark.map_err(|error| sentence(&error)))
    };
    let restored = Restoration(context).restore(&names, RestoreScope::Lost, &|_| ());
    let outcomes = ActionOutcomes { each: restored.into_iter().map(outcome).collect() };
    let done = |count| format!("{} restored", counted(count, "agent", "agents"));
    events.send(DashboardEvent::Finished(outcomes.summary(done)));
}

/// Performs an operation on several agents at once. `act` is for agents of this machine; agents of other hosts are
/// changed by the command there.
fn every(
    context: &Context,
    events: &EventSender,
    (targets, operation): (&[AgentTarget], CommandOnAgent),
    act: impl Fn(&AgentName) -> Result<(), Error> + Sync,
) {
    let done = |count| format!("{} {}", counted(count, "agent", "agents"), operation.participle);
    each(events, targets, done, |target| {
        match remote::remote_host(target)? {
            None => act(&target.name)?,
            Some(host) => remote::run(context, &host, &target.name, operation.argv)?,
        }
        Ok(format!("`{}` {}", target.address(), operation.report))
    });
}

/// Performs something for several agents at once and reports it in one sentence. `done` says what was done with a
/// number of agents.
fn each(
    events: &EventSender,
    targets: &[AgentTarget],
    done: impl Fn(usize) -> String,
    act: impl Fn(&AgentTarget) -> Result<String, Error> + Sync,
) {
    let act = |target: &AgentTarget| act(target).map_err(|error| sentence(&error));
    let each = std::thread::scope(|scope| {
        let started: Vec<_> =
            targets.iter().map(|target| (target.address(), scope.spawn(|| act(target)))).collect();
        let joined = |(name, thread): (String, ScopedJoinHandle<'_, Result<String, String>>)| {
            (name, thread.join().unwrap_or_else(|_| Err("internal error".to_owned())))
        };
        started.into_iter().map(joined).collect()
    });
    events.send(DashboardEvent::Finished(ActionOutcomes { each }.summary(done)));
}

fn finish(events: &EventSender, outcome: Result<String, Error>) {
    events.send(DashboardEvent::Finished(outcome.map_err(|error| sentence(&error))));
}
