//! The keys of `config.toml`: one line for each key, with its section, name and setter.

use std::time::Duration;

use super::notice_channels;
use super::values::{self, TomlValue, ValueResult, duration_at_least};
use crate::base::suggest::nearest;
use crate::model::{
    AfterDeletion, AttachPolicy, Config, DashboardColumn, Desktop, FinishMethod, NotifyOn, ThemeName,
};

type Setter = fn(&mut Config, TomlValue<'_, '_>) -> ValueResult<()>;

/// Minimum interval of the supervisor's full check. A shorter one would amount to polling.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

pub(super) const NOTIFY_ON: [(&str, NotifyOn); 8] = [
    ("waiting", NotifyOn::Waiting),
    ("finished", NotifyOn::Finished),
    ("crashed", NotifyOn::Crashed),
    ("gave-up", NotifyOn::GaveUp),
    ("hung", NotifyOn::Hung),
    ("deleted", NotifyOn::Deleted),
    ("message", NotifyOn::Message),
    ("task", NotifyOn::Task),
];
const DESKTOP: [(&str, Desktop); 2] = [("auto", Desktop::Auto), ("off", Desktop::Off)];
const DELETED: [(&str, AfterDeletion); 2] = [("keep", AfterDeletion::Keep), ("prune", AfterDeletion::Prune)];

/// The duration that `recap = true` in `[attach]` means, which is also the default.
const DEFAULT_RECAP_AFTER: Duration = Duration::from_secs(5 * 60);

const METHOD: [(&str, FinishMethod); 3] =
    [("squash", FinishMethod::Squash), ("rebase", FinishMethod::Rebase), ("merge", FinishMethod::Merge)];

const POLICY: [(&str, AttachPolicy); 2] =
    [("single-driver", AttachPolicy::SingleDriver), ("shared", AttachPolicy::Shared)];

const THEME: [(&str, ThemeName); 4] = [
    ("auto", ThemeName::Auto),
    ("dark", ThemeName::Dark),
    ("light", ThemeName::Light),
    ("plain", ThemeName::Plain),
];

const KEYS: [(&str, &str, Setter); 36] = [
    ("", "max_agents", |config, value| {
        values::number(value).map(|most| config.max_agents = (most > 0).then_some(most))
    }),
    ("supervisor", "autostart", |config, value| {
        values::boolean(value).map(|on| config.supervisor.autostart = on)
    }),
    ("supervisor", "reconcile", |config, value| {
        duration_at_least(value, MIN_INTERVAL).map(|every| config.supervisor.reconcile = every)
    }),
    ("restart", "first", |config, value| {
        values::duration(value).map(|wait| config.restart.first_delay = wait)
    }),
    ("restart", "longest", |config, value| {
        values::duration(value).map(|wait| config.restart.max_delay = wait)
    }),
    ("restart", "most", |config, value| values::number(value).map(|most| config.restart.max_restarts = most)),
    ("restart", "window", |config, value| values::duration(value).map(|span| config.restart.window = span)),
    ("restart", "hung", |config, value| values::boolean(value).map(|on| config.restart.hung = on)),
    ("notify", "on", |config, value| values::words(value, &NOTIFY_ON).map(|on| config.notify.on = on)),
    ("notify", "desktop", |config, value| {
        values::word(value, &DESKTOP).map(|desktop| config.notify.desktop = desktop)
    }),
    ("notify", "status_line", |config, value| {
        values::boolean(value).map(|on| config.notify.status_line = on)
    }),
    ("notify", "bell", |config, value| values::boolean(value).map(|on| config.notify.bell = on)),
    ("notify", "command", |config, value| {
        values::command(value).map(|command| config.notify.command = command)
    }),
    ("notify", "per_minute", |config, value| {
        values::number(value).map(|most| config.notify.per_minute = most)
    }),
    ("notify", "quiet_hours", |config, value| {
        values::quiet_hours(value).map(|hours| config.notify.quiet_hours = hours)
    }),
    ("notify", "page_url", |config, value| {
        notice_channels::page_url(value).map(|url| config.notify.page_url = Some(url))
    }),
    ("notify", "ntfy", |config, value| {
        notice_channels::ntfy(value).map(|channel| config.notify.ntfy = Some(channel))
    }),
    ("notify", "webhook", |config, value| {
        notice_channels::webhook(value).map(|channel| config.notify.webhook = Some(channel))
    }),
    ("cleanup", "deleted_projects", |config, value| {
        values::word(value, &DELETED).map(|policy| config.cleanup.deleted_projects = policy)
    }),
    ("cleanup", "after", |config, value| values::duration(value).map(|span| config.cleanup.after = span)),
    ("ledger", "keep", |config, value| values::duration(value).map(|span| config.ledger.keep = span)),
    ("attach", "policy", |config, value| {
        values::word(value, &POLICY).map(|policy| config.attach.policy = policy)
    }),
    ("attach", "recap", |config, value| {
        values::duration_or_off(value, DEFAULT_RECAP_AFTER).map(|after| config.attach.recap = after)
    }),
    ("checkpoints", "enabled", |config, value| {
        values::boolean(value).map(|on| config.checkpoints.enabled = on)
    }),
    ("checkpoints", "keep", |config, value| values::number(value).map(|keep| config.checkpoints.keep = keep)),
    ("checkpoints", "max_age", |config, value| {
        values::duration(value).map(|age| config.checkpoints.max_age = age)
    }),
    ("mcp", "enabled", |config, value| values::boolean(value).map(|on| config.mcp.enabled = on)),
    ("hosts", "ssh", |config, value| values::program(value).map(|program| config.hosts.ssh = program)),
    ("dashboard", "theme", |config, value| {
        values::word(value, &THEME).map(|theme| config.dashboard.theme = theme)
    }),
    ("dashboard", "colors", |config, value| {
        values::role_colors(value).map(|colors| config.dashboard.colors = colors)
    }),
    ("dashboard", "columns", |config, value| {
        values::words(value, &DashboardColumn::ALL).map(|columns| config.dashboard.columns = columns)
    }),
    ("dashboard", "keys", |config, value| {
        values::key_bindings(value).map(|keys| config.dashboard.keys = keys)
    }),
    ("workspace", "copy", |config, value| values::paths(value).map(|paths| config.workspace.copy = paths)),
    ("workspace", "setup", |config, value| values::lines(value).map(|lines| config.workspace.setup = lines)),
    ("finish", "checks", |config, value| values::lines(value).map(|lines| config.finish.checks = lines)),
    ("finish", "method", |config, value| {
        values::word(value, &METHOD).map(|method| config.finish.method = method)
    }),
];

/// Checks whether a section of this name exists.
pub(super) fn is_section(name: &str) -> bool {
    KEYS.iter().any(|(section, ..)| !section.is_empty() && *section == name)
}

/// Returns the setter of a key, or `None` if the key does not exist.
pub(super) fn setter(section: &str, key: &str) -> Option<Setter> {
    KEYS.iter().find(|known| (known.0, known.1) == (section, key)).map(|(.., setter)| *setter)
}

/// Describes the error of an unknown key.
pub(super) fn unknown(section: &str, key: &str) -> String {
    let unknown_key = format!("there is no key `{}`", key.escape_debug());
    if let Some((elsewhere, ..)) = KEYS.iter().find(|known| known.1 == key) {
        return match *elsewhere {
            "" => format!("{unknown_key} in `[{section}]`: it belongs above the first section"),
            elsewhere => format!("{unknown_key} here: it belongs in `[{elsewhere}]`"),
        };
    }
    let mut known: Vec<&str> = KEYS.iter().filter(|known| known.0 == section).map(|known| known.1).collect();
    if section.is_empty() {
        known.extend(KEYS.iter().map(|known| known.0).filter(|name| !name.is_empty()));
        known.dedup();
    }
    match nearest(key, known.iter().copied()) {
        Some(name) => format!("{unknown_key}; did you mean `{name}`?"),
        None => format!("{unknown_key}; known: {}", known.join(", ")),
    }
}
