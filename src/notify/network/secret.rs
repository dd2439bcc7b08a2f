//! Reads a token or a key from a file or from a program, such as a password manager. It is never kept.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::base::child::{ChildCommand, KillScope, OutputLimit, Overflow};
use crate::base::wait::deadline::deadline_after;
use crate::model::SecretSource;
use crate::notify::NoticeError;

/// Time limit of the program.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum length of a secret in bytes.
const MAX_SECRET_BYTES: usize = 4096;

/// Returns the first line of the file or of the program's output. The program gets exactly this environment.
pub fn read_secret(source: &SecretSource, env: &[(OsString, OsString)]) -> Result<String, NoticeError> {
    let text = match source {
        SecretSource::File(path) => read_file(path, env)?,
        SecretSource::Command(argv) => output_of(argv, env)?,
    };
    let line = text.lines().next().unwrap_or_default().trim();
    let is_sound = |c: char| c.is_ascii_graphic() || c == ' ';
    if line.is_empty() || !line.chars().all(is_sound) {
        return Err(NoticeError::Secret { why: "its first line is empty or not plain text".to_owned() });
    }
    Ok(line.to_owned())
}

fn read_file(path: &str, env: &[(OsString, OsString)]) -> Result<String, NoticeError> {
    let home = || env.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home));
    let path = match path.strip_prefix("~/").zip(home()) {
        Some((rest, home)) => home.join(rest),
        None => PathBuf::from(path),
    };
    let mut text = String::new();
    let read =
        File::open(&path).and_then(|file| file.take(MAX_SECRET_BYTES as u64).read_to_string(&mut text));
    read.map_err(|error| NoticeError::Secret { why: format!("cannot read {}: {error}", path.display()) })?;
    Ok(text)
}

fn output_of(argv: &[String], env: &[(OsString, OsString)]) -> Result<String, NoticeError> {
    let (program, args) = argv.split_first().ok_or(NoticeError::NoProgram)?;
    let not_run = |source| NoticeError::NotRun { program: program.clone(), source };
    let command = ChildCommand::new(program, KillScope::Group).args(args);
    let child =
        command.environment(env.iter().map(|(name, value)| (name, value))).spawn().map_err(not_run)?;
    let limit = OutputLimit { bytes: MAX_SECRET_BYTES, overflow: Overflow::Discard };
    let deadline = deadline_after(Instant::now(), PROGRAM_TIMEOUT);
    match child.output(deadline, limit).map_err(not_run)? {
        None => Err(NoticeError::TimedOut { program: program.clone(), bound: PROGRAM_TIMEOUT }),
        Some(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Some(output) => Err(NoticeError::Secret { why: format!("`{program}` failed: {}", output.status) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_the_first_line_of_a_file_or_of_the_output() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("token"), "tk_file\nmore\n").unwrap();
        let env: Vec<(OsString, OsString)> =
            vec![("HOME".into(), dir.path().into()), ("PATH".into(), "/usr/bin:/bin".into())];
        assert_eq!(read_secret(&SecretSource::File("~/token".into()), &env).unwrap(), "tk_file");
        let printed = |script: &str| {
            read_secret(&SecretSource::Command(["sh", "-c", script].map(str::to_owned).to_vec()), &env)
        };
        assert_eq!(printed("echo \" tk_program \"; echo more").unwrap(), "tk_program");
        for script in ["true", "exit 3", "printf 'a\\001b'"] {
            let error = printed(script).unwrap_err().to_string();
            assert!(error.starts_with("the token or key cannot be read: "), "{error}");
        }
        let error = read_secret(&SecretSource::File("/no/such".into()), &env).unwrap_err().to_string();
        assert!(error.contains("cannot read /no/such"), "{error}");
    }
}
