//! When the connection to another host is retried, and what is left of a time limit then.

use std::time::Duration;

/// Returns the arguments with another `--timeout`. Arguments after `--` belong to another program and stay unchanged.
pub fn with_timeout(argv: &[String], left: Duration) -> Vec<String> {
    let end = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
    let (ours, others) = argv.split_at(end);
    let renewed = ours.iter().map(|word| match word.starts_with("--timeout=") {
        true => format!("--timeout={}ms", left.as_millis()),
        false => word.clone(),
    });
    renewed.chain(others.iter().cloned()).collect()
}

/// Returns the delay before the next connection attempt, after `tries` attempts.
pub fn pause(tries: u32) -> Duration {
    /// Maximum delay in seconds. With a longer one, a user who sees the network return would start typing too early.
    const MAX_RECONNECT_DELAY: u64 = 15;
    Duration::from_secs(
        1u64.checked_shl(tries.saturating_sub(1)).unwrap_or(MAX_RECONNECT_DELAY).min(MAX_RECONNECT_DELAY),
    )
}

/// Returns whether ssh reports that no connection was established, so that no request can have been sent.
pub fn never_connected(output: &str) -> bool {
    const SIGNS: [&str; 8] = [
        "ssh: connect to host ",
        "ssh: Could not resolve hostname ",
        "Permission denied (",
        "Host key verification failed",
        "kex_exchange_identification",
        "Bad configuration option",
        "Too many authentication failures",
        "banner exchange",
    ];
    SIGNS.iter().any(|sign| output.contains(sign))
}

/// Returns whether ssh reports a failed authentication or a wrong host key. Retrying does not help, and the host may
/// count failed attempts.
pub fn is_refused(output: &str) -> bool {
    const SIGNS: [&str; 4] = [
        "Permission denied (",
        "Host key verification failed",
        "Too many authentication failures",
        "Bad configuration option",
    ];
    SIGNS.iter().any(|sign| output.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_timeout_option_is_replaced() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let left = Duration::from_millis(2_500);
        for (argv, expected) in [
            ("agent wait --timeout=10s -- a", "agent wait --timeout=2500ms -- a"),
            ("agent wait -- a --timeout=10s", "agent wait -- a --timeout=10s"),
            ("agent show -- a", "agent show -- a"),
        ] {
            assert_eq!(with_timeout(&words(argv), left), words(expected));
        }
    }

    #[test]
    fn reconnection_delays_grow() {
        let seconds: Vec<u64> = (1..=7).map(|tries| pause(tries).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 15, 15, 15]);
        assert_eq!(pause(400).as_secs(), 15);
    }

    #[test]
    fn unsent_request_differs_from_a_possibly_executed_one() {
        for output in [
            "ssh: connect to host 127.0.0.1 port 1: Connection refused",
            "ssh: Could not resolve hostname nowhere: Name or service not known",
            "root@127.0.0.1: Permission denied (publickey).",
            "Host key verification failed.",
        ] {
            assert!(never_connected(output), "{output}");
        }
        for output in
            ["", "Connection to gpu1 closed by remote host.", "Timeout, server gpu1 not responding."]
        {
            assert!(!never_connected(output), "{output}");
        }
        assert!(
            is_refused("Host key verification failed.")
                && is_refused("me@gpu1: Permission denied (publickey).")
        );
        assert!(!is_refused("ssh: connect to host 127.0.0.1 port 1: Connection refused"));
    }
}
