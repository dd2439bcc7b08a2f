//! Messages for a spawn that needs the user's trust first.

use super::report;
use crate::error::Report;
use crate::model::UntrustedSpec;
use crate::rules::lifecycle::spec_rows::quoted;

/// Maximum number of effects that are listed; `spec trust` lists all of them.
const MOST_LISTED_EFFECTS: usize = 20;

/// Describes what an untrusted spec of a project would do, and how to agree.
pub(super) fn untrusted_spec(untrusted: &UntrustedSpec) -> Report {
    let UntrustedSpec { spec, dir, is_changed, effects, asked_by_agent } = untrusted;
    let what = match is_changed {
        true => format!(
            "the files of spec `{spec}`, which comes with this project, changed since you trusted them"
        ),
        false => format!("spec `{spec}` comes with this project and is not trusted"),
    };
    let listed: Vec<String> =
        effects.iter().take(MOST_LISTED_EFFECTS).map(|effect| format!("it {effect}")).collect();
    let more = effects.len().saturating_sub(MOST_LISTED_EFFECTS);
    let more: Vec<String> = (more > 0).then(|| format!("and {more} more")).into_iter().collect();
    let report = report("untrusted-spec", 1, what).saw_all(&listed).saw_all(&more).saw("nothing was started");
    let trust = ["symposium", "spec", "trust", &super::shown(&dir.to_string_lossy())].map(str::to_owned);
    let trust = quoted(&trust);
    match asked_by_agent {
        true => report.hint(format!("a person has to agree: `{trust}`")),
        false => report.hint(format!("if you agree: `{trust}`, or repeat the command with `--trust`")),
    }
}
