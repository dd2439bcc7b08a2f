//! Pull requests: the text, the program that opens one, and the commands that users can run themselves.

use std::path::Path;

use crate::base::sanitize::shell_word;
use crate::model::is_deceptive;

/// Maximum length of the description in characters. GitHub accepts 65,536.
const MAX_BODY_CHARS: usize = 60_000;

/// A program that opens pull requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgeProgram {
    /// The command line of GitHub.
    Gh,
    /// The command line of GitLab.
    Glab,
}

impl ForgeProgram {
    /// Returns the name of the program.
    pub fn name(self) -> &'static str {
        match self {
            ForgeProgram::Gh => "gh",
            ForgeProgram::Glab => "glab",
        }
    }

    /// Chooses the program for the URL of a remote. A host that names neither forge gets the installed program.
    pub fn choose(url: &str, is_installed: impl Fn(ForgeProgram) -> bool) -> Option<ForgeProgram> {
        let host = host(url);
        let candidates: &[ForgeProgram] = match () {
            () if host.contains("gitlab") => &[ForgeProgram::Glab],
            () if host.contains("github") => &[ForgeProgram::Gh],
            () => &[ForgeProgram::Gh, ForgeProgram::Glab],
        };
        candidates.iter().copied().find(|program| is_installed(*program))
    }

    /// Returns the program that the printed commands use if none is installed.
    pub fn suggested(url: &str) -> ForgeProgram {
        ForgeProgram::choose(url, |_| true).unwrap_or(ForgeProgram::Gh)
    }
}

/// A pull request to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestDraft {
    /// The branch with the work.
    pub branch: String,
    /// The branch that gets the work.
    pub base: String,
    /// The title in one line.
    pub title: String,
    /// The description below the title.
    pub body: String,
}

impl PullRequestDraft {
    /// Creates a draft whose title is the first line of a commit message, and whose description is the rest.
    pub fn new((branch, base): (&str, &str), message: &str) -> PullRequestDraft {
        let clean = |text: &str| text.replace(|c: char| is_deceptive(c) && c != '\n', " ");
        let message = clean(message);
        let (title, body) = message.trim().split_once('\n').unwrap_or((message.trim(), ""));
        PullRequestDraft {
            branch: branch.to_owned(),
            base: base.to_owned(),
            title: title.trim().to_owned(),
            body: body.trim().chars().take(MAX_BODY_CHARS).collect(),
        }
    }

    /// Returns the arguments of a program. Values are attached to their options, so that a title with a leading hyphen
    /// cannot become an option.
    pub fn arguments(&self, program: ForgeProgram) -> Vec<String> {
        let PullRequestDraft { branch, base, title, body } = self;
        match program {
            ForgeProgram::Gh => vec![
                "pr".to_owned(),
                "create".to_owned(),
                format!("--head={branch}"),
                format!("--base={base}"),
                format!("--title={title}"),
                format!("--body={body}"),
            ],
            ForgeProgram::Glab => vec![
                "mr".to_owned(),
                "create".to_owned(),
                format!("--source-branch={branch}"),
                format!("--target-branch={base}"),
                format!("--title={title}"),
                format!("--description={body}"),
                "--yes".to_owned(),
            ],
        }
    }

    /// Returns the command for a shell that opens the pull request from a directory.
    pub fn command(&self, program: ForgeProgram, directory: &Path) -> String {
        let words = self.arguments(program);
        let words = words.iter().map(shell_word).collect::<Vec<_>>().join(" ");
        format!("(cd {} && {} {words})", shell_word(directory), program.name())
    }
}

/// Returns the address of a pull request in the output of a program.
pub fn address(output: &str) -> Option<String> {
    let is_address = |word: &&str| word.starts_with("https://") || word.starts_with("http://");
    output.split_whitespace().rfind(is_address).map(|word| word.replace(is_deceptive, ""))
}

/// Returns whether a program reports that the branch has a pull request already.
pub fn is_open_already(output: &str) -> bool {
    output.contains("already exists")
}

/// Returns the URL of a remote without user name and password.
pub fn without_credentials(url: &str) -> String {
    let url = url.replace(is_deceptive, " ");
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            format!("{scheme}://{host}{path}")
        }
        None => url,
    }
}

/// Returns the host in the URL of a remote, or an empty text for a path.
pub fn host(url: &str) -> String {
    host_and_path(url).map(|(host, _)| host.to_ascii_lowercase()).unwrap_or_default()
}

/// Returns the account that a repository of a forge belongs to: the first part of the path in the URL of a remote.
pub fn owner(url: &str) -> Option<String> {
    let (_, path) = host_and_path(url)?;
    path.trim_start_matches('/').split_once('/').map(|(owner, _)| owner.to_owned())
}

fn host_and_path(url: &str) -> Option<(String, String)> {
    let url = without_credentials(url);
    let (host, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').unwrap_or((rest, "")),
        // The short form of ssh: user@host:path.
        None => url.split_once(':').filter(|(host, _)| !host.contains('/'))?,
    };
    Some((host.to_owned(), path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> PullRequestDraft {
        PullRequestDraft::new(("symposium/fix", "main"), "-x; rm -rf ~\n\n* one\n* two\n")
    }

    #[test]
    fn message_becomes_title_and_description() {
        assert_eq!(draft().title, "-x; rm -rf ~");
        assert_eq!(draft().body, "* one\n* two");
        assert_eq!(PullRequestDraft::new(("a", "b"), "only\n").body, "");
    }

    #[test]
    fn values_cannot_become_options() {
        for program in [ForgeProgram::Gh, ForgeProgram::Glab] {
            let arguments = draft().arguments(program);
            assert!(arguments.contains(&"--title=-x; rm -rf ~".to_owned()), "{arguments:?}");
            assert_eq!(arguments.iter().filter(|word| !word.starts_with("--")).count(), 2, "{arguments:?}");
        }
    }

    #[test]
    fn printed_command_is_quoted_for_a_shell() {
        let command = draft().command(ForgeProgram::Gh, Path::new("/a b"));
        assert!(command.starts_with("(cd '/a b' && gh pr create '--head="), "{command}");
        let words = shlex::split(command.trim_matches(['(', ')'])).unwrap();
        assert!(words.contains(&"--title=-x; rm -rf ~".to_owned()), "{command}");
    }

    #[test]
    fn program_follows_the_host_of_the_remote() {
        let both = |_: ForgeProgram| true;
        for (url, program) in [
            ("https://gitlab.example.org/a/b.git", ForgeProgram::Glab),
            ("git@gitlab.com:a/b.git", ForgeProgram::Glab),
            ("ssh://git@github.com/gitlab/b.git", ForgeProgram::Gh),
            ("/srv/gitlab/b.git", ForgeProgram::Gh),
        ] {
            assert_eq!(ForgeProgram::choose(url, both), Some(program), "{url}");
        }
        let only_glab = |program| program == ForgeProgram::Glab;
        assert_eq!(ForgeProgram::choose("https://github.com/a/b", only_glab), None);
        assert_eq!(ForgeProgram::choose("https://git.example.org/a/b", only_glab), Some(ForgeProgram::Glab));
    }

    #[test]
    fn credentials_of_a_url_are_left_out() {
        assert_eq!(without_credentials("https://me:tok@en@h.example/a@b"), "https://h.example/a@b");
        assert_eq!(without_credentials("git@h.example:a/b"), "git@h.example:a/b");
        assert_eq!(without_credentials("/srv/a"), "/srv/a");
    }

    #[test]
    fn owner_is_the_first_part_of_the_path() {
        for url in
            ["https://me:secret@h.example/me/b.git", "git@h.example:me/b", "ssh://git@h.example:22/me/b"]
        {
            assert_eq!(owner(url).as_deref(), Some("me"), "{url}");
        }
        for url in ["/srv/me/b", "../b", "https://h.example", "https://h.example/b"] {
            assert_eq!(owner(url), None, "{url}");
        }
    }

    #[test]
    fn address_is_the_last_url_of_the_output() {
        let output = "Creating pull request into main\nhttps://h.example/a/pull/3\n";
        assert_eq!(address(output).as_deref(), Some("https://h.example/a/pull/3"));
        assert_eq!(address("no url"), None);
    }
}
