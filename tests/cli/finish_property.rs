//! Random sequences of operations on the work of an agent, some of them killed half-way, never lose content.
//!
//! Before each operation, the test stores the ids of all file contents in the worktree and in its index, and of all
//! commits. Afterwards each of them must be in a working tree, in a branch, a stash, a checkpoint or a copy of removed
//! work. Changes that a rebase in progress set aside must still be there, or in a copy of removed work. Commits that only the reflog of the worktree has may stay there, or in a copy of removed work. Even seeds
//! convert line endings. There, finish keeps files as git converts them, and all other commands keep the bytes of
//! changed files. Half of the seeds have a check, so that finish brings the base branch into the worktree.
//!
//! `SYMPOSIUM_FINISH_CASES` runs this number of further sequences, from the seed `SYMPOSIUM_FINISH_SEED`, on all
//! processors.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::agent;
use super::workspace::{git, repository, workspace};
use crate::support::TestEnv;

/// Number of operations in a sequence.
const OPERATIONS: usize = 9;

/// Steps at which a command is killed.
const FAILPOINTS: [&str; 30] = [
    "finish.prepared",
    "finish.bringing",
    "finish.checked",
    "kill.marked",
    "kill.signalled",
    "kill.closed",
    "kill.noted",
    "finish.ended",
    "finish.committed",
    "finish.moving",
    "finish.files",
    "finish.moved",
    "finish.noted",
    "finish.kept",
    "finish.cleaned",
    "rm.kept",
    "rm.killed",
    "rm.worktree",
    "rm.files",
    "sweep.worktree",
    "sweep.branch",
    "checkpoint.planned",
    "checkpoint.trees",
    "checkpoint.commits",
    "checkpoint.stored",
    "restore.begun",
    "restore.saved",
    "restore.noted",
    "restore.files",
    "restore.index",
];

/// A small generator of pseudo-random numbers (xorshift), so that a seed repeats a sequence.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("it is below the limit")
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Scripts of a git that is killed before, after or while it does its work. `{git}` is the real program.
const KILLED_GIT: [&str; 3] = [
    "kill -9 $$",
    "{git} \"$@\"; kill -9 $$",
    "{git} \"$@\" <&0 & child=$!; kill -9 $child; wait $child; kill -9 $$",
];

/// Object ids that must not disappear.
#[derive(Default)]
struct Content {
    /// For each file, the ids of which one suffices.
    blobs: Vec<BTreeSet<String>>,
    commits: BTreeSet<String>,
    /// Commits of the reflog of the worktree.
    reflog: BTreeSet<String>,
}

/// Whether the id of a file is that of its bytes, or that which git stores.
#[derive(Clone, Copy)]
enum Conversion {
    None,
    AsGit,
}

/// One sequence of operations.
struct Sequence {
    env: TestEnv,
    random: Random,
    seed: u64,
    done: Vec<String>,
    writes: u32,
}

impl Sequence {
    fn new(seed: u64) -> Sequence {
        let env = repository();
        for (key, value) in [("user.name", "me"), ("user.email", "me@example.org"), ("gc.auto", "0")] {
            git(&env, &env.project(), &["config", key, value]);
        }
        if seed.is_multiple_of(2) {
            fs::write(env.project().join(".gitattributes"), "* text=auto\n").unwrap();
            git(&env, &env.project(), &["add", "-A"]);
            git(&env, &env.project(), &["commit", "-q", "-m", "attributes"]);
        }
        if seed % 4 >= 2 {
            fs::create_dir_all(env.state()).unwrap();
            fs::write(env.state().join("config.toml"), "[finish]\nchecks = [\"true\"]\n").unwrap();
        }
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Sequence { env, random: Random(mixed), seed, done: Vec::new(), writes: 0 }
    }

    fn at(&self) -> PathBuf {
        workspace(&self.env, "fix")
    }

    fn is_alive(&self) -> bool {
        self.at().join(".git").exists()
    }

    /// Starts the agent again if it was finished or discarded.
    fn ensure_agent(&mut self) {
        if self.is_alive() {
            return;
        }
        let remove = ["agent", "rm", "--force", "--yes", "fix"];
        let before = self.content(&remove);
        let _ = self.env.symposium(remove).outcome();
        self.assert_kept(&before);
        let spawn = ["spawn", "--name", "fix", "--workspace", "worktree", "--", "sleep", "1000"];
        let outcome = agent(&self.env, &spawn).outcome();
        if outcome.code == 0 {
            return;
        }
        // A removal that was killed before it removed the branch.
        let is_kept = outcome.stderr.contains("branch `symposium/fix` already exists with");
        assert!(is_kept, "seed {}: {outcome:?} after\n{}", self.seed, self.done.join("\n"));
        self.writes += 1;
        let kept = format!("kept-{}", self.writes);
        git(&self.env, &self.env.project(), &["branch", "-m", "symposium/fix", &kept]);
        agent(&self.env, &spawn).ok();
    }

    /// Writes a new content to a file whose name may be that of a directory or an ignored file.
    fn edit(&mut self) {
        self.writes += 1;
        let path =
            self.random.choose(&["a", "b", "base", "d", "d/x", "d/y", "src/lib.rs", "notes", "target"]);
        let end = self.random.choose(&["\n", "\n", "\r\nmixed\n"]);
        let (file, text) = (self.at().join(path), format!("seed {} write {}{end}", self.seed, self.writes));
        if file.is_dir() {
            return;
        }
        let parent = file.parent().expect("it is below the worktree");
        if parent.is_file() {
            // The content of this file must be stored before a directory takes its place.
            git(&self.env, &self.at(), &["add", "-A"]);
            git(&self.env, &self.at(), &["commit", "-q", "--allow-empty", "-m", "before a directory"]);
            fs::remove_file(parent).unwrap();
        }
        fs::create_dir_all(parent).unwrap();
        // The content that is overwritten here is the agent's own decision.
        fs::write(file, text).unwrap();
    }

    /// Merges the base branch, with a file that only the merge commit has.
    fn merge_base(&mut self) {
        let at = self.at();
        git(&self.env, &at, &["add", "-A"]);
        git(&self.env, &at, &["commit", "-q", "--allow-empty", "-m", "before a merge"]);
        let merge = ["-C", at.to_str().expect("a plain path"), "merge", "--no-commit", "--no-ff", "main"];
        if self.env.program("git", merge).outcome().code != 0 {
            let _ = self
                .env
                .program("git", ["-C", at.to_str().expect("a plain path"), "merge", "--abort"])
                .outcome();
            return;
        }
        self.writes += 1;
        fs::write(at.join("merged"), format!("seed {} merge {}\n", self.seed, self.writes)).unwrap();
        git(&self.env, &at, &["add", "-A"]);
        git(&self.env, &at, &["commit", "-q", "--allow-empty", "-m", "merge"]);
    }

    fn commit_base(&mut self) {
        self.writes += 1;
        let project = self.env.project();
        if !git(&self.env, &project, &["status", "--porcelain", "--untracked-files=no"]).is_empty() {
            return;
        }
        fs::write(project.join("base"), format!("seed {} base {}\n", self.seed, self.writes)).unwrap();
        git(&self.env, &project, &["add", "base"]);
        git(&self.env, &project, &["commit", "-q", "-m", "base"]);
    }

    /// Runs a command of symposium, half of the time with a kill at a random step. Any exit code is fine.
    fn run(&mut self, args: &[&str]) {
        self.run_program(&[&["agent"], args].concat());
    }

    fn run_program(&mut self, args: &[&str]) {
        let before = self.content(args);
        let step = match self.random.below(2) {
            0 => "",
            _ => self.random.choose(&FAILPOINTS),
        };
        self.done.push(format!("{} [{step}]", args.join(" ")));
        let outcome = self.env.symposium(args).env("SYMPOSIUM_FAILPOINT", step).outcome();
        self.done.push(format!("  exit code {}: {}", outcome.code, outcome.stderr.replace('\n', " | ")));
        self.assert_kept(&before);
    }

    /// Runs a command whose git is killed at one of its first calls. Removes the locks that it leaves.
    fn run_with_killed_git(&mut self, args: &[&str]) {
        let (real, count) = (self.env.root().join("tools/git"), self.env.root().join("git-calls"));
        let script = self.random.choose(&KILLED_GIT).replace("{git}", real.to_str().expect("a plain path"));
        let call = 1 + self.random.below(60);
        let (real, count) = (real.display(), count.display());
        let fake =
            format!("echo >> {count}; test $(wc -l < {count}) -eq {call} || exec {real} \"$@\"\n{script}");
        let before = self.content(args);
        self.done.push(format!("{} [git is killed at call {call}: {script}]", args.join(" ")));
        let _ = fs::remove_file(self.env.root().join("git-calls"));
        let fake = self.env.fake_program("git", &fake);
        let outcome = self.env.symposium(args).outcome();
        fs::remove_file(fake).unwrap();
        self.done.push(format!("  exit code {}: {}", outcome.code, outcome.stderr.replace('\n', " | ")));
        for lock in files_below_git(&self.env.project().join(".git")) {
            if lock.extension().is_some_and(|extension| extension == "lock") {
                fs::remove_file(lock).unwrap();
            }
        }
        self.assert_kept(&before);
    }

    /// Switches to another branch, a new one or that of the agent. git may refuse.
    fn switch(&mut self) {
        self.writes += 1;
        let (at, new) = (self.at(), format!("side-{}", self.writes));
        let at = at.to_str().expect("a plain path");
        let args: &[&str] = match self.random.below(2) {
            0 => &["-C", at, "checkout", "-q", "-b", &new],
            _ => &["-C", at, "checkout", "-q", "symposium/fix"],
        };
        let _ = self.env.program("git", args).outcome();
    }

    /// Lets finish bring a conflict into the worktree, resolves it, and continues.
    fn resolve(&mut self) {
        self.run(&["finish", "fix", "--merge", "-m", "joined", "--resolve", "--yes"]);
        if self.is_alive() {
            self.edit();
            git(&self.env, &self.at(), &["add", "-A"]);
            let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
            let commit = ["commit", "-q", "--no-edit", "--allow-empty", "-m", "resolved"];
            let commit = self.env.program("git", who.iter().chain(&commit)).current_dir(self.at());
            let _ = commit.outcome();
        }
        self.run(&["finish", "fix", "--continue", "--yes"]);
    }

    /// Begins a rebase that stops and sets uncommitted changes aside, or continues it.
    fn rebase(&mut self) {
        let rebase: &[&str] = match self.set_aside().is_some() {
            true => &["rebase", "--continue"],
            false => {
                self.edit();
                &["-c", "sequence.editor=echo break >", "rebase", "-q", "-i", "--autostash", "main"]
            }
        };
        let _ = self.env.program("git", rebase).current_dir(self.at()).outcome();
    }

    /// Returns the commit with the changes that a rebase in progress set aside.
    fn set_aside(&self) -> Option<String> {
        let link = fs::read_to_string(self.at().join(".git")).ok()?;
        let own = Path::new(link.strip_prefix("gitdir: ")?.trim_end());
        Some(fs::read_to_string(own.join("rebase-merge/autostash")).ok()?.trim_end().to_owned())
    }

    /// Starts an agent in a second worktree with the uncommitted changes, and discards it.
    fn copy(&mut self) {
        let at = self.at().to_string_lossy().into_owned();
        let spawn = ["spawn", "--name", "copy", "--workspace", "worktree", "--with-changes", "--dir", &at];
        self.run(&[&spawn[..], &["--", "sleep", "1000"]].concat());
        self.run(&["discard", "copy", "--yes"]);
        let _ = agent(&self.env, &["rm", "--force", "--yes", "copy"]).outcome();
    }

    fn operate(&mut self) {
        self.ensure_agent();
        let at = self.at();
        match self.random.below(27) {
            0..=4 => self.edit(),
            5 => {
                git(&self.env, &at, &["add", "-A"]);
                git(&self.env, &at, &["commit", "-q", "--allow-empty", "-m", "work"]);
            }
            6 => drop(git(&self.env, &at, &["stash", "--include-untracked"])),
            7 => self.commit_base(),
            8 => fs::write(at.join(".gitignore"), "target\nnotes\nd\n").unwrap(),
            9 => {
                let id = self.env.registry()["sessions"]["fix"]["id"].as_str().expect("an id").to_owned();
                self.run_program(&["take-checkpoint", "fix", &id]);
                self.edit();
                let _ = agent(&self.env, &["kill", "fix"]).outcome();
                self.run(&["checkpoint", "restore", "fix", "--yes"]);
            }
            10 => {
                let method = self.random.choose(&["--squash", "--rebase", "--merge"]);
                self.run(&["finish", "fix", "--yes", method]);
            }
            11 => {
                self.run(&["finish", "fix", "--yes", "--keep"]);
                self.run(&["finish", "fix", "--abort"]);
            }
            12 => {
                self.run(&["discard", "fix", "--yes"]);
                self.run(&["recover", "fix"]);
            }
            13 => {
                // The version in the index differs from those in the file and in the commit.
                self.edit();
                git(&self.env, &at, &["add", "-A"]);
                self.edit();
            }
            14 => self.merge_base(),
            15 => {
                let _ = agent(&self.env, &["kill", "fix"]).outcome();
                self.run(&["sweep", "--yes"]);
            }
            16 => self.run(&["restore", "--all"]),
            17 => self.switch(),
            18 => {
                let _ = self
                    .env
                    .program(
                        "git",
                        ["-C", at.to_str().expect("a plain path"), "reset", "-q", "--hard", "HEAD~1"],
                    )
                    .outcome();
            }
            19 => self.run_with_killed_git(&["agent", "finish", "fix", "--yes"]),
            20 => {
                let method = self.random.choose(&["--squash", "--rebase", "--merge"]);
                self.run_with_killed_git(&["agent", "finish", "fix", "--yes", "--keep", method]);
            }
            21 => {
                let command = self.random.choose(&["discard", "rm"]);
                let _ = agent(&self.env, &["kill", "fix"]).outcome();
                self.run_with_killed_git(&["agent", command, "fix", "--yes"]);
            }
            22 => self.resolve(),
            23 => self.copy(),
            24 | 25 => self.rebase(),
            _ => self.run(&["finish", "fix", "--yes"]),
        }
    }

    /// Returns the ids of all files, and of the commits of branches, stashes and HEAD.
    fn content(&self, args: &[&str]) -> Content {
        let keeps_ignored = args.iter().any(|word| word.contains("checkpoint"))
            || args.contains(&"--keep")
            || args.contains(&"--abort");
        let mut content = Content::default();
        for top in [self.at(), self.env.project()].iter().filter(|top| top.join(".git").exists()) {
            // A removal of the worktree does not keep ignored files.
            let excluded = (*top == self.at() && !keeps_ignored).then_some("--exclude-standard");
            let listed = ["ls-files", "--cached", "--others"].into_iter().chain(excluded);
            let files = git(&self.env, top, &listed.collect::<Vec<_>>());
            let files: Vec<&str> = files.lines().filter(|path| top.join(path).is_file()).collect();
            let (bytes, stored) =
                (self.hashes(top, &files, Conversion::None), self.hashes(top, &files, Conversion::AsGit));
            let listed = ["ls-files", "--modified", "--others"].into_iter().chain(excluded);
            let changed = git(&self.env, top, &listed.collect::<Vec<_>>());
            let changed: Vec<&str> = changed.lines().collect();
            for ((file, bytes), stored) in files.iter().zip(&bytes).zip(&stored) {
                let accepts_stored = args.contains(&"finish") || !changed.contains(file);
                let stored = Some(stored).filter(|_| accepts_stored);
                content.blobs.push(stored.into_iter().chain([bytes]).cloned().collect());
            }
            let staged =
                git(&self.env, top, &["diff", "--cached", "--raw", "--no-abbrev", "--diff-filter=AM"]);
            for id in staged.lines().filter_map(|line| line.split(' ').nth(3)) {
                // The bytes of the file are more than what git stores of it.
                let same = stored.iter().zip(&bytes).filter(|(stored, _)| *stored == id);
                content.blobs.push(same.map(|(_, bytes)| bytes.clone()).chain([id.to_owned()]).collect());
            }
            let commits = git(&self.env, top, &["rev-parse", "HEAD", "--branches"]);
            content.commits.extend(commits.lines().map(str::to_owned));
            if *top == self.at() {
                content.commits.extend(self.set_aside());
                let reflog = git(&self.env, top, &["rev-list", "--walk-reflogs", "HEAD", "--"]);
                content.reflog.extend(reflog.lines().map(str::to_owned));
            }
            let stashes = git(&self.env, top, &["stash", "list", "--format=%H"]);
            content.commits.extend(stashes.lines().map(str::to_owned));
        }
        content
    }

    fn hashes(&self, top: &Path, files: &[&str], conversion: Conversion) -> Vec<String> {
        if files.is_empty() {
            return Vec::new();
        }
        let options: &[&str] = match conversion {
            Conversion::AsGit => &["hash-object", "--"],
            Conversion::None => &["hash-object", "--no-filters", "--"],
        };
        let hashes = git(&self.env, top, &[options, files].concat());
        hashes.lines().map(str::to_owned).collect()
    }

    /// Checks that everything is reachable from a ref, HEAD or an index, or is in a working tree.
    #[track_caller]
    fn assert_kept(&self, before: &Content) {
        let project = self.env.project();
        let listed = git(&self.env, &project, &["rev-list", "--objects", "--all", "--indexed-objects"]);
        let stashes = git(&self.env, &project, &["stash", "list", "--format=%H"]);
        let mut kept: BTreeSet<String> = listed
            .lines()
            .chain(stashes.lines())
            .filter_map(|line| line.split(' ').next())
            .map(str::to_owned)
            .chain(self.set_aside())
            .collect();
        let mut trees = vec![project.clone()];
        trees.extend(Some(self.at()).filter(|at| at.exists()));
        let copies = fs::read_dir(self.env.state().join("recovered")).into_iter().flatten().flatten();
        trees.extend(copies.map(|copy| copy.path()));
        for tree in trees {
            let files = files_below(&tree);
            let files: Vec<&str> = files.iter().filter_map(|path| path.to_str()).collect();
            kept.extend(self.hashes(&project, &files, Conversion::None));
            kept.extend(self.hashes(&project, &files, Conversion::AsGit));
        }
        let blobs = before.blobs.iter().filter(|ids| ids.is_disjoint(&kept)).flatten();
        let with_reflogs = git(&self.env, &project, &["rev-list", "--all", "--reflog"]);
        let with_reflogs: BTreeSet<&str> = with_reflogs.lines().collect();
        let dropped = before.reflog.iter().filter(|id| !with_reflogs.contains(id.as_str()));
        let commits = before.commits.iter().filter(|id| !kept.contains(*id));
        let lost: Vec<&String> = blobs.chain(commits).chain(dropped).collect();
        let contents: Vec<String> = lost
            .iter()
            .map(|id| self.env.program("git", ["cat-file", "-p", id]).current_dir(&project).outcome().stdout)
            .collect();
        assert!(
            lost.is_empty(),
            "seed {}: lost {lost:?} {contents:?} after\n{}",
            self.seed,
            self.done.join("\n")
        );
    }
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let kind = entry.file_type().expect("the kind of a file");
        match kind.is_dir() {
            true if entry.file_name() == ".git" => {}
            true => found.extend(files_below(&entry.path())),
            false if kind.is_file() => found.push(entry.path()),
            false => {}
        }
    }
    found
}

fn files_below_git(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let below = |path: PathBuf| if path.is_dir() { files_below_git(&path) } else { vec![path] };
    entries.flat_map(below).collect()
}

#[expect(clippy::disallowed_methods, reason = "the size of a test run")]
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn run_sequence(seed: u64) {
    let mut sequence = Sequence::new(seed);
    (0..OPERATIONS).for_each(|_| sequence.operate());
}

#[test]
fn no_content_is_lost_by_random_operations_and_kills() {
    run_sequence(1);
}

#[test]
fn no_content_is_lost_with_checks_and_converted_line_endings() {
    run_sequence(2);
}

#[test]
fn no_content_is_lost_with_checks() {
    run_sequence(3);
}

#[test]
fn no_content_is_lost_with_converted_line_endings() {
    run_sequence(4);
}

#[test]
fn no_content_is_lost_in_further_sequences() {
    let first = number("SYMPOSIUM_FINISH_SEED", 5);
    let (next, end) = (AtomicU64::new(first), first + number("SYMPOSIUM_FINISH_CASES", 0));
    let seeds = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < end);
    // Most of the time, a sequence waits for processes that wait for each other.
    let workers = 2 * thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| std::iter::from_fn(seeds).for_each(run_sequence));
        }
    });
}
