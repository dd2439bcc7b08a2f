//! Texts that mean something to a shell, to tmux or to a path, wherever a test wants to know that nobody reads them so.

/// What must arrive to the letter wherever free text is allowed. Whoever interprets one of them touches `x`, or shows
/// a number where a text was.
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
