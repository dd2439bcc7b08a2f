//! Compiles a C library that replaces one of the system, for behaviour that only the library can cause in a program.

use std::fs;
use std::path::PathBuf;

use super::test_env::TestEnv;
use super::tools;

/// Compiles a shared library and returns its directory, for `LD_LIBRARY_PATH`. It uses the compiler that links Rust
/// programs.
#[track_caller]
pub fn library(env: &TestEnv, name: &str, source: &str) -> PathBuf {
    let directory = env.root().join("libraries");
    fs::create_dir_all(&directory).expect("the root is writable");
    let file = directory.join("source.c");
    fs::write(&file, source).expect("the root is writable");
    let compiler = tools::on_this_machine("cc").expect("a C compiler is needed: run scripts/setup");
    let library = directory.join(name);
    // The compiler searches its assembler and linker in PATH.
    let path = std::env::var("PATH").unwrap_or_default();
    let args = ["-shared", "-fPIC", "-w", "-o"].map(PathBuf::from).into_iter().chain([library, file]);
    env.program(&compiler.to_string_lossy(), args).env("PATH", path).ok();
    directory
}
