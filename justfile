# Shortcuts for users of just; each runs the script of the same purpose.

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
