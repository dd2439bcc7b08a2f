//! Places where a test may kill this process, as `kill -9` would: between any two steps that change something.
//!
//! `SYMPOSIUM_FAILPOINT=spawn.reserved symposium …` dies at that step; with `stop:` before it, it stands still there
//! until somebody lets it go on (`SIGCONT`), so that others can come in between. Only debug builds listen.

/// Dies or stands still here when the environment names this step.
#[inline]
pub fn reached(step: &str) {
    #[cfg(debug_assertions)]
    {
        #[expect(clippy::disallowed_methods, reason = "a test's switch, absent from release builds")]
        let named = std::env::var("SYMPOSIUM_FAILPOINT");
        let signal = match named.as_deref() {
            Ok(named) if named == step => Some(rustix::process::Signal::KILL),
            Ok(named) if named.strip_prefix("stop:") == Some(step) => Some(rustix::process::Signal::STOP),
            _ => None,
        };
        if let Some(signal) = signal {
            let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
            // The signal may reach another thread of this process first; this one must not get any further.
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = step;
}
