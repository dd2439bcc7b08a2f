//! Answers that come from notices on other devices. A token proves the right to give one answer to one question.

use crate::error::{Code, Error};
use crate::manager::terminal::{AnswerResult, ApprovalAnswer, Approvals};
use crate::manager::web::{AdmittedDevices, WebAccess};
use crate::model::{AgentName, AnswerGrant, OfferedAnswer, WebPermission};
use crate::rules::access::web_grant::is_valid;
use crate::rules::access::web_secret::checksum;
use crate::store::{AnswerGrants, WebStore};

impl WebAccess<'_> {
    /// Uses a token. Returns what it permits, or `None` if it is wrong, was used, has expired, or belongs to a device
    /// that may not answer any more. A wrong token is refused without taking the lock of the file.
    pub fn use_answer_token(
        &self,
        admitted: &AdmittedDevices,
        token: &str,
    ) -> Result<Option<AnswerGrant>, Error> {
        let sha256 = checksum(token);
        if AnswerGrants(&self.0.store).find(&sha256)?.is_none() {
            return Ok(None);
        }
        let Some(grant) = AnswerGrants(&self.0.store).take(&sha256)? else { return Ok(None) };
        let is_permitted = match &grant.device {
            Some(device) => self.may_answer(admitted, device, &grant)?,
            None => true,
        };
        Ok((is_permitted && self.0.now() < grant.expires_at).then_some(grant))
    }

    /// Gives the answer of a token that was used, only to its question. Returns when the agent has accepted it.
    pub fn answer_by_token(&self, grant: &AnswerGrant) -> Result<AnswerResult, Error> {
        let records = self.0.store.read(self.0.now())?;
        let found = records.into_iter().find(|record| record.id == grant.agent_id);
        let name: AgentName = match found {
            Some(record) => record.name,
            None => return Err(Error::new(Code::NoSuchAgent, "the agent of this notice was removed")),
        };
        let answer = match grant.answer {
            OfferedAnswer::Approve => ApprovalAnswer::Approve,
            OfferedAnswer::Deny => ApprovalAnswer::Deny,
        };
        Approvals(self.0).answer(&name, answer, Some(&grant.question))
    }

    /// Checks whether the device of a token still has access to the agent.
    fn may_answer(&self, admitted: &AdmittedDevices, id: &str, grant: &AnswerGrant) -> Result<bool, Error> {
        let devices = WebStore(&self.0.store).devices()?;
        let device = devices.iter().find(|device| device.id == id && admitted.contains(device));
        Ok(device.is_some_and(|device| {
            is_valid(device.grant.as_ref(), self.0.now())
                && device.grant.as_ref().is_none_or(|limits| {
                    limits.agent_id == grant.agent_id && limits.permission == WebPermission::Type
                })
        }))
    }
}
