//! Starts agents from specs and kinds: what can be started, what would run, and the start itself.
//!
//! A start names the checksum of the preview that the user has confirmed. If the specs have changed since then, nothing
//! is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiResult, answered, refusal, run_blocking};
use crate::error::{Error, shown};
use crate::manager::{
    Context, SpawnOption, SpawnPreview, SpawnRequest, SpawnTarget, Spawning, SpecCatalog, SpecLocation,
};
use crate::model::{SpawnChoices, Workspace, without_deception};
use crate::web::WebState;

/// The directory in which specs are searched.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct DirectoryRequest {
    directory: String,
}

/// The content of the form.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct SpawnFields {
    spec: Option<String>,
    name: Option<String>,
    directory: String,
    task: Option<String>,
    workspace: Option<Workspace>,
    #[serde(default)]
    params: BTreeMap<String, String>,
}

/// A form whose preview the user has confirmed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct SpawnConfirmation {
    agent: SpawnFields,
    digest: String,
}

/// `POST /api/spawn/options`: what can be started in a directory, and the choices of the last start there.
pub(in crate::web) async fn options(
    State(state): State<Arc<WebState>>,
    Json(request): Json<DirectoryRequest>,
) -> ApiResult {
    let context = Arc::clone(&state.context);
    answered(move || {
        let location = location(directory(&context, &request.directory)?);
        let options = SpecCatalog(&context).spawn_options(&location)?;
        let known: Vec<Value> = options.options.iter().map(option_json).collect();
        Ok(json!({ "project": options.project, "options": known, "last": options.last }))
    })
    .await
}

/// `POST /api/spawn/preview`: what a start would run. An untrusted spec is refused here already.
pub(in crate::web) async fn preview(
    State(state): State<Arc<WebState>>,
    Json(fields): Json<SpawnFields>,
) -> ApiResult {
    let context = Arc::clone(&state.context);
    answered(move || {
        let preview = previewed(&context, &fields)?;
        let clean = |texts: &[String]| texts.iter().map(|text| without_deception(text)).collect();
        Ok(SpawnPreview {
            command: clean(&preview.command),
            command_line: clean(&preview.command_line),
            warnings: clean(&preview.warnings),
            variables: clean(&preview.variables),
            ..preview
        })
    })
    .await
}

/// `POST /api/spawn`: starts what a preview has described.
pub(in crate::web) async fn start(
    State(state): State<Arc<WebState>>,
    Json(SpawnConfirmation { agent, digest }): Json<SpawnConfirmation>,
) -> ApiResult {
    let context = Arc::clone(&state.context);
    let started = run_blocking(move || {
        if previewed(&context, &agent)?.digest != digest {
            return Ok(None);
        }
        let location = location(directory(&context, &agent.directory)?);
        let spawned = Spawning(&context).spawn(request(&context, &agent)?)?;
        let choices = SpawnChoices {
            spec: agent.spec,
            workspace: agent.workspace,
            params: agent.params,
            ..SpawnChoices::default()
        };
        let kept = SpecCatalog(&context).keep_spawn_choices(&location, &choices);
        let remarks = spawned.warnings.iter().chain(&spawned.remarks).cloned();
        let remarks = remarks.chain(kept.err().map(|error| error.to_string()));
        let remarks: Vec<String> = remarks.map(|text| without_deception(&text)).collect();
        Ok(Some(json!({ "name": spawned.agent.name, "remarks": remarks })))
    })
    .await?;
    match started {
        Some(started) => Ok(Json(started).into_response()),
        None => {
            let message = "what would run has changed since it was shown; nothing was started";
            Err(refusal(StatusCode::CONFLICT, "preview-changed", message))
        }
    }
}

fn previewed(context: &Context, fields: &SpawnFields) -> Result<SpawnPreview, Error> {
    SpecCatalog(context).spawn_preview(&request(context, fields)?)
}

fn request(context: &Context, fields: &SpawnFields) -> Result<SpawnRequest, Error> {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let name = filled(&fields.name);
    let name = name.map(|name| name.trim().parse().map_err(|why| Error::bad_name(&name, why))).transpose()?;
    let dir = directory(context, &fields.directory)?;
    let spec = filled(&fields.spec);
    if let Some(spec) = &spec {
        refuse_unknown(context, spec, &dir)?;
    }
    Ok(SpawnRequest {
        body: SpawnTarget::Spec(spec),
        name,
        dir: Some(dir),
        task: filled(&fields.task),
        workspace: fields.workspace,
        params: fields.params.clone().into_iter().collect(),
        ..SpawnRequest::default()
    })
}

/// Refuses a spec that the form does not offer. A path would mean a file whose project needs no trust.
fn refuse_unknown(context: &Context, spec: &str, dir: &Path) -> Result<(), Error> {
    let offered = SpecCatalog(context).spawn_options(&location(dir.to_owned()))?.options;
    match offered.iter().any(|option| option.name == spec) {
        true => Ok(()),
        false => Err(Error::usage(format!("no spec or kind is named `{}` there", shown(spec)))),
    }
}

/// Returns the path of a directory as typed. A relative one has no meaning, because the user does not know the working
/// directory of the server.
fn directory(context: &Context, typed: &str) -> Result<PathBuf, Error> {
    let typed = typed.trim();
    let below_home = typed.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let path = match (below_home, context.user_home()) {
        (Some(rest), Some(home)) => PathBuf::from(format!("{home}{rest}")),
        _ => PathBuf::from(typed),
    };
    match path.is_absolute() {
        true => Ok(path),
        false => Err(Error::usage(format!("`{}` is not an absolute path", shown(typed)))
            .hint("begin the directory with `/` or `~/`")),
    }
}

fn location(directory: PathBuf) -> SpecLocation {
    SpecLocation { config: None, dir: Some(directory) }
}

fn option_json(option: &SpawnOption) -> Value {
    let params: Vec<Value> =
        option.params.iter().map(|(name, param)| json!({ "name": name, "param": param })).collect();
    json!({
        "name": option.name,
        "description": option.description.as_deref().map(without_deception),
        "problem": option.problem.as_deref().map(without_deception),
        "params": params,
    })
}
