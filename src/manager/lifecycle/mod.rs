//! The life of an agent, from its spawn to the end of its process.
//!
//! A *launch* starts the process of an agent, for the first time or again. `spawn` creates the record and launches; `resume`, `restart` and `restore` launch an agent that exists; `kill` and `hibernate` end its processes and keep the record.
//!
//! - `spawn`: `agent spawn`
//! - `launch_plan`: from a spec and options to the command line that runs
//! - `spawn_manifest`: `spec.json`, the spec an agent was created from
//! - `launch`: the start that spawn, resume, restart and restore share
//! - `initial_prompt`: the first task, kept until the agent took it
//! - `foreground`: `agent spawn --foreground`
//! - `resume`: `agent resume`
//! - `restart`: `agent restart`
//! - `restore`: `agent restore`
//! - `kill`: `agent kill`
//! - `hibernate`: `agent hibernate` and waking up
//! - `rename`: `agent rename`
//! - `capacity`: the limit on running agents
//! - `children`: parents and children
//! - `environment`: what the process of an agent finds in its environment

pub(in crate::manager) mod capacity;
pub(in crate::manager) mod children;
pub(in crate::manager) mod environment;
pub(in crate::manager) mod foreground;
pub(in crate::manager) mod hibernate;
pub(in crate::manager) mod initial_prompt;
pub(in crate::manager) mod kill;
pub(in crate::manager) mod launch;
pub(in crate::manager) mod launch_plan;
pub(in crate::manager) mod rename;
pub(in crate::manager) mod restart;
pub(in crate::manager) mod restore;
pub(in crate::manager) mod resume;
pub(in crate::manager) mod spawn;
pub(in crate::manager) mod spawn_manifest;
