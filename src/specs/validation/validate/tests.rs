//! Tests that violate each rule once.

use crate::specs::syntax::agents_toml;
use crate::specs::validation::keys::{Scope, keys};
use crate::specs::validation::validate::*;

fn mistakes_in(text: &str) -> Vec<String> {
    let table = agents_toml::parse(text).expect(text);
    let mut mistakes_in = Vec::new();
    check_table(&keys(Scope::Agent), &table, None, &mut mistakes_in);
    mistakes_in
        .into_iter()
        .map(|wrong| format!("{}:{} {}", wrong.at.line, wrong.at.column, wrong.message))
        .collect()
}

#[test]
fn mistake_reports_position_and_allowed_values() {
    for (text, says) in [
        (
            "modle = 'x'",
            "1:1 unknown key `modle`; did you mean `model`? allowed: description, extends, kind,",
        ),
        ("colour = 'x'", "1:1 unknown key `colour`; allowed: description"),
        ("model = 3", "1:9 `model` must be a text in quotes, this is a number"),
        ("model = ''", "1:9 `model` is empty"),
        ("model = \"a\\nb\"", "1:9 `model` `a\\nb` must be on one line"),
        ("role = 'planer'", "1:8 `role` `planer` is not a role; did you mean `planner`? allowed: proxy"),
        (
            "role = 'two words'",
            "1:8 `role` `two words` is not a role; allowed: proxy, planner, executor, any word",
        ),
        (
            "shell_tier = 'aprove'",
            "`aprove` is not a valid value; did you mean `approve`? allowed: free, review, approve",
        ),
        ("restart = true", "1:11 `restart` must be a text in quotes, this is `true` or `false`"),
        ("restart = 'sometimes'", "is not a valid value; allowed: no, on-failure, always"),
        ("workspace = 'inplace'", "did you mean `in-place`? allowed: in-place, worktree, scratch"),
        (
            "workspace = 3",
            "`workspace` must be one of in-place, worktree, scratch, or a table of mode, copy,",
        ),
        (
            "workspace.mode = 'tree'",
            "`workspace.mode` `tree` is not a valid value; allowed: in-place, worktree",
        ),
        (
            "workspace.cpy = []",
            "unknown key `workspace.cpy`; did you mean `copy`? allowed: mode, copy, setup",
        ),
        ("workspace.copy = '.env'", "`workspace.copy` must be a list of texts, this is a text"),
        ("workspace.copy = ['../x']", "1:19 `workspace.copy` `../x` must be a path below the project"),
        ("workspace.copy = ['/etc/passwd']", "must be a path below the project, without `..`"),
        ("workspace.copy = ['.git/hooks']", "belongs to git, and each worktree has its own"),
        ("workspace.copy = ['**/.env']", "cannot have `**`; allowed: `*` and `?` in each name of the path"),
        ("workspace.setup = 'npm ci'", "`workspace.setup` must be a list of texts, this is a text"),
        ("workspace.setup = ['']", "`workspace.setup` is empty"),
        ("workspace.setup = [\"a\\nb\"]", "must be on one line, without control characters"),
        ("workspace.setup = [\"a\\u202Eb\"]", "contains invisible characters"),
        ("kind = '../x'", "1:8 `kind` `../x` is not a valid name: it contains '.'"),
        (
            "command = 'rm -rf $(x)'",
            "`command` must be a list of words, because no shell splits it: [\"rm\", \"-rf\", \"$(x)\"]",
        ),
        ("command = []", "`command` does not name a program"),
        ("command = ['']", "`command` does not name a program"),
        ("command = ['a', 3]", "1:17 `command` must be a text in quotes, this is a number"),
        ("command = [\"a\\u0000\"]", "contains a NUL character"),
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
            "1:11 `notify` `wating` is not a valid value; did you mean `waiting`? allowed: waiting,",
        ),
        (
            "limits = { dpth = 2 }",
            "1:12 unknown key `limits.dpth`; did you mean `depth`? allowed: depth, children",
        ),
        ("limits = 3", "`limits` must be a table of depth, children, this is a number"),
        ("env = { 'A-B' = 'x' }", "1:9 `env.A-B` is not a valid name of a variable"),
        ("env.PORT = 80", "1:12 `env.PORT` must be a text in quotes, this is a number"),
        ("env.TMUX = 'x'", "1:5 `env.TMUX` is reserved"),
        ("system_prompt = { file = 'a', text = 'b' }", "must contain either `file` or `text`"),
        ("system_prompt = 3", "`system_prompt` must be a text, or a table of file or text, this is a number"),
        ("heartbeat = true", "`heartbeat` must be `false`, or a table of every or cron, and prompt"),
        ("heartbeat = { prompt = 'x' }", "1:13 `heartbeat` must contain either `every` or `cron`"),
        ("heartbeat = { every = '1h', cron = '* * * * *', prompt = 'x' }", "either `every` or `cron`"),
        ("heartbeat = { every = '1h' }", "`heartbeat` must contain `prompt`"),
        (
            "heartbeat = { every = 'soon', prompt = 'x' }",
            "1:23 `heartbeat.every` `soon` is not a time span; examples:",
        ),
        (
            "heartbeat = { cron = '0 25 * * *', prompt = 'x' }",
            "`heartbeat.cron` `0 25 * * *` is not a cron expression: `25` cannot be the hour (0-23)",
        ),
        ("params.x = 'y'", "`params.x` must be a table of type, choices, default, description"),
        ("params.'a b' = {}", "1:8 `params.a b` is not a valid name of a parameter"),
        (
            "params.x = { type = 'integer' }",
            "1:21 `params.x.type` `integer` is not a valid value; allowed: string, int, bool, choice",
        ),
        ("params.x = { type = 'choice' }", "`params.x` is a choice and must contain `choices`"),
        ("params.x = { choices = ['a'] }", "`params.x.choices` needs `type = \"choice\"`"),
        ("params.x = { type = 'choice', choices = [] }", "`params.x.choices` is empty"),
        ("params.x = { type = 'choice', choices = ['a'], default = 'b' }", "must be one of a, this is `b`"),
        (
            "params.x = { type = 'int', default = '3' }",
            "1:38 `params.x.default` must be a whole number, this is `3`",
        ),
    ] {
        let mistakes_in = mistakes_in(text);
        assert!(
            mistakes_in.len() == 1 && mistakes_in[0].contains(says),
            "{text}\n wanted {says}\n told   {mistakes_in:#?}"
        );
    }
}

#[test]
fn valid_values_report_no_mistake() {
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
        assert_eq!(mistakes_in(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    assert_eq!(mistakes_in("modle = 1\nrestart = 'x'\nlimits.dpth = 1\nenv = { '1' = 2 }").len(), 5);
}
