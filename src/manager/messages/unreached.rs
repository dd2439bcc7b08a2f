//! Converts the reason why a message has no recipient into an error.

use crate::base::suggest::nearest;
use crate::error::{Code, Error, listed, shown};
use crate::model::AgentName;
use crate::rules::tasks::address::NoRecipient;

/// The possible values of TARGET.
const TARGETS: &str = "a target is an agent, `agent@project`, `@project`, `parent`, `children` or `person`";

impl From<NoRecipient> for Error {
    fn from(unreached: NoRecipient) -> Error {
        describe(&unreached).saw("nothing was sent").caused_by(unreached)
    }
}

fn describe(unreached: &NoRecipient) -> Error {
    let message = unreached.to_string();
    match unreached {
        NoRecipient::NoAgent { name, known } => Error::new(Code::NoSuchAgent, message)
            .saw(known_or("known agents", &listed(known)))
            .hint(suggestion(nearest(name, known.iter().map(AgentName::as_str)), "")),
        NoRecipient::Elsewhere { name, is_in, .. } => Error::new(Code::NoSuchAgent, message)
            .saw(format!("it is in {}", shown(is_in)))
            .hint(suggestion(Some(name.as_str()), "")),
        NoRecipient::NoProject { project, known } => {
            let paths: Vec<String> = known.iter().take(6).map(|path| shown(path)).collect();
            let near = nearest(project, known.iter().filter_map(|path| path.rsplit('/').next()));
            Error::new(Code::NoSuchProject, message)
                .saw(known_or("projects with agents", &paths.join(", ")))
                .hint(suggestion(near, "@"))
        }
        NoRecipient::Several { paths, .. } => {
            let first = paths.first().map_or("/path", String::as_str);
            Error::new(Code::AmbiguousProject, message)
                .saw_all(paths)
                .hint(format!("name one by its path: `symposium message send @{first} …`"))
        }
        NoRecipient::Alone { .. } => {
            Error::new(Code::NoRecipient, message).hint("`symposium agent list --all` lists all agents")
        }
        NoRecipient::NoParent | NoRecipient::NoChildren { of: None } => Error::usage(message).hint(TARGETS),
        NoRecipient::NoChildren { of: Some(_) } => Error::new(Code::NoRecipient, message)
            .hint("`symposium agent spawn` starts one; `symposium agent list --tree` shows all children"),
    }
}

fn known_or(what: &str, known: &str) -> String {
    match known {
        "" => "there are no agents yet".to_owned(),
        known => format!("{what}: {known}"),
    }
}

fn suggestion(near: Option<&str>, prefix: &str) -> String {
    match near {
        Some(near) => format!("did you mean `symposium message send {prefix}{near} …`?"),
        None => TARGETS.to_owned(),
    }
}
