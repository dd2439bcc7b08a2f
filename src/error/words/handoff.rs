//! Messages about hand-offs.

use super::{report, shown, unreachable_report};
use crate::error::{Error, Report};

/// Maximum number of untrusted actions that are listed; `--show` lists all.
const MOST_ACTS: usize = 20;

impl Error {
    pub(super) fn about_handoffs(&self) -> Report {
        match self {
            Error::BadHandoff { what } => {
                report("bad-handoff", 1, what.replace(char::is_control, "\u{fffd}"))
                    .saw("nothing was changed")
                    .hint("fetch it once more, or ask its author: `symposium agent handoff export NAME`")
            }
            Error::NewerHandoff { path, found, known, needs } => {
                let what = format!(
                    "`{}` was made by a newer symposium (format {found}, this one knows {known})",
                    shown(path)
                );
                let needed = needs.as_deref().map_or_else(
                    || "a newer one".to_owned(),
                    |version| format!("{} or newer", shown(version)),
                );
                report("newer-handoff", 1, what)
                    .saw("nothing was changed")
                    .hint(format!("upgrade symposium to {needed}"))
            }
            Error::SecretsInHandoff { name, found, more } => {
                let report = report(
                    "secrets",
                    1,
                    format!("what would be handed over of agent `{name}` holds what looks like secrets"),
                )
                .saw_all(found);
                let report = if *more > 0 { report.saw(format!("and {more} more")) } else { report };
                report
                    .saw("nothing was written")
                    .hint("take them out, and change them if they are real: others may have seen them")
                    .hint(format!(
                        "if they are none: `symposium agent handoff export {name} --allow-secrets`"
                    ))
            }
            Error::UntrustedHandoff { name, acts } => report(
                "untrusted-handoff",
                1,
                format!("agent `{name}` would do things on this machine that need your consent"),
            )
            .saw_all(&acts.iter().take(MOST_ACTS).flat_map(|act| lines(act)).collect::<Vec<_>>())
            .saw_all(&more(acts.len()))
            .saw("nothing was changed")
            .hint("look at it with `--show`; if you agree, `--yes --trust`"),
            _ => unreachable_report(self),
        }
    }
}

/// Describes an action of the agent, with the text that it receives below.
fn lines(act: &str) -> Vec<String> {
    let mut lines = act.split('\n');
    let first = lines.next().map(|line| format!("it {line}"));
    first.into_iter().chain(lines.map(|line| format!("  {line}"))).collect()
}

fn more(acts: usize) -> Vec<String> {
    let more = acts.saturating_sub(MOST_ACTS);
    (more > 0).then(|| format!("and {more} more")).into_iter().collect()
}
