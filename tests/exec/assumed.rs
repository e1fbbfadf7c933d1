//! Inputs that nobody gives: as the kernel assumes them, for whoever runs the program; and what a library cannot do with others.

use super::command::systole;
use super::programs::{Way, program, same_bits};
use ndarray::ArrayD;
use ndarray_npy::{read_npy, write_npy};
use serde_json::{Value, json};
use systole::array::Tensors;
use systole::integer::name;
use tempfile::TempDir;

const KERNEL: &str = "kernels/cholesky.rec";

/// A factor of numbers, and one of tiles; 4 tiles a side at the size of the tests.
const FACTORS: [&[&str]; 2] = [&["--schedule", "grid"], &["--schedule", "grid", "--tile", "i=4"]];

const SIZE: [&str; 2] = ["--size", "N=14"];

/// A folder with a program, and arrays.
struct Given {
    folder: TempDir,
    text: String,
}

impl Given {
    /// The program of Cholesky's factor.
    fn factor(flags: &[&str]) -> Given {
        Given::new("cholesky", flags)
    }

    fn new(kernel: &str, flags: &[&str]) -> Given {
        let way = Way { kernel: kernel.to_owned(), flags: flags.iter().map(|flag| (*flag).to_owned()).collect() };
        Given { folder: tempfile::tempdir().expect("a folder"), text: way.emit() }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The path of the program.
    fn program(&self) -> String {
        let path = self.path("p.pe");
        std::fs::write(&path, &self.text).expect("written");
        path
    }

    /// What a command with these flags says, which must end well, and the factor.
    fn told(&self, command: &[&str], flags: &[&str]) -> (String, Tensors) {
        let output = format!("L={}", self.path("l.npy"));
        let ran = systole(&[command, flags, &["--output", &output]].concat());
        assert!(ran.status.success(), "{command:?} {flags:?}: {}", String::from_utf8_lossy(&ran.stderr));
        (String::from_utf8(ran.stdout).expect("text"), self.factor_in("l.npy"))
    }

    fn factor_in(&self, file: &str) -> Tensors {
        let path = self.path(file);
        let wide = read_npy::<_, ArrayD<f64>>(&path);
        let array = wide.unwrap_or_else(|_| read_npy::<_, ArrayD<f32>>(&path).expect("an array").mapv(f64::from));
        [(name("L"), array)].into()
    }

    /// The same of `exec`, with the object that it says.
    fn exec(&self, flags: &[&str]) -> (Value, Tensors) {
        let (text, factor) = self.told(&["exec", &self.program()], &[flags, &["--json"]].concat());
        (serde_json::from_str(&text).expect("JSON"), factor)
    }

    /// An array of 8 by 8 with this diagonal and zeros elsewhere, as `--input` takes it.
    fn diagonal(&self, diagonal: [f64; 8]) -> String {
        let path = self.path("a.npy");
        let array = ArrayD::from_shape_fn(vec![8, 8], |at| if at[0] == at[1] { diagonal[at[0]] } else { 0.0 });
        write_npy(&path, &array).expect("written");
        format!("A={path}")
    }
}

fn is_finite(factor: &Tensors) -> bool {
    factor.values().flatten().all(|value| value.is_finite())
}

/// `run`, which makes its program itself, `sim` and `exec` on any number of threads fill alike: the factor has the same bits.
#[test]
fn all_commands_fill_alike_and_the_factor_is_finite() {
    for flags in FACTORS {
        let given = Given::factor(flags);
        let seed = [&SIZE[..], &["--seed", "5"]].concat();
        let (_, expected) = given.told(&[&["run", KERNEL], flags].concat(), &seed);
        assert!(is_finite(&expected), "{flags:?}");
        let (_, simulated) = given.told(&["sim", &given.program()], &[&seed[..], &["--reference", KERNEL]].concat());
        assert!(same_bits(&simulated, &expected), "{flags:?}");
        for more in [&["--threads", "1"][..], &["--threads", "3", "--distribution", "cyclic", "--layout", "block"]] {
            let (told, found) = given.exec(&[&seed[..], more, &["--reference", KERNEL]].concat());
            assert!(same_bits(&found, &expected) && told["matches_reference"] == true, "{flags:?} {more:?}");
        }
        let (told, single) = given.exec(&[&seed[..], &["--precision", "single", "--reference", KERNEL]].concat());
        assert!(is_finite(&single) && told["matches_reference"] == true, "{flags:?}");
        let (_, other) = given.exec(&[&SIZE[..], &["--seed", "6"]].concat());
        assert!(is_finite(&other) && !same_bits(&other, &expected), "{flags:?}");
    }
}

/// A program that does not say what it assumes is filled with any numbers, unless the reference says it.
#[test]
fn without_the_word_the_factor_is_not_finite() {
    for flags in FACTORS {
        let mut given = Given::factor(flags);
        let (_, expected) = given.exec(&SIZE);
        assert_eq!(given.text.matches(" (is positive_definite)").count(), 1);
        given.text = given.text.replace(" (is positive_definite)", "");
        assert!(!is_finite(&given.exec(&SIZE).1), "{flags:?}");
        let (_, found) = given.exec(&[&SIZE[..], &["--reference", KERNEL]].concat());
        assert!(same_bits(&found, &expected), "{flags:?}");
    }
}

/// Programs of several spaces, of numbers and of tiles.
#[test]
fn programs_assume_what_their_kernels_do() {
    for (kernel, flags) in [
        ("edit_distance", &["--tile", "i=4,j=4"][..]),
        ("minkowski", &["--schedule", "output-stationary"]),
        ("trsm", &["--schedule", "grid"]),
        ("lu", &["--schedule", "grid"]),
        ("matmul", &["--schedule", "cannon"]),
    ] {
        let way = Way { kernel: kernel.to_owned(), flags: flags.iter().map(|flag| (*flag).to_owned()).collect() };
        let (system, program) = (way.system(), program(&way.emit()));
        for array in &program.arrays {
            let tensor = system.tensor(&array.name).expect("a tensor of the kernel");
            assert_eq!(array.assumption, tensor.assumption, "{} of {kernel}", array.name);
        }
        let assumed = program.arrays.iter().filter(|array| array.assumption.is_some()).count();
        assert_eq!(assumed > 0, kernel != "matmul", "{kernel}");
    }
}

/// One space: a product with bits.
#[test]
fn a_program_of_one_space_assumes_what_its_kernel_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = "kernel chosen(M, K)\nin X[M, K] is bits, y[K] is positive\nout z[M]\nz[i] = sum(k) X[i, k] * y[k]\n";
    std::fs::write(path("k.rec"), text).expect("written");
    let (kernel, written) = (path("k.rec"), path("p.pe"));
    assert!(systole(&["emit", &kernel, "-o", &written]).status.success());
    let emitted = std::fs::read_to_string(&written).expect("a program");
    assert!(emitted.contains("(array X in (M K) (is bits))") && emitted.contains("(array y in (K) (is positive))"));
}

/// The library does every factor of the default input, and says nothing of loops.
#[test]
fn the_library_factors_what_is_filled() {
    let given = Given::factor(FACTORS[1]);
    for precision in ["double", "single"] {
        let flags = [&SIZE[..], &["--leaves", "faer", "--precision", precision, "--reference", KERNEL]].concat();
        let (told, _) = given.exec(&flags);
        assert_eq!((&told["served"]["potrf"], &told["handed_back"]), (&json!(4), &json!({})), "{precision}");
        assert_eq!(told["matches_reference"], true);
        assert!(!given.told(&["exec", &given.program()], &flags).0.contains("handed back"));
    }
}

/// A pivot in the second of two tiles is not positive: the first factor is the library's, the second that of the loops, and it is said.
#[test]
fn what_the_library_refuses_is_counted_and_done_by_loops() {
    let given = Given::factor(FACTORS[1]);
    let input = given.diagonal([1.0, 1.0, 4.0, 1.0, 1.0, 9.0, -1.0, 1.0]);
    for precision in ["double", "single"] {
        let flags = ["--size", "N=8", "--input", &input, "--precision", precision, "--leaves"];
        let (by_loops, expected) = given.exec(&[&flags[..], &["loops"]].concat());
        assert_eq!((&by_loops["served"], &by_loops["handed_back"]), (&json!({}), &json!({})));
        let (told, found) = given.exec(&[&flags[..], &["faer", "--repeat", "2"]].concat());
        assert_eq!((&told["served"]["potrf"], &told["handed_back"]), (&json!(1), &json!({"potrf": 1})));
        assert!(same_bits(&found, &expected) && !is_finite(&found), "{precision}");
        let (said, _) = given.told(&["exec", &given.program()], &[&flags[..], &["faer"]].concat());
        let line = "  1 potrf handed back to loops, which are slower: a pivot was not positive, or a number not finite; give another input with --input\n";
        assert!(said.contains(line), "{said}");
    }
}

/// The same on ranks, of which each holds its part, and whose counts are added up. The first pivot is not positive: the first factor is not
/// finite, so the solve by it and the second factor are done by loops too.
#[cfg(feature = "mpi")]
#[test]
fn ranks_fill_and_count_alike() {
    use super::mpirun::mpirun;
    let given = Given::factor(FACTORS[1]);
    let (program, output) = (given.program(), format!("L={}", given.path("l.npy")));
    let (_, expected) = given.exec(&SIZE);
    for ranks in [1, 3] {
        let flags = [&[&*program], &SIZE[..], &["--json", "--output", &output, "--distribution", "cyclic"]].concat();
        let ran = mpirun(ranks, &flags);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(same_bits(&given.factor_in("l.npy"), &expected), "{ranks}");
        let input = given.diagonal([-1.0, 1.0, 4.0, 1.0, 1.0, 9.0, -1.0, 1.0]);
        let flags = ["--size", "N=8", "--input", &input, "--leaves"];
        let (_, by_loops) = given.exec(&[&flags[..], &["loops"]].concat());
        let ran = mpirun(ranks, &[&[&*program], &flags[..], &["faer", "--json", "--output", &output]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(same_bits(&given.factor_in("l.npy"), &by_loops) && !is_finite(&by_loops), "{ranks}");
        let (told, alone) = (ran.object(), given.exec(&[&flags[..], &["faer"]].concat()).0);
        assert_eq!((&told["served"], &told["handed_back"]), (&alone["served"], &alone["handed_back"]), "{ranks}");
        assert_eq!((&told["served"]["potrf"], &told["served"]["trsm"]), (&Value::Null, &Value::Null), "{ranks}");
        assert_eq!(told["handed_back"], json!({"potrf": 2, "trsm": 1}), "{ranks}");
    }
}
