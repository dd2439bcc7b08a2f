//! Validity and list of shares.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::Share;

/// A share without a time limit is checked again after this time; it ends when the owner revokes it.
const RECHECK_INTERVAL: Duration = Duration::from_secs(3600);

/// Returns the remaining time of a share, or `None` if it has expired. If the clock was set back, the result is at most
/// the time that was granted.
pub fn time_left(share: &Share, now: Timestamp) -> Option<Duration> {
    let Some(until) = share.until else { return Some(RECHECK_INTERVAL) };
    let granted = Duration::try_from(until.duration_since(share.since)).unwrap_or_default();
    let left = Duration::try_from(until.duration_since(now)).ok().filter(|left| !left.is_zero())?;
    Some(left.min(granted))
}

/// Returns the remaining time of a share whose listener has been running for `kept`, measured with the monotonic clock.
pub fn listener_time_left(share: &Share, now: Timestamp, kept: Duration) -> Option<Duration> {
    let left = time_left(share, now)?;
    let Some(until) = share.until else { return Some(left) };
    let granted = Duration::try_from(until.duration_since(share.since)).unwrap_or_default();
    Some(left.min(granted.checked_sub(kept).filter(|left| !left.is_zero())?))
}

/// Returns the list with this share, which replaces an older share with the same user.
pub fn with(shares: Vec<Share>, new: Share) -> Vec<Share> {
    let mut shares = without(shares, new.uid);
    shares.push(new);
    shares
}

/// Returns the list without the share of this user.
pub fn without(mut shares: Vec<Share>, uid: u32) -> Vec<Share> {
    shares.retain(|share| share.uid != uid);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn share(uid: u32, until: Option<i64>) -> Share {
        Share { with: "guest".into(), uid, read_only: true, since: at(1000), until: until.map(at) }
    }

    #[test]
    fn a_share_expires() {
        for (until, now, left) in [
            (None, 5000, Some(RECHECK_INTERVAL)),
            (Some(1060), 1000, Some(Duration::from_secs(60))),
            (Some(1060), 1059, Some(Duration::from_secs(1))),
            (Some(1060), 1060, None),
            (Some(1060), 9000, None),
            (Some(1060), 0, Some(Duration::from_secs(60))),
        ] {
            assert_eq!(time_left(&share(1, until), at(now)), left, "{until:?} at {now}");
        }
    }

    #[test]
    fn clock_set_back_does_not_extend_a_share() {
        let seconds = |left: Option<u64>| left.map(Duration::from_secs);
        for (until, now, kept, left) in [
            (None, 5000, 9000, Some(3600)),
            (Some(1060), 1010, 10, Some(50)),
            (Some(1060), 0, 10, Some(50)),
            (Some(1060), 0, 60, None),
            (Some(1060), 0, 99, None),
            (Some(1060), 1070, 10, None),
        ] {
            let kept = Duration::from_secs(kept);
            assert_eq!(
                listener_time_left(&share(1, until), at(now), kept),
                seconds(left),
                "{until:?} at {now}"
            );
        }
    }

    #[test]
    fn one_user_has_one_share() {
        let all = with(vec![share(1, None), share(2, None)], share(1, Some(1060)));
        assert_eq!(all, [share(2, None), share(1, Some(1060))]);
        assert_eq!(without(all, 2), [share(1, Some(1060))]);
    }
}
