//! Property tests with arbitrary texts, numbers and damage.

use proptest::prelude::*;

use super::*;
use crate::model::{Assignee, NewTask};

fn any_status() -> impl Strategy<Value = Status> {
    prop::sample::select(Status::ALL.to_vec())
}

fn any_event_kind() -> impl Strategy<Value = EventKind> {
    let waiting = [WaitingFor::Approval, WaitingFor::Question, WaitingFor::Setup].to_vec();
    let exit = (any::<Option<i32>>(), any::<Option<i32>>())
        .prop_map(|(code, signal)| (code.or(signal).is_some()).then_some(Exit { code, signal }));
    let seq = 0..=u64::try_from(i64::MAX).unwrap();
    let status = (
        seq,
        prop::option::of(any_status()),
        any_status(),
        prop::option::of(prop::sample::select(waiting)),
        exit,
    )
        .prop_map(|(seq, from, to, waiting_for, exit)| EventKind::Status {
            seq,
            from,
            to,
            waiting_for,
            exit,
        });
    let plain = prop::sample::select(vec![
        EventKind::Attached,
        EventKind::Detached,
        EventKind::Prompted,
        EventKind::Restarted,
        EventKind::GaveUp,
        EventKind::Hung,
        EventKind::Heartbeat,
        EventKind::Hibernated,
        EventKind::Orphaned,
        EventKind::Renamed,
        EventKind::Removed,
    ]);
    prop_oneof![status, plain]
}

prop_compose! {
    fn any_event()(
        micros in Timestamp::MIN.as_microsecond()..=Timestamp::MAX.as_microsecond(),
        name in "[A-Za-z0-9][A-Za-z0-9_-]{0,62}",
        what in any_event_kind(),
        why in prop_oneof![any::<String>(), "[\\x00\u{202e}\u{feff}א🦀\n]{0,40}"],
    ) -> LedgerEvent {
        let at = Timestamp::from_microsecond(micros).unwrap();
        LedgerEvent { at, agent: AgentId::fresh(), name: name.parse().unwrap(), what, why }
    }
}

/// Creates a ledger whose file contains two hundred status changes of one agent.
fn lived_in() -> (TestLedger, AgentId) {
    let (env, agent) = (TestLedger::new(), AgentId::fresh());
    let many: Vec<_> = (0..200).map(|n| turned(agent, n, Status::Idle)).collect();
    env.ledger().note(&many).unwrap();
    env.ledger().checkpoint().unwrap();
    (env, agent)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_event_is_read_back_unchanged(happened in prop::collection::vec(any_event(), 1..12)) {
        let env = TestLedger::new();
        env.ledger().note(&happened).unwrap();
        let found = env.ledger().events(&EventQuery::default()).unwrap();
        prop_assert_eq!(found.into_iter().map(|(_, event)| event).collect::<Vec<_>>(), happened);
    }

    #[test]
    fn a_task_may_have_any_text(text in any::<String>(), source in any::<String>()) {
        let env = TestLedger::new();
        let assignee = Assignee::Agent(AgentId::fresh(), "a".parse().unwrap());
        let new = NewTask::plain(assignee, text, source);
        let id = env.ledger().add_task(&new, at(0)).unwrap().unwrap();
        let task = env.ledger().task(id).unwrap().unwrap();
        prop_assert_eq!((task.text, task.source), (new.text, new.source));
    }

    #[test]
    fn damage_anywhere_is_survived(at_byte in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 1..600)) {
        let (env, agent) = lived_in();
        let mut whole = fs::read(env.file()).unwrap();
        let from = at_byte.index(whole.len());
        let until = (from + bytes.len()).min(whole.len());
        whole[from..until].copy_from_slice(&bytes[..until - from]);
        fs::write(env.file(), &whole).unwrap();
        let (ledger, _) = match Ledger::open(env.dir.path(), at(0)) {
            // The damage may have increased the version, or a byte in the header may mark the file as read-only.
            Err(LedgerError::Newer { .. } | LedgerError::ReadOnly { .. }) => return Ok(()),
            opened => opened.unwrap(),
        };
        ledger.events(&EventQuery::default()).unwrap();
        match ledger.note(&[turned(agent, 1000, Status::Idle), plain(agent, EventKind::Hung, 1)]) {
            Err(LedgerError::ReadOnly { .. }) => return Ok(()),
            noted => noted.unwrap(),
        }
        ledger.event_counters().unwrap();
    }
}

#[test]
fn a_very_long_reason_is_cut_between_characters() {
    let env = TestLedger::new();
    let why = "🦀".repeat(1 << 20);
    let event = LedgerEvent { why: why.clone(), ..plain(AgentId::fresh(), EventKind::Hung, 1) };
    env.ledger().note(&[event]).unwrap();
    let found = env.ledger().events(&EventQuery::default()).unwrap();
    assert_eq!(found[0].1.why, why[..4096]);
}

/// Damage that makes a text look longer than SQLite's limit.
const TOO_LONG: [u8; 167] = [
    191, 144, 0, 0, 135, 192, 111, 108, 139, 208, 172, 108, 153, 148, 35, 156, 168, 88, 188, 104, 115, 193,
    236, 107, 255, 250, 23, 23, 11, 244, 118, 122, 112, 212, 220, 180, 160, 17, 129, 28, 112, 229, 139, 187,
    45, 87, 111, 56, 62, 244, 58, 239, 37, 33, 21, 141, 237, 58, 83, 16, 32, 0, 231, 176, 19, 22, 232, 158,
    83, 224, 78, 163, 218, 194, 41, 172, 115, 39, 14, 36, 166, 170, 71, 163, 170, 138, 181, 82, 193, 224, 7,
    148, 112, 41, 110, 84, 253, 24, 48, 146, 81, 149, 215, 153, 147, 177, 231, 249, 71, 194, 99, 69, 239,
    246, 164, 78, 205, 129, 245, 59, 74, 51, 186, 202, 115, 72, 46, 164, 253, 194, 111, 77, 138, 209, 135,
    167, 1, 145, 168, 175, 187, 158, 132, 146, 199, 69, 195, 178, 71, 20, 55, 129, 98, 229, 204, 214, 194,
    235, 224, 229, 84, 11, 140, 184, 170, 214, 13,
];

#[test]
fn an_impossible_text_length_is_damage() {
    let (env, agent) = lived_in();
    let mut whole = fs::read(env.file()).unwrap();
    let from = usize::try_from((16_927_154_499_440_956_758_u128 * whole.len() as u128) >> 64).unwrap();
    whole[from..from + TOO_LONG.len()].copy_from_slice(&TOO_LONG);
    fs::write(env.file(), &whole).unwrap();
    let (ledger, _) = Ledger::open(env.dir.path(), at(0)).unwrap();
    ledger.events(&EventQuery::default()).unwrap();
    ledger.note(&[plain(agent, EventKind::Hung, 1)]).unwrap();
}
