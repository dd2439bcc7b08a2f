//! Sessions are started, found, renamed, respawned and ended.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::model::Exit;

#[test]
fn snapshot_without_a_server_reports_no_server() {
    let server = TestServer::new();
    assert_eq!(server.tmux.snapshot().unwrap(), TmuxSnapshot::NoServer);
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    server.bare(&["kill-server"]);
    until("the server has ended", || {
        (server.tmux.snapshot().unwrap() == TmuxSnapshot::NoServer).then_some(())
    });
    assert!(server.tmux.records().unwrap().is_empty());
    assert!(!server.tmux.kill_session("a", AgentId::fresh()).unwrap());
    assert_eq!(server.tmux.pane_facts("%0").unwrap(), None);
    assert!(matches!(server.tmux.capture("%0", Capture::Screen), Err(TmuxError::NoServer { .. })));
}

#[test]
fn launch_reports_and_marks_its_process() {
    let server = TestServer::running();
    let start = TestLaunch { title: Some("t"), ..TestLaunch::new("api-fix", &["sleep", "1000"]) };
    let started = server.start(&start);
    let live = server.look();
    let pane = server.pane("api-fix").unwrap();
    assert_eq!(live.identity, started.server);
    assert_eq!(live.version, server.tmux.version());
    assert_eq!((pane.pane, pane.pid, pane.agent), (started.pane.clone(), Some(started.pid), Some(start.id)));
    assert_eq!((pane.dead, started.session.as_str()), (None, "api-fix"));
    assert!(pane.activity.is_some());
    let facts = server.tmux.pane_facts(&started.pane).unwrap().unwrap();
    assert_eq!((facts.width, facts.height, facts.dead, facts.in_mode), (120, 30, false, false));
    assert!(facts.tty.starts_with("/dev/"), "{facts:?}");
    let records = server.tmux.records().unwrap();
    let record = &records.iter().find(|(session, _)| session == "api-fix").unwrap().1;
    assert_eq!(record, "{\"name\":\"api-fix\",\"title\":\"é | \\\\ $\"}");
}

#[test]
fn name_in_use_is_reported() {
    let server = TestServer::running();
    let again = server.try_start(&TestLaunch::new("bystander", &["true"]));
    assert!(matches!(again, Err(TmuxError::Duplicate { session }) if session == "bystander"));
    assert!(server.pane("bystander").unwrap().dead.is_none());
}

#[test]
fn a_start_that_is_refused_leaves_the_servers_environment_as_it_was() {
    let server = TestServer::running();
    let before = server.bare(&["show-environment", "-g"]);
    assert!(before.contains("HOME=/\n"), "{before}");
    let bare = TestLaunch { env: env(&[("ONLY", "x")]), ..TestLaunch::new("bystander", &["true"]) };
    assert!(matches!(server.try_start(&bare), Err(TmuxError::Duplicate { .. })));
    assert_eq!(server.bare(&["show-environment", "-g"]), before);
}

#[test]
fn missing_directory_and_missing_program_are_reported() {
    let server = TestServer::new();
    let gone = TestLaunch { dir: server.path().join("gone"), ..TestLaunch::new("a", &["true"]) };
    assert!(matches!(server.try_start(&gone), Err(TmuxError::NoDirectory { .. })));
    assert!(matches!(server.try_start(&TestLaunch::new("a", &[])), Err(TmuxError::Refused { .. })));
    let setup = TmuxSetup { path: Some(server.path().into()), ..server.tmux.setup.clone() };
    assert!(matches!(Tmux::find(setup), Err(TmuxError::Missing { .. })));
}

#[test]
fn an_old_tmux_is_refused() {
    let server = TestServer::new();
    let fake = server.path().join("tmux");
    std::fs::write(&fake, "#!/bin/sh\necho tmux 3.1c\n").unwrap();
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let setup = TmuxSetup { path: Some(server.path().into()), ..server.tmux.setup.clone() };
    assert!(matches!(Tmux::find(setup), Err(TmuxError::TooOld { version, .. }) if version == "3.1c"));
}

#[test]
fn how_a_process_ended_is_seen() {
    let server = TestServer::running();
    server.start(&TestLaunch::new("code", &["sh", "-c", "exit 3"]));
    server.start(&TestLaunch::new("killed", &["sh", "-c", "kill -9 $$"]));
    let exit = |session: &str| until("the process has ended", || server.pane(session)?.dead).exit;
    assert_eq!(exit("code"), Exit { code: Some(3), signal: None });
    assert_eq!(exit("killed"), Exit { code: None, signal: Some(9) });
}

#[test]
fn kill_takes_only_the_session_of_that_name_and_agent() {
    let server = TestServer::running();
    let (ab, abc) = (TestLaunch::new("ab", &["sleep", "1000"]), TestLaunch::new("abc", &["sleep", "1000"]));
    server.start(&abc);
    assert!(!server.tmux.kill_session("ab", abc.id).unwrap(), "a prefix is not the name");
    server.start(&ab);
    assert!(!server.tmux.kill_session("ab", abc.id).unwrap(), "another agent's");
    assert!(server.pane("ab").is_some() && server.pane("abc").is_some());
    assert!(server.tmux.kill_session("ab", ab.id).unwrap());
    assert!(!server.tmux.kill_session("ab", ab.id).unwrap());
    assert!(server.pane("ab").is_none() && server.pane("abc").is_some());
    for odd in ["a.b:c", "#{session_name}", "", "x;", "$0", "*", "bystander,1", "}"] {
        assert!(!server.tmux.kill_session(odd, abc.id).unwrap(), "{odd:?}");
    }
    assert_eq!(server.look().panes.len(), 2);
}

#[test]
fn rename_moves_the_session_and_its_record() {
    let server = TestServer::running();
    let start = TestLaunch::new("old", &["sleep", "1000"]);
    server.start(&start);
    let taken = server.tmux.rename_session(start.id, "old", &name("bystander"), "{}");
    assert!(matches!(taken, Err(TmuxError::Duplicate { .. })), "{taken:?}");
    let other = server.tmux.rename_session(AgentId::fresh(), "old", &name("new"), "{}");
    assert!(matches!(other, Err(TmuxError::NoSession { .. })), "{other:?}");
    server.tmux.rename_session(start.id, "old", &name("new"), "{\"a\":\"';#{pid}\"}").unwrap();
    assert!(server.pane("old").is_none());
    assert_eq!(server.pane("new").unwrap().agent, Some(start.id));
    assert!(server.tmux.records().unwrap().contains(&("new".into(), "{\"a\":\"';#{pid}\"}".into())));
}

#[test]
fn records_survive_odd_session_names() {
    let server = TestServer::running();
    server.bare(&["rename-session", "-t", "=bystander", "odd {\"é| 3"]);
    server.bare(&["new-session", "-d", "-s", "unmarked"]);
    let records = server.tmux.records().unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].0, "odd {\"é| 3");
    assert!(records[0].1.starts_with("{\"name\":\"bystander\""), "{records:?}");
    assert!(server.pane("odd {\"é| 3").unwrap().agent.is_some());
}

#[test]
fn respawn_revives_in_place_with_the_new_environment_only() {
    let server = TestServer::running();
    let dir = server.path().join("a #{pane_pid} #[x] %H");
    std::fs::create_dir(&dir).unwrap();
    let mut start = TestLaunch::new("a", &["sleep", "1000"]);
    start.env.extend(env(&[("OLD", "1\nLINE=2"), ("BOTH", "old")]));
    let first = server.start(&start);
    assert!(matches!(server.respawn(&start, &first.pane), Err(TmuxError::BusyPane { .. })));
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(first.pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    until("the pane is dead", || server.pane("a")?.dead);
    let mut again = TestLaunch {
        id: start.id,
        dir: dir.clone(),
        ..TestLaunch::new("a", &["sh", "-c", "pwd; env; exec sleep 0.2"])
    };
    again.env.extend(env(&[("BOTH", "new"), ("ODD", "a;b #{pid} $x ")]));
    again.pipe = ["sh", "-c", "exec cat > \"$0\"", server.path().join("log").to_str().unwrap()]
        .map(str::to_owned)
        .to_vec();
    let second = server.respawn(&again, &first.pane).unwrap();
    assert_eq!((&second.pane, &second.server), (&first.pane, &first.server));
    let output = server.last_words("a");
    assert!(output.contains(&format!("{}\n", dir.display())), "{output}");
    assert!(output.contains("BOTH=new\n") && output.contains("ODD=a;b #{pid} $x"), "{output}");
    assert!(!output.contains("OLD=") && !output.contains("LINE=2"), "{output}");
    file_with(&server.path().join("log"), "BOTH=new");
    let foreign = TestLaunch { id: AgentId::fresh(), ..TestLaunch::new("a", &["true"]) };
    assert!(matches!(server.respawn(&foreign, &first.pane), Err(TmuxError::NoSession { .. })));
    assert!(matches!(server.respawn(&again, "%99"), Err(TmuxError::NoPane { .. })));
}

#[test]
fn respawn_keeps_the_sessions_environment_by_default() {
    let server = TestServer::running();
    let mut start = TestLaunch::new("a", &["sh", "-c", "exit 1"]);
    start.env = env(&[("PATH", "/bin:/usr/bin:/own"), ("OLD", "1\nLINE=2 #{pid}"), ("BOTH", "old")]);
    start.env.push(("MARK".into(), start.id.to_string().into()));
    let first = server.start(&start);
    until("the pane is dead", || server.pane("a")?.dead);
    let mark = start.id.to_string();
    let also = env(&[("BOTH", "new"), ("MARK", &mark)]);
    start.argv = ["sh", "-c", "env; exec sleep 0.2"].map(str::to_owned).to_vec();
    let kept = |launch: &Launch<'_>| {
        let launch = Launch { env: LaunchEnv::Kept { also: &also }, ..*launch };
        server.tmux.respawn(&launch, &first.pane)
    };
    start.launch(kept).unwrap();
    let output = server.last_words("a");
    for line in ["PATH=/bin:/usr/bin:/own", "OLD=1", "LINE=2 #{pid}", "BOTH=new", &format!("MARK={mark}")] {
        assert!(output.lines().any(|output| output == line), "{line}: {output}");
    }
    let of_session = server.bare(&["show-environment", "-t", "=a"]);
    assert!(of_session.contains("OLD=1") && !of_session.contains("MARK"), "{of_session}");
    let foreign = TestLaunch { id: AgentId::fresh(), ..start };
    assert!(matches!(foreign.launch(kept), Err(TmuxError::NoSession { .. })));
}

#[test]
fn the_servers_configuration_is_ours_and_then_the_users() {
    let server = TestServer::with(|setup| {
        setup.home = setup.home.join("a [b] *'\"$(x)#{pid}%H é");
        std::fs::create_dir_all(&setup.home).unwrap();
        setup.user_conf = setup.home.join("tmux.conf");
        let deadly = "set -g destroy-unattached on\nset -g remain-on-exit off\nset -s exit-unattached on\n";
        let text = format!("set -g status-position top\nset -g base-index 1\n{deadly}");
        std::fs::write(&setup.user_conf, text).unwrap();
    });
    server.start(&TestLaunch::new("a", &["sleep", "1000"]));
    for (option, value) in [
        ("status-position", "top"),
        ("base-index", "1"),
        ("remain-on-exit", "on"),
        ("destroy-unattached", "off"),
        ("exit-unattached", "off"),
        ("history-limit", "50000"),
        ("mouse", "on"),
    ] {
        assert_eq!(server.bare(&["show-options", "-gAv", option]).trim(), value, "{option}");
    }
    let conf = server.tmux.setup.run_dir.join("server.conf");
    assert_eq!(server.bare(&["source-file", conf.to_str().unwrap()]), "", "without complaints");
    let mode = std::fs::metadata(conf).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
