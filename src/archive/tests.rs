//! Tests that packed files unpack unchanged, and that foreign, truncated and modified files are rejected.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use proptest::prelude::*;
use tar::{Builder, EntryType, Header};

use super::*;
use crate::model::{Conversation, Manifest, Part, Status};

/// More unpacked bytes than the limit allows for a small file.
static ZEROS: [u8; 4 << 20] = [0; 4 << 20];

struct TestArchive {
    dir: tempfile::TempDir,
}

impl TestArchive {
    fn new() -> TestArchive {
        let archive = TestArchive { dir: tempfile::tempdir().unwrap() };
        for name in ["from", "into"] {
            fs::create_dir(archive.at(name)).unwrap();
        }
        archive
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn packed() -> (TestArchive, Manifest) {
        let archive = TestArchive::new();
        fs::write(archive.at("from/record.json"), "{}").unwrap();
        fs::write(archive.at("from/spec.json"), "{\"name\":\"a\"}").unwrap();
        fs::write(archive.at("from/conversation.jsonl"), "hello\n".repeat(5000)).unwrap();
        let manifest = pack(manifest(), &archive.at("from"), &archive.at("file"), IfExists::Kept).unwrap();
        (archive, manifest)
    }

    /// Unpacks `bytes` under the same file name into an emptied directory.
    fn unpacks(&self, bytes: &[u8]) -> Result<Manifest, ArchiveError> {
        fs::write(self.at("file"), bytes).unwrap();
        fs::remove_dir_all(self.at("into")).unwrap();
        fs::create_dir(self.at("into")).unwrap();
        unpack(&self.at("file"), &self.at("into"))
    }

    /// Lists the top-level names in the test directory; a file that escaped from `into` would appear here.
    fn rest(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        symposium: "0.1.0".into(),
        made_at: Timestamp::UNIX_EPOCH,
        name: "a".parse().unwrap(),
        kind: "demo".into(),
        spec: "default".into(),
        status: Status::Idle,
        conversation: Conversation::default(),
        work: None,
        variables: vec![],
        entries: vec![],
    }
}

/// A tar entry with a freely chosen header.
struct TestEntry<'a> {
    name: &'a [u8],
    sort: EntryType,
    bytes: &'a [u8],
    /// Size for the header, if it differs from the actual size.
    size: Option<u64>,
}

fn plain<'a>(name: &'a str, bytes: &'a [u8]) -> TestEntry<'a> {
    TestEntry { name: name.as_bytes(), sort: EntryType::Regular, bytes, size: None }
}

fn tarred(entries: &[TestEntry]) -> Vec<u8> {
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for made in entries {
        let mut header = Header::new_ustar();
        header.as_mut_bytes()[..made.name.len()].copy_from_slice(made.name);
        header.set_entry_type(made.sort);
        header.set_size(made.size.unwrap_or(made.bytes.len() as u64));
        header.set_mode(0o777);
        if made.sort.is_symlink() || made.sort.is_hard_link() {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        tar.append(&header, made.bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

#[test]
fn packed_parts_are_unpacked_and_private() {
    let (archive, packed) = TestArchive::packed();
    assert_eq!(fs::metadata(archive.at("file")).unwrap().permissions().mode() & 0o777, 0o600);
    let unpacked = unpack(&archive.at("file"), &archive.at("into")).unwrap();
    assert_eq!(unpacked, packed);
    assert_eq!(unpacked.entries.len(), 3);
    for part in [Part::Record, Part::Spec, Part::Conversation] {
        let read = |from: &str| fs::read(archive.at(from).join(part.name())).unwrap();
        assert_eq!(read("from"), read("into"));
        let mode = fs::metadata(archive.at("into").join(part.name())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(archive.rest(), ["file", "from", "into"]);
}

#[test]
fn existing_file_is_kept_unless_replacement_was_requested() {
    let archive = TestArchive::new();
    fs::write(archive.at("file"), "precious").unwrap();
    let kept = pack(manifest(), &archive.at("from"), &archive.at("file"), IfExists::Kept);
    assert!(matches!(kept, Err(ArchiveError::Exists(_))));
    assert_eq!(fs::read(archive.at("file")).unwrap(), b"precious");
    pack(manifest(), &archive.at("from"), &archive.at("file"), IfExists::Replaced).unwrap();
    assert_ne!(fs::read(archive.at("file")).unwrap(), b"precious");
    assert_eq!(archive.rest(), ["file", "from", "into"]);
}

#[test]
fn oversized_part_is_reported_before_anything_is_written() {
    let archive = TestArchive::new();
    File::create(archive.at("from/record.json")).unwrap().set_len((1 << 20) + 1).unwrap();
    let refused = pack(manifest(), &archive.at("from"), &archive.at("file"), IfExists::Kept);
    assert!(matches!(refused, Err(ArchiveError::TooBig { .. })), "{refused:?}");
    assert_eq!(archive.rest(), ["from", "into"]);
}

#[test]
fn crafted_files_are_refused() {
    let (archive, packed) = TestArchive::packed();
    let text = serde_json::to_vec(&packed).unwrap();
    let parts: Vec<Vec<u8>> = packed
        .entries
        .iter()
        .map(|entry| fs::read(archive.at("from").join(entry.name.name())).unwrap())
        .collect();
    let good = || {
        let names = packed.entries.iter().map(|entry| entry.name.name());
        let mut all = vec![plain("manifest.json", &text)];
        all.extend(names.zip(&parts).map(|(name, bytes)| plain(name, bytes)));
        all
    };
    archive.unpacks(&tarred(&good())).unwrap();
    let changed = |change: &dyn Fn(&mut Vec<TestEntry>)| {
        let mut entries = good();
        change(&mut entries);
        tarred(&entries)
    };
    let named = |name: &'static [u8]| changed(&move |all| all[1].name = name);
    let sorted = |sort: EntryType| changed(&move |all| all[1].sort = sort);
    let says = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = serde_json::to_value(&packed).unwrap();
        change(&mut value);
        let text = value.to_string().into_bytes();
        let mut entries = good();
        entries[0].bytes = &text;
        tarred(&entries)
    };
    let mut behind = tarred(&good());
    behind.extend_from_slice(b"more");
    let mut twice = tarred(&good());
    twice.extend(tarred(&good()));
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&ZEROS).unwrap();
    let corpus: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", vec![]),
        ("text", b"hello".to_vec()),
        ("gzip of nothing", GzEncoder::new(Vec::new(), Compression::fast()).finish().unwrap()),
        ("a path that goes up", named(b"../record.json")),
        ("an absolute path", named(b"/etc/cron.d/x")),
        ("a path below", named(b"a/record.json")),
        ("a path that is here", named(b"./record.json")),
        ("an escape in a name", named(b"\x1b[2Jrecord.json")),
        ("a line in a name", named(b"record.json\nx")),
        ("a name that is not text", named(b"\xff\xfe")),
        ("a hidden name", named(b".bashrc")),
        ("a symbolic link", sorted(EntryType::Symlink)),
        ("a hard link", sorted(EntryType::Link)),
        ("a device", sorted(EntryType::Char)),
        ("a pipe", sorted(EntryType::Fifo)),
        ("a directory", sorted(EntryType::Directory)),
        ("a sparse file", sorted(EntryType::GNUSparse)),
        ("a long name", sorted(EntryType::GNULongName)),
        ("a name in a header of its own", sorted(EntryType::XHeader)),
        ("the same twice", changed(&|all| all.insert(2, plain("record.json", b"{}")))),
        ("two manifests", changed(&|all| all.insert(1, plain("manifest.json", b"{}")))),
        ("another order", changed(&|all| all.swap(1, 2))),
        ("no manifest", changed(&|all| *all = all.split_off(1))),
        ("a part too few", changed(&|all| all.truncate(3))),
        ("a part too many", changed(&|all| all.push(plain("recap.txt", b"x")))),
        ("another content", changed(&|all| all[1].bytes = b"[]")),
        ("another size", changed(&|all| all[1].bytes = b"{ }")),
        ("a size that is a lie", changed(&|all| all[3].size = Some(1 << 40))),
        ("something behind it", behind),
        ("a second file behind it", twice),
        ("a bomb", bomb.finish().unwrap()),
        ("a bomb in a part", changed(&|all| all[3].bytes = &ZEROS)),
        ("a part twice in the manifest", says(&|m| m["entries"][1] = m["entries"][0].clone())),
        ("an unknown part", says(&|m| m["entries"][0]["name"] = "../x".into())),
        ("a part that is too big", says(&|m| m["entries"][0]["size"] = (1u64 << 40).into())),
        ("a size below nothing", says(&|m| m["entries"][0]["size"] = (-1).into())),
        ("another checksum", says(&|m| m["entries"][0]["sha256"] = "00".into())),
        ("a name that cannot be one", says(&|m| m["name"] = "../x".into())),
        ("no format", says(&|m| drop(m.as_object_mut().unwrap().remove("format")))),
        ("format 0", says(&|m| m["format"] = 0.into())),
        ("a manifest that is a list", changed(&|all| all[0].bytes = b"[]")),
    ];
    for (what, bytes) in corpus {
        let refused = archive.unpacks(&bytes);
        assert!(
            matches!(refused, Err(ArchiveError::NotAHandoff { .. } | ArchiveError::Damaged { .. })),
            "{what}: {refused:?}"
        );
        let message = refused.unwrap_err().to_string();
        assert!(!message.contains(char::is_control), "{what}: {message:?}");
        assert_eq!(archive.rest(), ["file", "from", "into"], "{what}");
    }
    let newer = archive.unpacks(&says(&|m| {
        m["format"] = 7.into();
        m["symposium"] = "9.0.0".into();
        m["name"] = serde_json::Value::Null;
    }));
    let Err(ArchiveError::Newer { found, needs, .. }) = newer else { panic!("{newer:?}") };
    assert_eq!((found, needs.as_deref()), (7, Some("9.0.0")));
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused() {
    let (archive, _) = TestArchive::packed();
    let bytes = fs::read(archive.at("file")).unwrap();
    for end in 0..bytes.len() {
        assert!(archive.unpacks(&bytes[..end]).is_err(), "cut at {end} of {}", bytes.len());
    }
}

#[test]
fn non_files_are_refused() {
    let archive = TestArchive::new();
    assert!(matches!(unpack(&archive.at("none"), &archive.at("into")), Err(ArchiveError::Read { .. })));
    assert!(unpack(&archive.at("from"), &archive.at("into")).is_err());
    assert!(unpack(Path::new("/dev/zero"), &archive.at("into")).is_err());
}

proptest! {
    #[test]
    fn a_file_with_other_bytes_is_refused_or_the_same(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)
    ) {
        let (archive, packed) = TestArchive::packed();
        let mut bytes = fs::read(archive.at("file")).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        // gzip does not protect the few header bytes that record when and on which system the file was packed.
        if let Ok(manifest) = archive.unpacks(&bytes) {
            prop_assert_eq!(&manifest, &packed);
            for entry in &packed.entries {
                let read = |from: &str| fs::read(archive.at(from).join(entry.name.name())).unwrap();
                prop_assert_eq!(read("from"), read("into"));
            }
        }
        prop_assert_eq!(archive.rest(), ["file", "from", "into"]);
    }
}
