//! Real processes for the tests of this edge: each marked, each ended by its mark when the test is over.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child as Process, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::{EndPlan, Mark, Target, end, tree};

/// A marked shell whose first line of output has been seen, so that its script is under way.
pub(super) struct Child {
    process: Process,
    output: BufReader<ChildStdout>,
    mark: Mark,
}

impl Child {
    /// Runs a script that says when it is ready, with one line.
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

    /// A mark that nothing carries yet.
    pub(super) fn fresh_mark() -> Mark {
        Mark { variable: "SYMPOSIUM_TEST_MARK".to_owned(), value: uuid::Uuid::new_v4().to_string() }
    }

    /// The next line it says.
    pub(super) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Waits until everything that holds its output is gone.
    pub(super) fn end_of_output(&mut self) {
        std::io::copy(&mut self.output.by_ref(), &mut std::io::sink()).unwrap();
    }

    pub(super) fn mark(&self) -> &Mark {
        &self.mark
    }

    pub(super) fn pid(&self) -> i32 {
        self.process.id().try_into().unwrap()
    }

    pub(super) fn target(&self) -> Target {
        Target { mark: self.mark.clone(), root: Some(self.pid()), server: None }
    }

    pub(super) fn kill(&self) {
        let pid = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }

    /// Takes its exit status, so that its number is free.
    pub(super) fn reap(mut self) -> i32 {
        self.process.wait().unwrap();
        self.pid()
    }

    /// Ends everything that carries a mark.
    pub(super) fn end_all(mark: &Mark) {
        let target = Target { mark: mark.clone(), root: None, server: None };
        let _ = end(&target, &EndPlan { hup_after: Duration::ZERO, grace: Duration::ZERO });
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        Child::end_all(&self.mark);
        // Also when its mark was not seen: on a busy machine it may still be in the middle of its exec.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// How many living processes carry a mark.
pub(super) fn alive_with(mark: &Mark) -> usize {
    tree(&Target { mark: mark.clone(), root: None, server: None }).unwrap().len()
}
