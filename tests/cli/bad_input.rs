//! Invalid files written by a user or by another author: each causes a clear error and changes nothing.

use std::fs;
use std::os::unix::fs::symlink;

use super::{agent, in_project};
use crate::support::TestEnv;

const TOML: &str = ".symposium/agents.toml";
const FRONT: &str = "Weather/agent.md";

/// The content of a path.
enum Is {
    Bytes(Vec<u8>),
    Link(&'static str),
    Pipe,
    Folder,
}

fn bytes(text: &[u8]) -> Is {
    Is::Bytes(text.to_vec())
}

fn large() -> Is {
    Is::Bytes(vec![b'#'; 10_000_000])
}

fn put(env: &TestEnv, path: &str, what: &Is) {
    in_project(env, path, "");
    let path = env.project().join(path);
    fs::remove_file(&path).unwrap();
    match what {
        Is::Bytes(bytes) => fs::write(&path, bytes).unwrap(),
        Is::Link(to) => symlink(to, &path).unwrap(),
        Is::Pipe => {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            let pipe = rustix::fs::FileType::Fifo;
            rustix::fs::mknodat(rustix::fs::CWD, &path, pipe, mode, 0).unwrap();
        }
        Is::Folder => fs::create_dir(&path).unwrap(),
    }
}

/// Asserts that nothing was created, started or recorded.
#[track_caller]
fn assert_untouched(env: &TestEnv, what: &str) {
    assert!(!env.socket().exists(), "{what}: a server was started");
    assert!(!env.state().join("agent-sessions.json").exists(), "{what}: something was stored");
    let instances = fs::read_dir(env.state().join("instances")).map_or(0, Iterator::count);
    assert_eq!(instances, 0, "{what}: something was created");
    assert!(!env.project().join("x").exists() && !env.home().join("x").exists(), "{what}: a shell was asked");
}

#[test]
fn invalid_spec_files_are_reported_and_start_nothing() {
    let prompt = "[agents.a]\nkind = 'demo'\nsystem_prompt = './p.md'\n";
    let p = ".symposium/p.md";
    for (what, path, is, says) in [
        ("broken", TOML, bytes(b"[agents.a\nkind = "), "agents.toml:1:10: "),
        ("NUL", TOML, bytes(b"[agents.a]\nkind = 'demo'\n\0"), "agents.toml:3:1: invalid"),
        (
            "NUL in a text",
            TOML,
            bytes(b"[agents.a]\nmodel = \"a\\u0000\""),
            "`model` `a\\0` contains a NUL character",
        ),
        (
            "not UTF-8",
            TOML,
            bytes(b"[agents.a]\nkind = 'd\xff'"),
            "agents.toml:2:10: is not UTF-8 from here on",
        ),
        ("10 MB", TOML, large(), "is larger than 1048576 bytes"),
        ("a circle of links", TOML, Is::Link("agents.toml"), "Too many levels of symbolic links"),
        ("a link to nowhere", TOML, Is::Link("nowhere"), "No such file"),
        ("a device", TOML, Is::Link("/dev/zero"), "it is not a file"),
        ("a pipe", TOML, Is::Pipe, "it is not a file"),
        ("a folder", TOML, Is::Folder, "it is not a file"),
        ("a prompt of 10 MB", p, large(), "agents.toml:3:17: prompt file `"),
        ("a prompt with NUL", p, bytes(b"a\0b"), "contains a NUL character"),
        ("a prompt that is not UTF-8", p, bytes(b"\xff"), "is not UTF-8 from here on"),
        ("an empty prompt", p, bytes(b" \n"), "is empty"),
        ("a prompt in a circle", p, Is::Link("p.md"), "Too many levels of symbolic links"),
        ("a prompt elsewhere", p, Is::Link("/etc/passwd"), "leads out of the project"),
        ("a prompt that is a pipe", p, Is::Pipe, "it is not a file"),
    ] {
        let env = TestEnv::new();
        if path == p {
            in_project(&env, TOML, prompt);
        }
        put(&env, path, &is);
        let output = agent(&env, &["spawn", "a"]).fails(1).stderr;
        assert!(output.contains(says), "{what}: {output}");
        assert!(output.contains("nothing was started\nhint: "), "{what}: {output}");
        assert!(output.len() < 2000, "{what}: {} bytes", output.len());
        let check = env.symposium(["spec", "check", "--json"]).fails(1).json();
        assert!(check[0]["line"].is_u64() && check[0]["message"].is_string(), "{what}: {check}");
        assert_untouched(&env, what);
    }
}

#[test]
fn invalid_front_matter_is_reported_and_starts_nothing() {
    for (what, is, says) in [
        ("never closed", bytes(b"---\nkind: demo\nYou are."), "agent.md:1:1: "),
        ("a key that is none", bytes(b"---\nmodle: x\n---\n"), "unknown key `modle`; did you mean `model`?"),
        ("a tab", bytes(b"---\nenv:\n\tA: b\n---\n"), "agent.md:3:"),
        ("an anchor", bytes(b"---\nmodel: &a x\nrole: *a\n---\n"), "agent.md:2:"),
        ("a tag", bytes(b"---\nmodel: !!python/object x\n---\n"), "agent.md:2:"),
        ("a list", bytes(b"---\n- kind\n---\n"), "agent.md:2:1: "),
        ("doubled", bytes(b"---\nmodel: x\nmodel: y\n---\n"), "agent.md:3:1: "),
        ("NUL in the prompt", bytes(b"---\nkind: demo\n---\na\0b"), "NUL"),
        ("NUL above it", bytes(b"---\nmodel: a\0b\n---\n"), "agent.md:2:"),
        ("not UTF-8", bytes(b"---\nmodel: \xff\n---\n"), "agent.md:2:8: is not UTF-8 from here on"),
        ("10 MB", large(), "is larger than 1048576 bytes"),
        (
            "a shell in the command",
            bytes(b"---\ncommand: touch x\n---\n"),
            "`command` must be a list of words",
        ),
        ("a circle of links", Is::Link("agent.md"), "agent.md"),
        ("a pipe", Is::Pipe, "agent.md"),
    ] {
        let env = TestEnv::new();
        put(&env, FRONT, &is);
        let output = agent(&env, &["spawn", "./Weather"]).outcome();
        assert!([1, 3].contains(&output.code), "{what}: {output:?}");
        assert!(
            output.stderr.starts_with("error: ") && output.stderr.contains(says),
            "{what}: {}",
            output.stderr
        );
        assert!(output.stderr.contains("hint: ") && output.stderr.len() < 2000, "{what}: {}", output.stderr);
        assert_untouched(&env, what);
    }
}

#[test]
fn shell_syntax_in_specs_is_not_interpreted() {
    let deep = format!("[agents.a]\nenv = {}{}", "{ a = ".repeat(5000), "}".repeat(5000));
    for (what, text, args, says) in [
        ("a program with spaces", "command = ['touch x']", &[][..], "`touch x` is not installed"),
        ("a program that is a shell's", "command = ['$(touch x)']", &[], "`$(touch x)` is not installed"),
        ("a program that is a line", "command = ['true; touch x']", &[], "`true; touch x` is not installed"),
        ("a program elsewhere", "command = ['../../x']", &[], "`../../x` is not installed"),
        ("a folder for a program", "command = ['/tmp']", &[], "`/tmp` is not installed"),
        ("a kind that is a path", "kind = '../demo'", &[], "`kind` `../demo` is not a valid name"),
        (
            "our own variable",
            "kind = 'demo'\nenv.SYMPOSIUM_HOME = '/x'",
            &[],
            "`env.SYMPOSIUM_HOME` is reserved",
        ),
        ("files elsewhere", "workspace.copy = ['../../etc/*']", &[], "must be a path below the project"),
        ("an unknown parameter", "kind = 'demo'", &["--param", "$(touch x)=1"], "$(touch x)"),
        ("a missing parameter", "kind = 'demo'\nparams.n.type = 'int'", &[], "`n` must be given"),
        ("a misfit", "kind = 'demo'\nparams.n.type = 'int'", &["--param", "n=1;x"], "`n`"),
        ("a doubled one", "kind = 'demo'\nparams.n = {}", &["--param", "n=1", "--param", "n=2"], "`n`"),
        ("a name that is a path", "kind = 'demo'", &["--name", "../x"], "../x"),
        ("a directory that is none", "kind = 'demo'", &["--dir", "nowhere"], "nowhere"),
        ("a deep one", deep.strip_prefix("[agents.a]\n").unwrap(), &[], "agents.toml:2:"),
    ] {
        let env = TestEnv::new();
        in_project(&env, TOML, &format!("[agents.a]\n{text}\n"));
        let output = agent(&env, &[&["spawn", "a"], args].concat()).outcome();
        assert!([1, 2].contains(&output.code), "{what}: {output:?}");
        assert!(
            output.stderr.starts_with("error: ") && output.stderr.contains(says),
            "{what}: {}",
            output.stderr
        );
        assert!(output.stderr.len() < 2000, "{what}: {} bytes", output.stderr.len());
        assert_untouched(&env, what);
    }
}
