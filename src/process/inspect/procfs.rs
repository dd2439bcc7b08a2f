//! Reads `/proc`. This is the only file that knows the formats of `/proc`; it never signals a process.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::process::{Proc, ProcessMark, StateDirectory};

/// Time to wait for a process that is in the middle of an exec. Otherwise such a process would seem to carry no mark,
/// and if its parent has just ended, it would be missed. On a busy machine an exec takes long.
const MAX_EXEC_TIME: Duration = Duration::from_millis(250);

/// Number of times a list of children is read again if it changes.
const MAX_READS: usize = 5;

/// Mark in the environment of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::process) enum MarkMatch {
    /// The requested mark.
    Ours,
    /// The mark of another agent: the same variable with another value, or an agent of another state directory.
    Others,
    /// No mark, or an environment that may not be read.
    Nothing,
}

/// Returns all living processes in one pass. Omits processes that end meanwhile.
pub(in crate::process) fn all(mark: &ProcessMark) -> io::Result<Vec<(Proc, MarkMatch)>> {
    let mut found = Vec::with_capacity(256);
    let mut buffer = Vec::with_capacity(16 * 1024);
    for pid in list()? {
        if let Some(stat) = Stat::read(pid, &mut buffer) {
            let carries = stat.read_mark(mark, &mut buffer);
            found.push((stat.process, carries));
        }
    }
    Ok(found)
}

/// Returns one living process and its mark.
pub(in crate::process) fn find_marked(pid: i32, mark: &ProcessMark) -> Option<(Proc, MarkMatch)> {
    let mut buffer = Vec::new();
    let stat = Stat::read(pid, &mut buffer)?;
    let carries = stat.read_mark(mark, &mut buffer);
    Some((stat.process, carries))
}

/// Returns `true` if a process is stopped, for example by SIGSTOP.
pub fn is_stopped(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The short name is in parentheses and may contain any character.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['T', 't']))
}

/// Returns `true` if a process has ended and `parent` has not reaped it yet.
pub(in crate::process) fn is_zombie_of(pid: i32, parent: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").and_then(|(_, rest)| rest.strip_prefix("Z "));
    fields.and_then(|fields| fields.split(' ').next()) == Some(&parent.to_string())
}

/// Returns the leader of the session of this process, or `None` if the session has no controlling terminal.
pub fn leader_at_terminal() -> Option<i32> {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let (_, rest) = stat.rsplit_once(") ")?;
    // State, parent, process group, session, terminal.
    let fields: Vec<&str> = rest.split(' ').take(5).collect();
    let [_, _, _, session, terminal] = fields[..] else { return None };
    if terminal == "0" { None } else { session.parse().ok() }
}

/// Returns the parent of a living process.
pub(in crate::process) fn parent(pid: i32) -> Option<i32> {
    Some(Stat::read(pid, &mut Vec::new())?.process.ppid)
}

/// Returns the children of a living process, or none if it has ended.
pub(in crate::process) fn children(pid: i32) -> Vec<i32> {
    let mut last = children_once(pid);
    // A child that ends while the list is read may remove a sibling from it, so two reads must agree.
    for _ in 0..MAX_READS {
        let again = children_once(pid);
        if again == last {
            break;
        }
        last.extend(again);
        last.sort_unstable();
        last.dedup();
    }
    last
}

fn children_once(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let mut found: Vec<i32> = Vec::new();
    let mut buffer = Vec::new();
    for thread in threads.flatten() {
        if read_proc_file(thread.path().join("children"), &mut buffer).is_ok() {
            let text = String::from_utf8_lossy(&buffer);
            found.extend(text.split_ascii_whitespace().filter_map(|child| child.parse::<i32>().ok()));
        }
    }
    found.sort_unstable();
    found
}

/// Returns `true` if this kernel lists the children of a process.
pub(in crate::process) fn reports_children() -> bool {
    Path::new("/proc/thread-self/children").exists()
}

/// Returns the children of a single-threaded parent that precede this one. The kernel lists them in the order in which
/// they became children.
pub(in crate::process) fn elder_siblings(pid: i32, parent: i32) -> Vec<i32> {
    let mut buffer = Vec::new();
    if read_proc_file(format!("/proc/{parent}/task/{parent}/children"), &mut buffer).is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&buffer);
    let children: Vec<i32> = text.split_ascii_whitespace().filter_map(|child| child.parse().ok()).collect();
    let elder_siblings = children.iter().position(|child| *child == pid).unwrap_or_default();
    children[..elder_siblings].to_vec()
}

/// A search for processes that carry a mark. It reads only environments, and each only once.
pub(in crate::process) struct MarkSearch<'a> {
    mark: &'a ProcessMark,
    seen: HashSet<i32>,
}

/// Result of one search round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::process) enum SearchRound {
    /// A process carries the mark.
    Found,
    /// No process carries the mark.
    Nothing,
    /// No process was found, but one ended meanwhile, and a process that it started last may be missing from the list.
    Unsure,
}

impl<'a> MarkSearch<'a> {
    /// Creates a search that skips the given processes, which are known to belong to others or to have ended.
    pub(in crate::process) fn new(
        mark: &'a ProcessMark,
        known: impl IntoIterator<Item = i32>,
    ) -> MarkSearch<'a> {
        let mut seen = kernel_threads();
        seen.extend(known);
        MarkSearch { mark, seen }
    }

    /// Checks the processes that are new since the last round; the first round checks all.
    pub(in crate::process) fn round(&mut self) -> io::Result<SearchRound> {
        let mut answer = SearchRound::Nothing;
        let mut buffer = Vec::with_capacity(16 * 1024);
        for pid in list()? {
            if self.seen.insert(pid) {
                match match_mark(pid, self.mark, &mut buffer) {
                    Some(MarkMatch::Ours) => return Ok(SearchRound::Found),
                    Some(_) => {}
                    None => answer = SearchRound::Unsure,
                }
            }
        }
        Ok(answer)
    }
}

/// Returns the mark of a process, from its environment alone if that is sufficient, or `None` if it has ended.
fn match_mark(pid: i32, mark: &ProcessMark, buffer: &mut Vec<u8>) -> Option<MarkMatch> {
    match read_proc_file(format!("/proc/{pid}/environ"), buffer) {
        Ok(()) if !buffer.is_empty() => Some(find_mark(buffer, mark)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(MarkMatch::Nothing),
        _ => Stat::read(pid, buffer).map(|stat| stat.read_mark(mark, buffer)),
    }
}

/// Returns the kernel threads, if they are visible: half of all process ids on an idle machine, and never part of an
/// agent.
fn kernel_threads() -> HashSet<i32> {
    const PARENT: i32 = 2;
    let mut buffer = Vec::new();
    let is_kernel = Stat::read(PARENT, &mut buffer)
        .is_some_and(|stat| !stat.has_memory && stat.process.command == "kthreadd");
    if is_kernel { children(PARENT).into_iter().collect() } else { HashSet::new() }
}

/// Returns the ids of all processes.
fn list() -> io::Result<Vec<i32>> {
    let mut pids = Vec::with_capacity(512);
    for entry in fs::read_dir("/proc")? {
        pids.extend(entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    Ok(pids)
}

/// Returns the start time of a process that is still alive.
pub(in crate::process) fn start(pid: i32) -> Option<u64> {
    Stat::read(pid, &mut Vec::new()).map(|stat| stat.process.start)
}

/// The relevant fields of `/proc/PID/stat`.
struct Stat {
    process: Proc,
    has_memory: bool,
    environment: Environment,
}

/// Reason why an environment may read as empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Environment {
    /// The environment has no variables.
    Empty,
    /// The process is in the middle of an exec, and its environment is not in place yet.
    Unfinished,
}

impl Stat {
    /// Reads the fields, or returns `None` if the process has ended. A zombie counts as ended.
    fn read(pid: i32, buffer: &mut Vec<u8>) -> Option<Stat> {
        read_proc_file(format!("/proc/{pid}/stat"), buffer).ok()?;
        parse(&String::from_utf8_lossy(buffer))
    }

    fn read_mark(&self, mark: &ProcessMark, buffer: &mut Vec<u8>) -> MarkMatch {
        // Kernel threads have no memory and therefore no environment. Not opening theirs halves the cost of a pass.
        let mut environment = if self.has_memory { Environment::Unfinished } else { Environment::Empty };
        let until = Instant::now() + MAX_EXEC_TIME;
        while environment == Environment::Unfinished && Instant::now() < until {
            if read_proc_file(format!("/proc/{}/environ", self.process.pid), buffer).is_err() {
                return MarkMatch::Nothing;
            }
            if !buffer.is_empty() {
                return find_mark(buffer, mark);
            }
            environment =
                Stat::read(self.process.pid, buffer).map_or(Environment::Empty, |stat| stat.environment);
            // The process may be waiting for the very CPU that this thread uses.
            std::thread::yield_now();
        }
        MarkMatch::Nothing
    }
}

/// Reads a whole file of `/proc`. `read_to_end` would query the size first, which these files do not have.
fn read_proc_file(path: impl AsRef<Path>, buffer: &mut Vec<u8>) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut length = 0;
    loop {
        buffer.resize((length + 4096).max(buffer.capacity()), 0);
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(length);
    Ok(())
}

/// Parses the fields. The command is in parentheses and may itself contain parentheses, spaces and newlines.
fn parse(stat: &str) -> Option<Stat> {
    let (pid, rest) = stat.split_once(" (")?;
    let (command, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // proc(5) counts fields from 1 and the state is field 3, so its field N has the index N - 3 here.
    let (state, ppid, start, memory) = (fields.first()?, fields.get(1)?, fields.get(19)?, fields.get(20)?);
    if matches!(*state, "Z" | "X" | "x") {
        return None;
    }
    // In the middle of an exec, the end of the environment is still 0. If it is set although the environment read as
    // empty before, the exec has finished by now and another read gives the variables.
    let (from, to) = (fields.get(47), fields.get(48));
    let environment = if *memory != "0" && (from != to || to == Some(&"0")) {
        Environment::Unfinished
    } else {
        Environment::Empty
    };
    Some(Stat {
        environment,
        process: Proc {
            pid: pid.parse().ok()?,
            ppid: ppid.parse().ok()?,
            start: start.parse().ok()?,
            command: command.to_owned(),
        },
        has_memory: *memory != "0",
    })
}

/// Returns the mark in an environment. As with `getenv`, the first entry of a name counts.
fn find_mark(environ: &[u8], mark: &ProcessMark) -> MarkMatch {
    match variable(environ, &mark.variable) {
        Some(value) if value == mark.value.as_bytes() => match &mark.home {
            Some(home) if names_other_directory(environ, home) => MarkMatch::Others,
            _ => MarkMatch::Ours,
        },
        Some(value) if !value.is_empty() => MarkMatch::Others,
        _ => MarkMatch::Nothing,
    }
}

fn variable<'a>(environ: &'a [u8], name: &str) -> Option<&'a [u8]> {
    environ.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

/// Returns whether an environment names a state directory that exists and is not `home`. A directory that was moved
/// after the process started is still its state directory.
fn names_other_directory(environ: &[u8], home: &StateDirectory) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    variable(environ, &home.variable)
        .and_then(|named| identity(Path::new(OsStr::from_bytes(named))))
        .is_some_and(|named| identity(&home.path).is_some_and(|own| own != named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_parentheses_and_spaces_is_read_whole() {
        let stat = "7 (a) (b c) R) S 3 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 999 1 2";
        let stat = parse(stat).unwrap();
        assert_eq!(stat.process, Proc { pid: 7, ppid: 3, start: 4711, command: "a) (b c) R".to_owned() });
        assert!(stat.has_memory);
    }

    #[test]
    fn unfinished_environment_is_distinguished_from_an_empty_one() {
        let stat = |from: u64, to: u64| {
            format!("7 (sh) S 3{} 4711 999{} {from} {to} 0", " 0".repeat(17), " 0".repeat(26))
        };
        for (from, to, environment) in
            [(0, 0, Environment::Unfinished), (5, 9, Environment::Unfinished), (5, 5, Environment::Empty)]
        {
            assert_eq!(parse(&stat(from, to)).unwrap().environment, environment, "{from} {to}");
        }
    }

    #[test]
    fn zombies_and_garbage_are_ignored() {
        assert!(parse("7 (sh) Z 3 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 1 2").is_none());
        for garbage in ["", "7", "7 (sh)", "7 (sh) S", "x (sh) S 3"] {
            assert!(parse(garbage).is_none(), "{garbage:?}");
        }
    }

    #[test]
    fn same_id_in_another_existing_state_directory_is_another_agent() {
        let root = tempfile::tempdir().unwrap();
        let (own, copy) = (root.path().join("own"), root.path().join("copy"));
        fs::create_dir(&own).unwrap();
        fs::create_dir(&copy).unwrap();
        std::os::unix::fs::symlink(&own, root.path().join("link")).unwrap();
        let home = StateDirectory { variable: "HOME_DIR".to_owned(), path: own };
        let mark = ProcessMark { variable: "ID".to_owned(), value: "abc".to_owned(), home: Some(home) };
        for (named, carries) in [
            ("own", MarkMatch::Ours),
            ("link", MarkMatch::Ours),
            ("copy", MarkMatch::Others),
            ("moved-away", MarkMatch::Ours),
        ] {
            let environ = format!("ID=abc\0HOME_DIR={}\0", root.path().join(named).display());
            assert_eq!(find_mark(environ.as_bytes(), &mark), carries, "{named}");
        }
        assert_eq!(find_mark(b"ID=abc\0", &mark), MarkMatch::Ours);
    }

    #[test]
    fn only_the_whole_variable_counts() {
        let mark = ProcessMark { variable: "ID".to_owned(), value: "abc".to_owned(), home: None };
        for (environ, carries) in [
            (&b"ID=abc\0"[..], MarkMatch::Ours),
            (b"A=1\0ID=abc", MarkMatch::Ours),
            (b"ID=abcd\0", MarkMatch::Others),
            (b"ID=\0", MarkMatch::Nothing),
            (b"XID=abc\0", MarkMatch::Nothing),
            (b"A=ID=abc\0", MarkMatch::Nothing),
            (b"ID=other\0ID=abc\0", MarkMatch::Others),
            (b"", MarkMatch::Nothing),
        ] {
            assert_eq!(find_mark(environ, &mark), carries, "{}", String::from_utf8_lossy(environ));
        }
    }
}
