//! The configuration of our server: a constant text, the user's additions, and the hooks, which data reaches
//! through options only.
//!
//! What a hook runs, `--home` before and nothing after:
//! `event pane-died --session=S --pane=%N --code=[N] --signal=[N]`, `event session-closed --session=S`,
//! `event client-attached --session=S`, `event client-moved --session=`, `event client-detached --session=`, and where [`super::Edges`] are told
//! `event edge --session=S --edge=activity|silence|bell`. A value that tmux does not know is
//! empty; the session that a terminal has left is never known.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::news::News;
use super::script::{Script, command};
use super::{Setup, TmuxError, files, socket};

const TEXT: &str = include_str!("server.conf");
const HOOKS: &str = include_str!("hooks.conf");

/// Writes the configuration when it is not there as it should be, and says where it is.
pub(super) fn write(setup: &Setup) -> Result<PathBuf, TmuxError> {
    let path = path(setup);
    let text = text(setup)?;
    if std::fs::read(&path).is_ok_and(|there| there == text) {
        return Ok(path);
    }
    match files::replace(&path, &text) {
        Ok(()) => Ok(path),
        Err(source) => Err(TmuxError::File { doing: "write", path, source }),
    }
}

/// Where the configuration is.
pub(super) fn path(setup: &Setup) -> PathBuf {
    setup.run_dir.join("server.conf")
}

fn text(setup: &Setup) -> Result<Vec<u8>, TmuxError> {
    let mut script = Script::default();
    script.then(&command(&["source-file", "-q"])).word(plain_glob(&setup.user_conf)).anyway();
    let mut end = Script::default();
    end.then(&command(&["set-option", "-s", "@symposium_conf", &edition()])).anyway();
    // The hooks come last: a hook that the user sets without an index would wipe ours, and ours have one.
    Ok([
        TEXT.as_bytes(),
        &script.finish("the path of tmux.conf")?,
        HOOKS.as_bytes(),
        &end.finish("an edition")?,
    ]
    .concat())
}

/// Has a server that an older symposium started read the configuration of this one.
pub(super) fn refresh(setup: &Setup, news: &mut News) {
    news.when("@symposium_conf", &edition(), |script| {
        script.then(&command(&["source-file"])).word(plain_glob(&path(setup)));
    });
}

/// Which of our configurations this is.
fn edition() -> String {
    format!("{:08x}", socket::fnv1a(&[TEXT, HOOKS].concat().into_bytes()))
}

/// A glob pattern that matches this path only, because `source-file` takes patterns.
fn plain_glob(path: &Path) -> Vec<u8> {
    let mut pattern = Vec::new();
    for &byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'*' | b'?' | b'[' | b'\\') {
            pattern.push(b'\\');
        }
        pattern.push(byte);
    }
    pattern
}
