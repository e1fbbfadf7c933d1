//! What is written by strides and read again, and reads that a guard keeps within bounds: from the text to values, on one array
//! and on a smaller one, and on threads.

use super::start::{good, json, refused, written};
use ndarray::Array1;
use ndarray_npy::{read_npy, write_npy};
use tempfile::TempDir;

/// Odd-even transposition sort: its steps write each second element.
const ODD_EVEN: &str = "kernel oddeven(N)
in  x[2 * N]
out y[2 * N]
local A[2 * N + 1, 2 * N]
A[0, i] = x[i]
A[t, 2 * i] = min(A[t - 1, 2 * i], A[t - 1, 2 * i + 1])   where 1 <= t
A[t, 2 * i + 1] = max(A[t - 1, 2 * i], A[t - 1, 2 * i + 1])   where 1 <= t
y[i] = A[2 * N, i]
";

/// The same sort with one equation for a step. Which elements are compared depends on two indices, so the last step lies at a quotient of the
/// size and at one of the index.
const SORT_BY_PARITY: &str = "kernel sorted(N)
in  x[N]
out y[N]
local s[N + 1, N]
s[0, i] = x[i]
s[t + 1, i] = select((i + t) mod 2 == 0, min(s[t, i], s[t, i + 1] else infinity), max(s[t, i - 1] else -infinity, s[t, i]))
y[i] = s[N, i]
";

/// Which position is read depends on whether `N` is even, so a read is of the whole.
const FOLDED: &str = "kernel folded(N)
in a[N], b[N]
out y[N]
local Z[2 * N]
Z[2 * i] = a[i] + 1
Z[2 * i + 1] = b[i] - Z[2 * i]
y[i] = Z[i] + Z[i + N]   where i < N
";

const SUMMED: &str = "kernel summed(N)
in a[N], b[N]
out Z[2 * N], y[N]
Z[2 * i] = a[i]
Z[2 * i + 1] = b[i]
y[i] = sum(j in 0..i + 1) Z[j] * a[j]
";

const WINDOW: &str = "kernel window(N)
in x[N], w[3]
out y[N]
y[i] = sum(k in 0..3) w[k] * select((1 <= i + k) * (i + k < N + 1), x[i + k - 1], 0)
";

/// What is given lies at `k mod 2`, so each word that is under way in a queue has a quotient of its own.
const HALVES: &str = "kernel halves(N)
in a[N, 2]
out y, z
reduction plus(p, q) with (u, v) = (p + u, q + v) from (0, 0)
(y, z) = plus(k in 1..N) (a[k, k mod 2] else 0.5, 1)
";

fn kernel(text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.rec").to_str().unwrap().to_owned();
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn strides_and_guards_are_proved_and_give_the_bits_of_the_equations() {
    for text in [ODD_EVEN, FOLDED, SUMMED, WINDOW, HALVES] {
        let (_folder, path) = kernel(text);
        for size in ["N=1", "N=4", "N=5"] {
            let ran = json(&["run", &path, "--size", size]);
            let seen = (&ran["prove"]["result"], &ran["sim"]["matches_reference"]);
            assert_eq!(seen, (&"proved".into(), &true.into()), "{size} of\n{text}");
        }
        let program = format!("{path}.pe");
        good(&["emit", &path, "-o", &program]);
        let said = good(&["exec", &program, "--size", "N=6", "--reference", &path, "--threads", "3"]);
        assert!(said.contains("matches the reference bit for bit"), "{said}");
    }
}

/// `y` is read where `N` and `i` are divided by 2; in order on one PE, its loop begins after those that give these elements.
#[test]
fn a_sort_by_the_parity_of_two_indices_sorts() {
    let (folder, path) = kernel(SORT_BY_PARITY);
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (input, output) = (format!("x={}", file("x.npy")), format!("y={}", file("y.npy")));
    for count in [1, 2, 5, 8] {
        let mut values: Vec<f64> = (0..count).map(|number| f64::from(number * 5 % 8) - 2.5).collect();
        write_npy(file("x.npy"), &Array1::from(values.clone())).unwrap();
        let ran = json(&["run", &path, "--seconds", "0", "--input", &input, "--output", &output]);
        let seen = (&ran["prove"]["result"], &ran["sim"]["matches_reference"]);
        assert_eq!(seen, (&"proved".into(), &true.into()), "{count} elements");
        values.sort_by(f64::total_cmp);
        assert_eq!(read_npy::<_, Array1<f64>>(file("y.npy")).unwrap().to_vec(), values);
    }
}

/// What a design says of strips that no equation names is read again, and so are its recurrences.
#[test]
fn designs_of_strips_are_read_as_they_are_written() {
    for text in [FOLDED, SUMMED] {
        let (_folder, path) = kernel(text);
        let (design, spaces) = (format!("{path}.design"), format!("{path}.spaces"));
        good(&["emit", &path, "--stop-after", "design", "-o", &design]);
        let proved = good(&["prove", &design]);
        assert!(proved.contains("element-apart") && !proved.contains("refuted"), "{proved}");
        good(&["emit", &path, "--stop-after", "spaces", "-o", &spaces]);
        let checked = good(&["check", &spaces]);
        assert!(checked.contains("all as the kernel gives them under its design"), "{checked}");
        let written = std::fs::read_to_string(&design).unwrap();
        std::fs::write(&design, written.replace("x0 div 2", "x0 div 3")).unwrap();
        refused(&["prove", &design]);
    }
}

#[test]
fn strides_are_divided_for_a_smaller_array() {
    let (_machines, machine) = written("[grid]\nnetwork = \"wire\"\nextent = [2, 1]\n");
    for text in [ODD_EVEN, FOLDED] {
        let (_folder, path) = kernel(text);
        let ran = json(&["run", &path, "--size", "N=5", "--machine", &machine]);
        let seen = (&ran["prove"]["result"], &ran["sim"]["matches_reference"]);
        assert_eq!(seen, (&"proved".into(), &true.into()), "{text}");
    }
}

/// The twins: a stride that leaves elements out, two that meet, a guard that is too wide, and a left side that is too long.
#[test]
fn what_strides_guards_and_ranges_leave_out_is_refused() {
    for (text, from, to, said) in [
        (FOLDED, "Z[2 * i + 1] = b[i] - Z[2 * i]", "Z[4 * i + 1] = b[i]", "element `Z[3]` is never defined"),
        (FOLDED, "Z[2 * i + 1] = b[i] - Z[2 * i]", "Z[i + N] = b[i]", "is defined twice"),
        (WINDOW, "i + k < N + 1", "i + k < N + 2", "access to `x` can leave its bounds"),
        (SUMMED, "y[i] = ", "y[i] = a[i + 1] + ", "access to `a` can leave its bounds"),
        (ODD_EVEN, "max(A[t - 1, 2 * i],", "max(A[t, 2 * i + 1],", "is defined by itself"),
    ] {
        let (_folder, path) = kernel(&text.replace(from, to));
        let found = refused(&["run", &path, "--size", "N=4"]);
        assert!(found.contains(said), "{found}");
    }
}
