//! Arrays that a command line gives: those that no equation reads, and what comes of others.

use super::start::{good, json, misused, refused, systole};
use ndarray::{ArrayD, array};
use ndarray_npy::{read_npy, write_npy};

/// A folder with kernels in which `z` is declared and not read: one of a single space, and one of several.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        let head = "in x[N], z[N, N]\nout y[N]";
        std::fs::write(folder.path("one.rec"), format!("kernel one(N)\n{head}\ny[i] = 2 * x[i]\n")).expect("written");
        let text = format!("kernel two(N)\n{head}, w[N]\ny[i] = 2 * x[i]\nw[i] = y[i] + sum(j in 0..i) w[j]\n");
        std::fs::write(folder.path("two.rec"), text).expect("written");
        write_npy(folder.path("x.npy"), &array![1.0, 2.0, 3.0]).expect("written");
        write_npy(folder.path("z.npy"), &ArrayD::<f64>::zeros(vec![3, 3])).expect("written");
        write_npy(folder.path("flat.npy"), &array![1.0, 2.0, 3.0]).expect("written");
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// `name=path`.
    fn named(&self, name: &str, file: &str) -> String {
        format!("{name}={}", self.path(file))
    }
}

#[test]
fn an_input_that_no_equation_reads_is_taken_and_it_is_said() {
    let folder = Folder::new();
    let (x, z, flat) = (folder.named("x", "x.npy"), folder.named("z", "z.npy"), folder.named("z", "flat.npy"));
    for kernel in ["one.rec", "two.rec"] {
        for tiles in [&[][..], &["--tile", "i=2"]] {
            // Several spaces in tiles of one size.
            let tiles = if kernel == "two.rec" && !tiles.is_empty() { &["--tile", "i=2,j=2"] } else { tiles };
            let (output, path) = (folder.named("y", "y.npy"), folder.path(kernel));
            let run = [&["run", &path, "--size", "N=3", "--input", &x, "--output", &output], tiles].concat();
            let text = good(&[&run[..], &["--input", &z]].concat());
            assert!(text.contains("  unused    `z`: no equation reads it\n"), "{text}");
            let found: ArrayD<f64> = read_npy(folder.path("y.npy")).expect("an array");
            assert_eq!(found, array![2.0, 4.0, 6.0].into_dyn());
            assert_eq!(json(&[&run[..], &["--input", &z]].concat())["unused"], serde_json::json!(["z"]));
            // The twins: nothing is said where it is not given, and another shape is refused as of any input.
            assert!(!good(&run).contains("unused") && json(&run)["unused"].is_null());
            let message = refused(&[&run[..], &["--input", &flat]].concat());
            assert!(message.contains("input `z` has shape [3], expected [3, 3]"), "{message}");
            assert!(misused(&[&run[..], &["--input", "q=q.npy"]].concat()).contains("`q` is not an input"));
        }
    }
}

/// The program of one space does not know what no equation reads; with the kernel beside it, it is taken.
#[test]
fn programs_take_what_their_kernel_declares() {
    let folder = Folder::new();
    let (program, kernel, z) = (folder.path("one.pe"), folder.path("one.rec"), folder.named("z", "z.npy"));
    good(&["emit", &kernel, "-o", &program]);
    assert!(std::fs::read_to_string(&program).expect("text").contains("array z"));
    for command in ["sim", "exec"] {
        let run = [command, &program, "--size", "N=3"];
        let text = good(&[&run[..], &["--input", &z]].concat());
        assert!(text.contains("`z`: no equation reads it"), "{text}");
        let other = z.replacen("z=", "w=", 1);
        assert!(misused(&[&run[..], &["--input", &other]].concat()).contains("`w` is not an input of this program"));
        let with = [&run[..], &["--reference", &kernel]].concat();
        let text = good(&with);
        assert!(text.contains("matches the reference bit for bit") && !text.contains("unused"), "{text}");
        let given = [&with[..], &["--input", &z]].concat();
        let text = good(&given);
        assert!(text.contains("unused") && text.contains("`z`: no equation reads it"), "{text}");
        assert_eq!(json(&given)["unused"], serde_json::json!(["z"]));
    }
}

/// Who gives some arrays and forgets one is told what it holds instead.
#[test]
fn inputs_that_no_file_gives_are_named() {
    let folder = Folder::new();
    let kernel = folder.path("sum.rec");
    std::fs::write(&kernel, "kernel sum(N)\nin a[N], b[N]\nout y[N]\ny[i] = a[i] + b[i]\n").expect("written");
    let program = folder.path("sum.pe");
    good(&["emit", &kernel, "-o", &program]);
    let (a, b) = (folder.named("a", "x.npy"), folder.named("b", "x.npy"));
    for command in [["run", &kernel], ["sim", &program], ["exec", &program]] {
        let some = [&command[..], &["--size", "N=3", "--seed", "7", "--input", &a]].concat();
        let text = good(&some);
        assert!(text.contains("`b`, from --seed 7: no file gives it"), "{text}");
        assert_eq!(json(&some)["filled"], serde_json::json!(["b"]));
        // The twins: all are given, or none is.
        assert!(json(&[&some[..], &["--input", &b]].concat())["filled"].is_null());
        assert!(json(&[&command[..], &["--size", "N=3"]].concat())["filled"].is_null());
        // What names no array, or no file of one, is refused before anything else is asked.
        let command = [&command[..], &["--input", "nope"]].concat();
        assert!(misused(&command).contains("`nope` does not name an input"));
    }
    let output = folder.named("y", "y.npz");
    let message = misused(&["run", &kernel, "--output", &output]);
    assert!(message.contains("names an archive") && message.contains("y.npy"), "{message}");
    assert!(!std::path::Path::new(&folder.path("y.npz")).exists());
}

/// Halves and bytes give what doubles of the same numbers give, on the simulator and on threads.
#[test]
fn small_types_are_numbers_like_others() {
    let folder = Folder::new();
    let (program, kernel) = (folder.path("one.pe"), folder.path("one.rec"));
    good(&["emit", &kernel, "-o", &program]);
    write_npy(folder.path("bytes.npy"), &array![1u8, 2, 255]).expect("written");
    write_npy(folder.path("large.npy"), &array![1i64, 2, (1 << 53) + 1]).expect("written");
    let (bytes, large) = (folder.named("x", "bytes.npy"), folder.named("x", "large.npy"));
    let output = folder.named("y", "y.npy");
    for command in [["run", &kernel], ["sim", &program], ["exec", &program]] {
        let run = [&command[..], &["--size", "N=3", "--output", &output, "--input"]].concat();
        good(&[&run[..], &[&bytes]].concat());
        let found: ArrayD<f64> = read_npy(folder.path("y.npy")).expect("an array");
        assert_eq!(found, array![2.0, 4.0, 510.0].into_dyn(), "{command:?}");
        let message = refused(&[&run[..], &[&large]].concat()).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains("holds at [2] 9007199254740993, which would be rounded"), "{message}");
    }
}

/// Infinities and what is no number are told by every back end, and in no run without them.
#[test]
fn outputs_that_are_not_finite_are_told() {
    let folder = Folder::new();
    let (program, kernel) = (folder.path("p.pe"), folder.path("inverse.rec"));
    let text = "kernel inverse(N)\nin x[N]\nout y[N], s[N]\ny[i] = 1 / x[i]\ns[i] = sqrt(x[i])\n";
    std::fs::write(&kernel, text).expect("written");
    good(&["emit", &kernel, "-o", &program]);
    for tiles in [&[][..], &["--tile", "i=2"]] {
        good(&[&["emit", &kernel, "-o", &program], tiles].concat());
        write_npy(folder.path("zeros.npy"), &array![4.0, 0.0, 0.0, -1.0]).expect("written");
        write_npy(folder.path("fine.npy"), &array![4.0, 1.0, 1.0, 1.0]).expect("written");
        let (zeros, fine) = (folder.named("x", "zeros.npy"), folder.named("x", "fine.npy"));
        for command in ["sim", "exec"] {
            let run = [command, &program, "--size", "N=4", "--input"];
            let text = good(&[&run[..], &[&zeros]].concat());
            assert!(text.contains("2 of 4 elements of `y` are infinite; first y[1]\n"), "{text}");
            assert!(text.contains("1 of 4 elements of `s` is not a number; first s[3]\n"), "{text}");
            let found = json(&[&run[..], &[&zeros]].concat());
            let mut told: Vec<_> = found["not_finite"].as_array().expect("a list").clone();
            told.sort_by_key(|one| one["output"].to_string());
            assert_eq!(
                told,
                [
                    serde_json::json!({"output": "s", "elements": 4, "infinite": 0, "not_numbers": 1, "first": [3]}),
                    serde_json::json!({"output": "y", "elements": 4, "infinite": 2, "not_numbers": 0, "first": [1]}),
                ]
            );
            let fine = [&run[..], &[&fine]].concat();
            assert!(!good(&fine).contains("infinite") && json(&fine)["not_finite"].is_null());
        }
    }
    let several = ["exec", &program, "--size", "N=4", "--threads", "2", "--input", &folder.named("x", "zeros.npy")];
    assert!(good(&several).contains("2 of 4 elements of `y` are infinite; first y[1]"));
}

#[test]
fn run_tells_of_infinities_too() {
    let folder = Folder::new();
    let kernel = folder.path("by_zero.rec");
    std::fs::write(&kernel, "kernel by_zero(N)\nin x[N]\nout y[N]\ny[i] = abs(x[i]) / (i - i)\n").expect("written");
    let ran = systole(&["run", &kernel, "--size", "N=3"]);
    assert!(ran.stdout.contains("  outputs   3 of 3 elements of `y` are infinite; first y[0]\n"), "{}", ran.stdout);
    assert_eq!(json(&["run", &kernel, "--size", "N=3"])["sim"]["not_finite"][0]["infinite"], 3);
}

/// An archive of NumPy: these arrays by their names, side by side as they are, with bytes after them that say what is where.
fn archive(path: &str, arrays: &[(&str, &ArrayD<f64>)]) {
    let mut writer = zip::ZipWriter::new(std::fs::File::create(path).expect("a file"));
    for (number, (name, values)) in arrays.iter().enumerate() {
        // NumPy packs those of `savez_compressed`, and leaves those of `savez` as they are.
        let method = if number % 2 == 0 { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        writer.start_file(format!("{name}.npy"), options).expect("begun");
        ndarray_npy::WriteNpyExt::write_npy(*values, &mut writer).expect("written");
    }
    writer.finish().expect("ended");
}

#[test]
fn arrays_of_an_archive_are_inputs_by_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let matrix = |shift: f64| ArrayD::from_shape_fn(vec![3, 3], |at| at[0] as f64 * shift - at[1] as f64);
    let (a, b) = (matrix(0.5), matrix(3.0));
    let [both, more] = ["both.npz", "more.npz"].map(path);
    archive(&both, &[("A", &a), ("B", &b)]);
    archive(&more, &[("A", &a), ("Z", &b)]);
    write_npy(path("a.npy"), &a).expect("written");
    write_npy(path("b.npy"), &b).expect("written");
    let program = path("cannon.pe");
    good(&["emit", "kernels/matmul.rec", "--schedule", "cannon", "-o", &program]);
    let run = ["kernels/matmul.rec", "--schedule", "cannon", "--size", "M=3,N=3,K=3"];
    let heads = [[&["run"], &run[..]].concat(), vec!["sim", &program, "--size", "M=3,N=3,K=3"]];
    for head in heads.iter().chain([&vec!["exec", &program, "--size", "M=3,N=3,K=3"]]) {
        let result = |inputs: &[String]| -> ArrayD<f64> {
            let c = path("c.npy");
            let output = format!("C={c}");
            let mut words = [&head[..], &["--output", &output]].concat();
            inputs.iter().for_each(|input| words.extend(["--input", input]));
            good(&words);
            read_npy(c).expect("an array")
        };
        let wanted = result(&[format!("A={}", path("a.npy")), format!("B={}", path("b.npy"))]);
        assert_eq!(result(std::slice::from_ref(&both)), wanted);
        assert_eq!(result(&[format!("A={both}"), format!("B={}", path("b.npy"))]), wanted);
        let why = |input: &str, refused: fn(&[&str]) -> String| refused(&[&head[..], &["--input", input]].concat());
        // An array too many is a slip, not an input that is filled.
        assert!(why(&more, misused).contains("`Z` is not an input"));
        assert!(why(&format!("B={more}"), refused).contains("has no array `B`"));
        assert!(why(&format!("A={}", path("none.npz")), refused).contains("cannot read"));
    }
    std::fs::copy(path("a.npy"), path("false.npz")).expect("copied");
    let message = refused(&["sim", &program, "--size", "M=3,N=3,K=3", "--input", &path("false.npz")]);
    assert!(message.contains("cannot be used as an archive of arrays") && message.contains("numpy.savez"), "{message}");
    // What is read is not written over.
    let output = format!("C={both}");
    let message = refused(&["sim", &program, "--size", "M=3,N=3,K=3", "--input", &both, "--output", &output]);
    assert!(message.contains("are one file"), "{message}");
}
