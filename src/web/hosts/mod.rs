//! Agents of other hosts on the page, over the SSH connections that all commands share.
//!
//! - `lists`: the agents of each host after every change, while a page is open
//! - `listing`: the agents of a host as JSON
//! - `screen`: the live screen of an agent on another host
//!
//! Guests reach none of this: their paths have no host, and their streams have no events of hosts.

mod listing;
pub(super) mod lists;
pub(super) mod screen;
