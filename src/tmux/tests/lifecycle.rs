//! Sessions are started, found, renamed, respawned and ended.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::model::Exit;

#[test]
fn a_look_without_a_server_says_so() {
    let server = Server::new();
    assert_eq!(server.tmux.look().unwrap(), TmuxSnapshot::NoServer);
    server.start(&Start::new("a", &["sleep", "1000"]));
    server.bare(&["kill-server"]);
    until("the server is gone", || (server.tmux.look().unwrap() == TmuxSnapshot::NoServer).then_some(()));
    assert!(server.tmux.records().unwrap().is_empty());
    assert!(!server.tmux.kill_session("a", AgentId::fresh()).unwrap());
    assert_eq!(server.tmux.pane_facts("%0").unwrap(), None);
    assert!(matches!(server.tmux.capture("%0", Capture::Screen), Err(TmuxError::NoServer { .. })));
}

#[test]
fn a_start_says_what_it_started_and_marks_it() {
    let server = Server::running();
    let start = Start { title: Some("t"), ..Start::new("api-fix", &["sleep", "1000"]) };
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
fn a_name_that_is_taken_is_told() {
    let server = Server::running();
    let again = server.try_start(&Start::new("bystander", &["true"]));
    assert!(matches!(again, Err(TmuxError::Duplicate { session }) if session == "bystander"));
    assert!(server.pane("bystander").unwrap().dead.is_none());
}

#[test]
fn a_start_that_is_refused_leaves_the_servers_environment_as_it_was() {
    let server = Server::running();
    let before = server.bare(&["show-environment", "-g"]);
    assert!(before.contains("HOME=/\n"), "{before}");
    let bare = Start { env: env(&[("ONLY", "x")]), ..Start::new("bystander", &["true"]) };
    assert!(matches!(server.try_start(&bare), Err(TmuxError::Duplicate { .. })));
    assert_eq!(server.bare(&["show-environment", "-g"]), before);
}

#[test]
fn a_missing_directory_and_a_missing_program_are_told() {
    let server = Server::new();
    let gone = Start { dir: server.path().join("gone"), ..Start::new("a", &["true"]) };
    assert!(matches!(server.try_start(&gone), Err(TmuxError::NoDirectory { .. })));
    assert!(matches!(server.try_start(&Start::new("a", &[])), Err(TmuxError::Refused { .. })));
    let setup = Setup { path: Some(server.path().into()), ..server.tmux.setup.clone() };
    assert!(matches!(Tmux::find(setup), Err(TmuxError::Missing { .. })));
}

#[test]
fn an_old_tmux_is_refused() {
    let server = Server::new();
    let fake = server.path().join("tmux");
    std::fs::write(&fake, "#!/bin/sh\necho tmux 3.1c\n").unwrap();
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let setup = Setup { path: Some(server.path().into()), ..server.tmux.setup.clone() };
    assert!(matches!(Tmux::find(setup), Err(TmuxError::TooOld { version, .. }) if version == "3.1c"));
}

#[test]
fn how_a_process_ended_is_seen() {
    let server = Server::running();
    server.start(&Start::new("code", &["sh", "-c", "exit 3"]));
    server.start(&Start::new("killed", &["sh", "-c", "kill -9 $$"]));
    let exit = |session: &str| until("it has ended", || server.pane(session)?.dead).exit;
    assert_eq!(exit("code"), Exit { code: Some(3), signal: None });
    assert_eq!(exit("killed"), Exit { code: None, signal: Some(9) });
}

#[test]
fn kill_takes_only_the_session_of_that_name_and_agent() {
    let server = Server::running();
    let (ab, abc) = (Start::new("ab", &["sleep", "1000"]), Start::new("abc", &["sleep", "1000"]));
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
    let server = Server::running();
    let start = Start::new("old", &["sleep", "1000"]);
    server.start(&start);
    let taken = server.tmux.rename_session(start.id, "old", &name("bystander"), "{}");
    assert!(matches!(taken, Err(TmuxError::Duplicate { .. })), "{taken:?}");
    let other = server.tmux.rename_session(AgentId::fresh(), "old", &name("new"), "{}");
    assert!(matches!(other, Err(TmuxError::NoSession { .. })), "{other:?}");
    server.tmux.rename_session(start.id, "old", &name("new"), "{\"a\":\"';#{pid}\"}").unwrap();
    assert!(server.pane("old").is_none());
    assert_eq!(server.pane("new").unwrap().agent, Some(start.id));
    assert!(server.tmux.records().unwrap().contains(&("new".into(), "{\"a\":\"';#{pid}\"}".into())));
    assert!(server.tmux.note_record("new", start.id, "{}").unwrap());
    assert!(server.tmux.records().unwrap().contains(&("new".into(), "{}".into())));
}

#[test]
fn records_survive_odd_session_names() {
    let server = Server::running();
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
    let server = Server::running();
    let dir = server.path().join("a #{pane_pid} #[x] %H");
    std::fs::create_dir(&dir).unwrap();
    let mut start = Start::new("a", &["sleep", "1000"]);
    start.env.extend(env(&[("OLD", "1\nLINE=2"), ("BOTH", "old")]));
    let first = server.start(&start);
    assert!(matches!(server.respawn(&start, &first.pane), Err(TmuxError::BusyPane { .. })));
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(first.pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    until("it is dead", || server.pane("a")?.dead);
    let mut again = Start {
        id: start.id,
        dir: dir.clone(),
        ..Start::new("a", &["sh", "-c", "pwd; env; exec sleep 0.2"])
    };
    again.env.extend(env(&[("BOTH", "new"), ("ODD", "a;b #{pid} $x ")]));
    again.pipe = ["sh", "-c", "exec cat > \"$0\"", server.path().join("log").to_str().unwrap()]
        .map(str::to_owned)
        .to_vec();
    let second = server.respawn(&again, &first.pane).unwrap();
    assert_eq!((&second.pane, &second.server), (&first.pane, &first.server));
    let said = server.last_words("a");
    assert!(said.contains(&format!("{}\n", dir.display())), "{said}");
    assert!(said.contains("BOTH=new\n") && said.contains("ODD=a;b #{pid} $x"), "{said}");
    assert!(!said.contains("OLD=") && !said.contains("LINE=2"), "{said}");
    file_with(&server.path().join("log"), "BOTH=new");
    let stranger = Start { id: AgentId::fresh(), ..Start::new("a", &["true"]) };
    assert!(matches!(server.respawn(&stranger, &first.pane), Err(TmuxError::NoSession { .. })));
    assert!(matches!(server.respawn(&again, "%99"), Err(TmuxError::NoPane { .. })));
}

#[test]
fn respawn_keeps_the_sessions_environment_when_nobody_has_another() {
    let server = Server::running();
    let mut start = Start::new("a", &["sh", "-c", "exit 1"]);
    start.env = env(&[("PATH", "/bin:/usr/bin:/own"), ("OLD", "1\nLINE=2 #{pid}"), ("BOTH", "old")]);
    start.env.push(("MARK".into(), start.id.to_string().into()));
    let first = server.start(&start);
    until("it is dead", || server.pane("a")?.dead);
    let mark = start.id.to_string();
    let also = env(&[("BOTH", "new"), ("MARK", &mark)]);
    start.argv = ["sh", "-c", "env; exec sleep 0.2"].map(str::to_owned).to_vec();
    let kept = |launch: &Launch<'_>| {
        let launch = Launch { env: LaunchEnv::Kept { also: &also }, ..*launch };
        server.tmux.respawn(&launch, &first.pane)
    };
    start.launch(kept).unwrap();
    let said = server.last_words("a");
    for line in ["PATH=/bin:/usr/bin:/own", "OLD=1", "LINE=2 #{pid}", "BOTH=new", &format!("MARK={mark}")] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
    let of_session = server.bare(&["show-environment", "-t", "=a"]);
    assert!(of_session.contains("OLD=1") && !of_session.contains("MARK"), "{of_session}");
    let stranger = Start { id: AgentId::fresh(), ..start };
    assert!(matches!(stranger.launch(kept), Err(TmuxError::NoSession { .. })));
}

#[test]
fn the_servers_configuration_is_ours_and_then_the_users() {
    let server = Server::with(|setup| {
        setup.home = setup.home.join("a [b] *'\"$(x)#{pid}%H é");
        std::fs::create_dir_all(&setup.home).unwrap();
        setup.user_conf = setup.home.join("tmux.conf");
        let deadly = "set -g destroy-unattached on\nset -g remain-on-exit off\nset -s exit-unattached on\n";
        let text = format!("set -g status-position top\nset -g base-index 1\n{deadly}");
        std::fs::write(&setup.user_conf, text).unwrap();
    });
    server.start(&Start::new("a", &["sleep", "1000"]));
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
