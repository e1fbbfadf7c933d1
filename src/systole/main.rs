//! The `systole` command.

/// Saturation and search allocate much, and little at a time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    systole::driver::main()
}
