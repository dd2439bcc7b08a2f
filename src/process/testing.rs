//! Real processes for the tests of this adapter. Each carries a mark, by which it is ended when the test is over.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child as Process, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::{AgentProcesses, ProcessMark, TerminationPlan, end, tree};

/// A shell with a mark. Its first line of output has been read, so its script is running.
pub(super) struct Child {
    process: Process,
    output: BufReader<ChildStdout>,
    mark: ProcessMark,
}

impl Child {
    /// Runs a script that prints one line when it is ready.
    #[expect(clippy::disallowed_methods, reason = "a test's own child")]
    pub(super) fn start(script: &str) -> Child {
        let mark = Child::fresh_mark();
        let mut process = Command::new("/bin/sh")
            .args(["-c", script])
            .env(&mark.variable, &mark.value)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut child = Child { process, output, mark };
        child.line();
        child
    }

    /// Returns a mark that no process carries yet.
    pub(super) fn fresh_mark() -> ProcessMark {
        let value = uuid::Uuid::new_v4().to_string();
        ProcessMark { variable: "SYMPOSIUM_TEST_MARK".to_owned(), value, home: None }
    }

    /// Reads the next line of its output.
    pub(super) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Waits until all processes that hold its output have ended.
    pub(super) fn end_of_output(&mut self) {
        std::io::copy(&mut self.output.by_ref(), &mut std::io::sink()).unwrap();
    }

    pub(super) fn mark(&self) -> &ProcessMark {
        &self.mark
    }

    pub(super) fn pid(&self) -> i32 {
        self.process.id().try_into().unwrap()
    }

    pub(super) fn target(&self) -> AgentProcesses {
        AgentProcesses { mark: self.mark.clone(), root: Some(self.pid()), server: None }
    }

    pub(super) fn kill(&self) {
        let pid = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }

    /// Reaps the process, so that its process id becomes free.
    pub(super) fn reap(mut self) -> i32 {
        self.process.wait().unwrap();
        self.pid()
    }

    /// Ends all processes that carry the mark.
    pub(super) fn end_all(mark: &ProcessMark) {
        let target = AgentProcesses { mark: mark.clone(), root: None, server: None };
        let _ = end(&target, &TerminationPlan { hup_after: Duration::ZERO, grace: Duration::ZERO });
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        Child::end_all(&self.mark);
        // This also ends a process whose mark was not found: on a busy machine it may still be in the middle of its
        // exec.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the number of living processes that carry the mark.
pub(super) fn alive_with(mark: &ProcessMark) -> usize {
    tree(&AgentProcesses { mark: mark.clone(), root: None, server: None }).unwrap().len()
}

/// Waits until no living process carries the mark. Returns whether that happened within the time limit.
pub(super) fn wait_until_all_ended(mark: &ProcessMark, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while alive_with(mark) > 0 {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::yield_now();
    }
    true
}
