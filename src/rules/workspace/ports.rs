//! Port ranges of worktrees: which ports a worktree gets, and the names of their variables.

/// Number of ports of one worktree.
pub const PORTS_PER_WORKTREE: u16 = 10;
/// First port that is given away. Lower ports are often used by servers that a user starts.
const FIRST_PORT: u16 = 20_000;
/// Number of ranges. The last one ends below 32768, where Linux begins to give ports to outgoing connections.
const RANGES: u16 = 1_276;
/// Name of the variable with the first port, and prefix of the others.
const VARIABLE: &str = "SYMPOSIUM_PORT";

/// Returns the first ports of all ranges, in the order in which they are tried for a path. The order depends only on
/// the path, so a worktree that is created again at the same path gets the same ports if they are free.
pub fn candidates(path: &str) -> impl Iterator<Item = u16> {
    // FNV-1a, because the hash of the standard library may change with its version.
    let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let start = u16::try_from(hash % u64::from(RANGES)).unwrap_or_default();
    (0..RANGES).map(move |step| FIRST_PORT + (start + step) % RANGES * PORTS_PER_WORKTREE)
}

/// Returns the first range that is neither given away nor in use by a program.
pub fn choose(path: &str, taken: &[u16], is_free: impl Fn(u16) -> bool) -> Option<u16> {
    candidates(path)
        .filter(|first| !taken.contains(first))
        .find(|first| (0..PORTS_PER_WORKTREE).all(|offset| is_free(first + offset)))
}

/// Returns the variables of a range: `SYMPOSIUM_PORT`, and `SYMPOSIUM_PORT_1` to `SYMPOSIUM_PORT_9`.
pub fn variables(first: u16) -> impl Iterator<Item = (String, String)> {
    (0..PORTS_PER_WORKTREE).map(move |offset| {
        let name = if offset == 0 { VARIABLE.to_owned() } else { format!("{VARIABLE}_{offset}") };
        (name, (first + offset).to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_same_ports_until_they_are_taken() {
        let first = choose("/a", &[], |_| true).unwrap();
        assert_eq!(choose("/a", &[], |_| true), Some(first));
        assert_ne!(choose("/b", &[], |_| true), Some(first));
        let second = choose("/a", &[first], |_| true).unwrap();
        assert_ne!(second, first);
        assert_eq!(choose("/a", &[], |port| port != first + 9), Some(second));
        assert_eq!(choose("/a", &[], |_| false), None);
    }

    #[test]
    fn ranges_do_not_overlap_and_stay_below_the_ports_of_connections() {
        let mut all: Vec<u16> = candidates("/a").collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), usize::from(RANGES));
        assert_eq!((all[0], all[all.len() - 1] + PORTS_PER_WORKTREE), (20_000, 32_760));
        assert!(all.iter().all(|first| first % PORTS_PER_WORKTREE == 0));
    }

    #[test]
    fn variables_have_the_names_of_the_documentation() {
        let all: Vec<(String, String)> = variables(20_010).collect();
        assert_eq!(all[0], ("SYMPOSIUM_PORT".into(), "20010".into()));
        assert_eq!(all[9], ("SYMPOSIUM_PORT_9".into(), "20019".into()));
        assert_eq!(all.len(), 10);
    }
}
