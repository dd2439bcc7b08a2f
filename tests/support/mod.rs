//! The sealed environment of an end-to-end test, with its own directory, home, PATH and tmux servers.
//!
//! Nothing here reads or changes data of the user who runs the tests: the environment is cleared, PATH holds fakes and
//! a short list of tools, and only processes with the HOME of this environment are ended.
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
