//! The ancestors of this process.

use super::procfs;

/// Largest number of ancestors that are returned. A chain that is longer has a loop of reused process ids.
const MAX_ANCESTORS: usize = 1000;

/// Returns the process ids of this process and its ancestors, as far as they live.
pub fn ancestors() -> Vec<i32> {
    i32::try_from(std::process::id()).map(ancestors_of).unwrap_or_default()
}

/// Returns the process ids of a process and its ancestors, as far as they live.
pub fn ancestors_of(pid: i32) -> Vec<i32> {
    std::iter::successors(Some(pid), |pid| procfs::parent(*pid).filter(|parent| *parent > 1))
        .take(MAX_ANCESTORS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ancestors_begin_with_this_process_and_its_parent() {
        let found = ancestors();
        let own = i32::try_from(std::process::id()).unwrap();
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_pid());
        assert_eq!(found.first(), Some(&own));
        assert!(found.get(1).is_none_or(|second| Some(*second) == parent), "{found:?} {parent:?}");
    }
}
