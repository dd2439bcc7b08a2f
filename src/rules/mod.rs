//! The rules: pure decisions. Data and `now` in, a decision out; nothing is read, written or started here.

pub mod confirm;
pub mod conversation;
pub mod delivery;
pub mod dispatch;
pub mod evict;
pub mod fallback;
pub mod family;
pub mod hang;
pub mod happenings;
pub mod heartbeat;
pub mod hook;
pub mod metrics;
pub mod naming;
pub mod notice;
pub mod opening;
pub mod order;
pub mod params;
pub mod quiet;
pub mod recap;
pub mod reconcile;
pub mod restart;
pub mod screen;
pub mod spec_rows;
pub mod status;
pub mod vanish;
pub mod work;
