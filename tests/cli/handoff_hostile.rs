//! A handoff is untrusted input: a damaged, truncated or malicious one is refused without changes.

use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tar::{Archive, Builder, EntryType, Header};

use super::agent;
use super::handoff::{assert_untouched, elsewhere, exported, prompted_agent};
use super::workspace::repository;
use crate::support::TestEnv;

/// The parts of a handoff, which can be changed and packed again as if they were intended.
#[derive(Clone)]
struct Parts(Vec<(String, Vec<u8>)>);

impl Parts {
    fn of(file: &Path) -> Parts {
        let mut tar = Archive::new(GzDecoder::new(File::open(file).unwrap()));
        let entries = tar.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().to_str().unwrap().to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (name, bytes)
        });
        Parts(entries.collect())
    }

    fn part(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.0.iter().any(|(known, _)| known == name) {
            self.0.push((name.to_owned(), Vec::new()));
        }
        &mut self.0.iter_mut().find(|(known, _)| known == name).unwrap().1
    }

    fn json(&mut self, name: &str, change: impl Fn(&mut Value)) {
        let mut value: Value = serde_json::from_slice(self.part(name)).unwrap();
        change(&mut value);
        *self.part(name) = value.to_string().into_bytes();
    }

    /// Packs the parts with correct sizes and checksums.
    fn packed(mut self) -> Vec<u8> {
        let entries: Vec<Value> = self.0[1..]
            .iter()
            .map(|(name, bytes)| {
                let sum: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
                json!({"name": name, "size": bytes.len(), "sha256": sum})
            })
            .collect();
        self.json("manifest.json", |manifest| manifest["entries"] = entries.clone().into());
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, bytes) in &self.0 {
            let mut header = Header::new_ustar();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(EntryType::Regular);
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            tar.append(&header, Cursor::new(bytes)).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }
}

#[track_caller]
fn refused(env: &TestEnv, what: &str, bytes: &[u8]) {
    let file = env.root().join("hostile");
    fs::write(&file, bytes).unwrap();
    let args = ["handoff", "import", file.to_str().unwrap(), "--yes", "--trust"];
    let outcome = agent(env, &args).outcome();
    assert_eq!(outcome.code, 1, "{what}: {outcome:?}");
    let clean = |text: &str| !text.chars().any(|c| c.is_control() && c != '\n');
    assert!(clean(&outcome.stdout) && clean(&outcome.stderr), "{what}: {outcome:?}");
    assert!(!outcome.stderr.contains("whether git works"), "{what}: git is not at fault: {outcome:?}");
    assert_untouched(env);
}

#[test]
fn malicious_handoffs_are_refused_without_changes() {
    let one = repository();
    let at = prompted_agent(&one);
    fs::write(at.join("new"), "x\n").unwrap();
    let good = Parts::of(&exported(&one, "fix"));
    let two = elsewhere(&one);
    let change = |change: &dyn Fn(&mut Parts)| {
        let mut parts = good.clone();
        change(&mut parts);
        parts.packed()
    };
    let says = |key: &'static str, value: Value| {
        change(&move |parts: &mut Parts| {
            parts.json("manifest.json", |manifest| manifest[key] = value.clone())
        })
    };
    let work = |key: &'static str, value: Value| {
        change(&move |parts: &mut Parts| {
            parts.json("manifest.json", |manifest| manifest["work"][key] = value.clone())
        })
    };
    let patch = |path: &str| {
        let text = format!(
            "diff --git a/{path} b/{path}\nnew file mode 100755\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+evil\n"
        );
        change(&move |parts: &mut Parts| *parts.part("unstaged.patch") = text.clone().into_bytes())
    };
    let head = {
        let mut parts = good.clone();
        let manifest: Value = serde_json::from_slice(parts.part("manifest.json")).unwrap();
        manifest["work"]["head"].as_str().unwrap().to_owned()
    };
    let bundle = |header: String| {
        let from = b"HEAD\n\n";
        change(&move |parts: &mut Parts| {
            let whole = parts.part("work.bundle").clone();
            let begin = whole.windows(from.len()).position(|window| window == from).unwrap() + from.len();
            *parts.part("work.bundle") = [header.as_bytes(), &whole[begin..]].concat();
        })
    };
    let corpus: Vec<(&str, Vec<u8>)> = vec![
        ("no file at all", b"hello".to_vec()),
        ("a path that goes up", change(&|parts| parts.0.push(("../../evil".into(), b"x".to_vec())))),
        ("a hook", change(&|parts| parts.0.push(("hooks/post-checkout".into(), b"x".to_vec())))),
        ("an escape in a name", change(&|parts| parts.0.push(("\u{1b}[2J".into(), b"x".to_vec())))),
        ("a kind that is a path", says("kind", "../../bin/sh".into())),
        ("a kind that nobody knows", says("kind", "nonesuch".into())),
        ("an agent that is a path", says("name", "../x".into())),
        (
            "a conversation that is a path",
            says("conversation", json!({"id": "../../../.bashrc", "name": null, "begun": true})),
        ),
        ("a place that leads out", work("below", "../../../..".into())),
        ("a place that is absolute", work("below", "/etc".into())),
        ("a place in git", work("below", ".git/hooks".into())),
        ("a commit that is an option", work("head", "--upload-pack=touch /tmp/x; git-upload-pack".into())),
        ("a commit that is not there", work("head", "1".repeat(40).into())),
        ("a history that is an option", work("roots", json!(["--all"]))),
        ("a bundle that names a branch", bundle(format!("# v2 git bundle\n{head} refs/heads/main\n\n"))),
        ("a bundle that names a path", bundle(format!("# v2 git bundle\n{head} refs/heads/../../x\n\n"))),
        (
            "a bundle that needs something",
            bundle(format!("# v2 git bundle\n-{} x\n{head} HEAD\n\n", "1".repeat(40))),
        ),
        ("a bundle that is none", change(&|parts| *parts.part("work.bundle") = b"hello".to_vec())),
        (
            "a bundle that is cut",
            change(&|parts| {
                let length = parts.part("work.bundle").len();
                parts.part("work.bundle").truncate(length - 40);
            }),
        ),
        ("a patch into git", patch(".git/hooks/post-checkout")),
        ("a patch that goes up", patch("../evil")),
        ("a patch that is absolute", patch("/tmp/evil-by-a-test")),
        (
            "a patch through its own link",
            change(&|parts| {
                let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../../..\n\\ No newline at end of file\n";
                let through = "diff --git a/l/evil b/l/evil\nnew file mode 100644\n--- /dev/null\n+++ b/l/evil\n@@ -0,0 +1 @@\n+evil\n";
                *parts.part("unstaged.patch") = [link, through].concat().into_bytes();
            }),
        ),
        ("a patch that is none", change(&|parts| *parts.part("staged.patch") = b"hello".to_vec())),
        ("a spec that is none", change(&|parts| *parts.part("spec.json") = b"\"x\"".to_vec())),
        ("a record that is none", change(&|parts| *parts.part("record.json") = b"\x1b[2J".to_vec())),
        (
            "a patch with an escape in a name",
            change(&|parts| {
                let text = "diff --git \"a/\\033[2J\" \"b/\\033[2J\"\n--- \"a/\\033[2J\"\n+++ \"b/\\033[2J\"\n@@ -1 +1 @@\n-a\n+b\n";
                *parts.part("unstaged.patch") = text.as_bytes().to_vec();
            }),
        ),
        (
            "a model that is an option",
            change(&|parts| parts.json("spec.json", |spec| spec["model"] = "--yolo".into())),
        ),
        (
            "a parameter that is a line",
            change(&|parts| {
                parts.json("spec.json", |spec| {
                    spec["params"] = json!({"x\ny": {"type": "string", "default": "z"}})
                });
            }),
        ),
        (
            "more tasks than anybody has",
            change(&|parts| {
                let task = json!({"text": "x", "priority": "normal", "source": "x", "begun": false});
                *parts.part("tasks.json") = Value::from(vec![task; 1001]).to_string().into_bytes();
            }),
        ),
        ("tasks that are none", change(&|parts| *parts.part("tasks.json") = b"{}".to_vec())),
        ("a newer format", says("format", 2.into())),
    ];
    for (what, bytes) in &corpus {
        refused(&two, what, bytes);
    }
    let file = two.root().join("hostile");
    fs::write(&file, &corpus.last().unwrap().1).unwrap();
    let newer = agent(&two, &["handoff", "import", file.to_str().unwrap(), "--show"]).fails(1);
    assert!(newer.stderr.contains("upgrade symposium to 0.1.0 or newer"), "{newer:?}");
    assert!(!Path::new("/tmp/evil-by-a-test").exists() && !two.root().join("evil").exists());
    // The unchanged handoff is accepted, so each refusal above was caused by its change.
    fs::write(&file, good.packed()).unwrap();
    agent(&two, &["handoff", "import", file.to_str().unwrap(), "--yes"]).ok();
}

#[test]
fn a_symbolic_link_in_the_work_cannot_lead_outside() {
    let one = repository();
    let at = prompted_agent(&one);
    std::os::unix::fs::symlink("/etc", at.join("out")).unwrap();
    super::workspace::git(&one, &at, &["add", "out"]);
    super::workspace::git(&one, &at, &["commit", "-q", "-m", "a link"]);
    let mut parts = Parts::of(&exported(&one, "fix"));
    parts.json("manifest.json", |manifest| manifest["work"]["below"] = "out".into());
    let two = elsewhere(&one);
    let file = two.root().join("linked");
    fs::write(&file, parts.packed()).unwrap();
    agent(&two, &["handoff", "import", file.to_str().unwrap(), "--yes"]).ok();
    let there = super::workspace::workspace(&two, "fix");
    assert_eq!(super::shown(&two, "fix")["working_directory"], there.to_str().unwrap());
}

#[test]
fn handoff_branches_cannot_shadow_existing_refs() {
    let one = repository();
    prompted_agent(&one);
    let good = Parts::of(&exported(&one, "fix"));
    let two = elsewhere(&one);
    let git = |args: &[&str]| super::workspace::git(&two, &two.project(), args);
    git(&["tag", "v1"]);
    git(&["remote", "add", "theirs", "/nowhere"]);
    let first = git(&["rev-parse", "HEAD"]);
    let before = git(&["rev-parse", "origin/main", "refs/remotes/origin/main", "v1", &first[..7]]);
    let names = ["origin/main", "origin/new", "theirs/x", "refs/heads/new", "refs/remotes/origin/main", "v1"];
    for (at, branch) in names.into_iter().chain([&first[..7]]).enumerate() {
        let mut parts = good.clone();
        parts.json("manifest.json", |manifest| manifest["work"]["branch"] = branch.into());
        let file = two.root().join("named");
        fs::write(&file, parts.packed()).unwrap();
        let name = format!("a{at}");
        let import = ["handoff", "import", file.to_str().unwrap(), "--yes", "--name", &name];
        let result = agent(&two, &import).ok();
        let prompted_agent = format!("its work is on a new branch, `handoff/{name}`");
        assert!(result.stderr.contains(&prompted_agent), "{branch}: {result:?}");
    }
    assert_eq!(git(&["rev-parse", "origin/main", "refs/remotes/origin/main", "v1", &first[..7]]), before);
    let fresh = two.root().join("fresh");
    for branch in ["refs/heads/main", "origin/main"] {
        let mut parts = good.clone();
        parts.json("manifest.json", |manifest| manifest["work"]["branch"] = branch.into());
        let file = two.root().join("named");
        fs::write(&file, parts.packed()).unwrap();
        let paths = [&file, &fresh].map(|path| path.to_str().unwrap());
        agent(&two, &["handoff", "import", paths[0], "--clone-to", paths[1], "--yes", "--name", "new"]).ok();
        let on = super::workspace::git(&two, &fresh, &["symbolic-ref", "HEAD"]);
        assert_eq!(on, "refs/heads/handoff/new", "{branch}");
        agent(&two, &["rm", "--force", "new"]).ok();
        fs::remove_dir_all(&fresh).unwrap();
    }
}

#[test]
fn control_characters_of_a_handoff_are_not_shown() {
    let one = repository();
    prompted_agent(&one);
    let mut parts = Parts::of(&exported(&one, "fix"));
    let evil = "x\u{1b}]0;owned\u{7}\u{202e}\r\n  agent  trusted";
    parts.json("manifest.json", |manifest| {
        manifest["spec"] = evil.into();
        manifest["symposium"] = evil.into();
        manifest["variables"] = json!([evil]);
        manifest["work"]["branch"] = evil.into();
        manifest["work"]["remotes"] = json!([evil]);
    });
    parts.json("record.json", |record| record["title"] = evil.into());
    parts.json("spec.json", |spec| {
        spec["command"] = json!(["sh", "-c", evil]);
        spec["model"] = evil.into();
        spec["system_prompt"] = evil.into();
    });
    let two = elsewhere(&one);
    let file = two.root().join("shown");
    fs::write(&file, parts.packed()).unwrap();
    for args in [&["--show"][..], &["--yes"]] {
        let outcome =
            agent(&two, &[&["handoff", "import", file.to_str().unwrap()][..], args].concat()).outcome();
        for text in [&outcome.stdout, &outcome.stderr] {
            assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{outcome:?}");
            assert!(!text.lines().any(|line| line == "  agent  trusted"), "{outcome:?}");
        }
    }
    assert_untouched(&two);
}

#[test]
fn a_decompression_bomb_is_refused_before_anything_is_created() {
    let one = repository();
    let at = prompted_agent(&one);
    let mut parts = Parts::of(&exported(&one, "fix"));
    let tree = |leaf: String| {
        let list: String = (0..10).map(|n| format!("{leaf}\t{n}\n")).collect();
        let made = one.program("git", ["mktree"]).current_dir(&at).stdin(list).ok();
        format!("040000 tree {}", made.stdout.trim_end())
    };
    let blob = super::workspace::git(&one, &at, &["rev-parse", "HEAD:src/lib.rs"]);
    let bomb = (0..9).fold(format!("100644 blob {blob}"), |leaf, _| tree(leaf));
    let top = bomb.split(' ').next_back().unwrap();
    let head = super::workspace::git(&one, &at, &["commit-tree", "-m", "x", "-p", "HEAD", top]);
    super::workspace::git(&one, &at, &["update-ref", "HEAD", &head]);
    super::workspace::git(&one, &at, &["bundle", "create", "-q", "../bomb", "HEAD"]);
    *parts.part("work.bundle") = fs::read(at.join("../bomb")).unwrap();
    parts.json("manifest.json", |manifest| manifest["work"]["head"] = head.clone().into());
    let two = elsewhere(&one);
    let (file, fresh) = (two.root().join("hostile"), two.root().join("fresh"));
    let bytes = parts.packed();
    assert!(bytes.len() < 10_000, "{}", bytes.len());
    fs::write(&file, bytes).unwrap();
    let file = file.to_str().unwrap();
    for more in [&[][..], &["--clone-to", fresh.to_str().unwrap()]] {
        let import = [&["handoff", "import", file, "--yes"], more].concat();
        let refused = agent(&two, &import).fails(1);
        let why = "it unpacks to more than 1000000 files and directories\n  nothing was changed\nhint: ask its author";
        assert!(refused.stderr.contains(why), "{refused:?}");
        assert!(!fresh.exists());
        assert_untouched(&two);
    }
}

#[test]
fn a_clone_started_for_a_bad_handoff_is_removed() {
    let one = repository();
    prompted_agent(&one);
    let mut parts = Parts::of(&exported(&one, "fix"));
    *parts.part("unstaged.patch") = b"diff --git a/.git/x b/.git/x\nnew file mode 100644\n--- /dev/null\n+++ b/.git/x\n@@ -0,0 +1 @@\n+evil\n".to_vec();
    let two = TestEnv::new();
    let (file, fresh) = (two.root().join("hostile"), two.root().join("fresh"));
    fs::write(&file, parts.packed()).unwrap();
    let paths = [&file, &fresh].map(|path| path.to_str().unwrap());
    let refused = agent(&two, &["handoff", "import", paths[0], "--clone-to", paths[1], "--yes"]).fails(1);
    assert!(refused.stderr.contains("its work cannot be imported"), "{refused:?}");
    assert!(!fresh.exists());
    assert_untouched(&two);
}
