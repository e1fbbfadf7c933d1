//! Functions of the language beyond arithmetic, constants and functions of the user's own: what they give by `run`, by the simulator and on
//! threads, and what NumPy has.

use super::start::{good, json};
use ndarray::{Array1, ArrayD};
use ndarray_npy::{read_npy, write_npy};
use serde_json::json;
use std::path::Path;

const GELU: &str = "\
kernel gelu(N)
const C = sqrt(2 / pi)
const W = 2
function inner(x, scale) = scale * (x + 0.044715 * pow(x, 3))
function gelu(x) = x / 2 * (1 + tanh(inner(x, C)))
in  x[W * N]
out y[W * N]
y[i] = gelu(x[i])
";

/// The same without definitions.
const WRITTEN_OUT: &str = "\
kernel gelu(N)
in  x[2 * N]
out y[2 * N]
y[i] = x[i] / 2 * (1 + tanh(0.7978845608028654 * (x[i] + 0.044715 * pow(x[i], 3))))
";

const FUNCTIONS: &str = "\
kernel functions(N)
in  x[N]
out a[N], b[N], c[N], d[N], e[N], f[N], g[N]
a[i] = tanh(x[i])
b[i] = sin(x[i])
c[i] = cos(x[i])
d[i] = atan2(x[i], 2 - x[i])
e[i] = floor(x[i])
f[i] = ceil(x[i])
g[i] = sign(x[i])
";

const ARGUMENTS: [f64; 5] = [-2.5, -0.5, 0.0, 0.75, 3.0];

/// What NumPy has for these arguments.
const RIGHT: [(&str, [f64; 5]); 7] = [
    ("a", [-0.986_614_298_151_430_3, -0.462_117_157_260_009_74, 0.0, 0.635_148_952_387_287_3, 0.995_054_753_686_730_5]),
    ("b", [-0.598_472_144_103_956_5, -0.479_425_538_604_203, 0.0, 0.681_638_760_023_334_1, 0.141_120_008_059_867_2]),
    ("c", [-0.801_143_615_546_933_7, 0.877_582_561_890_372_8, 1.0, 0.731_688_868_873_820_9, -0.989_992_496_600_445_4]),
    ("d", [-0.507_098_504_392_337, -0.197_395_559_849_880_75, 0.0, 0.540_419_500_270_584_2, 1.892_546_881_191_538_7]),
    ("e", [-3.0, -1.0, 0.0, 0.0, 3.0]),
    ("f", [-2.0, -0.0, 0.0, 1.0, 3.0]),
    ("g", [-1.0, -1.0, 0.0, 1.0, 1.0]),
];

fn path(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}

fn is_near(found: &ArrayD<f64>, right: &[f64]) -> bool {
    found.len() == right.len() && found.iter().zip(right).all(|(ours, right)| (ours - right).abs() <= 1e-15)
}

fn bits(array: &ArrayD<f64>) -> Vec<u64> {
    array.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn functions_are_those_of_numpy_on_every_back_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = |file: &str| path(folder.path(), file);
    std::fs::write(path("k.rec"), FUNCTIONS).unwrap();
    write_npy(path("x.npy"), &Array1::from_vec(ARGUMENTS.to_vec())).unwrap();
    let data = |kind: &str| {
        let outputs =
            RIGHT.map(|(name, _)| ["--output".to_owned(), format!("{name}={}", path(&format!("{name}.{kind}")))]);
        let given = ["--size", "N=5", "--input"].map(str::to_owned).into_iter();
        given.chain([format!("x={}", path("x.npy"))]).chain(outputs.into_iter().flatten()).collect::<Vec<String>>()
    };
    let ran = |command: &[&str], kind: &str| {
        let data = data(kind);
        let data: Vec<&str> = data.iter().map(String::as_str).collect();
        json(&[command, &data].concat())
    };
    let said = ran(&["run", &path("k.rec")], "run.npy");
    assert_eq!(said["sim"]["matches_reference"], json!(true));
    good(&["emit", &path("k.rec"), "--size", "N=5", "-o", &path("k.pe")]);
    ran(&["sim", &path("k.pe")], "sim.npy");
    ran(&["exec", &path("k.pe"), "--threads", "2"], "exec.npy");
    for (name, right) in RIGHT {
        let read = |kind: &str| -> ArrayD<f64> { read_npy(path(&format!("{name}.{kind}.npy"))).unwrap() };
        let found = read("run");
        assert!(is_near(&found, &right), "{name}: {found}");
        assert_eq!(bits(&found), bits(&read("sim")), "{name}");
        assert_eq!(bits(&found), bits(&read("exec")), "{name}");
    }
}

#[test]
fn definitions_say_what_is_written_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |file: &str| path(folder.path(), file);
    std::fs::write(path("defined.rec"), GELU).unwrap();
    std::fs::write(path("written.rec"), WRITTEN_OUT).unwrap();
    let [defined, written] =
        ["defined", "written"].map(|name| good(&["emit", &path(&format!("{name}.rec")), "--size", "N=2"]));
    assert_eq!(defined, written);
    write_npy(path("x.npy"), &Array1::from_vec(vec![-2.5, 0.0, 0.75, 3.0])).unwrap();
    let (input, output) = (format!("x={}", path("x.npy")), format!("y={}", path("y.npy")));
    let said = json(&["run", &path("defined.rec"), "--size", "N=2", "--input", &input, "--output", &output]);
    assert_eq!(said["sim"]["matches_reference"], json!(true));
    let found: ArrayD<f64> = read_npy(path("y.npy")).unwrap();
    assert!(
        is_near(&found, &[-0.015_084_266_089_998_577, 0.0, 0.579_960_555_165_620_3, 2.996_362_607_918_227]),
        "{found}"
    );
    // A design is written with the definitions of its kernel, and read with them.
    good(&["emit", &path("defined.rec"), "--size", "N=2", "--stop-after", "design", "-o", &path("k.design")]);
    assert!(std::fs::read_to_string(path("k.design")).unwrap().contains("function gelu(x) ="));
    good(&["prove", &path("k.design")]);
}
