//! Native leaves beside loops that a person would write, and beside interpreted leaves, interleaved in one run: `make peers-loops`.
//!
//! In: the kernels below, in tiles; `loops.c`, compiled by `CC` with `-O3 -march=native -ffp-contract=off`. Out: a table. All sides
//! run on one thread, in turns, A B C A B C, on the same operands. What is compared is processor time of the operation alone, so
//! other work on the machine counts less. The result of ours is held to that of the loops, within rounding, since some kernels sum in
//! another order; of kernels that keep all steps of time, the last is. A result that is wrong ends the bench.

use clap::Parser;
use figures::{Sample, median, spread};
use ndarray::{ArrayD, IxDyn};
use ndarray_npy::{read_npy, write_npy};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../figures.rs"]
#[allow(dead_code)] // The bench beside ScaLAPACK has use for the others.
mod figures;

/// Native leaves beside loops in C.
#[derive(Parser, Debug)]
struct Arguments {
    /// What `cargo bench` gives every bench
    #[arg(long, hide = true)]
    bench: bool,
    /// The kernels, by the names of their loops; all otherwise
    kernels: Vec<String>,
    /// How many turns each side has
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// What an input holds.
#[derive(Clone, Copy, PartialEq)]
enum Filling {
    Any,
    Letters,
    Definite,
}

use Filling::{Any, Definite, Letters};

/// A kernel of ours, and the loops in C that compute the same.
struct Contest {
    name: &'static str,
    file: &'static str,
    flags: &'static [&'static str],
    sizes: &'static [(&'static str, usize)],
    /// In the order in which the loops take them, each with its shape.
    inputs: &'static [(&'static str, &'static [usize], Filling)],
    output: &'static str,
    /// How many elements the loops write: the last ones of ours.
    elements: usize,
}

const CONTESTS: [Contest; 10] = [
    Contest {
        name: "gemm",
        file: "polybench/gemm",
        flags: &["--tile", "i=64,j=64,k=64"],
        sizes: &[("NI", 1000), ("NJ", 1100), ("NK", 1200)],
        inputs: &[
            ("A", &[1000, 1200], Any),
            ("B", &[1200, 1100], Any),
            ("C", &[1000, 1100], Any),
            ("alpha", &[], Any),
            ("beta", &[], Any),
        ],
        output: "C_out",
        elements: 1000 * 1100,
    },
    Contest {
        name: "doitgen",
        file: "polybench/doitgen",
        flags: &["--tile", "q=32,p=64,s=64"],
        sizes: &[("NR", 150), ("NQ", 140), ("NP", 160)],
        inputs: &[("A", &[150, 140, 160], Any), ("C4", &[160, 160], Any)],
        output: "A_out",
        elements: 150 * 140 * 160,
    },
    Contest {
        name: "covariance",
        file: "polybench/covariance",
        flags: &["--tile", "i=64,j=64,k=64"],
        sizes: &[("M", 600), ("N", 700)],
        inputs: &[("data", &[700, 600], Any)],
        output: "cov",
        elements: 600 * 600,
    },
    Contest {
        name: "cholesky",
        file: "polybench/cholesky",
        flags: &["--tile", "i=64,j=64,k=64"],
        sizes: &[("N", 1000)],
        inputs: &[("A", &[1000, 1000], Definite)],
        output: "L",
        elements: 1000 * 1000,
    },
    Contest {
        name: "floyd_warshall",
        file: "polybench/floyd_warshall",
        flags: &["--tile", "i=64,j=64,k=64"],
        sizes: &[("N", 300)],
        inputs: &[("path", &[300, 300], Any)],
        output: "path_out",
        elements: 300 * 300,
    },
    Contest {
        name: "jacobi_1d",
        file: "polybench/jacobi_1d",
        flags: &["--tile", "t=32,i=256"],
        sizes: &[("TSTEPS", 500), ("N", 2000)],
        inputs: &[("A", &[2000], Any), ("B", &[2000], Any)],
        output: "a",
        elements: 2000,
    },
    Contest {
        name: "jacobi_2d",
        file: "polybench/jacobi_2d",
        flags: &["--tile", "t=8,i=32,j=64"],
        sizes: &[("TSTEPS", 20), ("N", 600)],
        inputs: &[("A", &[600, 600], Any), ("B", &[600, 600], Any)],
        output: "a",
        elements: 600 * 600,
    },
    Contest {
        name: "smith_waterman",
        file: "smith_waterman",
        flags: &["--tile", "i=64,j=64"],
        sizes: &[("M", 4096), ("N", 4096)],
        inputs: &[("a", &[4096], Letters), ("b", &[4096], Letters)],
        output: "H",
        elements: 4097 * 4097,
    },
    Contest {
        name: "layer_norm",
        file: "layers/layer_norm",
        flags: &["--tile", "n=32,d=128,f=64"],
        sizes: &[("N", 1024), ("D", 1024), ("F", 64)],
        inputs: &[("X", &[1024, 1024], Any), ("g", &[1024], Any), ("b", &[1024], Any), ("W", &[1024, 64], Any)],
        output: "Y",
        elements: 1024 * 64,
    },
    Contest {
        name: "attention",
        file: "blocks/attention",
        flags: &["--schedule", "streamed"],
        sizes: &[("N", 1024), ("R", 8)],
        inputs: &[("Q", &[1024, 64], Any), ("K", &[8, 128, 64], Any), ("V", &[8, 128, 64], Any)],
        output: "O",
        elements: 1024 * 64,
    },
];

/// So many runs of a process, of which the first warms up and does not count.
const RUNS: &str = "3";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let loops = compiled(folder.path())?;
    say("kernel            native s  loops in C s   native is so many times as fast as C      as interpreted leaves")?;
    let is_wanted =
        |contest: &&Contest| arguments.kernels.is_empty() || arguments.kernels.iter().any(|name| name == contest.name);
    CONTESTS.iter().filter(is_wanted).try_for_each(|contest| contest.hold(&loops, folder.path(), arguments.rounds))
}

/// The loops, compiled.
fn compiled(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let (source, program) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/loops/loops.c"), folder.join("loops"));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned());
    let mut command = Command::new(compiler);
    command
        .args(["-O3", "-march=native", "-ffp-contract=off", "-std=c11"])
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg("-lm");
    said(&mut command)?;
    Ok(program)
}

/// What a command writes, which must be well.
fn said(command: &mut Command) -> Result<String, Box<dyn Error>> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

fn say(line: &str) -> Result<(), Box<dyn Error>> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

fn systole() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_systole"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

impl Contest {
    /// Runs all sides in turns, and writes a line.
    fn hold(&self, loops: &Path, folder: &Path, rounds: usize) -> Result<(), Box<dyn Error>> {
        let program = folder.join(format!("{}.pe", self.name));
        let kernel = format!("kernels/{}.rec", self.file);
        said(systole().args(["emit", &kernel, "-o"]).arg(&program).args(self.flags))?;
        self.write_inputs(folder)?;
        let mut samples = [vec![], vec![], vec![]];
        for _ in 0..rounds {
            samples[0].push(self.ours("native", &program, folder)?);
            samples[1].push(self.theirs(loops, folder)?);
            samples[2].push(self.ours("loops", &program, folder)?);
        }
        self.check(folder)?;
        let seconds = |side: usize| median(&cpu(&samples[side])).unwrap_or_default();
        let [to_c, to_loops] = [1, 2].map(|side| ratios(&samples[0], &samples[side]));
        say(&format!(
            "{:<16} {:>9.4} {:>13.4}   {}   {}",
            self.name,
            seconds(0),
            seconds(1),
            shown(&to_c),
            shown(&to_loops)
        ))
    }

    /// Files of NumPy for ours, numbers alone for the loops.
    fn write_inputs(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        for (seed, (name, shape, filling)) in self.inputs.iter().enumerate() {
            let values = filled(seed as u64, shape, *filling);
            write_npy(folder.join(format!("{name}.npy")), &values)?;
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            std::fs::write(folder.join(format!("{name}.bin")), bytes)?;
        }
        Ok(())
    }

    fn ours(&self, leaves: &str, program: &Path, folder: &Path) -> Result<Sample, Box<dyn Error>> {
        let sizes: Vec<String> = self.sizes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut command = systole();
        command.arg("exec").arg(program).args(["--size", &sizes.join(","), "--threads", "1", "--leaves", leaves]);
        command.args(["--repeat", RUNS, "--json"]);
        for (name, ..) in self.inputs {
            command.arg("--input").arg(format!("{name}={}", folder.join(format!("{name}.npy")).display()));
        }
        command.arg("--output").arg(format!("{}={}", self.output, folder.join("ours.npy").display()));
        figures::of_exec(&said(&mut command)?).ok_or_else(|| format!("no figures of {}", self.name).into())
    }

    fn theirs(&self, loops: &Path, folder: &Path) -> Result<Sample, Box<dyn Error>> {
        let mut command = Command::new(loops);
        command.args([self.name, RUNS]).arg(folder.join("theirs.bin")).arg(self.elements.to_string());
        self.sizes.iter().for_each(|(_, value)| _ = command.arg(value.to_string()));
        command.arg("--");
        self.inputs.iter().for_each(|(name, ..)| _ = command.arg(folder.join(format!("{name}.bin"))));
        // As a residual is read with the figures, one that says nothing stands in.
        let text = said(&mut command)? + "residual 0\n";
        figures::of_peer(&text).ok_or_else(|| format!("no figures of the loops of {}", self.name).into())
    }

    /// Holds the results to each other.
    fn check(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let ours: ArrayD<f64> = read_npy(folder.join("ours.npy"))?;
        let theirs = std::fs::read(folder.join("theirs.bin"))?;
        if theirs.len() != 8 * self.elements {
            return Err(format!("{}: {} bytes of {} elements", self.name, theirs.len(), self.elements).into());
        }
        let theirs = theirs.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let last = ours.len().checked_sub(self.elements).ok_or("fewer elements than the loops have")?;
        let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        match ours.iter().skip(last).zip(theirs).find(|(a, b)| !is_near(**a, *b)) {
            None => Ok(()),
            Some((a, b)) => Err(format!("{}: {a} where the loops have {b}", self.name).into()),
        }
    }
}

fn cpu(samples: &[Sample]) -> Vec<f64> {
    samples.iter().flat_map(|sample| sample.cpu.iter().copied()).collect()
}

/// How many times as long the second side took as the first, round by round.
fn ratios(first: &[Sample], second: &[Sample]) -> Vec<f64> {
    let pairs = first.iter().zip(second);
    pairs.filter_map(|(first, second)| Some(median(&second.cpu)? / median(&first.cpu)?)).collect()
}

fn shown(ratios: &[f64]) -> String {
    let [least, most] = spread(ratios);
    format!("{:>8.2} [{least:.2} {most:.2}]", median(ratios).unwrap_or_default())
}

/// Numbers without a pattern, in 0 to 1.
fn filled(seed: u64, shape: &[usize], filling: Filling) -> ArrayD<f64> {
    let mut state = seed + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let values = ArrayD::from_shape_simple_fn(IxDyn(shape), || match filling {
        Letters => (4.0 * next()).floor(),
        Any | Definite => next(),
    });
    match filling {
        Any | Letters => values,
        Definite => ArrayD::from_shape_fn(IxDyn(shape), |at| {
            let (low, high) = (at[0].min(at[1]), at[0].max(at[1]));
            values[[high, low].as_slice()] + if low == high { shape[0] as f64 } else { 0.0 }
        }),
    }
}
