//! The only place that starts git. Repositories are untrusted: their content and configuration must never make git
//! start other programs, write anything unexpected or access the network.
//!
//! git runs filters whenever it compares a file with the index, which includes every command that writes an index: it
//! compares the entries that are as new as the index. It runs hooks when it writes an index or a ref. Therefore the
//! filters and hooks of the repository are disabled for all commands but those that are known to use neither index nor
//! files and to write no ref.

mod error;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use error::GitError;
pub(super) use error::failure;
use rustix::process::{Resource, getrlimit};

use super::filters::{ConversionSettings, Filters};
use super::is_linked;
use crate::base::child::{ChildCommand, ChildOutput, KillScope, OutputLimit, Overflow, Streamed};
use crate::base::wait::deadline::deadline_after;

/// Time limit for a query that a user waits for.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Time limit for commands that write, or whose result protects work: the checkout of a big repository takes minutes.
const GIT_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Limit on the output: more than any list that fits on a screen. git fails if its output is longer.
pub(super) const OUTPUT_LIMIT: OutputLimit = OutputLimit { bytes: 4 << 20, overflow: Overflow::ClosePipe };

/// Memory limit in bytes for git while it processes untrusted objects: as much as the biggest bundle that is accepted.
const MAX_MEMORY_BYTES: u64 = 4 << 30;

/// A shell command that sets its own memory limit, in KiB, and then executes git. A limit that is set from outside may
/// come after the memory has been allocated.
const BOUNDED: [&str; 3] = ["/bin/sh", "-c", "ulimit -d \"$0\" && exec \"$@\""];

/// Disables everything in the configuration of a repository that could start a program.
pub(super) const HARMLESS: [&str; 7] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "log.showSignature=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
];

/// Makes git compare whole files, although a repository may say that a part of what it knows about them does not count.
/// A changed file of the same size would be missed otherwise.
const THOROUGH: [&str; 3] = ["core.checkStat=default", "core.ignoreStat=false", "core.trustctime=true"];

/// Commands that read objects, refs, attributes and configuration, or write objects. They run neither filters nor hooks.
const OBJECT_COMMANDS: [&str; 17] = [
    "cat-file",
    "check-attr",
    "check-ref-format",
    "commit-tree",
    "config",
    "diff-tree",
    "for-each-ref",
    "index-pack",
    "log",
    "ls-tree",
    "merge-base",
    "mktree",
    "remote",
    "rev-list",
    "rev-parse",
    "symbolic-ref",
    "var",
];

/// Commands that write nothing, with any arguments that are used here.
const READ_COMMANDS: [&str; 11] = [
    "cat-file",
    "check-attr",
    "check-ref-format",
    "diff-tree",
    "for-each-ref",
    "log",
    "ls-tree",
    "merge-base",
    "rev-list",
    "rev-parse",
    "var",
];

/// Variables that name the user's own configuration of git, beside the home directory.
const USER_VARIABLES: [&str; 2] = ["GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"];

/// A git program with its environment and limits.
#[derive(Debug, Clone)]
pub struct Git {
    path: OsString,
    home: OsString,
    variables: Vec<(&'static str, OsString)>,
    bound: Duration,
    memory: Option<u64>,
    tie: Option<[&'static str; 2]>,
    objects: Option<ObjectDirs>,
    tree: TreeChoice,
    conversion: Option<Arc<ConversionSettings>>,
    line_ends: LineEndPolicy,
}

/// What git does with a file whose line ends it would write differently afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEndPolicy {
    /// The setting `core.safecrlf` decides whether git refuses to store the file.
    Configuration,
    /// Git stores the file in any case.
    Store,
}

/// How the working tree of a command is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TreeChoice {
    /// A linked worktree is used as it is, although `core.worktree` in its configuration may name another directory.
    Directory,
    /// The configuration decides.
    Configuration,
}

/// Directories of objects other than the usual one.
#[derive(Debug, Clone)]
struct ObjectDirs {
    /// Directory that git writes to.
    written: OsString,
    /// Directory that git also reads, quoted for git.
    read: OsString,
}

impl Git {
    /// Creates an instance that searches git in `path` and runs it with this home directory.
    pub fn new(path: impl Into<OsString>, home: impl Into<OsString>) -> Git {
        Git {
            path: path.into(),
            home: home.into(),
            variables: Vec::new(),
            bound: QUERY_TIMEOUT,
            memory: None,
            tie: None,
            objects: None,
            tree: TreeChoice::Directory,
            conversion: None,
            line_ends: LineEndPolicy::Configuration,
        }
    }

    /// Sets those of [`USER_VARIABLES`] that `value_of` has.
    pub fn with_user_variables(self, value_of: impl Fn(&str) -> Option<OsString>) -> Git {
        let variables = USER_VARIABLES.iter().filter_map(|name| Some((*name, value_of(name)?)));
        Git { variables: variables.collect(), ..self }
    }

    /// Returns a git that reads the settings for conversions in this directory only now, and not before each command.
    pub fn with_settings_of(&self, dir: &Path) -> Result<Git, GitError> {
        let settings = ConversionSettings::read(self, dir)?;
        Ok(Git { conversion: Some(Arc::new(settings)), ..self.clone() })
    }

    /// Returns the settings that [`Git::with_settings_of`] read for a directory.
    pub(super) fn conversion(&self, dir: &Path) -> Option<&ConversionSettings> {
        self.conversion.as_deref().filter(|settings| settings.directory == dir)
    }

    /// Lets the configuration of a linked worktree decide which directory git uses, as it does for the agent.
    pub(super) fn as_configured(&self) -> Git {
        Git { tree: TreeChoice::Configuration, ..self.clone() }
    }

    /// Stores files although `core.safecrlf` forbids to change their line ends, for results that are only shown, and for
    /// copies that have the original bytes as well.
    pub fn with_changed_line_ends(self) -> Git {
        Git { line_ends: LineEndPolicy::Store, ..self }
    }

    /// Starts git through this command where it writes and has the long time limit: a git that writes must not outlive
    /// this process.
    pub fn with_wrapper(self, tie: [&'static str; 2]) -> Git {
        Git { tie: Some(tie), ..self }
    }

    /// Lets git outlive this process, for a change of files that must not be left half done.
    pub fn without_wrapper(self) -> Git {
        Git { tie: None, ..self }
    }

    /// Uses the long time limit, for results that are worth a wait.
    pub fn with_long_timeout(self) -> Git {
        self.with_timeout(GIT_TIMEOUT)
    }

    /// Uses another time limit.
    pub(super) fn with_timeout(self, bound: Duration) -> Git {
        Git { bound, ..self }
    }

    /// Returns a copy with a memory limit for untrusted objects and patches, a few bytes of which may expand to any
    /// length.
    pub(super) fn with_memory_limit(&self) -> Git {
        Git { memory: Some(self.memory.unwrap_or(MAX_MEMORY_BYTES)), ..self.clone() }
    }

    /// Writes new objects to `written`, and also reads those in `read`.
    pub(super) fn with_objects(self, written: &Path, read: &Path) -> Git {
        // git separates the paths in this variable by colons, unless they are quoted.
        let read = read.to_string_lossy().replace('\\', r"\\").replace('"', "\\\"");
        let read = format!("\"{read}\"").into();
        Git { objects: Some(ObjectDirs { written: written.into(), read }), ..self }
    }

    /// Reads and writes the objects of the repository in which a command runs, such as that of a submodule.
    pub(super) fn with_own_objects(&self) -> Git {
        Git { objects: None, ..self.clone() }
    }

    /// Uses another memory limit.
    #[cfg(test)]
    pub(super) fn with_memory_limit_of(self, most: u64) -> Git {
        Git { memory: Some(most), ..self }
    }

    /// Runs git in a directory with additional configuration values and returns its output.
    pub(super) fn output(&self, dir: &Path, configs: &[String], args: &[&str]) -> Result<Vec<u8>, GitError> {
        self.output_with_input(dir, configs, args, CommandInput::default())
    }

    /// Runs git like `output`, with a file as standard input or with another index file.
    pub(super) fn output_with_input(
        &self,
        dir: &Path,
        configs: &[String],
        args: &[&str],
        also: CommandInput<'_>,
    ) -> Result<Vec<u8>, GitError> {
        let mut command = self.command(dir, configs, args)?;
        if let Some(index) = also.index {
            command = command.variable("GIT_INDEX_FILE", index);
        }
        if let Some(input) = also.input {
            command = command.input(input);
        }
        let program = PathBuf::from(command.program());
        let not_read = |source| GitError::NotRun { program, source };
        self.run(command, args, |output| OUTPUT_LIMIT.collect(output).map_err(not_read))
    }

    /// Runs git like `output`, and also accepts these exit codes, by which some commands report a result.
    pub(super) fn output_with_exit_codes(
        &self,
        dir: &Path,
        configs: &[String],
        args: &[&str],
        accepted: &[i32],
    ) -> Result<(i32, Vec<u8>), GitError> {
        let command = self.command(dir, configs, args)?;
        let program = PathBuf::from(command.program());
        let not_read = |source| GitError::NotRun { program, source };
        let read = |output: &mut dyn Read| OUTPUT_LIMIT.collect(output).map_err(not_read);
        let output = self.run_to_end(command, args, read)?;
        match output.status.code().filter(|code| accepted.contains(code)) {
            Some(code) => Ok((code, output.stdout)),
            None => Err(self.failure_of(args, &output)),
        }
    }

    /// Returns the error for a command that failed, with the missing program of a filter if that is the reason.
    fn failure_of<T>(&self, args: &[&str], output: &ChildOutput<T>) -> GitError {
        let missing = if uses_objects_only(args) { None } else { Filters(self).missing(&output.stderr) };
        missing.unwrap_or_else(|| failure(args, output.status, &output.stderr))
    }

    /// Passes git's output to a reader while git writes it, regardless of its length. Kills git when the reader returns
    /// an error.
    pub(super) fn stream<T>(
        &self,
        dir: &Path,
        configs: &[String],
        args: &[&str],
        read: impl FnOnce(&mut dyn Read) -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        self.run(self.command(dir, configs, args)?, args, read)
    }

    /// Runs a command until git ends, and returns what the reader made of its output.
    fn run<T>(
        &self,
        command: ChildCommand,
        args: &[&str],
        read: impl FnOnce(&mut dyn Read) -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        let output = self.run_to_end(command, args, read)?;
        if output.status.success() { Ok(output.stdout) } else { Err(self.failure_of(args, &output)) }
    }

    /// Runs a command until git ends with any exit code.
    fn run_to_end<T>(
        &self,
        command: ChildCommand,
        args: &[&str],
        read: impl FnOnce(&mut dyn Read) -> Result<T, GitError>,
    ) -> Result<ChildOutput<T>, GitError> {
        let what = args.first().copied().unwrap_or_default().to_owned();
        let program = PathBuf::from(command.program());
        let deadline = deadline_after(Instant::now(), self.bound);
        let streamed = command.spawn().and_then(|child| child.stream(deadline, OUTPUT_LIMIT, read));
        match streamed.map_err(|source| GitError::NotRun { program, source })? {
            Streamed::TimedOut => Err(GitError::Slow { what, bound: self.bound }),
            Streamed::Rejected(why) => Err(why),
            Streamed::Ended(output) => Ok(output),
        }
    }

    /// Returns the path of git, resolved relative to the root directory, so that a `.` in PATH does not find a program in
    /// the repository.
    pub fn program(&self) -> Result<PathBuf, GitError> {
        which::which_in("git", Some(&self.path), "/").map_err(|_| GitError::Missing)
    }

    /// Returns whether a program is in PATH.
    pub(super) fn is_installed(&self, program: &str) -> bool {
        which::which_in(program, Some(&self.path), "/").is_ok()
    }

    fn command(&self, dir: &Path, configs: &[String], args: &[&str]) -> Result<ChildCommand, GitError> {
        let programs_off = match uses_objects_only(args) {
            true => Vec::new(),
            false => match self.conversion(dir) {
                Some(settings) => settings.programs_off.clone(),
                None => Filters(self).own_off(dir, configs)?,
            },
        };
        let program = self.program()?;
        let tie = self.tie.filter(|_| self.bound > QUERY_TIMEOUT && !only_reads(args));
        let mut words: Vec<OsString> = tie.into_iter().flatten().map(OsString::from).collect();
        if let Some(most) = self.memory {
            let most = getrlimit(Resource::Data).maximum.map_or(most, |there| there.min(most));
            words.extend(BOUNDED.map(OsString::from));
            words.push((most >> 10).to_string().into());
        }
        words.push(program.into());
        let mut command = ChildCommand::new(&words[0], KillScope::Group).args(&words[1..]);
        let configs = programs_off.iter().chain(configs).map(String::as_str);
        let case = distinguishes_case(dir).then_some("core.ignoreCase=false");
        let line_ends = (self.line_ends == LineEndPolicy::Store).then_some("core.safecrlf=false");
        for config in HARMLESS.into_iter().chain(THOROUGH).chain(case).chain(line_ends).chain(configs) {
            command = command.args(["-c", config]);
        }
        let environment: [(&str, &OsStr); 10] = [
            ("PATH", &self.path),
            ("HOME", &self.home),
            ("LC_ALL", OsStr::new("C")),
            ("GIT_OPTIONAL_LOCKS", OsStr::new("0")),
            ("GIT_TERMINAL_PROMPT", OsStr::new("0")),
            ("GIT_NO_LAZY_FETCH", OsStr::new("1")),
            ("GIT_ALLOW_PROTOCOL", OsStr::new("none")),
            // Replaced commits and grafts let commits appear to be on a branch that does not have them. git prints a
            // hint if the file exists.
            ("GIT_NO_REPLACE_OBJECTS", OsStr::new("1")),
            ("GIT_GRAFT_FILE", OsStr::new("/dev/null/none")),
            ("GIT_PAGER", OsStr::new("cat")),
        ];
        let mut command = command.args(["--no-pager"]).args(args).dir(dir).environment(environment);
        for (name, value) in &self.variables {
            command = command.variable(name, value);
        }
        if self.tree == TreeChoice::Directory && is_linked(dir) {
            // Unlike `-c core.worktree=…`, the variable takes precedence over the configuration of the worktree.
            command = command.variable("GIT_WORK_TREE", dir.as_os_str());
        }
        Ok(match &self.objects {
            None => command,
            Some(dirs) => command
                .variable("GIT_OBJECT_DIRECTORY", &dirs.written)
                .variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", &dirs.read),
        })
    }

    /// Returns a setting from the user's own and the system's configuration, never from a repository.
    pub fn user_setting(&self, key: &str) -> Option<String> {
        let value = self.line(Path::new("/"), &["config", "--get", key]).ok()?;
        Some(value).filter(|value| !value.is_empty())
    }

    /// Returns git's answer as one line.
    pub(in crate::git) fn line(&self, dir: &Path, args: &[&str]) -> Result<String, GitError> {
        let output = self.output(dir, &[], args)?;
        Ok(String::from_utf8_lossy(&output).trim_end_matches('\n').to_owned())
    }

    /// Returns the commit that is checked out, or `None` before the first commit.
    pub fn head(&self, dir: &Path) -> Result<Option<String>, GitError> {
        self.commit(dir, "HEAD")
    }

    /// Returns the commit that a name refers to, or `None` if there is none.
    pub(super) fn commit(&self, dir: &Path, name: &str) -> Result<Option<String>, GitError> {
        let named = format!("{name}^{{commit}}");
        match self.output(dir, &[], &["rev-parse", "--verify", "--quiet", &named]) {
            Ok(output) => Ok(Some(String::from_utf8_lossy(&output).trim().to_owned())),
            Err(GitError::Failed { output, .. }) if output.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns whether names that differ only in case are different files in a working tree. The configuration of a repository
/// that was copied from another system may deny that, and git would then miss files.
fn distinguishes_case(top: &Path) -> bool {
    let identity =
        |name: &str| fs::symlink_metadata(top.join(name)).map(|meta| (meta.dev(), meta.ino())).ok();
    let found = identity(".git");
    found.is_some() && found != identity(".GIT")
}

/// Returns whether a command uses neither an index nor files of a working tree, and writes no ref.
fn uses_objects_only(args: &[&str]) -> bool {
    let is_object_command = args.first().is_some_and(|command| OBJECT_COMMANDS.contains(command));
    is_object_command && !args.contains(&"--filters")
}

/// Returns whether a command is known to write nothing.
fn only_reads(args: &[&str]) -> bool {
    let is_query = |arg: &&str| arg.starts_with("--get");
    args.first().is_some_and(|command| match *command {
        "config" => args.iter().any(is_query),
        command => READ_COMMANDS.contains(&command),
    })
}

/// The optional inputs of a git command.
#[derive(Debug, Default)]
pub(super) struct CommandInput<'a> {
    /// File that git reads as standard input.
    pub input: Option<File>,
    /// Index file that git uses instead of that of the working tree.
    pub index: Option<&'a Path>,
}

#[cfg(test)]
mod tests;
