//! The README's tour of other machines, typed in.

use super::machines;

#[test]
fn the_tour_of_other_machines_is_true() {
    let Some((near, far)) = machines() else { return };
    near.run(&["host", "remove", "far"]).ok();
    near.env.fake_program("symposium", &format!("exec {} \"$@\"", near.env.binary()));
    let readme = include_str!("../../README.md");
    let section = readme.split("## Other machines").nth(1).unwrap();
    let block = section.split("```\n").nth(1).unwrap();
    let address = format!("{} --port {} --binary {}", far.address, far.port, far.binary());
    // Attaching needs a person, and has tests of its own.
    for line in block.lines().filter(|line| !line.contains("agent attach")) {
        if line.contains("agent send") {
            near.run(&["agent", "wait", "gpu1:api-fix", "--for", "idle", "--timeout", "20s"]).ok();
        }
        let line = line.replace("me@gpu1.example.org", &address);
        // However busy this machine is.
        let line = line.replace("list --host all", "list --host all --timeout 50s");
        let done = near.env.program("sh", ["-c", &line]).outcome();
        assert_eq!(done.code, 0, "{line}\n{done:?}\n{}", far.env.report());
        if line.contains("list --host all") {
            assert!(done.stdout.contains("gpu1:api-fix"), "{done:?}");
        }
    }
    assert_eq!(far.agents().len(), 1);
}
