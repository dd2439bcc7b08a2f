//! Arguments, variables, paths and titles arrive byte by byte and are never interpreted.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;

/// Prints its arguments into a file, each followed by a NUL byte.
const PRINT: &str = "out=$1; shift; printf '%s\\0' \"$@\" > \"$out.new\"; mv \"$out.new\" \"$out\"";

fn printed(path: &Path) -> Vec<Vec<u8>> {
    let bytes = until("the file exists", || std::fs::read(path).ok());
    let mut parts: Vec<_> = bytes.split(|byte| *byte == 0).map(<[u8]>::to_owned).collect();
    parts.pop();
    parts
}

#[test]
fn every_byte_gets_through_an_argument_list_and_a_variable() {
    // The first server is reached through the tmux program, the second over the protocol.
    for server in [TestServer::new(), TestServer::running()] {
        every_byte_gets_through(&server);
    }
}

fn every_byte_gets_through(server: &TestServer) {
    let out = server.path().join("out");
    let ascii: String = (1..=127u8).map(char::from).collect();
    let all: Vec<u8> = (1..=255).collect();
    let line = format!("{PRINT}; env -0 > \"$out.env\"");
    let mut start =
        TestLaunch::new("a", &["sh", "-c", &line, "sh", out.to_str().unwrap(), &ascii, "", "-x", ";", "a;"]);
    start.env.push(("ALL".into(), OsString::from_vec(all.clone())));
    server.start(&start);
    server.last_words("a");
    let expected = [ascii.as_str(), "", "-x", ";", "a;"].map(|word| word.as_bytes().to_vec());
    assert_eq!(printed(&out), expected);
    let variables = printed(&server.path().join("out.env"));
    assert!(variables.contains(&[b"ALL=".as_slice(), &all].concat()));
}

#[test]
fn arbitrary_texts_get_through_in_one_call() {
    // With 30 texts the script fits into one message.
    for (server, count) in
        [(TestServer::new(), 300), (TestServer::running(), 300), (TestServer::running(), 30)]
    {
        arbitrary_texts_get_through(&server, count);
    }
}

fn arbitrary_texts_get_through(server: &TestServer, count: usize) {
    let out = server.path().join("out");
    let mut runner = TestRunner::default();
    let text = any::<String>().prop_map(|text| text.replace('\0', ""));
    let texts: Vec<String> = (0..count).map(|_| text.new_tree(&mut runner).unwrap().current()).collect();
    let mut start = TestLaunch::new("a", &["sh", "-c", PRINT, "sh", out.to_str().unwrap()]);
    start.argv.extend(texts.iter().cloned());
    start.env.extend(texts.iter().enumerate().map(|(at, text)| (format!("V{at}").into(), text.into())));
    let tail = "; env -0 > \"$out.env\"";
    start.argv[2].push_str(tail);
    server.start(&start);
    server.last_words("a");
    let expected: Vec<_> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    assert_eq!(printed(&out), expected);
    let variables = printed(&server.path().join("out.env"));
    for (at, text) in texts.iter().enumerate() {
        assert!(variables.contains(&format!("V{at}={text}").into_bytes()), "{text:?}");
    }
}

#[test]
fn a_nul_byte_is_refused_before_anything_happens() {
    let server = TestServer::running();
    let argument = TestLaunch::new("a", &["sh", "x\0y"]);
    let mut variable = TestLaunch::new("a", &["true"]);
    variable.env.push(("X".into(), OsStr::from_bytes(b"\0").into()));
    for start in [argument, variable] {
        assert!(matches!(server.try_start(&start), Err(TmuxError::Nul { .. })));
    }
    assert_eq!(server.look().panes.len(), 1);
}

#[test]
fn directory_names_are_used_literally() {
    let server = TestServer::new();
    for (at, dir) in ["#{pane_pid}", "#[x] #S", "%H ~ $HOME", "a'b\"c;", "-x", "é\n y"].iter().enumerate() {
        let dir = server.path().join(dir);
        std::fs::create_dir(&dir).unwrap();
        let out = server.path().join(format!("out{at}"));
        let name = format!("a{at}");
        let line = "/bin/pwd -P > \"$0.new\"; mv \"$0.new\" \"$0\"";
        let argv = ["sh", "-c", line, out.to_str().unwrap()];
        server.start(&TestLaunch { dir: dir.clone(), ..TestLaunch::new(&name, &argv) });
        let output = until("the program wrote its directory", || std::fs::read(&out).ok());
        assert_eq!(output, [dir.canonicalize().unwrap().as_os_str().as_bytes(), b"\n"].concat());
    }
}

#[test]
fn a_program_alone_is_not_read_by_a_shell() {
    let server = TestServer::new();
    let program = server.path().join("a b $(touch x) ; touch x");
    // The program runs a moment longer: tmux 3.3a may lose the last output of a program that ends at once.
    std::fs::write(&program, "#!/bin/sh\n/bin/pwd -P; exec /bin/sleep 0.2\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let start =
        TestLaunch { dir: server.path().into(), ..TestLaunch::new("a", &[program.to_str().unwrap()]) };
    server.start(&start);
    assert!(server.last_words("a").contains(server.path().to_str().unwrap()));
    assert!(!server.path().join("x").exists());
}

/// Prints the environment and runs a moment longer: tmux 3.3a may lose the last output of a program that ends at once.
const ENV: &str = "/usr/bin/env; exec /bin/sleep 0.2";

#[test]
fn an_agent_gets_its_own_environment_and_nothing_of_the_first_spawners() {
    let server = TestServer::with(|setup| setup.base_env.push(("LC_TIME".into(), "first".into())));
    let mut first = TestLaunch::new("first", &["sleep", "1000"]);
    first.env.extend(env(&[("SECRET", "of the first"), ("DISPLAY", ":7")]));
    first.env[0].1 = "/bin:/usr/bin:/first".into();
    server.start(&first);
    let third = TestLaunch {
        env: env(&[("PATH", "/bin:/usr/bin:/third")]),
        ..TestLaunch::new("third", &["sh", "-c", ENV])
    };
    server.start(&third);
    assert!(server.last_words("third").contains("PATH=/bin:/usr/bin:/third\n"));
    let second =
        TestLaunch { env: env(&[("ONLY", "é ")]), ..TestLaunch::new("second", &["/bin/sh", "-c", ENV]) };
    server.start(&second);
    let output = server.last_words("second");
    let names: Vec<_> = output.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    // Without a PATH, tmux inserts the default of the system.
    assert!(!output.contains("/first") && !output.contains(path_var().to_str().unwrap()), "{output}");
    let own =
        ["PATH", "TMUX", "TMUX_PANE", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "SHELL", "PWD", "ONLY"];
    assert!(names.contains(&"ONLY"), "{output}");
    assert!(names.iter().all(|name| own.contains(name)), "{output}");
    let kept = server.bare(&["show-environment", "-g"]);
    assert!(kept.contains(&format!("PATH={}\n", path_var().display())), "hooks need it: {kept}");
    assert!(kept.contains("HOME="), "{kept}");
}

#[test]
fn programs_started_by_tmux_do_not_carry_the_agents_mark() {
    let server = TestServer::new();
    let mut start = TestLaunch::new("a", &["sleep", "1000"]);
    start.env.push(("MARK".into(), start.id.to_string().into()));
    let started = server.start(&start);
    // Until its program runs, the process has the environment of the server that forked it.
    file_with(Path::new(&format!("/proc/{}/environ", started.pid)), &format!("MARK={}", start.id));
    let of_session = server.bare(&["show-environment", "-t", "=a"]);
    assert!(of_session.contains("LANG=") && !of_session.contains("MARK"), "{of_session}");
}

#[test]
fn no_secret_is_in_an_argument_list() {
    let server = TestServer::new();
    let mut start = TestLaunch::new("a", &["sleep", "1000"]);
    start.env.push(("TOKEN".into(), "hush-hush-value".into()));
    let started = server.start(&start);
    let server_pid = started.server.0.split(':').nth(1).unwrap();
    for pid in [server_pid, &started.pid.to_string()] {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap();
        assert!(!String::from_utf8_lossy(&line).contains("hush-hush"));
    }
}

#[test]
fn the_first_words_reach_the_pipe_whatever_its_path_is_called() {
    let server = TestServer::new();
    let dir = server.path().join("a b'\"$(x)#{pane_pid}#[x]%H\ttab ~");
    std::fs::create_dir(&dir).unwrap();
    let log = dir.join("log");
    for at in 0..10 {
        let _ = std::fs::remove_file(&log);
        let name = format!("a{at}");
        let pipe = ["sh", "-c", "cat > \"$0.new\"; mv \"$0.new\" \"$0\"", log.to_str().unwrap()];
        let pipe = pipe.map(str::to_owned).to_vec();
        // The program runs a moment longer: tmux 3.3a may lose the last output of a program that ends at once.
        let argv = ["sh", "-c", "printf \"$@\"; exec sleep 0.05", "sh", "hello %s", "world"];
        let start = TestLaunch { pipe, ..TestLaunch::new(&name, &argv) };
        server.start(&start);
        until("the process has ended", || server.pane(&name)?.dead);
        assert!(server.tmux.kill_session(&name, start.id).unwrap());
        assert_eq!(file_with(&log, "hello"), "hello world");
    }
}

#[test]
fn sessions_of_the_user_do_not_disturb_a_snapshot() {
    let server = TestServer::running();
    for odd in ["a|b", " ", "#{pid}", "x;y $(z)", "é🦀", "C|0|x", "'\""] {
        server.bare(&["new-session", "-d", "-s", &odd.replace('#', "##"), "sleep 1000"]);
        assert!(server.pane(odd).is_some_and(|pane| pane.agent.is_none()), "{odd:?}");
    }
}
