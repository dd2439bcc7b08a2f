//! Renders a property list for launchd, which starts one program at each login.

use super::{Boot, ServiceRole};

/// Runs both commands in sequence. The program is `$0`, so that the shell never interprets its path.
const SCRIPT: &str = r#""$0" supervisor start; exec "$0" agent restore --all"#;

/// Returns the label of the job.
pub(super) fn label(boot: &Boot) -> String {
    format!("agents.{}", boot.name)
}

/// Renders the property list.
pub(super) fn plist(boot: &Boot) -> String {
    let exe = boot.exe.to_string_lossy();
    let words = match &boot.role {
        ServiceRole::Agents => ["/bin/sh", "-c", SCRIPT, exe.as_ref()].map(str::to_owned).to_vec(),
        ServiceRole::WebPage(args) => {
            let words = [exe.as_ref(), "web", "serve"].map(str::to_owned);
            words.into_iter().chain(args.iter().cloned()).collect()
        }
    };
    let program: String =
        words.iter().map(|word| format!("    <string>{}</string>\n", escaped(word))).collect();
    // launchd starts the page again when it has failed.
    let restart = match boot.role {
        ServiceRole::Agents => "",
        ServiceRole::WebPage(_) => {
            "  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n"
        }
    };
    let pair = |name: &str, value: &str| {
        format!("    <key>{}</key>\n    <string>{}</string>\n", escaped(name), escaped(value))
    };
    let env: String = boot
        .env
        .iter()
        .map(|(name, value)| pair(&name.to_string_lossy(), &value.to_string_lossy()))
        .collect();
    let label = escaped(&label(boot));
    // The processes that the job started, the tmux server and its agents, continue after the job has ended.
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{label}</string>
  <key>ProgramArguments</key>
  <array>
{program}  </array>
  <key>EnvironmentVariables</key>
  <dict>
{env}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>AbandonProcessGroup</key>
  <true/>
{restart}</dict>
</plist>
"#
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_list_starts_the_server_and_restores_agents() {
        let env = vec![("PATH".into(), "/a & b:/usr/bin".into())];
        let boot = Boot {
            name: "symposium".into(),
            exe: "/opt/<x>/symposium".into(),
            env,
            role: ServiceRole::Agents,
        };
        insta::assert_snapshot!(plist(&boot), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
          <key>Label</key>
          <string>agents.symposium</string>
          <key>ProgramArguments</key>
          <array>
            <string>/bin/sh</string>
            <string>-c</string>
            <string>"$0" supervisor start; exec "$0" agent restore --all</string>
            <string>/opt/&lt;x&gt;/symposium</string>
          </array>
          <key>EnvironmentVariables</key>
          <dict>
            <key>PATH</key>
            <string>/a &amp; b:/usr/bin</string>
          </dict>
          <key>RunAtLoad</key>
          <true/>
          <key>AbandonProcessGroup</key>
          <true/>
        </dict>
        </plist>
        "#);
    }
}
