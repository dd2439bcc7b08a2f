//! Places where a test may kill this process, as `kill -9` would: between any two steps that change something.
//!
//! `SYMPOSIUM_FAILPOINT=spawn.reserved symposium …` dies at that step. Only debug builds listen.

/// Dies here when the environment names this step.
#[inline]
pub fn reached(step: &str) {
    #[cfg(debug_assertions)]
    {
        #[expect(clippy::disallowed_methods, reason = "a test's switch, absent from release builds")]
        let named = std::env::var("SYMPOSIUM_FAILPOINT");
        if named.is_ok_and(|named| named == step) {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = step;
}
