//! Tokens in notices: each gives one answer to one question, once and for a short time.

use jiff::SignedDuration;

use crate::env::Env;
use crate::error::Error;
use crate::manager::notices::NetworkNotices;
use crate::model::{Agent, AnswerGrant, OfferedAnswer};
use crate::rules::access::web_secret::{checksum, encoded};
use crate::store::AnswerGrants;

/// How long a token is valid. Later, the question is answered on the page.
const TOKEN_LIFETIME: SignedDuration = SignedDuration::from_mins(15);
/// Random bytes of a token.
const TOKEN_BYTES: usize = 20;

impl NetworkNotices<'_> {
    /// Returns a token for each answer to the current question of an agent. With a device, they are valid only while that
    /// device has access.
    pub(in crate::manager::notices) fn answers(
        &self,
        agent: &Agent,
        choices: &[OfferedAnswer],
        device: Option<&str>,
    ) -> Result<Vec<(OfferedAnswer, String)>, Error> {
        let Some(question) = agent.question.as_ref().filter(|_| !choices.is_empty()) else {
            return Ok(vec![]);
        };
        let now = self.0.now();
        let (mut answers, mut grants) = (Vec::new(), Vec::new());
        for answer in choices {
            let bytes = Env::random_bytes::<TOKEN_BYTES>().map_err(Error::io("cannot create a token"))?;
            let token = encoded(&bytes);
            grants.push(AnswerGrant {
                sha256: checksum(&token),
                agent_id: agent.id,
                question: question.id.clone(),
                answer: *answer,
                device: device.map(str::to_owned),
                expires_at: now + TOKEN_LIFETIME,
            });
            answers.push((*answer, token));
        }
        AnswerGrants(&self.0.store).add(&grants, now)?;
        Ok(answers)
    }
}
