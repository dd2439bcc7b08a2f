//! Tests that violate each rule once.

use crate::specs::syntax::agents_toml;
use crate::specs::validation::keys::{Scope, keys};
use crate::specs::validation::validate::*;

fn told(text: &str) -> Vec<String> {
    let table = agents_toml::parse(text).expect(text);
    let mut told = Vec::new();
    check_table(&keys(Scope::Agent), &table, None, &mut told);
    told.into_iter().map(|wrong| format!("{}:{} {}", wrong.at.line, wrong.at.column, wrong.message)).collect()
}

#[test]
fn a_mistake_says_where_it_is_and_what_is_allowed() {
    for (text, says) in [
        (
            "modle = 'x'",
            "1:1 unknown key `modle`; did you mean `model`? allowed: description, extends, kind,",
        ),
        ("colour = 'x'", "1:1 unknown key `colour`; allowed: description"),
        ("model = 3", "1:9 `model` must be a text in quotes, this is a number"),
        ("model = ''", "1:9 `model` is empty"),
        ("model = \"a\\nb\"", "1:9 `model` `a\\nb` must be on one line"),
        ("role = 'planer'", "1:8 `role` `planer` is no role; did you mean `planner`? allowed: proxy"),
        (
            "role = 'two words'",
            "1:8 `role` `two words` is no role; allowed: proxy, planner, executor, any word",
        ),
        (
            "shell_tier = 'aprove'",
            "`aprove` means nothing here; did you mean `approve`? allowed: free, review, approve",
        ),
        ("restart = true", "1:11 `restart` must be a text in quotes, this is `true` or `false`"),
        ("restart = 'sometimes'", "means nothing here; allowed: no, on-failure, always"),
        ("workspace = 'inplace'", "did you mean `in-place`? allowed: in-place, worktree, scratch"),
        (
            "workspace = 3",
            "`workspace` must be one of in-place, worktree, scratch, or a table of mode, copy,",
        ),
        (
            "workspace.mode = 'tree'",
            "`workspace.mode` `tree` means nothing here; allowed: in-place, worktree",
        ),
        (
            "workspace.cpy = []",
            "unknown key `workspace.cpy`; did you mean `copy`? allowed: mode, copy, setup",
        ),
        ("workspace.copy = '.env'", "`workspace.copy` must be a list of texts, this is a text"),
        ("workspace.copy = ['../x']", "1:19 `workspace.copy` `../x` must be a path below the project"),
        ("workspace.copy = ['/etc/passwd']", "must be a path below the project, without `..`"),
        ("workspace.copy = ['.git/hooks']", "is git's own, and each worktree has one"),
        ("workspace.copy = ['**/.env']", "cannot have `**`; allowed: `*` and `?` in each name of the path"),
        ("workspace.setup = 'npm ci'", "`workspace.setup` must be a list of texts, this is a text"),
        ("workspace.setup = ['']", "`workspace.setup` is empty"),
        ("workspace.setup = [\"a\\nb\"]", "must be on one line, without control characters"),
        ("workspace.setup = [\"a\\u202Eb\"]", "holds characters that are not seen"),
        ("kind = '../x'", "1:8 `kind` `../x` is no name: it contains '.'"),
        (
            "command = 'rm -rf $(x)'",
            "`command` must be a list of words, no shell reads it: [\"rm\", \"-rf\", \"$(x)\"]",
        ),
        ("command = []", "`command` names no program"),
        ("command = ['']", "`command` names no program"),
        ("command = ['a', 3]", "1:17 `command` must be a text in quotes, this is a number"),
        ("command = [\"a\\u0000\"]", "holds a NUL character"),
        ("tools = 3", "1:9 `tools` must be a list of texts, this is a number"),
        ("ephemeral = 'yes'", "1:13 `ephemeral` must be `true` or `false`, this is a text"),
        ("max_instances = 0", "1:17 `max_instances` is 0; allowed: 1 to 4294967295"),
        (
            "max_instances = 1.5",
            "`max_instances` must be a whole number from 1, this is a number with a point",
        ),
        ("max_instances = 99999999999999999999", "this is a number that is too large"),
        (
            "notify = ['wating']",
            "1:11 `notify` `wating` means nothing here; did you mean `waiting`? allowed: waiting,",
        ),
        (
            "limits = { dpth = 2 }",
            "1:12 unknown key `limits.dpth`; did you mean `depth`? allowed: depth, children",
        ),
        ("limits = 3", "`limits` must be a table of depth, children, this is a number"),
        ("env = { 'A-B' = 'x' }", "1:9 `env.A-B` is no name of a variable"),
        ("env.PORT = 80", "1:12 `env.PORT` must be a text in quotes, this is a number"),
        ("env.TMUX = 'x'", "1:5 `env.TMUX` is ours to set"),
        ("system_prompt = { file = 'a', text = 'b' }", "must hold either `file` or `text`"),
        ("system_prompt = 3", "`system_prompt` must be a text, or a table of file or text, this is a number"),
        ("heartbeat = true", "`heartbeat` must be `false`, or a table of every or cron, and prompt"),
        ("heartbeat = { prompt = 'x' }", "1:13 `heartbeat` must hold either `every` or `cron`"),
        ("heartbeat = { every = '1h', cron = '* * * * *', prompt = 'x' }", "either `every` or `cron`"),
        ("heartbeat = { every = '1h' }", "`heartbeat` must hold `prompt`"),
        (
            "heartbeat = { every = 'soon', prompt = 'x' }",
            "1:23 `heartbeat.every` `soon` is no time span; allowed: such as",
        ),
        (
            "heartbeat = { cron = '0 25 * * *', prompt = 'x' }",
            "`heartbeat.cron` `0 25 * * *` is no time of cron: `25` cannot be the hour (0-23)",
        ),
        ("params.x = 'y'", "`params.x` must be a table of type, choices, default, description"),
        ("params.'a b' = {}", "1:8 `params.a b` is no name of a parameter"),
        (
            "params.x = { type = 'integer' }",
            "1:21 `params.x.type` `integer` means nothing here; allowed: string, int, bool, choice",
        ),
        ("params.x = { type = 'choice' }", "`params.x` is a choice and must hold `choices`"),
        ("params.x = { choices = ['a'] }", "`params.x.choices` needs `type = \"choice\"`"),
        ("params.x = { type = 'choice', choices = [] }", "`params.x.choices` is empty"),
        ("params.x = { type = 'choice', choices = ['a'], default = 'b' }", "must be one of a, this is `b`"),
        (
            "params.x = { type = 'int', default = '3' }",
            "1:38 `params.x.default` must be a whole number, this is `3`",
        ),
    ] {
        let told = told(text);
        assert!(told.len() == 1 && told[0].contains(says), "{text}\n wanted {says}\n told   {told:#?}");
    }
}

#[test]
fn what_is_right_is_not_told() {
    for text in [
        "role = 'reviewer'",
        "role = 'planner'",
        "tools = 'Read, Bash(ls)'",
        "tools = []",
        "workspace = 'scratch'",
        "workspace = { mode = 'worktree', copy = ['.env*', 'conf/?.local'], setup = ['npm ci && make'] }",
        "workspace = { copy = [], setup = [] }",
        "notify = []",
        "heartbeat = false",
        "heartbeat = { cron = '0 9 * * 1-5', prompt = 'x' }",
        "params.x = { type = 'bool', default = true }",
        "params.x = { description = 'needed' }",
        "command = ['a program', '$(x)', '']",
        "system_prompt = \"one\\ntwo\"",
        "limits = { depth = 1 }",
    ] {
        assert_eq!(told(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    assert_eq!(told("modle = 1\nrestart = 'x'\nlimits.dpth = 1\nenv = { '1' = 2 }").len(), 5);
}
