//! `agent deny --because`: denies an approval and gives the agent the reason. If the dialog of the agent CLI accepts
//! text, the reason is typed there, so that the agent continues its turn; otherwise it is sent as the next prompt.

use std::time::{Duration, Instant};

use crate::error::{Error, TypedText};
use crate::kinds;
use crate::manager::delivery::Delivery;
use crate::manager::delivery::send::SendRequest;
use crate::manager::status::AgentEvidence;
use crate::manager::terminal::Approvals;
use crate::manager::terminal::approve::{AnswerResult, ApprovalAnswer, OpenDialog};
use crate::model::{AgentName, AgentRecord, Dialog, Kind};
use crate::rules::tasks::choice::{Attempt, keys};
use crate::rules::tasks::confirm::shows;
use crate::rules::tasks::typing::LineHandling;
use crate::store::Watches;
use crate::tmux::{Capture, Paste};

/// How long an agent may take after a denial until it accepts the reason as its next prompt.
const REASON_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a key may take to change the dialog. Claude Code drops keys that arrive while a dialog opens.
const KEY_EFFECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval between two checks of the screen if no event reports a change.
const SCREEN_CHECK_INTERVAL: Duration = Duration::from_millis(100);

impl Approvals<'_> {
    /// Denies an approval and gives the agent the reason. With the id of a question, answers only that question.
    pub fn deny_because(
        &self,
        name: &AgentName,
        read: Option<&str>,
        reason: &str,
    ) -> Result<AnswerResult, Error> {
        let open = self.open_dialog(name, ApprovalAnswer::Deny, read)?;
        if self.select_denial(&open, reason)? {
            self.type_into_dialog(&open.record, (&open.kind, &open.line), reason)?;
            return self.answered(&open, ApprovalAnswer::Deny);
        }
        self.press_answer(&open, ApprovalAnswer::Deny)?;
        let request = SendRequest {
            name: name.clone(),
            text: reason.to_owned(),
            lines: LineHandling::Together,
            timeout: REASON_TIMEOUT,
        };
        Delivery(self.0).send_in_turn(&request, &open.turn)?;
        self.answered(&open, ApprovalAnswer::Deny)
    }

    /// Selects the option that accepts a reason and opens its input. Returns `false` if the dialog has none, or if the
    /// text has several lines, because the first line break would submit it.
    fn select_denial(&self, open: &OpenDialog, reason: &str) -> Result<bool, Error> {
        let deny = &open.kind.deny_reason;
        if deny.option.is_empty() || reason.chars().any(char::is_control) {
            return Ok(false);
        }
        loop {
            let Some(dialog) = self.dialog_of(&open.record, &open.kind)? else { return Ok(false) };
            let Some(wanted) = kinds::option_matching(&dialog.options, &deny.option) else {
                return Ok(false);
            };
            let is_there = dialog.options[wanted].is_selected;
            let pressed =
                if is_there { deny.keys.clone() } else { keys(&dialog.options, wanted, Attempt::Later) };
            self.0.tmux()?.keys(&open.pane(), &pressed)?;
            let changed = self.wait_for_change(open, &dialog)?;
            if is_there || !changed {
                return Ok(is_there && changed);
            }
        }
    }

    /// Waits until the dialog changes. Returns whether it did.
    fn wait_for_change(&self, open: &OpenDialog, before: &Dialog) -> Result<bool, Error> {
        let watch = Watches(&self.0.store).instance(&open.record.name)?;
        let begun = Instant::now();
        while begun.elapsed() < KEY_EFFECT_TIMEOUT {
            if self.dialog_of(&open.record, &open.kind)?.as_ref() != Some(before) {
                return Ok(true);
            }
            watch.changed(SCREEN_CHECK_INTERVAL);
        }
        Ok(false)
    }

    /// Types one line into the open dialog and submits it when the screen shows it. `line` is the line that asks.
    pub(in crate::manager) fn type_into_dialog(
        &self,
        record: &AgentRecord,
        (kind, line): (&Kind, &str),
        text: &str,
    ) -> Result<(), Error> {
        let pane = record.tmux.as_ref().map(|location| location.pane.clone()).unwrap_or_default();
        self.0.tmux()?.paste(&pane, text.as_bytes(), Paste::Bracketed)?;
        let watch = Watches(&self.0.store).instance(&record.name)?;
        let begun = Instant::now();
        while !shows(&self.0.tmux()?.capture(&pane, Capture::Screen)?, text) {
            if begun.elapsed() > KEY_EFFECT_TIMEOUT {
                return Err(Error::not_confirmed(
                    &record.name,
                    "its dialog does not show the text that was typed",
                    TypedText::Something,
                )
                .saw_all(AgentEvidence(self.0).last_lines(record)));
            }
            watch.changed(SCREEN_CHECK_INTERVAL);
        }
        // An Enter right after a paste may be interpreted as a part of it, as in the input line.
        std::thread::sleep(Duration::from_millis(kind.enter_delay_ms));
        let mut press = || Ok(self.0.tmux()?.keys(&pane, &["Enter".to_owned()])?);
        press()?;
        self.until_taken(record, (kind, line), &mut press)
    }
}
