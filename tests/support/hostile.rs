//! Texts that have a meaning for a shell, for tmux or in a path, for tests that they are not interpreted.

/// Texts that must arrive verbatim wherever free text is allowed. A program that interprets one of them creates `x`, or
/// shows a number in place of a text.
pub const TEXTS: [&str; 14] = [
    "$(touch x)",
    "`touch x`",
    "; touch x;",
    "a' ; touch x ; '",
    "\"; touch x; \"",
    "#{pane_pid}",
    "#(touch x)",
    "#[fg=red]styled",
    "%H:%M %%",
    "back\\slash \\n \\",
    "~ $HOME ${HOME} *",
    "-rf",
    "🙂 é ｗｉｄｅ",
    "tab\there",
];
