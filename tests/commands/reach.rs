//! Kernels that a reader tries first, with no flag but the sizes: each has a design, proved for all sizes, whose run takes the cycles
//! that the search counts and gives the values of the equations.
//!
//! The kinds are those of public textbooks; the figures are what the search finds today, to be improved on and never lost.

use super::share::share;
use super::start::{refused, systole};
use tempfile::TempDir;

/// What it shows, its sizes, cycles, PEs and text.
const KERNELS: &[(&str, &str, u64, u64, &str)] = &[
    (
        "A sweep there and back: what comes first waits longest.",
        "N=5",
        10,
        1,
        "\
kernel sweeps(N)
in A[N]
local D[N]
out U[N]
D[0] = A[0]
D[i] = A[i] + D[i - 1]   where i >= 1
U[N - 1] = D[N - 1]
U[i] = D[i] - A[i] * U[i + 1]   where i < N - 1
",
    ),
    (
        "Thomas' algorithm for tridiagonal matrices: the textbook's 3 N steps of one PE.",
        "N=6",
        18,
        1,
        "\
kernel thomas(N)
in  a[N], b[N], c[N], d[N]
out x[N]
local cp[N], dp[N]
cp[0] = c[0] / (4 + b[0])
cp[i] = c[i] / (4 + b[i] - a[i] * cp[i - 1])   where 1 <= i
dp[0] = d[0] / (4 + b[0])
dp[i] = (d[i] - a[i] * dp[i - 1]) / (4 + b[i] - a[i] * cp[i - 1])   where 1 <= i
x[N - 1] = dp[N - 1]
x[i] = dp[i] - cp[i] * x[i + 1]   where i < N - 1
",
    ),
    (
        "Power iteration: every element of a vector is read for each of the next one, so a row of A stays on each PE.",
        "T=3,N=4",
        15,
        4,
        "\
kernel power(T, N)
in A[N, N], v[N]
out x[T, N]
x[0, i] = v[i]
x[t, i] = sum(j in 0..N) A[i, j] * x[t - 1, j]   where t >= 1
",
    ),
    (
        "Viterbi's algorithm: every state is reached from every other.",
        "T=4,S=3",
        13,
        3,
        "\
kernel viterbi(T, S)
in  A[S, S], E[T, S], p[S]
out V[T, S]
V[0, s] = p[s] + E[0, s]
V[t, s] = E[t, s] + max(r in 0..S) (V[t - 1, r] + A[r, s])   where 1 <= t
",
    ),
    (
        "The best order to multiply a chain of matrices (Guibas, Kung and Thompson 1979 take 2 N steps).",
        "N=4",
        9,
        3,
        "\
kernel matrixchain(N)
in  p[N + 1] is positive
out m[N, N]
m[i, i] = 0
m[i, j] = min(k in i..j) (m[i, k] + m[k + 1, j] + p[i] * p[k + 1] * p[j + 1])   where 0 <= i, i < j, j < N
m[i, j] = 0   where i > j
",
    ),
    (
        "What is computed is read by a stride.",
        "N=4",
        12,
        1,
        "\
kernel k(N)
in x[2*N]
local T[2*N]
out y[N]
T[i] = x[i] * x[i]   where 0 <= i < 2*N
y[i] = T[2*i]   where 0 <= i < N
",
    ),
    (
        "What is computed is read with its indices exchanged.",
        "N=4",
        8,
        7,
        "\
kernel k(N)
in x[N, N]
local T[N, N]
out y[N, N]
T[i, j] = x[i, j] * 2
y[i, j] = T[i, j] + T[j, i]
",
    ),
    (
        "What is computed is read backwards.",
        "N=5",
        10,
        1,
        "\
kernel reverse(N)
in x[N]
local T[N]
out y[N]
T[i] = x[i] * 2
y[i] = T[N - 1 - i] + x[i]
",
    ),
    (
        "A batch of products with a triangle: rows of no one length, which run in rounds.",
        "H=2,N=3,L=2",
        6,
        6,
        "\
kernel triangles(H, N, L)
in  A[H, N, N], B[H, N, L]
out Y[H, N, L]
Y[h, i, l] = sum(k in 0..i + 1) A[h, i, k] * B[h, k, l]
",
    ),
    (
        "A depthwise convolution: five indices have 250 million maps, of which the plainest are looked at.",
        "C=2,M=3,N=2,K=2,L=2",
        12,
        9,
        "\
kernel depthwise(C, M, N, K, L)
in  W[C, K, L], X[C, M + K - 1, N + L - 1]
out Y[C, M, N]
Y[c, i, j] = sum(k, l) W[c, k, l] * X[c, i + k, j + l]
",
    ),
    (
        "The same with a bias and a rectifier: two spaces, in rounds.",
        "C=2,M=3,N=2,K=2,L=2",
        12,
        6,
        "\
kernel rectified(C, M, N, K, L)
in  W[C, K, L], X[C, M + K - 1, N + L - 1], b[C]
out Y[C, M, N]
Y[c, i, j] = max(0, b[c] + sum(k, l) W[c, k, l] * X[c, i + k, j + l])
",
    ),
    (
        "A layer of a convolutional network: six indices.",
        "F=2,C=2,M=2,N=3,K=2,L=2",
        26,
        4,
        "\
kernel layer(F, C, M, N, K, L)
in  W[F, C, K, L], X[C, M + K - 1, N + L - 1]
out Y[F, M, N]
Y[f, i, j] = sum(c, k, l) W[f, c, k, l] * X[c, i + k, j + l]
",
    ),
    (
        "A product of three factors that share two indices.",
        "I=2,J=3,K=2,L=2,M=3",
        15,
        6,
        "\
kernel factors(I, J, K, L, M)
in  A[I, J, K], B[J, L], C[K, M]
out D[I, L, M]
D[i, l, m] = sum(j, k) A[i, j, k] * B[j, l] * C[k, m]
",
    ),
    (
        "Two products with a rectifier between them.",
        "B=2,I=3,H=2,O=2",
        8,
        4,
        "\
kernel perceptron(B, I, H, O)
in  X[B, I], W[I, H], V[H, O], b[H]
out Y[B, O]
local Z[B, H]
Z[n, h] = max(0, b[h] + sum(i) X[n, i] * W[i, h])
Y[n, o] = sum(h) Z[n, h] * V[h, o]
",
    ),
    (
        "Attention with several heads, an array for each.",
        "H=2,N=2,M=2,D=2",
        9,
        12,
        "\
kernel heads(H, N, M, D)
in  Q[H, N, D], K[H, M, D], V[H, M, D]
out O[H, N, D]
local S[H, N, M], l[H, N]
S[h, i, j] = exp((sum(d) Q[h, i, d] * K[h, j, d]) / sqrt(D))
l[h, i] = sum(j) S[h, i, j]
O[h, i, d] = (sum(j) S[h, i, j] * V[h, j, d]) / l[h, i]
",
    ),
    (
        "A sweep of Gauss and Seidel in place: each case of the border reads its inputs in ways that cost the same.",
        "T=3,N=5",
        13,
        25,
        "\
kernel seidel(T, N)
inout A[N, N] over t in 0..T
A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j]) / 5 where 1 <= i < N - 1, 1 <= j < N - 1
",
    ),
    (
        "Shortest paths by Bellman and Ford: each step needs all of the one before, which passes along the links.",
        "T=2,N=3",
        14,
        5,
        "\
kernel shortest(T, N)
in  W[N, N], d[N]
out D[N]
local P[T + 1, N]
P[0, j] = d[j]
P[t + 1, j] = min(P[t, j], min(i) (P[t, i] + W[i, j]))
D[j] = P[T, j]
",
    ),
    (
        "Channels of signals, each changed before it is read at two places: in rounds a reduction goes on in few of its orders.",
        "M=2,N=3,T=2",
        6,
        12,
        "\
kernel channels(M, N, T)
in  A[M, N + 1], W[T, M, 2]
local X[M, N + 1]
out Y[T, N]
X[k, i] = A[k, i] + 1
Y[t, i] = max(k, l in 0..2) W[t, k, l] * X[k, i + l]
",
    ),
    (
        "Groups of channels by their means and variances: PEs that store what they compute before one that runs it all.",
        "G=2,C=2,N=3",
        11,
        7,
        "\
kernel group_norm(G, C, N)
in  X[G, C, N], w[G, C], b[G, C]
out Y[G, C, N]
local mean[G], var[G]
mean[g] = sum(c, n) X[g, c, n] / (C * N)
var[g] = sum(c, n) (X[g, c, n] - mean[g]) * (X[g, c, n] - mean[g]) / (C * N)
Y[g, c, n] = (X[g, c, n] - mean[g]) / sqrt(var[g] + 0.00001) * w[g, c] + b[g, c]
",
    ),
    (
        "A box filter whose windows the borders cut off: what reads the sums is divided as they are.",
        "M=4,N=3",
        12,
        12,
        "\
kernel box(M, N)
in  x[M, N]
out y[M, N]
y[i, j] = 0.125 * (sum(k in max(0, i - 1)..min(M, i + 2), l in max(0, j - 1)..min(N, j + 2)) x[k, l])
",
    ),
    (
        "Life on a board with borders: the sum that a function names twice is made once, from the first row on, since the last has one form and the first has two.",
        "T=2,M=3,N=4",
        188,
        1,
        "\
kernel life(T, M, N)
function rule(a, s) = select(s == 3, 1, select(s == 4, a, 0))
in  x[M, N]
out y[M, N]
local u[T + 1, M, N]
u[0, i, j] = x[i, j]
u[t, i, j] = rule(u[t - 1, i, j], sum(k in max(0, i - 1)..min(M, i + 2), l in max(0, j - 1)..min(N, j + 2)) u[t - 1, k, l])
  where 1 <= t <= T
y[i, j] = u[T, i, j]
",
    ),
];

/// All that a command says, which must end well.
fn output(arguments: &[&str]) -> String {
    let ran = systole(arguments);
    assert_eq!(ran.code, 0, "{arguments:?}\n{}", ran.stderr);
    ran.stdout + &ran.stderr
}

/// Those of `KERNELS` whose search takes more than five seconds, by their sizes: with the feature `long-tests`.
const SEARCHED_LONG: [&str; 3] = ["F=2,C=2,M=2,N=3,K=2,L=2", "T=3,N=5", "M=2,N=3,T=2"];

#[test]
fn each_has_a_design() {
    let folder = TempDir::new().expect("a folder");
    let is_taken = |sizes: &str| cfg!(feature = "long-tests") || !SEARCHED_LONG.contains(&sizes);
    assert_eq!(KERNELS.iter().filter(|(_, sizes, ..)| SEARCHED_LONG.contains(sizes)).count(), SEARCHED_LONG.len());
    for (what, sizes, cycles, pes, text) in KERNELS.iter().filter(|(_, sizes, ..)| is_taken(sizes)) {
        let file = folder.path().join("kernel.rec");
        std::fs::write(&file, text).expect("written");
        let ran = output(&["run", file.to_str().expect("a path"), "--size", sizes]);
        let array = if *pes == 1 { "1 PE".to_owned() } else { format!("{pes} PEs") };
        assert!(ran.contains(&format!("{cycles} cycles on {array}")), "{what}\n{}", ran);
        assert!(ran.contains(&format!("{cycles} cycles (as predicted) on {array}")), "{what}\n{}", ran);
        assert!(ran.contains("matches reference bit for bit"), "{what}\n{}", ran);
    }
}

/// A layer with a border on one PE: of 48 orders of its reduction two go on in rounds that begin with its columns.
#[test]
fn a_layer_with_a_border_has_an_order_on_one_pe() {
    let layer = ["run", "kernels/layers/padded_convolution.rec", "--size", "G=2,F=3,C=2,M=2,N=2", "--rank", "0"];
    let ran = output(&layer);
    assert!(
        ran.contains("624 cycles (as predicted) on 1 PE") && ran.contains("matches reference bit for bit"),
        "{ran}"
    );
}

/// The same on threads, and at ragged sizes and sizes of 1.
#[test]
fn what_pes_keep_they_keep_on_threads_too() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    for (what, sizes, _, _, text) in
        KERNELS.iter().filter(|kernel| kernel.4.contains("viterbi") || kernel.4.contains("sweeps"))
    {
        std::fs::write(path("kernel.rec"), text).expect("written");
        output(&["emit", &path("kernel.rec"), "--size", sizes, "-o", &path("kernel.pe")]);
        for size in ["1", "2", "7"] {
            let names = sizes.split(',').filter_map(|one| one.split('=').next());
            let sizes = names.map(|name| format!("{name}={size}")).collect::<Vec<_>>().join(",");
            for threads in ["1", "3"] {
                let ran = output(&[
                    "exec",
                    &path("kernel.pe"),
                    "--size",
                    &sizes,
                    "--threads",
                    threads,
                    "--reference",
                    &path("kernel.rec"),
                ]);
                assert!(ran.contains("matches the reference bit for bit"), "{what} {sizes}\n{}", ran);
            }
        }
        std::fs::remove_file(path("kernel.pe")).expect("removed");
    }
}

/// A schedule asks for it by name, and says where it cannot be.
#[test]
fn a_schedule_says_local() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("kernel.rec");
    let viterbi = KERNELS[3].4;
    let kept = format!("{viterbi}schedule kept\n  place ()\n  time (t, s, r)\n  local V\n");
    std::fs::write(&file, &kept).expect("written");
    let path = file.to_str().expect("a path");
    let ran = output(&["run", path, "--schedule", "kept", "--size", "T=4,S=3"]);
    assert!(ran.contains("V local") && ran.contains("39 cycles (as predicted) on 1 PE"), "{}", ran);
    let proved = output(&["prove", path, "--schedule", "kept"]);
    assert!(!proved.contains("refuted"), "{}", proved);
    std::fs::write(&file, kept.replace("local V", "local E")).expect("written");
    let why = refused(&["run", path, "--schedule", "kept", "--size", "T=4,S=3"]);
    assert!(why.contains("`E` cannot be moved so"), "{why}");
}

/// Those of the next test that take two thirds of its time.
const LONG: [&str; 6] = [
    "kernels/blocks/attention.rec",
    "kernels/naive/chain.rec",
    "tests/textbook/gauss_jordan_inverse.rec",
    "tests/textbook/gauss_jordan_solve.rec",
    "tests/textbook/forward_backward.rec",
    "tests/textbook/tucker.rec",
];

/// Those of the next test without a loop around a loop.
const ONE_INDEX: [&str; 4] = [
    "kernels/polynomial_product.rec",
    "kernels/prefix_sum.rec",
    "tests/textbook/cubic_spline.rec",
    "tests/textbook/haar.rec",
];

/// Where there is time for nothing else, loops are built for all spaces: every kernel that ships and those of the textbooks have a design,
/// proved for all sizes, with the values of the equations.
#[test]
fn no_time_is_enough_for_a_design() {
    let files = ["kernels", "kernels/naive", "kernels/blocks", "tests/textbook"].iter().flat_map(|folder| {
        let all = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        all.filter(|path| path.extension().is_some_and(|end| end == "rec"))
    });
    let mut files: Vec<String> = files.map(|path| path.display().to_string()).collect();
    files.sort();
    assert!(files.len() >= 81, "{files:?}");
    assert!(LONG.iter().chain(&ONE_INDEX).all(|named| files.iter().any(|file| file == named)), "{files:?}");
    let short = files.iter().filter(|file| cfg!(feature = "long-tests") || !LONG.contains(&file.as_str()));
    for file in share(short, 3) {
        let text = std::fs::read_to_string(file).expect("a kernel");
        let head = text.lines().find(|line| line.starts_with("kernel ")).expect("a kernel");
        let names = head.split(['(', ')']).nth(1).expect("its sizes").split(", ");
        let sizes = names.map(|name| format!("{name}=2")).collect::<Vec<_>>().join(",");
        let least = if ONE_INDEX.contains(&file.as_str()) { ["--budget", "1"] } else { ["--seconds", "0"] };
        let ran = output(&[&["run", file, "--size", &sizes], &least[..]].concat());
        assert!(ran.contains("matches reference bit for bit"), "{file}\n{ran}");
        let proofs = ran.lines().find(|line| line.starts_with("  proofs")).expect("proofs");
        let numbers: Vec<&str> = proofs.split_whitespace().filter(|word| word.parse::<u64>().is_ok()).collect();
        assert_eq!(numbers[0], numbers[1], "{file}\n{ran}");
    }
}

/// Three steps of which the second needs all of the first, and the third all of the second.
const STEPS: &str = "\
kernel steps(N, M)
in  A[N, M]
out Y[N, M]
local m[N], P[N, M], l[N]
m[i] = max(j) A[i, j]
P[i, j] = exp(A[i, j] - m[i])
l[i] = sum(j) P[i, j]
Y[i, j] = P[i, j] / l[i]
";

/// A schedule that says where, and not when: loops are built for the PEs that it names. One that says when as well is not helped out.
#[test]
fn a_place_alone_is_enough() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("kernel.rec");
    let path = file.to_str().expect("a path");
    let with = |schedule: &str| std::fs::write(&file, format!("{STEPS}schedule rows\n{schedule}\n")).expect("written");
    with("place (i mod 2)");
    for size in ["N=5,M=3", "N=1,M=1", "N=4,M=1"] {
        let ran = output(&["run", path, "--schedule", "rows", "--size", size, "--seconds", "0"]);
        assert!(ran.contains("PE (i mod 2)") && ran.contains("matches reference bit for bit"), "{size}\n{ran}");
    }
    with("place (i mod 2) time (i div 2, 0)");
    refused(&["run", path, "--schedule", "rows", "--size", "N=5,M=3", "--seconds", "0"]);
}

/// The last term of a sum with a step depends on the remainder of the size, unless that is a multiple of the step.
#[test]
fn a_step_up_to_any_size_is_refused_with_what_to_write() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("kernel.rec").display().to_string();
    let kernel = |size: &str| {
        format!("kernel k(N)\nin x[{size}]\nout y[{size}]\ny[i] = x[i] + sum(k in 0..{size} step 2) x[k]\n")
    };
    std::fs::write(&file, kernel("N")).expect("written");
    let message = refused(&["run", &file, "--size", "N=4"]);
    assert!(message.contains("the remainder of `N` divided by 2") && message.contains("arrays of `2*N`"), "{message}");
    std::fs::write(&file, kernel("2*N")).expect("written");
    assert!(output(&["run", &file, "--size", "N=4"]).contains("matches reference bit for bit"));
}

/// Householder's reflections of a matrix that need not be square: a loop over `k` around loops of four families, and one behind them.
const REFLECTIONS: &str = "\
kernel reflections(M, N)
in  A[M, N], beta[N]
out R[M, N]
local W[N + 1, M, N], v[N, M], w[N, N]
W[0, i, j] = A[i, j]
v[k, i] = W[k, i, k]
w[k, j] = beta[k] * (sum(i in k..M) v[k, i] * W[k, i, j])
W[k + 1, i, j] = w[k, j]   where k <= i, k <= j
W[k, i, j] = W[k - 1, i, j] elsewhere
R[i, j] = W[N, i, j]
";

/// Two sums that are awaited together: who begins a round early gives its result to another round, and a queue would grow.
const SUMS: &str = "\
kernel sums(M, N)
in  H[N + 1], E[2*N], F[N]
local X[2*N, N]
out Y[N + 1, M]
X[i, j] = E[i] + F[j]
Y[i, j] = H[i] + 1   where i < 1
Y[i, j] = max(sum(l in 0..2*N) (E[l] * X[l, N - 1]), sum(l in 0..i) (H[l] * Y[l, j]))   where i >= 1
";

/// Rows from the last to the first, each of which waits for two reductions over those that are there: only loops of one length keep what
/// these give waiting for a fixed time.
const BACKWARDS: &str = "\
kernel backwards(M, N)
in  G[M], H[N + 1]
out X[N + 1, 2*N], Y[M, N + 1]
X[i, j] = H[i]   where i >= N
X[i, j] = max((sum(l in 0..i) X[i + 1, l]) - X[i + 1, j], max(l in i + 1..N + 1) (X[l, 2*N - 1 - j] - H[l]))   where i < N
Y[i, j] = G[i] + 1   where j >= N
Y[i, j] = (sum(l in 0..M) Y[l, j + 1]) + G[i]   where j < N
";

/// Each element is replaced three times a step: 24 spaces, whose steps are not decided together.
const THREE_TIMES: &str = "\
kernel three_times(M, N)
in a[N + 1], b[2*N - 1]
inout A[N, N] over t in 0..2
A[i, j] = A[j + 1, j - 1] * (a[2*t + 1] - b[j + i])   where 1 <= j, j <= N - 2
A[i, j] = A[t + 1, i + 1] * a[N - i]   where 1 <= i, i <= N - 2
A[i, j] = max(A[i, i], b[t]) - A[i, i]   where j <= N - 2
";

/// What loops have to see to, each at a size of its own and at the smallest; what takes ten seconds with the feature `long-tests`.
#[test]
fn loops_are_built_for_all() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("kernel.rec").display().to_string();
    let kernels = [(REFLECTIONS, "M=5,N=3"), (SUMS, "M=4,N=3"), (BACKWARDS, "M=3,N=4")];
    let long = cfg!(feature = "long-tests").then_some((THREE_TIMES, "M=1,N=4"));
    for (kernel, size) in kernels.into_iter().chain(long) {
        std::fs::write(&file, kernel).expect("written");
        for size in [size, "M=1,N=1"] {
            let ran = output(&["run", &file, "--size", size, "--seconds", "0"]);
            assert!(ran.contains("matches reference bit for bit"), "{ran}");
        }
    }
}
