//! The `systole` command.

fn main() -> std::process::ExitCode {
    systole::driver::main()
}
