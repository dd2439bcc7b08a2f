//! Skeleton
fn main() {}
