//! The folder of a program: written, built, run.

use crate::programs::shown;
use ndarray::ArrayD;
use ndarray_npy::{read_npy, write_npy};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use systole::array::{Program, Tensors};
use systole::integer::Bindings;
use systole::native::{NativeBackend, NativeLeaves, translate};
use systole::recurrence::Role;
use tempfile::TempDir;

/// Everything that a compiler may say is an error.
pub const STRICT: &str = "-O1 -g -Werror";

/// What a run may do wrong is an error.
pub const SANITIZED: &str = "-fsanitize=address,undefined -fno-sanitize-recover=all";

/// A compiler that is there, with the flags that it builds with.
#[derive(Clone, Debug)]
pub struct Compiler {
    pub name: &'static str,
    pub flags: String,
}

/// The compilers that are there, of which there is one at least. One whose sanitizers are missing builds without.
pub fn compilers() -> &'static [Compiler] {
    static FOUND: OnceLock<Vec<Compiler>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let found: Vec<Compiler> = ["gcc", "clang"].into_iter().filter_map(compiler).collect();
        if found.is_empty() { vec![compiler("cc").expect("a C compiler")] } else { found }
    })
}

fn compiler(name: &'static str) -> Option<Compiler> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("empty.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("written");
    let builds = |flags: &str| {
        let mut command = Command::new(name);
        command.args(flags.split(' ')).arg(&source).arg("-o").arg(folder.path().join("empty"));
        command.output().is_ok_and(|output| output.status.success())
    };
    let flags = [format!("{STRICT} {SANITIZED}"), STRICT.to_owned()].into_iter().find(|flags| builds(flags))?;
    Some(Compiler { name, flags })
}

/// A folder with the files of a program.
pub struct Folder {
    folder: TempDir,
    program: Program,
    name: String,
}

impl Folder {
    /// Writes it, with leaves as loops.
    pub fn of(program: &Program) -> Folder {
        Folder::with(program, NativeLeaves::Loops, NativeBackend::Threads)
    }

    /// Writes it.
    pub fn with(program: &Program, leaves: NativeLeaves, backend: NativeBackend) -> Folder {
        let folder = tempfile::tempdir().expect("a folder");
        let files = translate(program, leaves, backend).unwrap_or_else(|faults| panic!("{}", shown(&faults)));
        files.iter().for_each(|file| std::fs::write(folder.path().join(&file.name), &file.text).expect("written"));
        let name = files[0].name.trim_end_matches(".c").to_owned();
        Folder { folder, program: program.clone(), name }
    }

    /// What the kernel is called in C.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Has `make` make something.
    pub fn make(&self, compiler: &Compiler, target: &str) {
        let mut command = Command::new("make");
        command.args(["--silent", "--always-make", target]).current_dir(self.folder.path());
        command.arg(format!("CC={}", compiler.name)).arg(format!("CFLAGS={}", compiler.flags));
        expect_well(&command.output().expect("make starts"), &format!("{} by {compiler:?}", self.name));
    }

    /// Runs the command of this name on arrays.
    pub fn start(&self, command: &str, sizes: &Bindings, inputs: &Tensors, threads: usize) -> Output {
        let mut command = Command::new(self.path(command));
        command.args(["--threads", &threads.to_string()]);
        self.start_by(command, sizes, inputs)
    }

    /// Runs the command of this name on arrays, on so many ranks.
    pub fn start_ranks(&self, command: &str, sizes: &Bindings, inputs: &Tensors, ranks: usize) -> Output {
        let mut mpirun = Command::new("timeout");
        mpirun.args(["100", "mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--quiet"]);
        mpirun.args(["-n", &ranks.to_string()]).arg(self.path(command)).env("ASAN_OPTIONS", "detect_leaks=0");
        self.start_by(mpirun, sizes, inputs)
    }

    fn start_by(&self, mut command: Command, sizes: &Bindings, inputs: &Tensors) -> Output {
        command.current_dir(self.folder.path());
        sizes.iter().for_each(|(name, value)| _ = command.args(["--size", &format!("{name}={value}")]));
        for (name, array) in inputs {
            write_npy(self.path(&file_of(name)), array).expect("written");
            command.args(["--input", &format!("{name}={}", file_of(name))]);
        }
        self.outputs().for_each(|name| _ = command.args(["--output", &format!("{name}={}", file_of(name))]));
        command.output().expect("it starts")
    }

    /// Runs the kernel's own command, which must be well, and reads what it wrote.
    pub fn run(&self, sizes: &Bindings, inputs: &Tensors, threads: usize) -> Tensors {
        let output = self.start(&self.name, sizes, inputs, threads);
        expect_well(&output, &format!("{} at {sizes:?} on {threads} threads", self.name));
        self.outputs_written()
    }

    /// The outputs in their files.
    pub fn outputs_written(&self) -> Tensors {
        let read = |path: &Path| -> ArrayD<f64> { read_npy(path).expect("an array") };
        self.outputs().map(|name| (systole::integer::name(name), read(&self.path(&file_of(name))))).collect()
    }

    fn outputs(&self) -> impl Iterator<Item = &str> {
        let outputs = self.program.arrays.iter().filter(|array| array.role == Role::Output);
        outputs.map(|array| &*array.name)
    }
}

fn file_of(array: &str) -> String {
    format!("{array}.npy")
}

/// Panics with what a command said where it failed.
pub fn expect_well(output: &Output, what: &str) {
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
}
