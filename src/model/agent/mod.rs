//! Types that describe one agent: its record, status, spec and kind.
//!
//! - `view`: `Agent`: a record joined with its live pane
//! - `record`: `AgentRecord`: the stored description of an agent
//! - `status`: the closed list of statuses
//! - `failure`: a turn that ended with an error
//! - `question`: the question of a waiting agent
//! - `dialog`: a dialog with options
//! - `screen`: the state that a visible screen shows
//! - `name`: names and ids
//! - `text`: titles and prompts
//! - `spec`: a resolved spec
//! - `param`: parameters of a spec
//! - `spawn_choices`: the choices of the last spawn in a project
//! - `kind`: description of one agent CLI
//! - `tier`: how freely an agent may act
//! - `environment`: names of environments

pub(in crate::model) mod dialog;
pub(in crate::model) mod environment;
pub(in crate::model) mod failure;
pub(in crate::model) mod kind;
pub(in crate::model) mod name;
pub(in crate::model) mod param;
pub(in crate::model) mod question;
pub(in crate::model) mod record;
pub(in crate::model) mod screen;
pub(in crate::model) mod spawn_choices;
pub(in crate::model) mod spec;
pub(in crate::model) mod status;
pub(in crate::model) mod text;
pub(in crate::model) mod tier;
pub(in crate::model) mod view;
