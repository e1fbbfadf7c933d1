//! Files that commands write: whole or not at all, where they are asked for, and never one over the other.

use super::start::{good, refused, systole, systole_under};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::Command;

/// A folder with the program of a product in `p.pe`.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        good(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", &folder.path("p.pe")]);
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// The message of a run of the program that is refused, with these flags.
    fn refused(&self, command: &str, flags: &[&str]) -> String {
        refused(&[&[command, &self.path("p.pe"), "--size", "M=3,N=3,K=3"], flags].concat())
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
        names.sort();
        names
    }
}

#[test]
fn a_link_stays_a_link() {
    let folder = Folder::new();
    fs::write(folder.path("real.pe"), "before").expect("written");
    std::os::unix::fs::symlink(folder.path("real.pe"), folder.path("link.pe")).expect("linked");
    good(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", &folder.path("link.pe")]);
    assert!(fs::symlink_metadata(folder.path("link.pe")).expect("there").is_symlink());
    let text = |name: &str| fs::read_to_string(folder.path(name)).expect("text");
    assert_eq!(text("real.pe"), text("p.pe"));
}

/// Text goes into a pipe; elements, which come in any order, do not.
#[test]
fn a_pipe_stays_a_pipe() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let message = folder.refused("sim", &["--output", &format!("C={pipe}")]);
    assert!(message.contains("it is no regular file"), "{message}");
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read_to_string(pipe).expect("text"))
    };
    let ran = systole(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", &pipe]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(reader.join().expect("read"), fs::read_to_string(folder.path("p.pe")).expect("text"));
    assert!(fs::metadata(&pipe).expect("there").file_type().is_fifo());
}

#[test]
fn no_file_is_written_over_another() {
    let folder = Folder::new();
    let [one, program] = ["one", "p.pe"].map(|name| folder.path(name));
    let [c, over] = [&one, &program].map(|path| format!("C={path}"));
    let before = fs::read_to_string(&program).expect("text");
    for (command, flags, both) in [
        ("exec", vec!["--output", &*c, "--trace", &*one], ["`--output`", "`--trace`"]),
        ("sim", vec!["--output", &*c, "--report", &*one], ["`--output`", "`--report`"]),
        ("sim", vec!["--output", &*over], ["`--output`", "the program"]),
        ("exec", vec!["--trace", &*program], ["`--trace`", "the program"]),
        ("exec", vec!["--machine", &*one, "--trace", &*one], ["`--machine`", "`--trace`"]),
    ] {
        let message = folder.refused(command, &flags);
        assert!(both.iter().all(|part| message.contains(part)) && message.contains("are one file"), "{message}");
    }
    let run = ["run", "kernels/matmul.rec", "--size", "M=3,N=3,K=3", "--report", &one, "--program", &one];
    assert!(refused(&run).contains("`--report` and `--program` are one file"));
    assert_eq!((folder.names(), fs::read_to_string(&program).expect("text")), (vec!["p.pe".to_owned()], before));
}

/// Commands that start from a kernel leave it, and the machine file, as they are; nor do two of their files fall on one path.
#[test]
fn no_file_is_written_over_the_kernel() {
    let folder = Folder::new();
    let [kernel, machine, one] = ["k.rec", "m.toml", "one"].map(|name| folder.path(name));
    fs::copy("kernels/matmul.rec", &kernel).expect("copied");
    fs::copy("machines/ideal.toml", &machine).expect("copied");
    let machine_and_kernel = [&machine, &kernel].map(|path| fs::read_to_string(path).expect("text"));
    for (command, flags, both) in [
        ("emit", vec!["-o", &*kernel], ["`--output`", "the kernel"]),
        ("emit", vec!["--machine", &*machine, "-o", &*machine], ["`--output`", "`--machine`"]),
        ("tune", vec!["--size", "M=3,N=3,K=3", "--machine", &*machine, "-o", &*machine], ["`--output`", "`--machine`"]),
        ("prove", vec!["--dump-smt", &*kernel], ["`--dump-smt`", "the kernel"]),
        ("prove", vec!["--dump-smt", &*one, "--report", &*one], ["`--dump-smt`", "`--report`"]),
        ("explain", vec!["--dot", &*kernel], ["`--dot`", "the kernel"]),
        ("derive", vec!["-o", &*kernel], ["`--output`", "the kernel"]),
        ("derive", vec!["--dot", &*one, "-o", &*one], ["`--dot`", "`--output`"]),
        ("run", vec!["--size", "M=3,N=3,K=3", "--program", &*kernel], ["`--program`", "the kernel"]),
    ] {
        let message = refused(&[&[command, &*kernel], &flags[..]].concat());
        assert!(both.iter().all(|part| message.contains(part)) && message.contains("are one file"), "{message}");
    }
    assert_eq!([&machine, &kernel].map(|path| fs::read_to_string(path).expect("text")), machine_and_kernel);
    assert_eq!(folder.names(), ["k.rec", "m.toml", "p.pe"]);
}

/// A full disk behind standard output is told; a reader that has gone away is not.
#[test]
fn standard_output_that_takes_nothing_is_code_1() {
    for flags in [&["emit", "kernels/matmul.rec", "--schedule", "cannon"][..], &["doctor"], &["doctor", "--json"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("the device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
        command.args(flags).current_dir(env!("SYSTOLE_ROOT")).env("NO_COLOR", "1").stdout(full);
        let ran = command.output().expect("the program starts");
        let said = String::from_utf8(ran.stderr).expect("text");
        assert_eq!((ran.status.code(), said.matches("cannot write standard output").count()), (Some(1), 1), "{said}");
    }
}

/// Before arrays are filled: 8 GB for one of them.
#[test]
fn sizes_that_do_not_fit_are_refused_before_there_are_arrays() {
    let folder = Folder::new();
    let message = refused(&["sim", &folder.path("p.pe"), "--size", "M=1000000000,N=1000000000,K=1"]);
    assert!(message.contains("MiB, more than the limit of 8192 MiB"), "{message}");
}

/// Tables are as wide as text may be.
#[test]
fn a_long_name_is_no_wide_table() {
    let folder = Folder::new();
    let text = fs::read_to_string(folder.path("p.pe")).expect("text").replace("A-link", &"A".repeat(70_000));
    fs::write(folder.path("long.pe"), text).expect("written");
    let ran = systole(&["sim", &folder.path("long.pe"), "--size", "M=3,N=3,K=3", "--fit-fifos"]);
    assert!(ran.code == 0 && ran.stdout.contains("\nB-link   "), "{}", ran.stderr);
}

/// Bad flags are told before the run, so no result of it is left beside the message.
#[test]
fn what_is_refused_leaves_nothing() {
    let folder = Folder::new();
    let (nowhere, c) = (folder.path("no/where"), format!("C={}", folder.path("c.npy")));
    for (command, flags, part) in [
        ("exec", ["--trace", &*nowhere], "there is no folder"),
        ("sim", ["--trace", &*nowhere], "there is no folder"),
        ("sim", ["--report", &*nowhere], "there is no folder"),
        ("exec", ["--machine", &*nowhere], "there is no such file"),
        ("exec", ["--input", "A=no.npy"], "there is no such file"),
        ("sim", ["--input", "A=no.npy"], "there is no such file"),
        ("exec", ["--machine", "machines/ideal.toml"], "does not say how long messages"),
        ("exec", ["--reference", "kernels/lu.rec"], "is not what this program computes"),
        ("exec", ["--reference", "kernels/trsm.rec"], "the kernel has  the sizes N, R"),
        ("sim", ["--reference", "kernels/lu.rec"], "is not what this program computes"),
    ] {
        let message = folder.refused(command, &[&["--output", &*c], &flags[..]].concat());
        assert!(message.contains(part) && message.contains("help:"), "{message}");
        assert_eq!(folder.names(), ["p.pe"], "{flags:?}");
    }
    assert!(!Path::new(&nowhere).exists());
}

/// A kernel with one output less, or another shape, is not what a program can be held against.
#[test]
fn a_reference_has_all_outputs_of_the_program() {
    let folder = Folder::new();
    let kernel = |name: &str, text: &str| {
        fs::write(folder.path(name), text).expect("written");
        folder.path(name)
    };
    let two = "kernel two(N)\nin A[N]\nout X[N], Y[N]\nX[i] = A[i] + 1\nY[i] = A[i] * 2\n";
    let two = kernel("two.rec", two);
    let one = kernel("one.rec", "kernel two(N)\nin A[N]\nout X[N]\nX[i] = A[i] + 1\n");
    let long = "kernel two(N)\nin A[N]\nout X[N], Y[N + 1]\nX[i] = A[i] + 1\nY[i] = A[0] * 2\n";
    let long = kernel("long.rec", long);
    let program = folder.path("two.pe");
    good(&["emit", &two, "-o", &program]);
    let given = ["exec", &program, "--size", "N=3", "--reference"];
    assert!(good(&[&given[..], &[&two]].concat()).contains("bit for bit"));
    for (other, theirs) in [(one, "the outputs X[3]"), (long, "the outputs X[3], Y[4]")] {
        let message = refused(&[&given[..], &[&other]].concat());
        assert!(message.contains("the outputs X[3], Y[3]") && message.contains(theirs), "{message}");
    }
}

/// What `mpirun` starts without `--backend mpi` would run as often as there are processes.
#[test]
fn threads_in_several_processes_are_refused() {
    let folder = Folder::new();
    let program = folder.path("p.pe");
    let flags = ["exec", &program, "--size", "M=3,N=3,K=3"];
    for variable in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"] {
        let ran = systole_under(&[(variable, "3")], &flags);
        assert!(ran.code == 2 && ran.stderr.contains("MPI has started 3 of these"), "{}", ran.stderr);
        assert_eq!(systole_under(&[(variable, "1")], &flags).code, 0);
    }
}
