//! Tests for recording: rotation, the index, the terminal modes, gaps, and a directory that is renamed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::thread;

use proptest::prelude::*;

use super::super::{ReadFrom, modes, open, tail};
use super::*;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap()
}

fn recorder(dir: &Path, file: u64, keep: u32) -> Recorder {
    Recorder::new(TranscriptDir::open(dir).unwrap(), TranscriptLimits { file, keep })
}

fn whole(dir: &Path, since: ReadFrom) -> String {
    let mut text = String::new();
    open(dir, since).unwrap().read_to_string(&mut text).unwrap();
    text
}

fn logs(dir: &Path) -> Vec<(String, String)> {
    let mut logs: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("transcript.log"))
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    logs.sort();
    logs
}

#[test]
fn a_full_log_is_rotated_at_a_line_end_and_old_logs_are_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let mut recorder = recorder(dir.path(), 12, 2);
    recorder.take(b"one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n", at(0));
    let expected = [
        ("transcript.log", "seven\neight\n"),
        ("transcript.log.1", "five\nsix\n"),
        ("transcript.log.2", "three\nfour\n"),
    ];
    let expected: Vec<_> = expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    assert_eq!(logs(dir.path()), expected);
    assert_eq!(whole(dir.path(), ReadFrom::Start), "three\nfour\nfive\nsix\nseven\neight\n");
    assert_eq!(tail(dir.path(), 8).unwrap(), b"n\neight\n");
    assert_eq!(tail(dir.path(), 1000).unwrap().len(), 32);
}

#[test]
fn a_line_longer_than_a_log_is_cut_and_nothing_is_kept_with_keep_0() {
    let dir = tempfile::tempdir().unwrap();
    let mut recorder = recorder(dir.path(), 4, 0);
    recorder.take(b"0123456789", at(0));
    assert_eq!(logs(dir.path()), [("transcript.log".to_owned(), "89".to_owned())]);
}

#[test]
fn later_run_appends_to_the_log_with_reset_modes() {
    let dir = tempfile::tempdir().unwrap();
    recorder(dir.path(), 100, 1).take(b"first \x1b[?2004h", at(0));
    assert!(modes(dir.path()).unwrap().unwrap().bracketed_paste);
    let mut second = recorder(dir.path(), 100, 1);
    assert_eq!(modes(dir.path()).unwrap(), Some(TerminalModes::default()));
    second.take(b"second", at(9000));
    assert_eq!(whole(dir.path(), ReadFrom::Start), "first \x1b[?2004hsecond");
    assert_eq!(whole(dir.path(), ReadFrom::At(at(5000))), "second");
}

#[test]
fn since_finds_its_place_across_rotated_logs() {
    let dir = tempfile::tempdir().unwrap();
    let mut recorder = recorder(dir.path(), 12, 4);
    for second in 0..9 {
        recorder.take(format!("at {second}s\n").as_bytes(), at(second * 10_000));
    }
    for (ms, first) in [(0, 0), (35_000, 4), (40_000, 4), (55_000, 6), (80_000, 8)] {
        let expected: String = (first..9).map(|second| format!("at {second}s\n")).collect();
        assert_eq!(whole(dir.path(), ReadFrom::At(at(ms))), expected, "since {ms}");
    }
    assert_eq!(whole(dir.path(), ReadFrom::At(at(99_000))), "");
}

#[test]
fn a_transcript_that_was_never_written_is_empty_and_a_missing_directory_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    for since in [ReadFrom::Start, ReadFrom::At(at(0)), ReadFrom::Last(9)] {
        assert_eq!(whole(dir.path(), since), "");
    }
    assert_eq!(modes(dir.path()).unwrap(), None);
    assert!(open(&dir.path().join("none"), ReadFrom::Start).is_err());
}

#[test]
fn transcript_files_are_private() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("transcript.log"), "").unwrap();
    fs::set_permissions(dir.path().join("transcript.log"), fs::Permissions::from_mode(0o644)).unwrap();
    recorder(dir.path(), 100, 1).take(b"x", at(0));
    for (path, mode) in [
        ("transcript.log", 0o600),
        ("transcript.idx", 0o600),
        ("state", 0o700),
        ("state/terminal.json", 0o600),
    ] {
        let meta = fs::metadata(dir.path().join(path)).unwrap();
        assert_eq!(meta.permissions().mode() & 0o777, mode, "{path}");
    }
}

#[test]
fn a_renamed_directory_is_still_written_to() {
    let parent = tempfile::tempdir().unwrap();
    let (old, new) = (parent.path().join("old"), parent.path().join("new"));
    fs::create_dir(&old).unwrap();
    let mut recorder = recorder(&old, 10, 4);
    recorder.take(b"before\n", at(0));
    fs::rename(&old, &new).unwrap();
    recorder.take(b"between\nafter\x1b[?1049h\n", at(5000));
    assert_eq!(whole(&new, ReadFrom::Start), "before\nbetween\nafter\x1b[?1049h\n");
    assert!(modes(&new).unwrap().unwrap().alternate);
    assert!(!old.exists());
}

#[test]
fn input_is_read_to_its_end_even_when_nothing_can_be_written() {
    let dir = tempfile::tempdir().unwrap();
    for place in [dir.path().join("missing"), dir.path().to_owned()] {
        // A symbolic link at the path of the log is never followed.
        let _ = std::os::unix::fs::symlink("/dev/null", dir.path().join("transcript.log"));
        let (from, mut to) = io::pipe().unwrap();
        let writer = thread::spawn(move || to.write_all(&vec![b'x'; 3 << 20]));
        assert!(write(&place, from, TranscriptLimits::default(), &|| at(0)).is_err());
        assert!(writer.join().unwrap().is_ok(), "the agent must not see a closed pipe");
    }
}

#[test]
fn a_nonblocking_input_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let (from, mut to) = io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&from, true).unwrap();
    thread::scope(|scope| {
        let writing = scope.spawn(|| write(dir.path(), from, TranscriptLimits::default(), &|| at(0)));
        to.write_all(b"hello").unwrap();
        drop(to);
        writing.join().unwrap().unwrap();
    });
    assert_eq!(whole(dir.path(), ReadFrom::Start), "hello");
}

#[test]
fn stalled_disk_does_not_block_reading_the_output() {
    let dir = tempfile::tempdir().unwrap();
    // Opening a named pipe waits for its reader, as opening a file on a frozen disk waits.
    let log = dir.path().join("transcript.log");
    rustix::fs::mknodat(rustix::fs::CWD, &log, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    let (from, mut to) = io::pipe().unwrap();
    thread::scope(|scope| {
        let writing = scope.spawn(|| write(dir.path(), from, TranscriptLimits::default(), &|| at(0)));
        to.write_all(&vec![b'x'; 20 << 20]).unwrap();
        to.write_all(b"the end").unwrap();
        drop(to);
        let mut read = Vec::new();
        File::open(&log).unwrap().read_to_end(&mut read).unwrap();
        let text = String::from_utf8_lossy(&read);
        assert!(read.len() < 9 << 20, "{} bytes were kept", read.len());
        assert!(text.contains("bytes lost: the disk was too slow]"), "{}", &text[text.len() - 100..]);
        let _ = writing.join().unwrap();
    });
}

#[test]
fn log_notes_the_gap_after_a_write_failure() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("transcript.log");
    fs::create_dir(&log).unwrap();
    let mut recorder = recorder(dir.path(), 1000, 1);
    recorder.take(b"12345", at(0));
    recorder.take(b"678", at(0));
    fs::remove_dir(&log).unwrap();
    recorder.take(b"back", at(0));
    let text = whole(dir.path(), ReadFrom::Start);
    assert_eq!(text, "\x18\r\n[symposium: 8 bytes lost: is a directory]\r\nback");
    assert!(recorder.finish(at(0)).is_ok());
}

#[test]
fn a_full_disk_loses_output_but_never_blocks() {
    let parent = tempfile::tempdir().unwrap();
    let options = c"size=64k,mode=0700";
    if let Err(error) =
        rustix::mount::mount("tmpfs", parent.path(), "tmpfs", rustix::mount::MountFlags::empty(), options)
    {
        #[expect(clippy::print_stderr, reason = "a skipped test says so")]
        {
            eprintln!("skipped: a small tmpfs cannot be mounted here: {error}");
        }
        return;
    }
    let dir = parent.path().join("agent");
    fs::create_dir(&dir).unwrap();
    let ballast = parent.path().join("ballast");
    fs::write(&ballast, vec![0; 40 * 1024]).unwrap();

    let mut recorder = recorder(&dir, 1 << 20, 1);
    for _ in 0..10 {
        recorder.take(&[b'x'; 8 * 1024], at(0));
    }
    let full = fs::metadata(dir.join("transcript.log")).unwrap().len();
    let lost = 80 * 1024 - full;
    fs::remove_file(&ballast).unwrap();
    recorder.take(b"back", at(0));
    let text = whole(&dir, ReadFrom::Start);
    let expected = format!("x\x18\r\n[symposium: {lost} bytes lost: no space left]\r\nback");

    drop(recorder);
    rustix::mount::unmount(parent.path(), rustix::mount::UnmountFlags::DETACH).unwrap();
    assert!(full > 0 && lost > 0);
    assert!(text.ends_with(&expected), "{}", text.trim_start_matches('x'));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_is_lost_or_doubled_however_the_output_is_cut(
        // Each rotation renames all older files, so the cost grows with the square of the output.
        pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..10), 0..10),
        file in 1u64..25,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut recorder = recorder(dir.path(), file, 2000);
        for piece in &pieces {
            recorder.take(piece, at(0));
        }
        let mut read = Vec::new();
        open(dir.path(), ReadFrom::Start).unwrap().read_to_end(&mut read).unwrap();
        prop_assert_eq!(&read, &pieces.concat());
        let tail = tail(dir.path(), 30).unwrap();
        prop_assert_eq!(&tail[..], &read[read.len().saturating_sub(30)..]);
    }

    #[test]
    fn modes_do_not_depend_on_how_the_output_is_cut(
        tokens in proptest::collection::vec(prop_oneof![
            Just("\x1b[?2004h"), Just("\x1b[?2004;1004l"), Just("\x1b[?1049h"), Just("\x1b[?47l"), Just("\x1bc"), Just("text"),
        ], 0..12),
        at_byte in any::<prop::sample::Index>(),
    ) {
        let text = tokens.concat();
        let (head, tail) = text.as_bytes().split_at(at_byte.index(text.len() + 1));
        let mut seen = Vec::new();
        for pieces in [vec![text.as_bytes()], vec![head, tail]] {
            let dir = tempfile::tempdir().unwrap();
            let mut recorder = recorder(dir.path(), 10_000, 0);
            pieces.iter().for_each(|piece| recorder.take(piece, at(0)));
            seen.push(modes(dir.path()).unwrap().unwrap());
        }
        prop_assert_eq!(seen[0], seen[1]);
    }
}
