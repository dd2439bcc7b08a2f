//! Rules for hand-offs: which data the file contains, whether its manifest is plausible, which effects it has on the
//! receiving machine, and the first prompt of an agent without its conversation.

use std::path::{Component, Path};

pub use effects::{HandedTexts, effects_of_import, escape_invisible, runs};

use crate::model::{
    AgentName, FoundIn, HandedMessage, HandedTask, Manifest, Origin, Part, Spec, Task, TaskState,
    is_deceptive,
};
use crate::rules::report::recap::in_prompt;
use crate::secrets::in_line;

/// Maximum number of variable names that are listed.
const MAX_LISTED_NAMES: usize = 50;
/// Maximum length of a listed variable name in characters.
const MAX_LISTED_NAME_CHARS: usize = 80;
/// Number of suffixes that are tried after a name.
const MAX_NAME_SUFFIX: u32 = 1000;

/// Returns a spec that may leave the machine: without the values of variables and without its origins.
pub fn without_secrets(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    spec.env.clear();
    spec.origins.clear();
    spec.remarks.clear();
    spec.found_in = FoundIn::BuiltIn;
    spec
}

/// Returns a received spec with the file as its origin, for the description of its effects. Settings for notices and
/// removal are reset, because they are the receiving user's choice.
pub fn received(spec: Spec, file: &str) -> Spec {
    let mut spec = Spec { found_in: FoundIn::Given(file.to_owned()), ..without_secrets(&spec) };
    spec.notify = None;
    spec.ephemeral = false;
    let origin = || Origin::File { path: file.to_owned(), line: 1 };
    for key in ["command", "tools", "workspace.setup", "shell_tier"] {
        spec.origins.insert(key.to_owned(), origin());
    }
    spec
}

/// Returns the URL of a remote without possible passwords: without user, password and query. Returns `None` if the rest
/// may still contain one.
pub fn without_credentials(address: &str) -> Option<String> {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let address = match address.split_once("://") {
        Some((scheme, rest)) => {
            // A password may contain a slash; then the part before the slash is not a host with a port.
            let front = rest.split('/').next().unwrap_or_default();
            let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let is_whole =
                front.contains('@') || front.rsplit_once(':').is_none_or(|(_, port)| is_port(port));
            let cut = if is_whole { front.rfind('@') } else { rest.rfind('@') };
            format!("{scheme}://{}", cut.map_or(rest, |at| &rest[at + 1..]))
        }
        // A remote helper's address can have any format.
        None if address.contains("::") => return None,
        None => match address.split_once('@') {
            Some((user, rest)) if user != "git" => rest.to_owned(),
            _ => address.to_owned(),
        },
    };
    in_line(&address, &[]).is_empty().then_some(address)
}

/// Returns the tasks of a queue for the hand-off; dependencies become indices in the list.
pub fn handed_tasks(open: &[Task]) -> Vec<HandedTask> {
    let place = |id| open.iter().position(|task| task.id == id);
    open.iter()
        .enumerate()
        .map(|(at, task)| HandedTask {
            text: task.text.clone(),
            priority: task.priority.to_string(),
            source: task.source.clone(),
            begun: task.state != TaskState::Queued,
            timeout_s: task.timeout_s,
            retries: task.retries,
            after: task.after.iter().filter_map(|id| place(*id)).filter(|before| *before < at).collect(),
        })
        .collect()
}

/// Checks whether a manifest is plausible, and returns the error if it is not.
pub fn check(manifest: &Manifest) -> Result<(), String> {
    let is_word = |text: &str| {
        (1..=100).contains(&text.len())
            && !text.starts_with('-')
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    let is_commit =
        |text: &str| (text.len() == 40 || text.len() == 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if !manifest.has(Part::Record) || !manifest.has(Part::Spec) {
        return Err("it contains no agent".into());
    }
    if !is_word(&manifest.kind) {
        return Err("its kind is not a valid name".into());
    }
    if manifest.conversation.id.as_deref().is_some_and(|id| !is_word(id)) {
        return Err("its conversation id is not valid".into());
    }
    if manifest.has(Part::Bundle) != manifest.work.is_some() {
        return Err("its manifest and its parts disagree about the work".into());
    }
    if manifest.work.is_none() && (manifest.has(Part::Staged) || manifest.has(Part::Unstaged)) {
        return Err("it contains changes without commits".into());
    }
    let Some(work) = &manifest.work else { return Ok(()) };
    let commits = [&work.head].into_iter().chain(&work.base).chain(&work.roots);
    if !commits.into_iter().all(|commit| is_commit(commit)) {
        return Err("it names an invalid commit".into());
    }
    let is_plain = |part: Component| match part {
        Component::Normal(step) => step.to_str().is_some_and(|step| !step.eq_ignore_ascii_case(".git")),
        _ => false,
    };
    match Path::new(&work.below).components().all(is_plain) && !work.below.contains('\0') {
        true => Ok(()),
        false => Err("its directory is outside of the repository".into()),
    }
}

/// Checks whether the values of a spec can be passed to a program. A spec file that the user wrote is validated more
/// strictly when it is parsed.
pub fn check_spec(spec: &Spec) -> Result<(), String> {
    let words = spec.command.iter().chain(spec.tools.iter().flatten()).chain(&spec.model);
    let words = words.chain(&spec.worktree.setup).chain(&spec.worktree.copy).chain(&spec.system_prompt);
    if words.into_iter().any(|word| word.contains('\0')) {
        return Err("a word of its spec contains a NUL byte".into());
    }
    // A program that takes a value from the next argument would parse these as options.
    let is_option = |word: &&String| word.starts_with('-');
    if spec.model.iter().chain(spec.tools.iter().flatten()).any(|word| is_option(&word)) {
        return Err("its model or one of its tools looks like an option".into());
    }
    if spec.system_prompt.as_ref().is_some_and(|text| text.starts_with("--")) {
        return Err("its system prompt looks like an option".into());
    }
    let is_name = |name: &String| {
        let mut bytes = name.bytes();
        let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        first && name.len() <= 100 && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    match spec.params.keys().all(is_name) {
        true => Ok(()),
        false => Err("a parameter of its spec has an invalid name".into()),
    }
}

/// Returns the branches that can hold the agent's work, the preferred one first. An existing branch is never moved.
pub fn branches(wanted: Option<&str>, name: &AgentName) -> Vec<String> {
    // A branch with such a prefix would shadow the refs of a clone; a new repository may still get that remote.
    let stands_before = |branch: &str| ["refs/", "origin/"].iter().any(|above| branch.starts_with(above));
    let is_plain = |branch: &&str| !branch.contains(is_deceptive) && !stands_before(branch);
    let wanted = wanted.filter(is_plain).map(str::to_owned);
    let own = format!("handoff/{name}");
    let numbered = (2..MAX_NAME_SUFFIX).map(|n| format!("handoff/{name}-{n}"));
    wanted.into_iter().chain([own.clone()]).chain(numbered).collect()
}

/// Lists the names of variables that a hand-off mentions: a bounded number of them, each truncated to a bounded length.
pub fn listed_names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let left_out = names.len().saturating_sub(MAX_LISTED_NAMES);
    let cut = |name: &str| match name.char_indices().nth(MAX_LISTED_NAME_CHARS) {
        Some((end, _)) => format!("{}…", escape_invisible(&name[..end])),
        None => escape_invisible(name),
    };
    let mut listed: Vec<String> = names.take(MAX_LISTED_NAMES).map(cut).collect();
    listed.extend((left_out > 0).then(|| format!("and {left_out} more")));
    listed.join(", ")
}

/// Returns the names that the agent may get, the preferred one first.
pub fn names(wanted: &AgentName) -> impl Iterator<Item = AgentName> + '_ {
    let numbered = (2..MAX_NAME_SUFFIX).map(|n| wanted.numbered(n));
    std::iter::once(wanted.clone()).chain(numbered).filter(|name| !name.is_reserved())
}

/// Returns the first prompt for an agent that continues without its conversation.
pub fn first_prompt(name: &AgentName, recap: &str) -> String {
    format!(
        "You take over the work of agent `{name}`, whose conversation could not be transferred. Its work is in this directory. A summary:\n\n{}\n\nCheck the state of the work (git log, git status), then describe in a few words how you would continue.",
        in_prompt(recap)
    )
}

/// Returns the text of a task for the new queue.
pub fn handed_on(task: &HandedTask) -> String {
    let text = typeable(&task.text);
    match task.begun {
        true => format!("(This task was in progress when the agent was handed over.) {text}"),
        false => text,
    }
}

/// Returns the text of a message for the new agent.
pub fn handed_mail(message: &HandedMessage) -> String {
    let from = message.from.replace(|c: char| c.is_control(), " ");
    format!("(From {from}, before the agent was handed over:) {}", typeable(&message.text))
}

fn typeable(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n' && c != '\t', " ")
}

mod effects;
#[cfg(test)]
mod tests;
