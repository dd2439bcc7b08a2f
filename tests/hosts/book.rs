//! The commands of the book's page about hosts, run unchanged.

use super::machines;
use crate::docs::commands;

#[test]
fn the_commands_about_hosts_work() {
    let Some((near, far)) = machines() else { return };
    near.run(&["host", "remove", "far"]).ok();
    near.env.fake_program("symposium", &format!("exec {} \"$@\"", near.env.binary()));
    let address = format!("{} --port {} --binary {}", far.address, far.port, far.binary());
    // Attaching needs a terminal and has its own tests.
    for line in commands("docs/src/hosts.md").iter().filter(|line| !line.contains("agent attach")) {
        if line.contains("agent send") {
            near.run(&["agent", "wait", "gpu1:api-fix", "--for", "idle", "--timeout", "20s"]).ok();
        }
        let line = line.replace("me@gpu1.example.org", &address);
        // A busy machine may take longer than the default of 5 s to answer.
        let line = line.replace("list --host all", "list --host all --timeout 50s");
        let done = near.env.program("sh", ["-c", &line]).outcome();
        assert_eq!(done.code, 0, "{line}\n{done:?}\n{}", far.env.report());
        if line.contains("list --host all") {
            assert!(done.stdout.contains("gpu1:api-fix"), "{done:?}");
        }
    }
    assert_eq!(far.agents().len(), 1);
}
