//! The sealed environment of an end-to-end test: a directory, a home, a PATH and tmux servers of its own.
//!
//! Nothing here reads or touches what belongs to the person who runs the tests: the environment is cleared, PATH
//! holds fakes and a short list of tools, and only processes that carry this environment's HOME are ended.
#![expect(clippy::disallowed_methods, reason = "tests start programs and look up the tools they seal in")]
#![expect(clippy::print_stderr, reason = "a failing test prints what it kept")]

pub mod compile;
pub mod disk;
pub mod hostile;
mod leftovers;
mod redact;
pub mod run;
pub mod terminal;
mod test_env;
mod tests;
mod tools;
pub mod users;
mod wait;

pub use test_env::TestEnv;
pub use wait::until;
