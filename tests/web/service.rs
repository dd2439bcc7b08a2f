//! `web --install`: the unit that serves the page, with a service manager that records its calls.

use std::fs;

use crate::support::TestEnv;

#[test]
fn the_page_is_installed_as_a_service_and_removed() {
    let env = TestEnv::new();
    let log = env.root().join("systemctl.log");
    env.fake_program("systemctl", &format!("echo \"$*\" >> {}", log.display()));
    let unit = env.home().join(".config/systemd/user/symposium-web.service");
    let calls = || {
        let text = fs::read_to_string(&log).unwrap_or_default();
        let _ = fs::remove_file(&log);
        text
    };
    let options = ["web", "--install", "--behind-proxy", "--allow-host", "box.example"];
    let installed = env.symposium(options).ok().stderr;
    assert!(installed.starts_with(&format!("installed for systemd: {}\n", unit.display())), "{installed}");
    let text = fs::read_to_string(&unit).expect("the unit");
    let arguments = "\"--listen\" \"127.0.0.1:7717\" \"--allow-host\" \"box.example\" \"--behind-proxy\"";
    assert!(text.contains(&format!(" web serve {arguments}\n")), "{text}");
    let expected = "--user show-environment\n--user daemon-reload\n--user enable symposium-web.service\n\
                    --user restart symposium-web.service\n";
    assert_eq!(calls(), expected);
    env.symposium(["service", "uninstall"]).ok();
    assert!(unit.exists(), "the service that restores agents is another one");
    let removed = env.symposium(["web", "--uninstall"]).ok().stderr;
    assert!(removed.ends_with("the page is not served any more\n") && !unit.exists(), "{removed}");
    assert!(calls().contains("--user disable --now symposium-web.service"));
    env.symposium(["web", "--install", "--listen", "0.0.0.0:7717"]).fails(2);
    env.symposium(["web", "--install", "--uninstall"]).fails(2);
    assert!(!unit.exists() && calls().is_empty(), "nothing is installed with unsafe options");
}
