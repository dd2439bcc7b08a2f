//! `config reload`: applies the user's changes in `config.toml` and `tmux.conf`.
//!
//! Commands and the supervisor read `config.toml` again whenever it has changed, so the command only reports its
//! mistakes. tmux reads `tmux.conf` only when the server starts, or here.

use serde::Serialize;

use crate::error::Error;
use crate::manager::diagnostics::Diagnostics;
use crate::tmux::ConfState;

/// Result of `config reload`.
#[derive(Debug, Serialize)]
pub struct Reloaded {
    /// Whether `config.toml` exists.
    pub config_toml: bool,
    /// Whether a running server has read `tmux.conf`.
    pub tmux_conf: TmuxConf,
    /// Mistakes in `tmux.conf`.
    pub mistakes: Vec<String>,
    /// Settings that take effect only after a restart.
    pub needs_restart: Vec<String>,
}

/// How the reload treated `tmux.conf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TmuxConf {
    /// The running server has read the file.
    Applied,
    /// The file does not exist; the server has our own configuration only.
    Absent,
    /// No server is running; the next one reads the file.
    NoServer,
}

impl Reloaded {
    /// Describes the result, one line for each statement.
    pub fn lines(&self) -> Vec<String> {
        let config = match self.config_toml {
            true => "config.toml: valid; commands and the supervisor use it from now on",
            false => "config.toml: not present, using defaults",
        };
        let tmux = match self.tmux_conf {
            TmuxConf::Applied => "tmux.conf: applied to the running tmux server",
            TmuxConf::Absent => "tmux.conf: not present",
            TmuxConf::NoServer => "tmux.conf: no tmux server is running; the next one reads it",
        };
        let mistakes = self.mistakes.iter().map(|mistake| format!("mistake: {mistake}"));
        let restart = self.needs_restart.iter().map(|what| format!("needs a restart: {what}"));
        [config, tmux].map(str::to_owned).into_iter().chain(mistakes).chain(restart).collect()
    }
}

impl Diagnostics<'_> {
    /// Checks `config.toml` and `kinds.toml`, and makes a running server read `tmux.conf`.
    pub fn reload_config(&self) -> Result<Reloaded, Error> {
        self.0.config()?;
        self.0.kinds()?;
        let config_toml = self.0.home.path.join("config.toml").exists();
        let is_there = self.0.home.path.join("tmux.conf").exists();
        let tmux = self.0.tmux()?;
        let Some(before) = tmux.conf_state()? else {
            let tmux_conf = if is_there { TmuxConf::NoServer } else { TmuxConf::Absent };
            return Ok(Reloaded { config_toml, tmux_conf, mistakes: vec![], needs_restart: vec![] });
        };
        let mistakes = tmux.reload_conf()?;
        let after = tmux.conf_state()?;
        Ok(Reloaded {
            config_toml,
            tmux_conf: if is_there { TmuxConf::Applied } else { TmuxConf::Absent },
            mistakes,
            needs_restart: needs_restart(&before, after.as_ref()),
        })
    }
}

/// Returns the settings that a reload cannot change in a running server.
fn needs_restart(before: &ConfState, after: Option<&ConfState>) -> Vec<String> {
    let mut all = Vec::new();
    if before.is_changed {
        all.push(
            "settings that were removed from tmux.conf stay until the tmux server is started again"
                .to_owned(),
        );
    }
    if after.is_some_and(|after| after.mode_keys_clash) {
        all.push(
            "mode-keys: views that are scrolled back keep their key table until the tmux server is started again"
                .to_owned(),
        );
    }
    all
}
