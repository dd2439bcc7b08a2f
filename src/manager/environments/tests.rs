//! Named environments: what is created, listed and refused. No environment has a tmux server here.

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::error::Code;
use crate::manager::environments::{EnvironmentView, Environments};
use crate::manager::removal::Removal;
use crate::model::EnvironmentName;

/// The home directory of a user without environments.
struct UserHome(tempfile::TempDir);

impl UserHome {
    fn new() -> UserHome {
        UserHome(tempfile::tempdir().unwrap())
    }

    /// Returns the environments as a command sees them that has this value as `SYMPOSIUM_HOME`.
    fn environments(&self, chosen: Option<&str>) -> Environments {
        let home = ("HOME", self.0.path().to_str().unwrap());
        let vars: Vec<_> = [home].into_iter().chain(chosen.map(|value| ("SYMPOSIUM_HOME", value))).collect();
        Environments::of(Env::of_test(&vars, self.0.path().to_owned())).unwrap()
    }

    fn create(&self, environment: &str) -> PathBuf {
        self.environments(None).create(&name(environment)).unwrap()
    }

    fn listed(&self, chosen: Option<&str>) -> Vec<EnvironmentView> {
        self.environments(chosen).list()
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(".symposium").join(below)
    }
}

fn name(text: &str) -> EnvironmentName {
    text.parse().unwrap()
}

#[test]
fn a_new_environment_is_private_empty_and_listed() {
    use std::os::unix::fs::PermissionsExt;

    let user = UserHome::new();
    let path = user.create("play");
    assert_eq!(path, user.path("envs/play"));
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let views = user.listed(None);
    let names: Vec<_> = views.iter().map(|view| view.name.as_ref().map(EnvironmentName::as_str)).collect();
    assert_eq!(names, [None, Some("play")], "the default environment comes first");
    assert_eq!((views[1].agents, views[1].live, views[1].supervisor), (0, 0, false));
    assert!(views.iter().all(|view| view.error.is_none()));
}

#[test]
fn the_environment_that_commands_use_is_marked() {
    let user = UserHome::new();
    user.create("play");
    let current =
        |chosen: Option<&str>| -> Vec<bool> { user.listed(chosen).iter().map(|view| view.current).collect() };
    assert_eq!(current(None), [true, false]);
    assert_eq!(current(Some("@play")), [false, true]);
    assert_eq!(current(Some("/elsewhere")), [false, false]);
}

#[test]
fn an_environment_is_created_once() {
    let user = UserHome::new();
    user.create("play");
    let error = user.environments(None).create(&name("play")).unwrap_err();
    assert_eq!(error.code(), Code::Unsafe);
    assert!(error.hints().join("\n").contains("symposium --home @play agent list"), "{:?}", error.hints());
}

#[test]
fn an_environment_that_cannot_be_read_is_listed_with_the_reason() {
    let user = UserHome::new();
    let path = user.create("play");
    std::fs::write(path.join("agent-sessions.json"), r#"{"format":9999,"sessions":{}}"#).unwrap();
    let views = user.listed(None);
    assert!(views[1].error.is_some());
    assert!(views[0].error.is_none());
}

#[test]
fn a_link_is_no_environment_and_its_target_is_never_removed() {
    let user = UserHome::new();
    user.create("play");
    let project = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(project.path(), user.path("envs/link")).unwrap();
    assert_eq!(user.listed(None).len(), 2);
    let error = user.environments(None).remove(&name("link"), Removal::Force).unwrap_err();
    assert_eq!(error.code(), Code::NoSuchEnvironment);
    assert!(project.path().exists());
}

#[test]
fn an_unknown_environment_is_refused_with_the_nearest_name() {
    let user = UserHome::new();
    user.create("play");
    let environments = user.environments(None);
    let error = environments.no_such("plaz");
    assert_eq!(error.hints(), ["did you mean `--home @play`?"]);
    assert_eq!(environments.no_such("work").hints(), ["create it with `symposium env create work`"]);
    assert_eq!(environments.lacks(&user.path("envs/plaz")).as_deref(), Some("plaz"));
    assert_eq!(environments.lacks(&user.path("envs/play")), None);
    assert_eq!(environments.lacks(Path::new("/somewhere/else")), None, "it may be created there");
}
