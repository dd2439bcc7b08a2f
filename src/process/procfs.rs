//! Reads `/proc`, the only file that knows how Linux writes processes down. Must never signal or wait.

use std::fs::{self, File};
use std::io::{self, Read};
use std::time::{Duration, Instant};

use super::{Mark, Proc};

/// How long a look waits for a process that is just replacing its program: without it, such a process would
/// seem to carry nothing, and one whose parent has just ended would be missed.
const LONGEST_EXEC: Duration = Duration::from_millis(50);

/// What the environment of a process says about whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    /// The mark that was asked for.
    Ours,
    /// The same variable with another value: another agent's.
    Others,
    /// No mark, or an environment that we may not read.
    Nothing,
}

/// All living processes, in one pass; one that vanishes meanwhile is left out.
pub(super) fn all(mark: &Mark) -> io::Result<Vec<(Proc, Carries)>> {
    let mut found = Vec::with_capacity(256);
    let mut buffer = Vec::with_capacity(16 * 1024);
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(stat) = Stat::read(pid, &mut buffer) {
            let carries = stat.carries(mark, &mut buffer);
            found.push((stat.process, carries));
        }
    }
    Ok(found)
}

/// One living process.
pub(super) fn one(pid: i32, mark: &Mark) -> Option<(Proc, Carries)> {
    let mut buffer = Vec::new();
    let stat = Stat::read(pid, &mut buffer)?;
    let carries = stat.carries(mark, &mut buffer);
    Some((stat.process, carries))
}

/// When a process that still lives started.
pub(super) fn start(pid: i32) -> Option<u64> {
    Stat::read(pid, &mut Vec::new()).map(|stat| stat.process.start)
}

/// `/proc/PID/stat`, as far as it concerns us.
struct Stat {
    process: Proc,
    has_memory: bool,
    environment: Environment,
}

/// Why an environment may read as empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Environment {
    /// There is nothing in it.
    Empty,
    /// The process is just replacing its program, and its environment is not in place yet.
    Unfinished,
}

impl Stat {
    /// None when it is gone; a zombie counts as gone.
    fn read(pid: i32, buffer: &mut Vec<u8>) -> Option<Stat> {
        slurp(&format!("/proc/{pid}/stat"), buffer).ok()?;
        parse(&String::from_utf8_lossy(buffer))
    }

    fn carries(&self, mark: &Mark, buffer: &mut Vec<u8>) -> Carries {
        // Kernel threads have no memory, hence no environment: not opening theirs halves the cost of a pass.
        let mut environment = if self.has_memory { Environment::Unfinished } else { Environment::Empty };
        let until = Instant::now() + LONGEST_EXEC;
        while environment == Environment::Unfinished && Instant::now() < until {
            if slurp(&format!("/proc/{}/environ", self.process.pid), buffer).is_err() {
                return Carries::Nothing;
            }
            if !buffer.is_empty() {
                return carried(buffer, mark);
            }
            environment =
                Stat::read(self.process.pid, buffer).map_or(Environment::Empty, |stat| stat.environment);
        }
        Carries::Nothing
    }
}

fn slurp(path: &str, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    File::open(path)?.read_to_end(buffer).map(drop)
}

/// The command stands in parentheses and may itself hold parentheses, spaces and newlines.
fn parse(stat: &str) -> Option<Stat> {
    let (pid, rest) = stat.split_once(" (")?;
    let (command, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // proc(5) counts from 1 and the state is its field 3, so its field N is ours N - 3.
    let (state, ppid, start, memory) = (fields.first()?, fields.get(1)?, fields.get(19)?, fields.get(20)?);
    if matches!(*state, "Z" | "X" | "x") {
        return None;
    }
    // In the middle of an exec the end of the environment is still 0. When it is set and the environment read
    // as empty before, the exec is over by now and another read tells.
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

/// Like for `getenv`, the first entry of a name counts.
fn carried(environ: &[u8], mark: &Mark) -> Carries {
    let value = environ
        .split(|byte| *byte == 0)
        .find_map(|entry| entry.strip_prefix(mark.variable.as_bytes())?.strip_prefix(b"="));
    match value {
        Some(value) if value == mark.value.as_bytes() => Carries::Ours,
        Some(value) if !value.is_empty() => Carries::Others,
        _ => Carries::Nothing,
    }
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
    fn an_environment_that_is_not_in_place_yet_is_told_from_an_empty_one() {
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
    fn a_zombie_and_garbage_are_no_process() {
        assert!(parse("7 (sh) Z 3 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 1 2").is_none());
        for garbage in ["", "7", "7 (sh)", "7 (sh) S", "x (sh) S 3"] {
            assert!(parse(garbage).is_none(), "{garbage:?}");
        }
    }

    #[test]
    fn only_the_whole_variable_counts() {
        let mark = Mark { variable: "ID".to_owned(), value: "abc".to_owned() };
        for (environ, carries) in [
            (&b"ID=abc\0"[..], Carries::Ours),
            (b"A=1\0ID=abc", Carries::Ours),
            (b"ID=abcd\0", Carries::Others),
            (b"ID=\0", Carries::Nothing),
            (b"XID=abc\0", Carries::Nothing),
            (b"A=ID=abc\0", Carries::Nothing),
            (b"ID=other\0ID=abc\0", Carries::Others),
            (b"", Carries::Nothing),
        ] {
            assert_eq!(carried(environ, &mark), carries, "{}", String::from_utf8_lossy(environ));
        }
    }
}
