//! The network between two machines is cut for 30 seconds, or is unreliable: nothing is lost, nothing is done twice,
//! and the agent is not affected.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::attach::terminal_comes_back;
use super::wire::Wire;
use super::{Far, Near, go_on, machines};

/// Duration of the cut: longer than ssh needs to notice it.
const CUT: Duration = Duration::from_secs(30);
/// Time limit of a command over such a network.
const LONG: Duration = Duration::from_secs(150);

fn wired() -> Option<(Near, Far)> {
    let near = Near::new(Some(Wire::new()?))?;
    let far = Far::new(&near)?;
    near.add("far", &far);
    Some((near, far))
}

impl Near {
    /// Cuts the network for the duration of `CUT` and calls a function meanwhile.
    fn cut_for(&self, meanwhile: impl FnOnce()) {
        let wire = self.wire.as_ref().unwrap();
        wire.cut();
        let until = Instant::now() + CUT;
        meanwhile();
        thread::sleep(until.saturating_duration_since(Instant::now()));
        wire.mend();
    }
}

/// All cases run concurrently, each with its own network, because the cut takes 30 seconds.
#[test]
fn commands_survive_a_network_cut_of_30_seconds() {
    thread::scope(|scope| {
        scope.spawn(a_send_survives_half_a_minute_without_a_wire);
        scope.spawn(a_spawn_survives_half_a_minute_without_a_wire);
        scope.spawn(an_attached_terminal_survives_half_a_minute_without_a_wire);
    });
}

fn a_send_survives_half_a_minute_without_a_wire() {
    let Some((near, far)) = wired() else { return };
    far.echoing("a");
    far.stop_at("remote.begun");
    let send = near.run(&["agent", "send", "far:a", "through the cut"]).within(LONG).start();
    let stopped = far.wait_for_stopped();
    near.cut_for(|| go_on(stopped));
    let sent = send.finish().ok();
    assert!(sent.stderr.contains("delivered to `a`"), "{sent:?}");
    far.printed_once("a", "got <through the cut>");
}

fn a_spawn_survives_half_a_minute_without_a_wire() {
    let Some((near, far)) = wired() else { return };
    far.stop_at("remote.spooled");
    let spawn = near.run(&["agent", "spawn", "--name", "far:a", "--", "sleep", "1000"]).within(LONG).start();
    let stopped = far.wait_for_stopped();
    near.cut_for(|| go_on(stopped));
    assert_eq!(spawn.finish().ok().stdout, "far:a\n");
    assert_eq!(far.agents().len(), 1);
}

fn an_attached_terminal_survives_half_a_minute_without_a_wire() {
    let Some((near, far)) = wired() else { return };
    let ticking = "echo this is a; n=0; while :; do n=$((n+1)); echo tick $n; read -r -t 1 line && echo \"got <$line>\"; done";
    far.run(&["agent", "spawn", "--name", "a", "--", "bash", "-c", ticking]).ok();
    let log_file = near.env.home().join("said");
    let line = format!("exec {} agent attach far:a 2>{}", near.env.binary(), log_file.display());
    let terminal = near.env.terminal(["sh", "-c", &line]);
    terminal.wait_for_text("tick");
    let (pid, ticks) = (far.agents()[0]["pid"].clone(), far.printed("a", "tick"));
    let before = far.agents()[0]["clients"].clone();
    near.cut_for(|| ());
    // The agent continued to work during the cut.
    assert!(far.printed("a", "tick") >= ticks + 20, "{}", far.printed("a", "tick"));
    let log_text = || std::fs::read_to_string(&log_file).unwrap_or_default();
    near.env.wait_until("the message about the lost connection is shown", || {
        log_text().contains("keeps running; trying again in")
    });
    // Text that is typed before the reconnection is discarded.
    terminal_comes_back(&near, &far, &before);
    terminal.type_text("again");
    terminal.keys(&["Enter"]);
    near.env.wait_until("typed text arrives", || far.printed("a", "got <again>") == 1);
    assert_eq!(far.agents()[0]["pid"], pid, "the agent never noticed");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn listing_all_hosts_is_not_blocked_by_a_cut_network() {
    let Some((near, far)) = wired() else { return };
    far.echoing("a");
    near.run(&["agent", "list", "--host", "all", "--timeout", "50s"]).ok();
    near.wire.as_ref().unwrap().cut();
    let began = Instant::now();
    let all = near.run(&["agent", "list", "--host", "all", "--json", "--timeout", "2s"]).ok();
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    assert_eq!(all.json()[0]["stale"], true, "{all:?}");
}

#[test]
fn packet_loss_and_delay_lose_and_repeat_nothing() {
    let Some((near, far)) = wired() else { return };
    let wire = near.wire.as_ref().unwrap();
    wire.worsen();
    over_a_bad_wire(&near, &far, "far");
    assert!(wire.lost() > 0);
}

/// Runs the same over a connection that forwards data late and in bursts.
#[test]
fn a_stuttering_connection_loses_and_repeats_nothing() {
    let Some((near, far)) = machines() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let to = (far.address.clone(), far.port);
    thread::spawn(move || {
        for from in listener.incoming().map_while(Result::ok) {
            let Ok(there) = TcpStream::connect((to.0.as_str(), to.1)) else { continue };
            let back = (there.try_clone().unwrap(), from.try_clone().unwrap());
            thread::spawn(move || stutter(from, there));
            thread::spawn(move || stutter(back.0, back.1));
        }
    });
    near.run(&["host", "add", "bad", "127.0.0.1", "--port", &port, "--binary", &far.binary()]).ok();
    over_a_bad_wire(&near, &far, "bad");
}

/// Forwards small pieces with a delay; every tenth piece is as late as after a retransmission.
fn stutter(mut from: TcpStream, mut to: TcpStream) {
    let mut piece = [0; 700];
    for n in 1u32.. {
        let Ok(count @ 1..) = from.read(&mut piece) else { break };
        thread::sleep(Duration::from_millis(if n.is_multiple_of(10) { 300 } else { 20 }));
        if to.write_all(&piece[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

fn over_a_bad_wire(near: &Near, far: &Far, host: &str) {
    let a = format!("{host}:a");
    far.echoing("a");
    for n in 1..=3 {
        let text = format!("message {n}");
        near.run(&["agent", "send", &a, &text]).within(LONG).ok();
        far.printed_once("a", &format!("got <{text}>"));
    }
    near.run(&["agent", "spawn", "--name", &format!("{host}:b"), "--", "sleep", "1000"]).within(LONG).ok();
    assert_eq!(far.agents().len(), 2);
    let list = near.run(&["agent", "list", "--host", host, "--timeout", "60s", "--json"]).within(LONG).ok();
    assert_eq!(list.json().as_array().map(Vec::len), Some(2));
    let terminal = near.env.terminal([near.env.binary(), "agent", "attach", &a]);
    terminal.wait_for_text("this is a");
    terminal.type_text("typed over it");
    terminal.keys(&["Enter"]);
    terminal.wait_for_text("got <typed over it>");
    terminal.keys(&["C-b", "d"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    far.printed_once("a", "got <typed over it>");
}
