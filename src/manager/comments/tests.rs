//! Comments in the store: states, numbers, and a delivery that was interrupted.

use std::fs;

use jiff::Timestamp;

use crate::error::Code;
use crate::git::testing::Repository;
use crate::manager::comments::{NewComment, ReviewComments};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{
    AgentName, AnchoredLines, BlobPair, CommentId, CommentPlacement, CommentState, CommentedDiff, DiffSide,
    LineRange, PendingReview, PlacedComment, ReviewComment, Status,
};
use crate::store::ReviewFiles;

fn comment(id: u64) -> ReviewComment {
    ReviewComment {
        id: CommentId(id),
        file: "a".to_owned(),
        side: DiffSide::New,
        anchor: AnchoredLines {
            lines: LineRange { first: 1, last: 1 },
            snippet: vec!["x".to_owned()],
            before: vec![],
            after: vec![],
        },
        text: "why?".to_owned(),
        state: CommentState::Draft,
        diff: CommentedDiff { base: None, blobs: BlobPair::default() },
        created_at: Timestamp::UNIX_EPOCH,
        sent_at: None,
        resolved_at: None,
        unknown: serde_json::Map::new(),
    }
}

/// Adds an agent with two drafts whose delivery has begun.
fn interrupted(context: &TestContext) -> AgentName {
    context.agent("fix", Status::Idle);
    let name = agent_name("fix");
    let store = &context.context.store;
    ReviewFiles(store)
        .update(&name, |review| {
            review.last_id = 3;
            review.comments = vec![comment(1), comment(2), comment(3)];
            let comments = vec![CommentId(1), CommentId(2)];
            review.pending = Some(PendingReview { comments, text: "1. a\n\tb".to_owned() });
        })
        .unwrap();
    name
}

fn states(context: &TestContext, name: &AgentName) -> Vec<CommentState> {
    let listed = ReviewComments(context).list(name).unwrap();
    assert!(listed.iter().all(|placed| placed.placement == CommentPlacement::Unknown));
    listed.iter().map(|placed| placed.comment.state).collect()
}

fn report_prompt(context: &TestContext, name: &AgentName, text: &str) {
    let report = serde_json::json!({ "at": "2026-01-05T10:00:00Z", "text": text });
    context.context.store.instance(name).write_state("prompt.json", report.to_string().as_bytes()).unwrap();
}

#[test]
fn an_interrupted_delivery_counts_if_the_agent_has_reported_the_prompt() {
    let context = TestContext::new();
    let name = interrupted(&context);
    let drafts = [CommentState::Draft; 3];
    assert_eq!(states(&context, &name), drafts, "nothing was reported");
    report_prompt(&context, &name, "another prompt");
    assert_eq!(states(&context, &name), drafts);
    report_prompt(&context, &name, "1. a\r\n    b\n");
    let sent = [CommentState::Sent, CommentState::Sent, CommentState::Draft];
    assert_eq!(states(&context, &name), sent);
    let review = ReviewFiles(&context.context.store).read(&name).unwrap();
    assert_eq!((review.pending, review.comments[0].sent_at), (None, Some(context.now())));
}

#[test]
fn resolved_and_removed_comments_keep_the_numbers_of_the_others() {
    let context = TestContext::new();
    let name = interrupted(&context);
    let comments = ReviewComments(&context);
    assert_eq!(comments.resolve(&name, CommentId(2)).unwrap().resolved_at, Some(context.now()));
    context.advance_seconds(5);
    let again = comments.resolve(&name, CommentId(2)).unwrap();
    assert_ne!(again.resolved_at, Some(context.now()), "the first time counts");
    comments.remove(&name, CommentId(3)).unwrap();
    assert_eq!(states(&context, &name), [CommentState::Draft, CommentState::Resolved]);
    for missing in [3, 4] {
        let error = comments.remove(&name, CommentId(missing)).unwrap_err();
        assert_eq!(error.code().as_str(), "no-such-comment");
    }
    assert_eq!(
        comments.resolve(&agent_name("other"), CommentId(1)).unwrap_err().code().as_str(),
        "no-such-agent"
    );
}

#[test]
fn lines_that_do_not_exist_are_refused() {
    let (context, repository) = (TestContext::new(), Repository::new());
    repository.write(".gitignore", "target\n");
    repository.write("src/lib.rs", "1\n2\n3\n");
    repository.commit("first");
    let record = context.worktree_agent("fix", &repository.top());
    let at = std::path::Path::new(&record.working_directory);
    fs::write(at.join("target"), "ignored\n").unwrap();
    fs::write(at.join("bin"), b"a\0b\n").unwrap();
    let secret = context.write_file("secret", "secret\n");
    std::os::unix::fs::symlink(&secret, at.join("link")).unwrap();
    let add = |file: &str, (first, last): (u64, u64), text: &str| {
        let lines = LineRange { first, last };
        let new = NewComment { file: file.into(), lines, side: DiffSide::New, text: text.into() };
        ReviewComments(&context).add(&record.name, &new)
    };
    for (file, lines, why) in [
        ("src/lib.rs", (4, 4), "`src/lib.rs` has no line 4\n  the file has 3 lines"),
        ("src/lib.rs", (3, 5), "`src/lib.rs` has no line 5"),
        ("src", (1, 1), "`src` is not a file in the working tree of `fix`"),
        ("no-such", (1, 1), "`no-such` is not a file"),
        ("target", (1, 1), "`target` is not a file"),
        (secret.to_str().unwrap(), (1, 1), "is not a file"),
        ("../../../secret", (1, 1), "is not a file"),
        ("/etc/passwd", (1, 1), "`/etc/passwd` is not a file"),
        ("bin", (1, 1), "`bin` is a binary file"),
        ("\u{1b}[2J", (1, 1), "`\u{fffd}[2J` is not a file"),
    ] {
        let error = add(file, lines, "x").unwrap_err();
        assert_eq!(error.code(), Code::Usage, "{file}");
        assert!(error.text().contains(why), "{file}: {}", error.text());
    }
    for text in ["", "a\u{1b}[201~b", &"x".repeat(20_001)] {
        add("src/lib.rs", (1, 1), text).unwrap_err();
    }
    assert!(ReviewComments(&context).list(&record.name).unwrap().is_empty());
    // A link is a file with the path of its target.
    let comment = add("link", (1, 1), "a link").unwrap();
    assert_eq!(comment.anchor.snippet, [secret.to_str().unwrap()]);
}

#[test]
fn comments_follow_their_lines_and_changed_lines_are_marked() {
    let (context, repository) = (TestContext::new(), Repository::new());
    let long: String = (0..40).map(|line| format!("line {line}\n")).collect();
    repository.write("lib.rs", "// one\n");
    repository.write("long", &long);
    repository.commit("first");
    let record = context.worktree_agent("fix", &repository.top());
    let at = std::path::PathBuf::from(&record.working_directory);
    let source = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";
    fs::write(at.join("lib.rs"), source).unwrap();
    for (file, line) in [("lib.rs", 2), ("lib.rs", 6), ("long", 30)] {
        let lines = LineRange { first: line, last: line };
        let new = NewComment { file: file.into(), lines, side: DiffSide::New, text: "why?".into() };
        ReviewComments(&context).add(&record.name, &new).unwrap();
    }
    let placed = || -> Vec<_> {
        let listed = ReviewComments(&context).list(&record.name).unwrap();
        let place = |placed: PlacedComment| {
            (placed.placement, placed.current_file, placed.current_lines.map(|lines| lines.first))
        };
        listed.into_iter().map(place).collect()
    };
    let current = |file: &str, line| (CommentPlacement::Current, file.to_owned(), Some(line));
    let unchanged = [current("lib.rs", 2), current("lib.rs", 6), current("long", 30)];
    assert_eq!(placed(), unchanged);
    repository.git_in(&at, &["commit", "-q", "-a", "-m", "work"]);
    assert_eq!(placed(), unchanged, "a commit moves no line");
    fs::write(at.join("lib.rs"), format!("use x;\n\n{}", source.replace("two", "three"))).unwrap();
    repository.git_in(&at, &["mv", "long", "longer"]);
    assert_eq!(
        placed(),
        [
            (CommentPlacement::Moved, "lib.rs".to_owned(), Some(4)),
            (CommentPlacement::Outdated, "lib.rs".to_owned(), None),
            (CommentPlacement::Moved, "longer".to_owned(), Some(30)),
        ]
    );
    // The comments can be read without the work.
    fs::remove_dir_all(at).unwrap();
    assert!(placed().iter().all(|(placement, ..)| *placement == CommentPlacement::Unknown));
}
