//! The grid: several live agents at once, each at its true size and cut to its tile. It only observes: no key of the
//! grid reaches an agent.
//!
//! - `tiles`: the agents of the grid and what keys do
//! - `layout`: the places of the tiles
//!
//! Each tile has a live slot and a feed of its own. The picture is in `view/grid.rs`.

pub(crate) mod layout;
#[cfg(test)]
mod tests;
pub(crate) mod tiles;
