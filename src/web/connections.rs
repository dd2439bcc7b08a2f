//! The open connections. Any local process can open one without a secret; such a connection is closed soon, and makes
//! room for a new one when there are too many, so that it does not lock out the owner.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::model::WebDevice;

/// Maximum number of open connections. A browser opens up to six, and two of them stay open.
const MAX_CONNECTIONS: usize = 128;
/// How long a connection without the secret of a device may be idle. A browser sends its first request at once.
const IDLE_TIMEOUT_WITHOUT_SECRET: Duration = Duration::from_secs(2);

/// One open connection.
#[derive(Debug)]
pub(super) struct ClientConnection {
    has_secret: AtomicBool,
    /// Whether a device without limits has used it.
    is_of_owner: AtomicBool,
    /// Number of handshakes and requests that are being answered.
    exchanges: AtomicUsize,
    idle_since: Mutex<Instant>,
    evicted: Notify,
}

impl ClientConnection {
    fn new() -> ClientConnection {
        ClientConnection {
            has_secret: AtomicBool::new(false),
            is_of_owner: AtomicBool::new(false),
            exchanges: AtomicUsize::new(0),
            idle_since: Mutex::new(Instant::now()),
            evicted: Notify::new(),
        }
    }

    /// Notes that a request on this connection had the secret of a device.
    pub(super) fn note_device(&self, device: &WebDevice) {
        self.has_secret.store(true, Ordering::Relaxed);
        if device.grant.is_none() {
            self.is_of_owner.store(true, Ordering::Relaxed);
        }
    }

    /// Notes that a request has arrived, or that a handshake begins. Each has a time limit of its own.
    pub(super) fn begin_exchange(&self) {
        self.exchanges.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a request was answered, or that a handshake has ended.
    pub(super) fn end_exchange(&self) {
        self.exchanges.fetch_sub(1, Ordering::Relaxed);
        *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn has_secret(&self) -> bool {
        self.has_secret.load(Ordering::Relaxed)
    }

    fn is_of_owner(&self) -> bool {
        self.is_of_owner.load(Ordering::Relaxed)
    }

    /// Waits until this connection must be closed: another one needs its place, or it was idle for too long without the
    /// secret of a device.
    pub(super) async fn expired(&self) {
        loop {
            let idle_since = *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
            let is_busy = self.exchanges.load(Ordering::Relaxed) > 0;
            let from = if is_busy { Instant::now() } else { idle_since };
            let deadline = from + IDLE_TIMEOUT_WITHOUT_SECRET;
            if self.has_secret() {
                return self.evicted.notified().await;
            }
            if deadline <= Instant::now() {
                return;
            }
            tokio::select! {
                () = self.evicted.notified() => return,
                () = tokio::time::sleep_until(deadline) => {}
            }
        }
    }
}

/// All open connections, the oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionTable(Arc<Mutex<VecDeque<Arc<ClientConnection>>>>);

impl ConnectionTable {
    /// Adds a connection. If there are too many, the oldest one without a secret is closed, or else the oldest one of a
    /// guest. Returns `None` if all are connections of the owner.
    pub(super) fn add(&self) -> Option<ConnectionSlot> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MAX_CONNECTIONS {
            let without_secret = open.iter().position(|connection| !connection.has_secret());
            let of_guest = || open.iter().position(|connection| !connection.is_of_owner());
            let oldest = without_secret.or_else(of_guest)?;
            if let Some(evicted) = open.remove(oldest) {
                evicted.evicted.notify_one();
            }
        }
        let connection = Arc::new(ClientConnection::new());
        open.push_back(Arc::clone(&connection));
        Some(ConnectionSlot { table: self.clone(), connection })
    }
}

/// The place of a connection in the table, until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    table: ConnectionTable,
    /// The connection that has this place.
    pub(super) connection: Arc<ClientConnection>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.table.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|connection| !Arc::ptr_eq(connection, &self.connection));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AgentId, DeviceGrant, WebPermission};

    fn device(grant: Option<DeviceGrant>) -> WebDevice {
        let (id, name, secret_sha256) = (String::new(), String::new(), String::new());
        let (paired_at, last_used) = (jiff::Timestamp::UNIX_EPOCH, jiff::Timestamp::UNIX_EPOCH);
        WebDevice { id, name, secret_sha256, paired_at, last_used, grant }
    }

    fn guest() -> WebDevice {
        device(Some(DeviceGrant {
            agent: "api".parse().unwrap(),
            agent_id: AgentId::fresh(),
            permission: WebPermission::Type,
            expires_at: jiff::Timestamp::MAX,
        }))
    }

    #[test]
    fn the_oldest_connection_without_a_secret_makes_room_and_then_that_of_a_guest() {
        let table = ConnectionTable::default();
        let slots: Vec<ConnectionSlot> = (0..MAX_CONNECTIONS).map(|_| table.add().unwrap()).collect();
        let is_open = |slot: &ConnectionSlot| {
            table.0.lock().unwrap().iter().any(|open| Arc::ptr_eq(open, &slot.connection))
        };
        slots[0].connection.note_device(&guest());
        slots[1].connection.note_device(&device(None));
        let new = table.add().expect("the third one makes room");
        assert!(is_open(&slots[0]) && is_open(&slots[1]) && !is_open(&slots[2]) && is_open(&new));
        slots.iter().skip(1).for_each(|slot| slot.connection.note_device(&device(None)));
        new.connection.note_device(&device(None));
        let newest = table.add().expect("the guest makes room");
        assert!(!is_open(&slots[0]) && is_open(&slots[1]));
        newest.connection.note_device(&device(None));
        assert!(table.add().is_none(), "all are connections of the owner");
        drop(new);
        assert!(table.add().is_some());
    }
}
