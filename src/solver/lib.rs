//! Z3, loaded when it is first called.
//!
//! In: a call of the package `z3`. Out: the same call, made of the shared library. A command that is linked to a library
//! in the usual way does not even start where the library is missing, and the system's loader speaks in its place. So each
//! function of Z3 is here a jump through a slot. The first jump loads the library and fills all slots; [`load`] does it
//! before any, and says what is missing.
//!
//! This is one of three packages with `unsafe` code, so that all others forbid it. Where Z3 is built in (the feature
//! `vendored`), and on systems other than Linux on x86-64 and AArch64, the package `z3` is linked as ever.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(feature = "vendored")))]
mod library;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(feature = "vendored")))]
pub use library::load;

pub use z3;

/// Why there is no solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What was looked at, and what was wrong with it.
    pub reasons: Vec<String>,
}

/// Each of these makes a solver be found.
pub const WAYS: [&str; 4] = [
    "`pip install z3-solver`: it is found through `python3`",
    "the folder of a `libz3.so` of Z3 4.13.3 or later in LD_LIBRARY_PATH",
    "`make install` in a checkout: it puts Z3 beside the command",
    "`cargo install --path . --features vendored`: Z3 is built in",
];

/// Nothing is to be loaded: the solver is part of the program.
///
/// # Errors
/// None here.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(feature = "vendored"))))]
pub fn load() -> Result<(), Missing> {
    Ok(())
}
