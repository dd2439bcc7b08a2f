//! Links debug builds without position independence.
//!
//! The tests start the debug binary many thousands of times, and relocating it took 40 % of each start: 3.0 instead of
//! 4.7 ms without. Release builds stay position independent.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo passes the settings of a build in variables of the environment"
)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_debug = std::env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    let uses_gnu_linker_options = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if is_debug && uses_gnu_linker_options {
        println!("cargo::rustc-link-arg=-no-pie");
    }
}
