//! Programs as C: built by the compilers that are there with all warnings as errors, run under sanitizers on one, two and three
//! threads, and held to `exec` bit for bit. `make native` does so with every kernel and schedule that ships.

mod folder;

mod kernels;

mod functions;

mod deadlocks;

mod callers;

mod texts;

mod ranks;

mod wide;

mod leaves;
