# The daily commands, for those who have just; each is a script of the same meaning.

# everything CI runs
check:
    ./scripts/test

# the Rust tests alone
fast:
    ./scripts/test --fast

# ratios against bare tmux
bench *ARGS:
    ./scripts/bench {{ARGS}}

# format all Rust code
fmt:
    cargo fmt
