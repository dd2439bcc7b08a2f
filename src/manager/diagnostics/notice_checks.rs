//! Checks of the channels that send notices to other devices.

use crate::base::json_time;
use crate::manager::diagnostics::NoticeChecks;
use crate::manager::diagnostics::doctor::Check;
use crate::manager::notices::NetworkNotices;
use crate::manager::notices::outbox::NetworkChannel;
use crate::model::NoticeChannel;
use crate::store::ChannelFailures;

impl NoticeChecks<'_> {
    /// Checks each configured channel: whether its last notice was delivered, and whether its answers can work.
    pub(in crate::manager::diagnostics) fn check_channels(&self) -> Vec<Check> {
        let config = self.0.settings();
        let notify = &config.notify;
        let configured = [(NetworkChannel::Ntfy, &notify.ntfy), (NetworkChannel::Webhook, &notify.webhook)];
        let checks = configured
            .into_iter()
            .filter_map(|(channel, settings)| Some(self.check_channel(channel, settings.as_ref()?)));
        checks.collect()
    }

    fn check_channel(&self, channel: NetworkChannel, settings: &NoticeChannel) -> Check {
        let (name, host) = (channel.name(), settings.url.host());
        if let Ok(Some(failure)) = ChannelFailures(&self.0.store).of(name) {
            let saw = format!(
                "the last notice was not delivered ({}): {}",
                json_time::text(failure.at),
                failure.why
            );
            let advice = format!(
                "correct [notify.{name}] in config.toml, or check the service; the next notice is sent anyway"
            );
            return Check::bad(name, saw, advice);
        }
        let page = NetworkNotices(self.0).page_url();
        if settings.actions && page.is_none() {
            let saw = "notices have no answers: the address of the page for other devices is not known";
            return Check::note(name, saw, "set `page_url` in [notify] of config.toml");
        }
        Check::good(name, format!("notices are sent to {host}"))
    }
}
