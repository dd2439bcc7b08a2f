//! Tests for following a transcript that grows, is rotated, is renamed and ends.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use jiff::Timestamp;

use super::super::{TranscriptLimits, write};
use super::*;

/// A transcript that is being recorded by a thread.
struct Recording {
    parent: tempfile::TempDir,
    dir: PathBuf,
    agent: io::PipeWriter,
    recorder: thread::JoinHandle<io::Result<()>>,
}

impl Recording {
    fn start(limits: TranscriptLimits) -> Recording {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("agent");
        fs::create_dir(&dir).unwrap();
        let (from, agent) = io::pipe().unwrap();
        let place = dir.clone();
        let recorder = thread::spawn(move || write(&place, from, limits, &|| Timestamp::UNIX_EPOCH));
        Recording { parent, dir, agent, recorder }
    }

    fn says(&mut self, text: &str) {
        self.agent.write_all(text.as_bytes()).unwrap();
    }

    /// Ends the agent's output and returns the guard of the temporary directory.
    fn ends(self) -> tempfile::TempDir {
        drop(self.agent);
        self.recorder.join().unwrap().unwrap();
        self.parent
    }
}

/// Follows a transcript in a thread and sends the received text through the channel.
fn following(
    dir: &Path,
    since: ReadFrom,
) -> (mpsc::Receiver<String>, thread::JoinHandle<io::Result<()>>, Arc<AtomicBool>) {
    let (sender, handed) = mpsc::channel();
    let ended = Arc::new(AtomicBool::new(false));
    let (dir, is_ended) = (dir.to_owned(), Arc::clone(&ended));
    let thread = thread::spawn(move || {
        let each = |bytes: &[u8]| {
            sender.send(String::from_utf8(bytes.to_vec()).unwrap()).map_err(io::Error::other)?;
            Ok(FollowFlow::Continue)
        };
        follow(&dir, since, each, &|| is_ended.load(Ordering::SeqCst))
    });
    (handed, thread, ended)
}

/// Receives text until it ends with `last`.
fn until(handed: &mpsc::Receiver<String>, last: &str) -> String {
    let mut text = String::new();
    while !text.ends_with(last) {
        match handed.recv_timeout(Duration::from_secs(30)) {
            Ok(more) => text.push_str(&more),
            Err(error) => panic!("{error}; so far: {text:?}"),
        }
    }
    text
}

#[test]
fn output_is_followed_until_the_agent_ends() {
    let mut recording = Recording::start(TranscriptLimits::default());
    let (handed, thread, ended) = following(&recording.dir, ReadFrom::Start);
    recording.says("one\n");
    assert_eq!(until(&handed, "one\n"), "one\n");
    recording.says("two\n");
    assert_eq!(until(&handed, "two\n"), "two\n");
    recording.says("last words\n");
    let parent = recording.ends();
    // The end is reported after the last byte, without any change in the directory.
    ended.store(true, Ordering::SeqCst);
    assert_eq!(until(&handed, "words\n"), "last words\n");
    thread.join().unwrap().unwrap();
    drop(parent);
}

#[test]
fn rotation_and_renaming_lose_nothing() {
    let mut recording = Recording::start(TranscriptLimits { file: 50, keep: 1000 });
    let (handed, thread, ended) = following(&recording.dir, ReadFrom::Start);
    recording.says("begin\n");
    assert_eq!(until(&handed, "begin\n"), "begin\n");
    let mut expected = String::new();
    for n in 0..200 {
        let line = format!("line {n} of many\n");
        recording.says(&line);
        expected.push_str(&line);
        if n == 100 {
            fs::rename(&recording.dir, recording.dir.with_file_name("renamed")).unwrap();
        }
    }
    assert_eq!(until(&handed, "line 199 of many\n"), expected);
    ended.store(true, Ordering::SeqCst);
    recording.ends();
    thread.join().unwrap().unwrap();
}

#[test]
fn follow_can_start_with_the_last_bytes() {
    let mut recording = Recording::start(TranscriptLimits::default());
    let (handed, thread, ended) = following(&recording.dir, ReadFrom::Start);
    recording.says("old and new\n");
    until(&handed, "new\n");
    let (late, other, _) = following(&recording.dir, ReadFrom::Last(4));
    assert_eq!(until(&late, "new\n"), "new\n");
    recording.says("more\n");
    assert_eq!(until(&late, "more\n"), "more\n");
    drop(late);
    recording.says("x");
    assert!(other.join().unwrap().is_err(), "a closed reader ends the program");
    ended.store(true, Ordering::SeqCst);
    recording.ends();
    thread.join().unwrap().unwrap();
}

#[test]
fn following_stops_on_request_or_if_the_agent_ended_before() {
    let mut recording = Recording::start(TranscriptLimits::default());
    let (handed, thread, ended) = following(&recording.dir, ReadFrom::Start);
    recording.says("all\n");
    until(&handed, "all\n");
    let stopping = |_: &[u8]| Ok(FollowFlow::Stop);
    follow(&recording.dir, ReadFrom::Start, stopping, &|| false).unwrap();
    let mut seen = Vec::new();
    let each = |bytes: &[u8]| {
        seen.extend_from_slice(bytes);
        Ok(FollowFlow::Continue)
    };
    follow(&recording.dir, ReadFrom::Start, each, &|| true).unwrap();
    assert_eq!(seen, b"all\n");
    ended.store(true, Ordering::SeqCst);
    recording.ends();
    thread.join().unwrap().unwrap();
}

#[test]
fn a_removed_directory_ends_following() {
    let mut recording = Recording::start(TranscriptLimits::default());
    let (handed, thread, _) = following(&recording.dir, ReadFrom::Start);
    recording.says("all\n");
    until(&handed, "all\n");
    let dir = recording.dir.clone();
    fs::remove_dir_all(&dir).unwrap();
    thread.join().unwrap().unwrap();
    drop(recording.agent);
    recording.recorder.join().unwrap().unwrap();
}
