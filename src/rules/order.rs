//! The order of lists for people: what waits for you first, then what needs a look, then the rest by name.

use crate::model::Agent;

/// Sorts in place.
pub fn for_people(agents: &mut [Agent]) {
    agents.sort_by(|a, b| (a.status.rank(), &a.name).cmp(&(b.status.rank(), &b.name)));
}
