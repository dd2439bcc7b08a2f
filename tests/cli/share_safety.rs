//! Other users get no access, and guests get no further than the agent: tested with three real users.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::PathBuf;

use super::share::{at, echoing, shared};
use crate::support::TestEnv;
use crate::support::users::User;

/// Speaks to a share listener directly: sends a greeting and these bytes as typed input, and prints what arrives for a
/// moment.
const KNOCK: &str = r#"
use Socket;
$SIG{PIPE} = 'IGNORE';
socket(my $line, AF_UNIX, SOCK_STREAM, 0) or die;
connect($line, pack_sockaddr_un(shift @ARGV)) or die "connect: $!";
syswrite($line, '{"symposium":1,"want":"take","term":"xterm","columns":90,"rows":25}' . "\n");
for my $data (@ARGV) {
    $data =~ s/\\x([0-9a-f]{2})/chr(hex($1))/ge;
    syswrite($line, 'i' . pack('n', length $data) . $data);
}
my ($heard, $ready) = ('', '');
vec($ready, fileno($line), 1) = 1;
while ($heard !~ /the end/ && select(my $now = $ready, undef, undef, 10)) {
    sysread($line, $heard, 65536, length $heard) or last;
}
print length($heard) ? "heard" : "nothing", $heard =~ /the end/ ? " the end" : "";
"#;

/// Listens at the path of a share listener.
const TRAP: &str = r#"
use Socket;
socket(my $line, AF_UNIX, SOCK_STREAM, 0) or die;
bind($line, pack_sockaddr_un($ARGV[0])) or die "bind: $!";
listen($line, 5) or die;
chmod 0777, $ARGV[0];
$| = 1;
print "up";
accept(my $guest, $line);
"#;

/// Perl is part of every Debian system, and every user may run it.
const PERL: &str = "/usr/bin/perl";

fn socket_of(owner: &User<'_>, guest: &User<'_>, name: &str) -> PathBuf {
    PathBuf::from(format!("/tmp/symposium-share-{}/{}/{name}", owner.uid, guest.uid))
}

fn mode(path: &std::path::Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn another_user_gets_no_access() {
    let env = TestEnv::new();
    let Some([owner, guest, stranger]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &[]);
    let socket_of = socket_of(&owner, &guest, "a");
    let terminal = at(&owner, "a", &stranger, &[]);
    assert_eq!(terminal.wait_for_exit(), 3, "{}", terminal.screen());
    assert!(terminal.screen().contains("is not shared with you"), "{}", terminal.screen());
    let outer = socket_of.parent().unwrap().parent().unwrap();
    assert_eq!(mode(outer), 0o711);
    stranger.program("ls", [outer]).fails(2);
    stranger.program("ls", [socket_of.parent().unwrap()]).fails(2);
    let output = stranger.program(PERL, ["-e", KNOCK, socket_of.to_str().unwrap()]).fails(13).stderr;
    assert!(output.contains("connect: Permission denied"), "{output}");
    // Even without file permissions the kernel reports the uid of the peer.
    for path in [outer, socket_of.parent().unwrap(), &socket_of] {
        let _ = rustix::fs::removexattr(path, "system.posix_acl_access");
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let output = stranger.program(PERL, ["-e", KNOCK, socket_of.to_str().unwrap(), "typed\\x0d"]).ok().stdout;
    assert_eq!(output, "nothing");
    let screen = owner.symposium(["agent", "peek", "a"]).ok().stdout;
    assert!(!screen.contains("typed"), "{screen}");
}

#[test]
fn a_guest_sees_no_notices_of_other_agents() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &["--read-only"]);
    let (watching, own) = (at(&owner, "a", &guest, &[]), owner.terminal(&["agent", "attach", "a"]));
    watching.wait_for_text("watching only");
    own.wait_for_text("detach:");
    let words = ["agent", "spawn", "demo", "--name", "b", "--task", "/ask the plan"];
    owner.symposium(words).env("SYMPOSIUM_SUPERVISOR", "on").ok();
    own.wait_for_text("b waits for approval");
    assert!(!watching.screen().contains("b waits"), "{}", watching.screen());
}

#[test]
fn a_guest_is_shown_no_other_agent_when_the_shared_session_ends() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    echoing(&owner, "secret");
    let socket = owner.socket();
    let tmux = |args: &[&str]| {
        owner.program("tmux", ["-S", socket.to_str().unwrap()].iter().chain(args)).ok().stdout
    };
    tmux(&["set-option", "-g", "detach-on-destroy", "off"]);
    shared(&owner, "a", &guest, &["--read-only"]);
    let watching = at(&owner, "a", &guest, &[]);
    watching.wait_for_text("watching only");
    assert_eq!(tmux(&["show-options", "-v", "-t", "=a:", "detach-on-destroy"]), "on\n");
    tmux(&["kill-session", "-t", "=a"]);
    assert_ne!(watching.wait_for_exit(), 0);
    assert!(!watching.screen().contains("this is secret"), "{}", watching.screen());
}

#[test]
fn a_guest_reaches_only_the_shared_agent() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    echoing(&owner, "secret");
    shared(&owner, "a", &guest, &[]);
    let terminal = at(&owner, "secret", &guest, &[]);
    assert_eq!(terminal.wait_for_exit(), 3, "{}", terminal.screen());
    // The guest reaches neither the owner's files nor the tmux server.
    guest.program("ls", [owner.home()]).fails(2);
    guest.program("cat", [owner.home().join(".symposium/agent-sessions.json")]).fails(1);
    let socket = owner.socket();
    let socket = socket.to_str().unwrap();
    let output = guest.program("tmux", ["-S", socket, "list-sessions"]).fails(1).stderr;
    assert!(output.contains("Permission denied"), "{output}");
    // This also holds if every directory and the socket are open: tmux has its own access list since version 3.3.
    for path in [owner.home(), owner.socket().parent().unwrap().to_owned(), owner.socket()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    if !owner.program("tmux", ["-V"]).ok().stdout.contains(" 3.2") {
        for command in ["list-sessions", "kill-server", "new-window"] {
            let output = guest.program("tmux", ["-S", socket, command]).outcome();
            assert!(output.stderr.contains("access not allowed") && output.stdout.is_empty(), "{output:?}");
        }
    }
    for path in [owner.home(), owner.socket().parent().unwrap().to_owned()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    }
    // The prefix, the prompt, other sessions and menus are bytes for the agent, or have no effect.
    let facts = || {
        let format = "#{session_name} #{session_windows} #{window_panes} #{pane_in_mode}";
        owner.program("tmux", ["-S", socket, "list-panes", "-a", "-F", format]).ok().stdout
    };
    let before = facts();
    let made = guest.home().join("work/made");
    fs::set_permissions(guest.home(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(guest.home().join("work"), fs::Permissions::from_mode(0o777)).unwrap();
    let prompt = format!("\\x02:run-shell 'touch {}'\\x0d", made.display());
    let socket_of = socket_of(&owner, &guest, "a");
    let knock = [
        "-e",
        KNOCK,
        socket_of.to_str().unwrap(),
        "\\x02)",
        "\\x02c",
        "\\x02%",
        "\\x02&y",
        "\\x02[",
        "\\x02s\\x0d",
        "\\x1b[<2;5;5M\\x1b[<64;5;5M\\x1b[<0;5;5M\\x1b[<0;5;5m",
        "\\x02D\\x0d",
        "\\x02d",
        &prompt,
        "the end\\x0d",
    ];
    assert!(guest.program(PERL, knock).ok().stdout.contains("the end"), "the guest still saw agent `a`");
    assert_eq!(facts(), before);
    assert!(!made.exists());
    let output = owner.symposium(["agent", "peek", "secret"]).ok().stdout;
    assert_eq!(output.trim(), "this is secret");
}

#[test]
fn a_pane_mode_of_the_owner_gives_a_guest_no_commands() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    echoing(&owner, "secret");
    shared(&owner, "a", &guest, &[]);
    let driver = owner.terminal(&["agent", "attach", "a"]);
    driver.wait_for_text("this is a");
    // A list of all sessions, in which a key can run any tmux command.
    driver.keys(&["C-b", "s"]);
    driver.wait_for_text("secret");
    let terminal = at(&owner, "a", &guest, &["--take"]);
    driver.wait_for_text("took over, you watch");
    terminal.type_text(":kill-session -t =secret");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <:kill-session -t =secret>");
    terminal.keys(&["Up"]);
    terminal.type_text("x");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("x>");
    let output = owner.symposium(["agent", "peek", "secret"]).ok().stdout;
    assert_eq!(output.trim(), "this is secret");
}

#[test]
fn a_share_directory_prepared_by_another_user_is_refused() {
    let env = TestEnv::new();
    let Some([owner, guest, stranger]) = User::make(&env) else { return };
    echoing(&owner, "a");
    let place = PathBuf::from(format!("/tmp/symposium-share-{}", owner.uid));
    let share =
        || owner.symposium(["agent", "share", "a", "--with", &guest.name, "--read-only"]).fails(1).stderr;
    // A directory of the other user.
    stranger.program("mkdir", ["-m", "0777", place.to_str().unwrap()]).ok();
    assert!(share().contains(&format!("is not safe to use: it belongs to user {}", stranger.uid)));
    // The other user listens there in place of the owner: the guest does not accept it either.
    let inner = place.join(guest.uid.to_string());
    stranger.program("mkdir", ["-m", "0777", inner.to_str().unwrap()]).ok();
    let mut trap = stranger.program(PERL, ["-e", TRAP, inner.join("a").to_str().unwrap()]).start();
    env.wait_until("the trap is set", || trap.stdout_so_far().contains("up"));
    let terminal = at(&owner, "a", &guest, &[]);
    assert_eq!(terminal.wait_for_exit(), 1, "{}", terminal.screen());
    assert!(terminal.screen().contains("is not safe to use"), "{}", terminal.screen());
    assert_eq!(guest.symposium(["agent", "list", "--shared", "--json"]).ok().stdout.trim(), "[]");
    trap.kill();
    fs::remove_dir_all(&place).unwrap();
    // A symbolic link of the other user, and one of the owner.
    symlink(stranger.home(), &place).unwrap();
    std::os::unix::fs::lchown(&place, Some(stranger.uid), None).unwrap();
    assert!(share().contains("is not safe to use: it is not a directory"));
    std::os::unix::fs::lchown(&place, Some(owner.uid), None).unwrap();
    assert!(share().contains("is not safe to use: it is not a directory"));
    fs::remove_file(&place).unwrap();
    // A directory of the owner that other users can write to.
    fs::create_dir(&place).unwrap();
    chown(&place, Some(owner.uid), None).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(share().contains("others can write there (mode 0777)"));
    let shares = owner.symposium(["agent", "show", "a", "--json"]).ok().json()["shares"].clone();
    assert_eq!(shares, serde_json::json!([]));
}
