//! A resolved spec as rows of a table: each key with its formatted value and origin.

use std::time::Duration;

use jiff::SignedDuration;

use crate::model::{Heartbeat, Origin, Param, Schedule, Spec};

/// One key of a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecRow {
    /// Name of the key, for example `model` or `env.PORT`.
    pub key: String,
    /// Formatted value; `None` if it is not set and the agent CLI decides. It may have several lines.
    pub value: Option<String>,
    /// Origin of the value.
    pub origin: Origin,
}

/// Returns every key of a spec, in the order in which spec files are written.
pub fn rows(spec: &Spec) -> Vec<SpecRow> {
    let words = |words: &[String]| words.join(", ");
    let some = |words: &[String], between: &str| (!words.is_empty()).then(|| words.join(between));
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let notify = |spec: &Spec| {
        let notified = spec.notify.as_ref()?.iter();
        Some(
            notified
                .filter_map(|on| Some(serde_json::to_value(on).ok()?.as_str()?.to_owned()))
                .collect::<Vec<_>>(),
        )
    };
    let mut rows = Vec::new();
    let mut row = |key: &str, value: Option<String>| {
        rows.push(SpecRow { key: key.to_owned(), value, origin: spec.origin(key).clone() });
    };
    row("description", spec.description.clone());
    row("kind", spec.kind.clone());
    row("command", (!spec.command.is_empty()).then(|| quoted(&spec.command)));
    row("role", spec.role.clone());
    row("model", spec.model.clone());
    row("tools", spec.tools.as_deref().map(words));
    row("shell_tier", spec.shell_tier.map(|tier| tier.to_string()));
    row("system_prompt", spec.system_prompt.clone());
    spec.env.iter().for_each(|(name, value)| row(&format!("env.{name}"), Some(value.clone())));
    row("restart", Some(spec.restart.to_string()));
    row("heartbeat", spec.heartbeat.as_ref().map(heartbeat));
    row("workspace", Some(spec.workspace.to_string()));
    row("workspace.copy", some(&spec.worktree.copy, ", "));
    row("workspace.setup", some(&spec.worktree.setup, "\n"));
    row("ephemeral", Some(spec.ephemeral.to_string()));
    row("max_instances", number(spec.max_instances));
    spec.params.iter().for_each(|(name, value)| row(&format!("params.{name}"), Some(param(value))));
    row("notify", notify(spec).as_deref().map(words));
    row("limits.depth", number(spec.limits.depth));
    row("limits.children", number(spec.limits.children));
    rows
}

/// Quotes a command for a shell, so that an argument with a space is visible as one argument.
pub fn quoted(command: &[String]) -> String {
    let quoted =
        command.iter().map(|word| shlex::try_quote(word).map_or_else(|_| word.clone(), String::from));
    quoted.collect::<Vec<_>>().join(" ")
}

fn heartbeat(heartbeat: &Heartbeat) -> String {
    format!("{}: {}", schedule(&heartbeat.schedule), heartbeat.prompt)
}

/// Formats the schedule of a heartbeat.
pub fn schedule(schedule: &Schedule) -> String {
    match schedule {
        Schedule::Every(seconds) => {
            let span = SignedDuration::try_from(Duration::from_secs(*seconds)).unwrap_or(SignedDuration::MAX);
            format!("every {span:#}")
        }
        Schedule::Cron(fields) => format!("at {fields}"),
    }
}

fn param(param: &Param) -> String {
    match &param.default {
        Some(default) => format!("{}, default {default}", param.sort),
        None => format!("{}, required", param.sort),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NotifyOn, ParamSort, ParamValue};

    #[test]
    fn every_key_of_a_spec_has_its_row() {
        let fields = serde_json::to_value(Spec::default()).unwrap();
        let rows = rows(&Spec {
            env: [("A".to_owned(), "1".to_owned())].into(),
            params: [("p".to_owned(), Param { sort: ParamSort::Int, default: None, description: None })]
                .into(),
            ..Spec::default()
        });
        for field in fields.as_object().unwrap().keys() {
            let key = if field == "worktree" { "workspace.setup" } else { field };
            let is_of = |row: &SpecRow| row.key == key || row.key.split('.').next() == Some(key);
            let about = ["name", "found_in", "origins", "remarks"].contains(&field.as_str());
            assert!(about || rows.iter().any(is_of), "{field}");
        }
    }

    #[test]
    fn values_are_described_with_their_origin() {
        let choice = ParamSort::Choice { choices: vec!["europe".into(), "asia".into()] };
        let origin = Origin::File { path: "agents.toml".into(), line: 7 };
        let spec = Spec {
            command: vec!["my claude".into(), "$(x)".into()],
            tools: Some(vec![]),
            notify: Some(vec![NotifyOn::Waiting, NotifyOn::GaveUp]),
            heartbeat: Some(Heartbeat {
                schedule: Schedule::Every(5_400),
                prompt: "look".into(),
                last: None,
            }),
            params: [(
                "region".to_owned(),
                Param { sort: choice, default: Some(ParamValue::Text("asia".into())), description: None },
            )]
            .into(),
            origins: [("command".to_owned(), origin.clone())].into(),
            ..Spec::built_in()
        };
        let rows = rows(&spec);
        let of = |key: &str| rows.iter().find(|row| row.key == key).unwrap();
        for (key, value) in [
            ("model", None),
            ("command", Some("'my claude' '$(x)'")),
            ("tools", Some("")),
            ("notify", Some("waiting, gave-up")),
            ("heartbeat", Some("every 1h 30m: look")),
            ("params.region", Some("one of europe, asia, default asia")),
            ("restart", Some("no")),
        ] {
            assert_eq!(of(key).value.as_deref(), value, "{key}");
        }
        assert_eq!((&of("command").origin, &of("model").origin), (&origin, &Origin::Default));
    }
}
