//! `agent handoff import`: what is inside is shown first, then somebody is asked.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::bytes;
use crate::cli::table::clean;
use crate::cli::{Context, spawn};
use crate::error::Error;
use crate::manager::{ImportRequest, Parcel, QueueWish, Trust};
use crate::model::{Manifest, Part, Spec};

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The file
    file: PathBuf,
    /// Only show what is in it
    #[arg(long, conflicts_with_all = ["yes", "trust"])]
    show: bool,
    /// What it is called here, instead of the name it had
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<String>,
    /// A clone of its repository, instead of the one around here
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Make a repository here of what is in it; the agent works in that
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    clone_to: Option<PathBuf>,
    /// Leave its tasks and its mail in the file
    #[arg(long)]
    without_tasks: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Agree to what it runs, may do without asking, and sets up here
    #[arg(long, requires = "yes")]
    trust: bool,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let parcel = context.manager.handoff_open(&args.file)?;
    let queue = if args.without_tasks { QueueWish::Leave } else { QueueWish::Take };
    if args.show {
        match context.ui.json {
            true => context.ui.json(&View::of(&parcel, queue)),
            false => context.ui.data(&card(&parcel, queue)),
        }
        return Ok(0);
    }
    let trust = match (args.yes, args.trust) {
        (true, true) => Trust::All,
        (true, false) => Trust::Nothing,
        (false, _) if context.ui.can_ask() => {
            context.ui.data(&card(&parcel, queue));
            if !context.ui.confirm("Take this agent over?")? {
                context.ui.say("nothing was changed");
                return Ok(1);
            }
            Trust::All
        }
        (false, _) => {
            return Err(Error::Usage {
                what: "nobody can be asked here whether it is wanted".into(),
                hint: Some("look at it with `--show`, then add `--yes`".into()),
            });
        }
    };
    let imported = context.manager.handoff_import(
        &parcel,
        &ImportRequest {
            name: args.name.as_deref().map(spawn::name).transpose()?,
            dir: args.dir,
            clone_to: args.clone_to,
            trust,
            queue,
        },
    )?;
    if context.ui.json {
        context.ui.json(&imported);
        return Ok(0);
    }
    for remark in &imported.remarks {
        context.ui.say(&clean(remark));
    }
    context.ui.data(imported.agent.name.as_str());
    Ok(0)
}

/// What is in a file, for programs. The field names are a public contract.
#[derive(Serialize)]
struct View<'a> {
    manifest: &'a Manifest,
    title: Option<&'a str>,
    spec: &'a Spec,
    /// What it would do on this machine without being asked again.
    acts: Vec<String>,
    tasks: usize,
    messages: usize,
}

impl View<'_> {
    fn of(parcel: &Parcel, queue: QueueWish) -> View<'_> {
        View {
            manifest: &parcel.manifest,
            title: parcel.record.title.as_deref(),
            spec: &parcel.spec,
            acts: parcel.acts(queue),
            tasks: parcel.tasks.len(),
            messages: parcel.messages.len(),
        }
    }
}

/// The same for people. All of it is a stranger's word, and shown without what a terminal would obey.
fn card(parcel: &Parcel, queue: QueueWish) -> String {
    let manifest = &parcel.manifest;
    let size =
        |part: Part| manifest.entries.iter().find(|entry| entry.name == part).map_or(0, |entry| entry.size);
    let some = |text: Option<&str>| text.filter(|text| !text.is_empty()).unwrap_or("-").to_owned();
    let conversation = match manifest.has(Part::Conversation) {
        true => {
            format!("{} ({})", some(manifest.conversation.id.as_deref()), bytes(size(Part::Conversation)))
        }
        false if manifest.conversation.begun => "not in it: a new one begins with the recap".to_owned(),
        false => "none yet".to_owned(),
    };
    let work = manifest.work.as_ref().map(|work| {
        let changes = size(Part::Staged) + size(Part::Unstaged);
        let loose = if changes > 0 { format!(", {} not committed", bytes(changes)) } else { String::new() };
        let branch = work.branch.as_deref().unwrap_or("no branch");
        format!(
            "{branch} at {} ({}){loose}",
            &work.head[..12.min(work.head.len())],
            bytes(size(Part::Bundle))
        )
    });
    let remotes = manifest.work.as_ref().map(|work| work.remotes.join(", "));
    let acts = parcel.acts(queue);
    let prompt = parcel.spec.system_prompt.as_ref().map(|text| {
        let first = text.lines().next().unwrap_or_default();
        format!("{first} ({} lines)", text.lines().count())
    });
    let mut rows = vec![
        ("agent", manifest.name.to_string()),
        ("made", format!("{} by symposium {}", manifest.made_at, manifest.symposium)),
        ("title", some(parcel.record.title.as_deref())),
        ("kind", manifest.kind.clone()),
        ("spec", manifest.spec.clone()),
        ("model", some(parcel.spec.model.as_deref())),
        ("prompt", some(prompt.as_deref())),
        ("was", manifest.status.to_string()),
        ("conversation", conversation),
        ("work", work.unwrap_or_else(|| "none: it was in no git repository".to_owned())),
        ("remotes", some(remotes.as_deref())),
        ("queue", format!("{} tasks, {} messages", parcel.tasks.len(), parcel.messages.len())),
        ("variables", some(Some(&manifest.variables.join(", ")))),
    ];
    rows.extend(acts.iter().map(|act| ("acts", format!("it {act}"))));
    rows.iter().map(|(key, value)| format!("{key:>13}  {}\n", clean(value))).collect()
}
