//! Messages for mail without a recipient and for notes that cannot be read or written.

use super::{list, report, shown, unreachable_report};
use crate::base::suggest::nearest;
use crate::error::{Error, Report};
use crate::model::AgentName;
use crate::rules::tasks::address::Unreached;

/// The possible values of TARGET.
const TARGETS: &str = "a target is an agent, `agent@project`, `@project`, `parent`, `children` or `person`";

impl Error {
    pub(super) fn about_mail(&self) -> Report {
        match self {
            Error::Unreached(why) => about(why).saw("nothing was sent"),
            Error::NoSuchNote { key, project, known } => {
                let near = nearest(key, known.iter().map(String::as_str));
                let report =
                    report("no-such-note", 3, format!("there is no note `{}` on this board", shown(key)))
                        .saw(format!("the board of {}", shown(project)));
                match (near, known.is_empty()) {
                    (Some(near), _) => {
                        report.hint(format!("did you mean `symposium board get {}`?", quoted(near)))
                    }
                    (None, true) => report.saw("it is empty").hint(format!(
                        "`symposium board set {} TEXT` writes one; `--project DIR` names another board",
                        quoted(key)
                    )),
                    (None, false) => report.hint("`symposium board list` shows them"),
                }
            }
            Error::BadKey { given, why } => {
                report("bad-key", 2, format!("`{}` cannot be the name of a note: {why}", shown(given)))
                    .hint("a key is any line of at most 200 bytes, such as `plan` or `auth/next`")
            }
            Error::NoteTooLong { key, size, most } => report(
                "note-too-long",
                1,
                format!("note `{}` would have {size} bytes, at most {most} are allowed", shown(key)),
            )
            .saw("nothing was changed")
            .hint("put the text into a file, and the file's path on the board"),
            _ => unreachable_report(self),
        }
    }
}

fn about(why: &Unreached) -> Report {
    match why {
        Unreached::NoAgent { name, known } => {
            let near = nearest(name, known.iter().map(AgentName::as_str));
            let report = report("no-such-agent", 3, format!("no agent named `{}`", shown(name)));
            let report = match known.is_empty() {
                true => report.saw("there are no agents yet"),
                false => report.saw(format!("known agents: {}", list(known))),
            };
            match near {
                Some(near) => report.hint(format!("did you mean `symposium message send {near} …`?")),
                None => report.hint(TARGETS),
            }
        }
        Unreached::Elsewhere { name, project, is_in } => {
            report("no-such-agent", 3, format!("agent `{name}` is not in project `{}`", shown(project)))
                .saw(format!("it is in {}", shown(is_in)))
                .hint(format!("did you mean `symposium message send {name} …`?"))
        }
        Unreached::NoProject { project, known } => {
            let near = nearest(project, known.iter().filter_map(|path| path.rsplit('/').next()));
            let report =
                report("no-such-project", 3, format!("no agent is in a project `{}`", shown(project)));
            let report = match known.is_empty() {
                true => report.saw("there are no agents yet"),
                false => {
                    let known: Vec<String> = known.iter().take(6).map(|path| shown(path)).collect();
                    report.saw(format!("projects with agents: {}", known.join(", ")))
                }
            };
            match near {
                Some(near) => report.hint(format!("did you mean `symposium message send @{near} …`?")),
                None => report.hint(TARGETS),
            }
        }
        Unreached::Several { project, paths } => {
            let first = paths.first().map_or("/path", String::as_str);
            report("which-project", 2, format!("several projects are called `{}`", shown(project)))
                .saw_all(paths)
                .hint(format!("name one by its path: `symposium message send @{first} …`"))
        }
        Unreached::Alone { project } => {
            report("nobody-there", 3, format!("no other agent is in project {}", shown(project)))
                .hint("`symposium agent list --all` shows who is where")
        }
        Unreached::NoParent => {
            report("usage", 2, "`parent` is an address for agents: a person has no parent").hint(TARGETS)
        }
        Unreached::NoChildren { of: None } => {
            report("usage", 2, "`children` is for agents: yours are those of a project, `@project`")
                .hint(TARGETS)
        }
        Unreached::NoChildren { of: Some(name) } => {
            report("nobody-there", 3, format!("agent `{name}` has no children"))
                .hint("`symposium agent spawn` starts one; `symposium agent list --tree` shows who has")
        }
    }
}

/// Quotes a key so that it can be pasted into a shell.
fn quoted(key: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:".contains(c);
    match key.chars().all(is_plain) {
        true => key.to_owned(),
        false => format!("'{}'", shown(key).replace('\'', "'\\''")),
    }
}
