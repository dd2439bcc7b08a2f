//! What can happen to the dashboard, and what it asks its workers to do.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::base::key_press::KeyPress;
use crate::dashboard::diff::rows::CommentedRows;
use crate::dashboard::diff::screen::{DiffContent, DiffExtent, FileRows};
use crate::dashboard::forms::outcome::{DirectorySurvey, SpawnRefusal};
use crate::dashboard::forms::submission::SpawnSubmission;
use crate::dashboard::forms::window::StartedAgent;
use crate::dashboard::state::DetailTab;
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::mouse::MouseInput;
use crate::dashboard::view::theme::Background;
use crate::model::{Agent, AgentName, BranchPosition, PullRequest};

/// Something that happened.
#[derive(Debug)]
pub(crate) enum DashboardEvent {
    Key(KeyPress),
    Paste(String),
    Mouse(MouseInput),
    Resized(u16, u16),
    /// The terminal has reported its background colour.
    BackgroundReported(Background),
    /// All agents of this machine after a change.
    Listed {
        agents: Vec<Agent>,
        silence: Option<String>,
    },
    /// The agents could not be listed.
    ListFailed(String),
    /// The agents of another host, as far as they are known.
    HostListed(String, HostAgents),
    /// The live screen has changed.
    LiveChanged,
    TabLoaded {
        key: AgentKey,
        tab: DetailTab,
        lines: Vec<String>,
    },
    BranchCompared(AgentKey, BranchPosition),
    /// The pull requests of the branches of agents, as far as they have some.
    PullRequestsRead(Vec<(AgentKey, Option<PullRequest>)>),
    /// The changes of an agent, or why they cannot be shown.
    WorkCompared {
        key: AgentKey,
        content: DiffContent,
    },
    /// The rows of a file of the review.
    RowsRead {
        key: AgentKey,
        rows: FileRows,
    },
    /// The drafts of an agent were sent, or could not be sent.
    CommentsSent {
        key: AgentKey,
        outcome: Result<String, String>,
    },
    /// What agents do now: the last tool or the last line of output.
    ActivityRead(Vec<(AgentKey, Option<String>)>),
    /// An answer was given, or could not be given.
    AnswerFinished {
        key: AgentKey,
        outcome: Result<String, String>,
    },
    /// An operation in the background has ended.
    Finished(Result<String, String>),
    /// What the removal of agents would delete.
    RemovalPreviewed(Vec<RemovalConsequence>),
    /// It could not be determined what the removal would delete.
    PreviewFailed(String),
    /// What can be spawned in the directory of the form.
    DirectorySurveyed(DirectorySurvey),
    /// The spawn of the form has ended.
    SpawnFinished(Result<StartedAgent, SpawnRefusal>),
    /// The attached terminal shows the chosen agent.
    ClientSwitched,
    /// The text that the user has written in an editor.
    Edited(String),
}

/// The agents of another host.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HostAgents {
    pub(crate) agents: Vec<Agent>,
    /// Why this is not the current state, if the host did not answer.
    pub(crate) stale: Option<StaleState>,
}

/// The last known state of a host that does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StaleState {
    /// Time of the last answer; `None` if the host has never answered.
    pub(crate) as_of: Option<Timestamp>,
    /// Why the host did not answer, in one sentence.
    pub(crate) why: String,
}

/// What the removal of an agent would end and delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemovalConsequence {
    pub(crate) target: AgentTarget,
    pub(crate) is_running: bool,
    /// Work that would be lost, as sentences.
    pub(crate) losses: Vec<String>,
}

/// An agent that an effect is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentTarget {
    pub(crate) key: AgentKey,
    pub(crate) name: AgentName,
}

impl AgentTarget {
    /// Returns the name with the host of an agent on another machine, as commands accept it.
    pub(crate) fn address(&self) -> String {
        match &self.key.host {
            Some(host) => format!("{host}:{}", self.name),
            None => self.name.to_string(),
        }
    }
}

/// An agent whose screen is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FollowTarget {
    pub(crate) agent: AgentTarget,
    /// Whether the list says that the agent has a screen. The registry may know it a moment later.
    pub(crate) has_screen: bool,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerChoice {
    Approve,
    Deny,
    /// The number of an option, or a text for a question without options.
    Text(String),
}

/// What happens to a text that the user has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptUse {
    /// The text is typed into the agent and verified.
    Send,
    /// The text becomes a task on the queue of the agent.
    Task,
    /// The text becomes a message to the agent.
    Message,
}

impl PromptUse {
    /// Returns the use after this one, and the first one after the last of the three.
    pub(crate) fn next(self) -> PromptUse {
        match self {
            PromptUse::Send => PromptUse::Task,
            PromptUse::Task => PromptUse::Message,
            PromptUse::Message => PromptUse::Send,
        }
    }
}

/// An operation that changes agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    Interrupt(Vec<AgentTarget>),
    Stop(Vec<AgentTarget>),
    Restart(Vec<AgentTarget>),
    Resume(Vec<AgentTarget>),
    Hibernate(Vec<AgentTarget>),
    /// Removes agents, and ends those that run.
    Remove(Vec<AgentTarget>),
    Rename(AgentTarget, String),
    RestoreAll,
    /// Shares an agent with the user of this name.
    Share(AgentName, String),
    /// Writes an agent to this file.
    HandOff(AgentName, PathBuf),
}

/// Work for the threads and the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DashboardEffect {
    /// Shows the screen of this agent, or of none.
    Follow(Option<FollowTarget>),
    Load {
        target: AgentTarget,
        tab: DetailTab,
    },
    /// Compares the work of an agent with its base.
    CompareWork(AgentTarget),
    /// Compares the visible branches with their bases again.
    CountWork,
    /// Reads the patch of a file of the review.
    ReadPatch {
        target: AgentTarget,
        path: String,
        extent: DiffExtent,
    },
    /// Comments on lines of a file of the review.
    Comment {
        target: AgentTarget,
        file: String,
        rows: CommentedRows,
        text: String,
    },
    /// Marks a file as reviewed, or takes the mark back.
    ToggleReviewed {
        target: AgentTarget,
        path: String,
    },
    /// Sends all drafts to the agent.
    SendComments(AgentTarget),
    /// Answers exactly the question with this id.
    Answer {
        target: AgentTarget,
        question: String,
        choice: AnswerChoice,
    },
    Deliver {
        targets: Vec<AgentTarget>,
        text: String,
        how: PromptUse,
    },
    Press {
        target: AgentTarget,
        key: String,
    },
    Paste {
        target: AgentTarget,
        text: String,
    },
    Operate(Operation),
    PreviewRemoval(Vec<AgentTarget>),
    /// Makes the feeds follow the tiles of the grid, or ends them.
    FollowTiles,
    /// Moves an attached terminal to this agent.
    SwitchClient {
        client: String,
        name: AgentName,
    },
    /// Looks up what can be spawned in a directory, which is given as it was typed.
    SurveyDirectory(String),
    Spawn(Box<SpawnSubmission>),
    /// Hands the terminal over to a program until it ends.
    Foreground(ForegroundProgram),
    /// Puts a text on the clipboard of the user's terminal.
    Copy(String),
    Redraw,
    Suspend,
    Quit,
}

/// A program that needs the terminal for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ForegroundProgram {
    Attach(AgentTarget),
    /// The user's editor on the directory of an agent.
    Editor(AgentName),
    /// The user's editor on a text.
    EditText(String),
}
