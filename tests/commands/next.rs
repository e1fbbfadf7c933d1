//! What `next:` says to type: each command that is printed runs as it stands, where it was printed.

use assert_cmd::Command;
use std::path::Path;

/// What a command that must end well prints, run in a folder by a shell that finds this program.
fn typed(folder: &Path, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_systole"));
    let path = format!("{}:{}", program.parent().expect("a folder").display(), std::env::var("PATH").expect("a path"));
    let output = Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", path).output().expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{line}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// The commands behind `next:`, but those that only other builds run.
fn next(printed: &str) -> Vec<String> {
    let lines = printed.lines().skip_while(|line| !line.starts_with("next:"));
    let lines = lines.map(|line| line.trim_start_matches("next:").trim().to_owned());
    lines.filter(|line| line.starts_with("systole ")).collect()
}

/// A folder whose name a shell would take apart, with kernels, machines and arrays.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Path::new(env!("SYSTOLE_ROOT"));
    std::fs::create_dir(folder.path().join("my kernels")).expect("a folder");
    for (from, to) in [
        ("kernels/matmul.rec", "my kernels/it's.rec"),
        ("kernels/trisolve.rec", "trisolve.rec"),
        ("kernels/matvec.rec", "-v.rec"),
        ("machines/slow-links.toml", "slow.toml"),
    ] {
        std::fs::copy(root.join(from), folder.path().join(to)).expect("copied");
    }
    let cluster = "[cluster]\nalpha = 2e-6\nbeta = 1e-9\noperation = 1e-8\n[loops]\ngemm = 1.0\nother = 0.5\n";
    std::fs::write(folder.path().join("cluster.toml"), cluster).expect("written");
    ndarray_npy::write_npy(folder.path().join("a.npy"), &ndarray::array![[1.0, 2.0], [3.0, 4.0]]).expect("written");
    folder
}

#[test]
fn every_command_that_run_prints_runs() {
    let folder = folder();
    for (command, count) in [
        (r"systole run 'my kernels/it'\''s.rec' --size M=2,N=2,K=2 --schedule cannon --input A=a.npy --seed 3", 3),
        ("systole run 'ik,kj->ij' --size I=2 --size J=2,K=2 --transports stream --objective cycles --limit 20000", 3),
        (
            "systole run trisolve.rec --size N=4 --fold 2 --objective pes --machine slow.toml --latency 3 --program kept.pe",
            2,
        ),
        ("systole run trisolve.rec --size N=4 --schedule row --tile i=2,j=2", 3),
        ("systole run --size M=2,N=3 -- -v.rec", 3),
    ] {
        let printed = typed(folder.path(), command);
        let next = next(&printed);
        assert_eq!(next.len(), count, "{command}: {printed}");
        let ran: Vec<String> = next.iter().map(|line| typed(folder.path(), line)).collect();
        // The last of them is the same run: of the same program, sizes and arrays.
        let cycles = |text: &str, word: &str| {
            let line = text.lines().find(|line| line.trim_start().starts_with(word)).expect("a line").to_owned();
            line.split_whitespace().nth(1).expect("a number").to_owned()
        };
        assert_eq!(cycles(&ran[count - 1], "cycles"), cycles(&printed, "simulate"), "{next:?}");
    }
}

#[test]
fn every_command_that_tune_prints_runs() {
    let folder = folder();
    let tune = r"systole tune 'my kernels/it'\''s.rec' --size M=8,N=8,K=8 --machine cluster.toml --schedule cannon \
                 --tile i=4,j=4,k=4 --ranks 2 --designs 1 --distribution block --order steps --capacity 4";
    let again = next(&typed(folder.path(), tune));
    assert!(again.len() == 1 && again[0].ends_with("-o matmul.pe"), "{again:?}");
    let chosen = typed(folder.path(), &again[0]);
    let run = next(&chosen);
    assert!(run.len() == 1 && run[0].starts_with("systole exec matmul.pe"), "{chosen}");
    assert!(typed(folder.path(), &run[0]).contains("on 2 threads"), "{run:?}");
}
