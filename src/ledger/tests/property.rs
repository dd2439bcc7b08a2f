//! What holds for any text, any number and any damage.

use proptest::prelude::*;

use super::*;
use crate::model::{Doer, NewTask};

fn any_status() -> impl Strategy<Value = Status> {
    prop::sample::select(Status::ALL.to_vec())
}

fn any_what() -> impl Strategy<Value = What> {
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
        .prop_map(|(seq, from, to, waiting_for, exit)| What::Status { seq, from, to, waiting_for, exit });
    let plain = prop::sample::select(vec![
        What::Attached,
        What::Detached,
        What::Prompted,
        What::Restarted,
        What::GaveUp,
        What::Hung,
        What::Heartbeat,
        What::Hibernated,
        What::Orphaned,
        What::Renamed,
        What::Removed,
    ]);
    prop_oneof![status, plain]
}

prop_compose! {
    fn any_happening()(
        micros in Timestamp::MIN.as_microsecond()..=Timestamp::MAX.as_microsecond(),
        name in "[A-Za-z0-9][A-Za-z0-9_-]{0,62}",
        what in any_what(),
        why in prop_oneof![any::<String>(), "[\\x00\u{202e}\u{feff}א🦀\n]{0,40}"],
    ) -> Happening {
        let at = Timestamp::from_microsecond(micros).unwrap();
        Happening { at, agent: AgentId::fresh(), name: name.parse().unwrap(), what, why }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anything_that_happens_comes_back_as_it_was(happened in prop::collection::vec(any_happening(), 1..12)) {
        let env = Env::new();
        env.ledger().note(&happened).unwrap();
        let found = env.ledger().happenings(&Query::default()).unwrap();
        prop_assert_eq!(found.into_iter().map(|(_, happening)| happening).collect::<Vec<_>>(), happened);
    }

    #[test]
    fn any_text_is_a_task(text in any::<String>(), source in any::<String>()) {
        let env = Env::new();
        let doer = Doer::Agent(AgentId::fresh(), "a".parse().unwrap());
        let new = NewTask::plain(doer, text, source);
        let id = env.ledger().add_task(&new, at(0)).unwrap().unwrap();
        let task = env.ledger().task(id).unwrap().unwrap();
        prop_assert_eq!((task.text, task.source), (new.text, new.source));
    }

    #[test]
    fn damage_anywhere_is_survived(at_byte in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 1..600)) {
        let env = Env::new();
        let agent = AgentId::fresh();
        let many: Vec<_> = (0..200).map(|n| turned(agent, n, Status::Idle)).collect();
        env.ledger().note(&many).unwrap();
        env.ledger().checkpoint().unwrap();
        let mut whole = fs::read(env.file()).unwrap();
        let from = at_byte.index(whole.len());
        let until = (from + bytes.len()).min(whole.len());
        whole[from..until].copy_from_slice(&bytes[..until - from]);
        fs::write(env.file(), &whole).unwrap();
        let (ledger, _) = match Ledger::open(env.dir.path(), at(0)) {
            // The version may have become a greater one, and a byte in the header may say that none may write.
            Err(LedgerError::Newer { .. } | LedgerError::ReadOnly { .. }) => return Ok(()),
            opened => opened.unwrap(),
        };
        ledger.happenings(&Query::default()).unwrap();
        match ledger.note(&[turned(agent, 1000, Status::Idle), plain(agent, What::Hung, 1)]) {
            Err(LedgerError::ReadOnly { .. }) => return Ok(()),
            noted => noted.unwrap(),
        }
        ledger.tallies().unwrap();
    }
}

#[test]
fn a_reason_as_long_as_a_book_is_cut_between_characters() {
    let env = Env::new();
    let why = "🦀".repeat(1 << 20);
    let happening = Happening { why: why.clone(), ..plain(AgentId::fresh(), What::Hung, 1) };
    env.ledger().note(&[happening]).unwrap();
    let found = env.ledger().happenings(&Query::default()).unwrap();
    assert_eq!(found[0].1.why, why[..4096]);
}
