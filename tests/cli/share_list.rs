//! `agent list --shared` beside a hostile user, with three real users.

use std::time::Duration;

use serde_json::json;

use super::share::{echoing, shared};
use crate::support::TestEnv;
use crate::support::users::User;

/// Perl is part of every Debian system, and every user may run it.
const PERL: &str = "/usr/bin/perl";

/// Hostile share listeners: one is silent, one has a full queue, one sends a byte at a time, one sends wrong data, one
/// never stops sending, one is a pipe.
const TRAPS: &str = r#"
use Socket;
use POSIX 'mkfifo';
use Fcntl;
my ($dir, @all) = @ARGV;
sub door {
    socket(my $line, AF_UNIX, SOCK_STREAM, 0) or die;
    bind($line, pack_sockaddr_un("$dir/$_[0]")) or die "bind: $!";
    chmod 0777, "$dir/$_[0]";
    listen($line, $_[1]) or die if defined $_[1];
    return $line;
}
my $silent = door('silent', 5);
my $full = door('full', 0);
for (1 .. 8) {
    socket(my $line, AF_UNIX, SOCK_STREAM, 0) or die;
    fcntl($line, F_SETFL, O_NONBLOCK);
    push @all, $line;
    last unless connect($line, pack_sockaddr_un("$dir/full"));
}
mkfifo("$dir/pipe", 0777);
my %answers = (
    slow => sub { my $line = shift; for (split //, "f\0\x50" . "x" x 80) { syswrite($line, $_); select(undef, undef, undef, 0.3) } },
    lies => sub { my $line = shift; my $said = '{"read_only":1}'; syswrite($line, 'f' . pack('n', length $said) . $said) },
    flood => sub { my $line = shift; syswrite($line, "x" x 65536) while 1 },
);
for my $name (sort keys %answers) {
    my $door = door($name, 5);
    next if fork;
    $SIG{PIPE} = 'IGNORE';
    while (accept(my $line, $door)) { fork or do { $SIG{PIPE} = 'DEFAULT'; $answers{$name}->($line); sleep 100; exit } }
}
$| = 1;
print "set";
sleep 1000;
"#;

/// Creates very many sockets without a listener.
const LEFT: &str = r#"
use Socket;
for (1 .. 10000) {
    socket(my $line, AF_UNIX, SOCK_STREAM, 0) or die;
    bind($line, pack_sockaddr_un("$ARGV[0]/left$_")) or die "bind: $!";
    chmod 0777, "$ARGV[0]/left$_";
}
"#;

#[test]
fn hostile_shares_do_not_delay_the_list() {
    let env = TestEnv::new();
    let Some([owner, guest, stranger]) = User::make(&env) else { return };
    echoing(&owner, "a");
    shared(&owner, "a", &guest, &["--read-only"]);
    let (outer, inner) = (
        format!("/tmp/symposium-share-{}", stranger.uid),
        format!("/tmp/symposium-share-{}/{}", stranger.uid, guest.uid),
    );
    stranger.program("mkdir", ["-m", "0711", &outer]).ok();
    stranger.program("mkdir", ["-m", "0755", &inner]).ok();
    let traps = stranger.program(PERL, ["-e", TRAPS, &inner]).start();
    env.wait_until("the traps are set", || traps.stdout_so_far().contains("set"));
    // The list must not wait for other users' listeners for longer than its timeout of 1 s.
    let list = |more: &[&str]| {
        let words = [&["agent", "list", "--shared"], more].concat();
        guest.symposium(words).within(Duration::from_secs(10)).ok()
    };
    let listed = list(&[]);
    let rows: Vec<&str> = listed.stdout.lines().skip(1).collect();
    assert_eq!(rows, [format!("{}/a  working  watch    it is unshared", owner.name)], "{listed:?}");
    let from = |name: &str| format!("{}/{name}", stranger.name);
    for name in ["silent", "full", "slow"] {
        assert!(listed.stderr.contains(&from(name)), "{listed:?}");
    }
    assert_eq!(listed.stderr.lines().count(), 1, "{listed:?}");
    assert!(listed.stderr.starts_with("warning: no answer within 1s from "), "{listed:?}");
    stranger.program(PERL, ["-e", LEFT, &inner]).ok();
    // Other spellings of the owner's uid.
    let others: Vec<String> =
        ["0", "00", "+"].iter().map(|more| format!("/tmp/symposium-share-{more}{}", owner.uid)).collect();
    others.iter().for_each(|other| drop(stranger.program("mkdir", [other]).ok()));
    let listed = list(&["--json"]);
    others.iter().for_each(|other| std::fs::remove_dir(other).unwrap());
    assert_eq!(listed.json().as_array().map(Vec::len), Some(1), "{listed:?}");
    assert_eq!(listed.json()[0]["owner"], owner.name.as_str(), "{listed:?}");
    assert!(listed.stderr.contains("there are more shares in /tmp than could be queried"), "{listed:?}");
}

#[test]
fn a_share_listener_with_a_full_queue_does_not_block() {
    let env = TestEnv::new();
    let Some([guest, stranger]) = User::make(&env) else { return };
    let (outer, inner) = (
        format!("/tmp/symposium-share-{}", stranger.uid),
        format!("/tmp/symposium-share-{}/{}", stranger.uid, guest.uid),
    );
    stranger.program("mkdir", ["-m", "0711", &outer]).ok();
    stranger.program("mkdir", ["-m", "0755", &inner]).ok();
    let traps = stranger.program(PERL, ["-e", TRAPS, &inner]).start();
    env.wait_until("the traps are set", || traps.stdout_so_far().contains("set"));
    let terminal = guest.terminal(&["agent", "attach", &format!("{}/full", stranger.name)]);
    assert_eq!(terminal.wait_for_exit(), 7, "{}", terminal.screen());
    terminal.wait_for_text(&format!("`{}/full` did not answer within 5.0s", stranger.name));
    terminal.wait_for_text("hint: ");
}

#[test]
fn the_json_list_names_the_users_with_whom_an_agent_is_shared() {
    let env = TestEnv::new();
    let Some([owner, guest]) = User::make(&env) else { return };
    echoing(&owner, "a");
    echoing(&owner, "b");
    let shares = || {
        let list = owner.symposium(["agent", "list", "--json"]).ok().json();
        ["a", "b"].map(|name| {
            let agent = list.as_array().unwrap().iter().find(|agent| agent["name"] == name).unwrap();
            agent["shares"].clone()
        })
    };
    assert_eq!(shares(), [json!([]), json!([])]);
    shared(&owner, "a", &guest, &["--read-only"]);
    let [a, b] = shares();
    assert_eq!((&a[0]["with"], &a[0]["read_only"]), (&json!(guest.name), &json!(true)), "{a}");
    assert_eq!((a.as_array().unwrap().len(), b), (1, json!([])));
    owner.symposium(["agent", "unshare", "a"]).ok();
    assert_eq!(shares(), [json!([]), json!([])]);
}
