//! A share of cases that take minutes together: what every edit is tested with.

/// One in `of` from the first on; with the feature `long-tests` all (`make test-long`).
pub fn share<T>(all: impl IntoIterator<Item = T>, of: usize) -> impl Iterator<Item = T> {
    all.into_iter().step_by(if cfg!(feature = "long-tests") { 1 } else { of })
}
