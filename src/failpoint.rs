//! Steps at which a test can kill this process like `kill -9`, between any two steps that change something.
//!
//! `SYMPOSIUM_FAILPOINT=spawn.reserved symposium …` dies at that step. With the prefix `stop:` the process stops
//! there until it receives `SIGCONT`, so that other processes can run in between; with `panic:` it panics. Only debug
//! builds have failpoints.

/// Dies, stops or panics here if the environment names this step.
#[inline]
pub fn reached(step: &str) {
    #[cfg(debug_assertions)]
    {
        #[expect(clippy::disallowed_methods, reason = "a test's switch, absent from release builds")]
        let named = std::env::var("SYMPOSIUM_FAILPOINT");
        let signal = match named.as_deref() {
            Ok(named) if named.strip_prefix("panic:") == Some(step) => panic!("failpoint {step}"),
            Ok(named) if named == step => Some(rustix::process::Signal::KILL),
            Ok(named) if named.strip_prefix("stop:") == Some(step) => Some(rustix::process::Signal::STOP),
            _ => None,
        };
        if let Some(signal) = signal {
            let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
            // The signal may reach another thread of this process first; this thread must not continue.
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = step;
}
