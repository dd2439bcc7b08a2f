//! Runs ten thousand calls of `symposium event` (valid, malformed, and for unknown agents) while an agent answers.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use symposium::env::{AGENT, AGENT_ID};
use symposium::model::AgentName;
use symposium::store::Store;

use super::news::{Stamps, transcript};
use super::{Options, settle};
use crate::place::Place;
use crate::table::{Row, Table, median};

const CALLS: usize = 10_000;
const SHELLS: usize = 8;
/// Maximum slowdown of the agent's answers.
const MOST: f64 = 2.0;
/// Number of answers that are measured without the flood.
const ROUNDS: usize = 5;

/// The calls of one shell: valid hook events, invalid hook events, and tmux events for a session that does not exist.
const SCRIPT: &str = "\
i=0; while [ $i -lt $CALLS ]; do i=$((i+1)); case $((i % 6)) in
0) \"$BIN\" event agent <prompt.json;;
1) \"$BIN\" event agent <stop.json;;
2) \"$BIN\" event agent <bad.json;;
3) SYMPOSIUM_AGENT=nobody SYMPOSIUM_AGENT_ID= \"$BIN\" event agent <stop.json;;
4) \"$BIN\" event pane-died --session=nobody --pane=%99 --code=x;;
5) \"$BIN\" event edge --session=$SYMPOSIUM_AGENT --edge=silence;;
esac || exit 1; done";

pub(super) fn measure(options: &Options, table: &mut Table) {
    let place = Place::new(options.binary.clone());
    place.fill(1..=SHELLS, &["demo"]);
    place.symposium(&["agent", "spawn", "demo", "--name", "busy"]);
    settle();
    let store = place.store();
    let busy = Asked { place: &place, screen: screen(&store), asked: 0.into() };
    let in_peace = median((0..ROUNDS).map(|_| busy.ask(&store)));

    payloads(&place);
    let began = Instant::now();
    let mut shells: Vec<Child> = (1..=SHELLS).map(|n| shell(&place, &store, n)).collect();
    let mut answers = Vec::new();
    while shells.iter_mut().any(|shell| shell.try_wait().expect("ours").is_none()) {
        answers.push(busy.ask(&store));
    }
    let took = began.elapsed();
    let failed =
        shells.iter_mut().map(|shell| shell.wait().expect("ours")).filter(|end| !end.success()).count();
    table.add(Row::told(format!("{CALLS} events from {SHELLS} shells"), took));
    let slowest = answers.iter().copied().max().unwrap_or_default();
    table.add(Row::ratio("an answer meanwhile vs in peace".to_owned(), (median(answers), in_peace), MOST));
    table.add(Row::told("  the slowest answer".to_owned(), slowest));
    table.add(Row::count("shells that an event failed".to_owned(), failed as u64, 0));
    thread::sleep(Duration::from_secs(1));
    table.add(Row::count("flaws of registry and ledger".to_owned(), flaws(&store), 0));
}

fn name_of(text: &str) -> AgentName {
    text.parse().expect("a name")
}

fn screen(store: &Store) -> Stamps {
    Stamps::of(store.instance(&name_of("busy")).dir().to_owned(), "transcript.log")
}

/// The agent whose answers are measured.
struct Asked<'a> {
    place: &'a Place,
    screen: Stamps,
    asked: std::cell::Cell<usize>,
}

impl Asked<'_> {
    /// Returns the time from the keys to the answer on the screen.
    fn ask(&self, store: &Store) -> Duration {
        let n = self.asked.get() + 1;
        self.asked.set(n);
        let began = Instant::now();
        self.place.server().ask(&["send-keys", "-t", "=busy:", "-l", &format!("hello {n}.")]);
        self.place.server().ask(&["send-keys", "-t", "=busy:", "Enter"]);
        let answer = format!("(prompt {n} of this conversation)");
        self.screen.until(&answer, || transcript(store, &name_of("busy")).contains(&answer)) - began
    }
}

fn payloads(place: &Place) {
    let write = |name: &str, text: &str| fs::write(place.root().join(name), text).expect("a file");
    let (session, path) = (r#""session_id":"x","transcript_path":"/x","cwd":"/""#, "last_assistant_message");
    write("prompt.json", &format!(r#"{{{session},"hook_event_name":"UserPromptSubmit","prompt":"more"}}"#));
    write("stop.json", &format!(r#"{{{session},"hook_event_name":"Stop","{path}":"done"}}"#));
    write("bad.json", "{\"hook_event_name\":\"Stop\",\u{1b}[31m \"\\ud800 [[[[");
}

fn shell(place: &Place, store: &Store, n: usize) -> Child {
    let name = name_of(&format!("a{n}"));
    let record = store.find(&name, jiff::Timestamp::now()).expect("readable").expect("an agent");
    let mut command = place.shell(SCRIPT);
    command
        .env("CALLS", (CALLS / SHELLS).to_string())
        .env("BIN", place.binary())
        .env(AGENT, name.as_str())
        .env(AGENT_ID, record.id.to_string());
    command.stdout(Stdio::null()).spawn().expect("a shell")
}

/// Counts violations: missing agents, damaged ledger pages, and status changes that do not match the agent's status.
fn flaws(store: &Store) -> u64 {
    let records = store.read(jiff::Timestamp::now()).expect("the registry can be read");
    let missing = (SHELLS + 1).abs_diff(records.len()) as u64;
    let file = store.home().join("ledger.db");
    let ledger = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("a ledger");
    let said: String = ledger.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("an answer");
    let counted = |name: &str| {
        let sql = "SELECT count(*), ifnull(max(seq), 0) FROM happenings WHERE name = ?1 AND seq IS NOT NULL";
        ledger.query_row(sql, [name], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, u32>(1)?))).expect("rows")
    };
    let lost: u64 = records
        .iter()
        .map(|record| {
            let (lines, last) = counted(record.name.as_str());
            u64::from(lines).abs_diff(record.changes) + u64::from(last).abs_diff(record.changes)
        })
        .sum();
    missing + u64::from(said != "ok") + lost
}
