//! The work behind the form that starts agents: looks up what can be spawned in a directory, and spawns.

use std::path::{Path, PathBuf};

use crate::dashboard::effects::{EventSender, sentence};
use crate::dashboard::forms::outcome::{DirectorySurvey, SpawnRefusal};
use crate::dashboard::forms::submission::{SpawnSubmission, expanded};
use crate::dashboard::forms::window::StartedAgent;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::DashboardEvent;
use crate::error::{Code, Error};
use crate::manager::{
    Completions, Context, ProjectTrust, SpawnRequest, SpawnTarget, Spawned, Spawning, SpecCatalog,
    SpecLocation, Taskspaces,
};
use crate::model::{UntrustedSpec, without_deception};
use crate::text::trust::trust_text;

/// Reports what can be spawned in the typed directory, and how the text can be completed.
pub(super) fn report_spawn_choices(context: &Context, events: &EventSender, typed: String) {
    let home = context.user_home();
    let (parent, prefix) = typed.rsplit_once('/').map_or(("", typed.as_str()), |(dir, name)| (dir, name));
    let beginning = &typed[..typed.len() - prefix.len()];
    let searched = match beginning {
        "" => PathBuf::from("."),
        "/" => PathBuf::from("/"),
        _ => PathBuf::from(expanded(parent, home.as_deref())),
    };
    let names = Completions(context).directories(&searched, prefix);
    let completions = names.into_iter().map(|name| format!("{beginning}{name}/")).collect();
    let place = place(&expanded(&typed, home.as_deref()));
    let options = SpecCatalog(context).spawn_options(&place);
    let is_incomplete = options.as_ref().is_err_and(|error| error.code() == Code::BadDirectory);
    let options = options.map_err(|error| sentence(&error));
    events.send(DashboardEvent::DirectorySurveyed(DirectorySurvey {
        typed,
        is_incomplete,
        completions,
        options,
    }));
}

/// Starts the agent that a form describes.
pub(super) fn spawn(context: &Context, events: &EventSender, submission: &SpawnSubmission) {
    let outcome = run(context, submission);
    let outcome = outcome.map(|spawned| report(&spawned)).map_err(|error| refusal(context, &error));
    events.send(DashboardEvent::SpawnFinished(outcome));
}

fn run(context: &Context, submission: &SpawnSubmission) -> Result<Spawned, Error> {
    let parsed =
        submission.name.as_deref().map(|name| name.parse().map_err(|why| Error::bad_name(name, why)));
    let choices = &submission.choices;
    let place = place(&submission.directory);
    let request = SpawnRequest {
        body: SpawnTarget::Spec(choices.spec.clone()),
        name: parsed.transpose()?,
        dir: place.dir.clone(),
        task: submission.task.clone(),
        workspace: choices.workspace,
        params: choices.params.clone().into_iter().collect(),
        size: submission.size,
        ..SpawnRequest::default()
    };
    if let Some(review) = &submission.trusted {
        ProjectTrust(context).trust(review)?;
    }
    let mut spawned = match choices.taskspace {
        true => Taskspaces(context).taskspace_new(request)?,
        false => Spawning(context).spawn(request)?,
    };
    // The agent runs; the next form merely begins without these choices.
    if let Err(error) = SpecCatalog(context).keep_spawn_choices(&place, choices) {
        spawned.warnings.push(sentence(&error));
    }
    Ok(spawned)
}

fn place(directory: &str) -> SpecLocation {
    SpecLocation { config: None, dir: Some(Path::new(directory).to_owned()) }
}

fn report(spawned: &Spawned) -> StartedAgent {
    let mut sentences = vec![format!("`{}` was started", spawned.agent.name)];
    sentences.extend(spawned.warnings.iter().chain(&spawned.remarks).map(|text| without_deception(text)));
    StartedAgent { key: AgentKey::of(&spawned.agent), report: sentences.join("; ").replace('\n', " ") }
}

fn refusal(context: &Context, error: &Error) -> SpawnRefusal {
    if let Some(untrusted) =
        error.cause::<UntrustedSpec>().filter(|untrusted| !untrusted.is_requested_by_agent)
        && let Ok(Some(review)) = ProjectTrust(context)
            .trust_review(&SpecLocation { config: None, dir: Some(untrusted.dir.clone()) })
    {
        let lines = trust_text(&review).lines().map(str::to_owned).collect();
        return SpawnRefusal { lines, review: Some(review) };
    }
    let hints = error.hints().iter().map(|hint| format!("hint: {hint}"));
    let all = std::iter::once(error.to_string()).chain(error.observations().iter().cloned()).chain(hints);
    let lines = all.flat_map(|text| text.lines().map(without_deception).collect::<Vec<_>>()).collect();
    SpawnRefusal { lines, review: None }
}
