//! Comments in the store: states, numbers, and a delivery that was interrupted.

use jiff::Timestamp;

use crate::manager::comments::ReviewComments;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{
    AgentName, AnchoredLines, BlobPair, CommentId, CommentPlacement, CommentState, CommentedDiff, DiffSide,
    LineRange, PendingReview, ReviewComment, Status,
};

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
    store
        .update_review(&name, |review| {
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
    let review = context.context.store.review(&name).unwrap();
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
