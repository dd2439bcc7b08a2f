//! Which channels get a notice, and with which link and answers.

use jiff::tz::TimeZone;

use crate::error::Error;
use crate::manager::notices::NetworkNotices;
use crate::manager::notices::outbox::{NetworkChannel, NoticeJob, NoticeOutbox};
use crate::model::{Agent, Notice, NoticeAnswer, NoticeChannel, NoticeMessage, WebUrl};
use crate::rules::notify::answers::offered_answers;
use crate::rules::notify::rate_limit::channels;
use crate::store::WebStore;

/// The path of the request with a token, below the address of the page.
const ANSWER_PATH: &str = "api/notices/answer";

impl NetworkNotices<'_> {
    /// Gives a notice to the threads of all channels that want it, except in quiet hours. Waits for none of them. Returns
    /// why a channel could not get it.
    pub(in crate::manager) fn send(
        &self,
        outbox: &mut NoticeOutbox,
        notice: &Notice,
        agents: &[Agent],
    ) -> Vec<String> {
        let config = self.0.settings();
        if !channels(&config.notify, self.0.now(), &TimeZone::system()).network {
            return vec![];
        }
        let configured =
            [(NetworkChannel::Ntfy, &config.notify.ntfy), (NetworkChannel::Webhook, &config.notify.webhook)];
        let mut failures = Vec::new();
        for (channel, settings) in configured {
            let Some(settings) = settings.as_ref().filter(|settings| settings.wants(notice.on)) else {
                continue;
            };
            let queued = self.message(settings, notice, agents).map(|message| {
                outbox.put(self.0, channel, NoticeJob { settings: settings.clone(), message })
            });
            let failed = |why: String| format!("{}: {why}", channel.name());
            failures.extend(queued.unwrap_or_else(|error| Some(error.to_string())).map(failed));
        }
        failures
    }

    fn message(
        &self,
        settings: &NoticeChannel,
        notice: &Notice,
        agents: &[Agent],
    ) -> Result<NoticeMessage, Error> {
        let page = self.page_url();
        let agent = agents.iter().find(|agent| notice.agent.as_ref() == Some(&agent.name));
        let answers = match (&page, agent) {
            (Some(page), Some(agent)) if settings.actions && self.is_page_served() => {
                let tokens = self.answers(agent, &offered_answers(notice, agent), None)?;
                let with_url = |(answer, token)| NoticeAnswer { answer, url: page.join(ANSWER_PATH), token };
                tokens.into_iter().map(with_url).collect()
            }
            _ => vec![],
        };
        let link = page.map(|page| match &notice.agent {
            Some(name) => page.join(&format!("#agent={name}")),
            None => page.as_str().to_owned(),
        });
        Ok(NoticeMessage { notice: notice.clone(), sent_at: self.0.now(), link, answers })
    }

    /// Returns the address of the page for other devices: the configured one, or that of the last web server unless it
    /// names this machine.
    pub(in crate::manager) fn page_url(&self) -> Option<WebUrl> {
        let stored = || {
            let url = WebStore(&self.0.store).url().ok().flatten()?;
            url.parse::<WebUrl>().ok().filter(|url| !url.is_loopback())
        };
        self.0.settings().notify.page_url.clone().or_else(stored)
    }

    /// Checks whether a web server runs that accepts answers.
    pub(in crate::manager) fn is_page_served(&self) -> bool {
        WebStore(&self.0.store).server().is_some()
    }
}
