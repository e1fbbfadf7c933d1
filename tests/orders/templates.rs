//! The kinds of systems, each as a text with random choices.
//!
//! Computed values are added, compared and multiplied by inputs only, so that small whole numbers stay exact.

use crate::choices::Choices;

/// A template: its name, and what writes its text.
pub type Template = (&'static str, fn(&mut Choices) -> String);

pub const TEMPLATES: [Template; 32] = [
    ("line", line),
    ("there and back", there_and_back),
    ("feedback of a vector", feedback),
    ("feedback of two vectors", two_vectors),
    ("triangular solve", solve),
    ("triangular solve of a matrix", solve_matrix),
    ("splits of an interval", splits),
    ("paths through a node", paths),
    ("grid", grid),
    ("strided reads", strided_reads),
    ("pooling", pooling),
    ("strided writes", strided_writes),
    ("growing distances", growing),
    ("reversed vector", reversed),
    ("mutual reads", mutual),
    ("growing vectors", growing_vectors),
    ("two products", products),
    ("attention on a triangle", attention),
    ("factors of a matrix", factors),
    ("best paths", best_paths),
    ("convolution of what is computed", convolution),
    ("stencil in time", stencil),
    ("columns one after the other", columns),
    ("feedback of a matrix", matrix),
    ("row after row", row_after_row),
    ("plane after plane", plane_after_plane),
    ("sweeps in time", sweeps_in_time),
    ("power iteration", power_iteration),
    ("solves in time", solves_in_time),
    ("from both ends", both_ends),
    ("channels", channels),
    ("feedback of four indices", tensor_in_time),
];

fn word(choices: &mut Choices) -> &'static str {
    if choices.percent(65) { "sum" } else { "max" }
}

/// A factor, mostly none.
fn times(choices: &mut Choices) -> &'static str {
    choices.weighted(&[(70, ""), (20, "2 * "), (10, "3 * ")])
}

fn line(choices: &mut Choices) -> String {
    let (by, times) = (1 + choices.choose(2), times(choices));
    let value = choices.weighted(&[(60, "+ A[i]"), (20, "- A[i]"), (20, "+ A[N - 1 - i]")]);
    let extent = format!("N + {by}");
    match choices.percent(60) {
        true => format!(
            "in A[{extent}]\nout X[{extent}]\nX[i] = A[i] where 0 <= i < {by}\n\
             X[i] = {times}X[i - {by}] {value} where {by} <= i < {extent}\n"
        )
        .replace("N - 1 - i", &format!("{extent} - 1 - i")),
        false => format!(
            "in A[{extent}]\nout X[{extent}]\nX[i] = A[i] where N <= i < {extent}\n\
             X[i] = {times}X[i + {by}] {value} where 0 <= i < N\n"
        ),
    }
}

fn there_and_back(choices: &mut Choices) -> String {
    let read = choices.weighted(&[(70, "Y[i]"), (15, "Y[N - i]"), (15, "Y[0] + Y[i]")]);
    let third = choices.percent(30);
    let mut text = format!(
        "in A[N + 1]\nlocal Y[N + 1]\nout X[N + 1]\nY[i] = A[i] where 0 <= i < 1\n\
         Y[i] = {}Y[i - 1] + A[i] where 1 <= i < N + 1\nX[i] = Y[i] where N <= i < N + 1\n\
         X[i] = {read} - X[i + 1] where 0 <= i < N\n",
        times(choices)
    );
    if third {
        text += "out Z[N + 1]\nZ[i] = X[0] where 0 <= i < 1\nZ[i] = max(Z[i - 1], X[i]) where 1 <= i < N + 1\n";
    }
    text
}

fn feedback(choices: &mut Choices) -> String {
    let range = choices.weighted(&[(50, "0..N"), (15, "0..i + 1"), (15, "i..N"), (10, "0..i")]);
    let read = choices.weighted(&[(75, "j"), (25, "N - 1 - j")]);
    let rest = choices.weighted(&[(40, ""), (20, " + B[i]"), (20, " - X[t - 1, i]"), (20, " + B[N - 1 - i]")]);
    format!(
        "in A[N, N], B[N]\nout X[T + 1, N]\nX[t, i] = B[i] where 0 <= t < 1, 0 <= i < N\n\
         X[t, i] = ({}(j in {range}) A[i, j] * X[t - 1, {read}]){rest} where 1 <= t < T + 1, 0 <= i < N\n",
        word(choices)
    )
}

fn two_vectors(choices: &mut Choices) -> String {
    let back = choices.weighted(&[(50, "Y[t - 1, i]"), (25, "Y[t - 1, M - 1 - i]"), (25, "Y[t - 1, 0]")]);
    let back = if choices.percent(50) { format!("X[t - 1, i] - {back}") } else { back.to_owned() };
    let shape = if back.contains("- 1, i") { "N" } else { "M" };
    let (first, second) = (word(choices), word(choices));
    format!(
        "in A[{shape}, N], B[N], C[T + 1, {shape}]\nout X[T + 1, N], Y[T + 1, {shape}]\n\
         X[t, i] = B[i] where 0 <= t < 1, 0 <= i < N\n\
         Y[t, i] = ({first}(j in 0..N) A[i, j] * X[t, j]) + C[t, i] where 0 <= t < T + 1, 0 <= i < {shape}\n\
         X[t, i] = ({second}(j in 0..{shape}) A[j, i] * Y[t - 1, j]) + {back} where 1 <= t < T + 1, 0 <= i < N\n"
    )
    .replace("M - 1 - i", &format!("{shape} - 1 - i"))
}

fn solve(choices: &mut Choices) -> String {
    let (range, word) = (choices.weighted(&[(50, "0..i"), (50, "i + 1..N")]), word(choices));
    let value = match word {
        "sum" => format!("B[i] - sum(j in {range}) A[i, j] * X[j]"),
        _ => format!("max(B[i], max(j in {range}) (A[i, j] + X[j]))"),
    };
    let second = choices.weighted(&[(60, ""), (40, "out Y[N]\n")]);
    let mut text = format!("in A[N, N], B[N]\nout X[N]\n{second}X[i] = {value} where 0 <= i < N\n");
    if !second.is_empty() {
        let range = choices.weighted(&[(50, "0..i"), (50, "i + 1..N")]);
        text += &format!("Y[i] = X[i] - sum(j in {range}) A[j, i] * Y[j] where 0 <= i < N\n");
    }
    text
}

fn solve_matrix(choices: &mut Choices) -> String {
    let range = choices.weighted(&[(50, "0..i"), (50, "i + 1..N")]);
    let beside = choices.weighted(&[(60, ""), (20, " + D[i]"), (20, " - D[N - 1 - i]")]);
    let read = if beside.is_empty() { "" } else { ", D[N]" };
    format!(
        "in A[N, N], B[N, M]{read}\nout X[N, M]\n\
         X[i, j] = B[i, j]{beside} - sum(k in {range}) A[i, k] * X[k, j] where 0 <= i < N, 0 <= j < M\n"
    )
}

fn splits(choices: &mut Choices) -> String {
    let rest = choices.weighted(&[(50, ""), (25, " + A[i]"), (25, " + A[j]")]);
    let joint = choices.weighted(&[(60, "C[i, k] + C[k + 1, j]"), (20, "C[i, k] - A[k]"), (20, "A[k] + C[k + 1, j]")]);
    format!(
        "in A[N]\nout C[N, N]\nC[i, i] = A[i] where 0 <= i < N\n\
         C[i, j] = ({}(k in i..j) ({joint})){rest} where 0 <= i < N, i + 1 <= j < N\n\
         C[i, j] = 0 where 0 <= i < N, 0 <= j < i\n",
        word(choices)
    )
}

fn paths(choices: &mut Choices) -> String {
    let value = choices.weighted(&[
        (60, "max(C[k - 1, i, j], C[k - 1, i, k - 1] + C[k - 1, k - 1, j])"),
        (20, "C[k - 1, i, j] - C[k - 1, k - 1, j]"),
        (20, "max(C[k - 1, i, j], C[k - 1, i, N - k])"),
    ]);
    format!(
        "in A[N, N]\nout C[N + 1, N, N]\nC[k, i, j] = A[i, j] where 0 <= k < 1, 0 <= i < N, 0 <= j < N\n\
         C[k, i, j] = {value} where 1 <= k < N + 1, 0 <= i < N, 0 <= j < N\n"
    )
}

fn grid(choices: &mut Choices) -> String {
    let value = choices.weighted(&[
        (30, "max(H[i - 1, j - 1] + A[i - 1], max(H[i - 1, j], H[i, j - 1]) - B[j - 1])"),
        (20, "H[i - 1, j] + H[i, j - 1]"),
        (15, "H[i - 1, j - 1] - A[i - 1]"),
        (15, "H[i - 1, N - j] + H[i, j - 1]"),
        (10, "H[i - 1, N - j] + B[j - 1]"),
        (10, "max(k in 0..i) (H[k, j] + A[k])"),
    ]);
    format!(
        "in A[M], B[N]\nout H[M + 1, N + 1]\nH[i, j] = 0 where 0 <= i < M + 1, 0 <= j < 1\n\
         H[i, j] = 0 where 0 <= i < 1, 1 <= j < N + 1\nH[i, j] = {value} where 1 <= i < M + 1, 1 <= j < N + 1\n"
    )
}

/// A computed vector of this extent.
fn vector(choices: &mut Choices, name: &str, extent: &str) -> String {
    match choices.choose(3) {
        0 => format!("{name}[i] = A[i] + 1 where 0 <= i < {extent}\n"),
        1 => format!("{name}[i] = A[i] where 0 <= i < 1\n{name}[i] = {name}[i - 1] - A[i] where 1 <= i < {extent}\n"),
        _ => format!("{name}[i] = A[{extent} - 1 - i] - A[i] where 0 <= i < {extent}\n"),
    }
}

fn strided_reads(choices: &mut Choices) -> String {
    let value = choices.weighted(&[
        (30, "Z[2*i] + Z[2*i + 1]"),
        (20, "Z[2*i] - Z[i]"),
        (15, "Z[2*N - 1 - 2*i]"),
        (15, "(max(j in 0..2) Z[2*i + j]) + A[i]"),
        (20, "Z[2*i + 1] + Z[N - 1 - i]"),
    ]);
    let back = choices.percent(25);
    let vector = vector(choices, "Z", "2*N");
    let mut text = format!("in A[2*N]\nlocal Z[2*N]\nout Y[N]\n{vector}Y[i] = {value} where 0 <= i < N\n");
    if back {
        text += "out X[N]\nX[i] = Y[i] where 0 <= i < 1\nX[i] = X[i - 1] + Y[N - 1 - i] where 1 <= i < N\n";
    }
    text
}

fn pooling(choices: &mut Choices) -> String {
    let value = choices.weighted(&[(50, "A[i, j] + B[j]"), (50, "(sum(k in 0..2) A[i, j] * B[k])")]);
    let word = word(choices);
    let read = choices.weighted(&[(70, "Z[2*i + k, 2*j + l]"), (30, "Z[2*M - 1 - 2*i - k, 2*j + l]")]);
    format!(
        "in A[2*M, 2*N], B[2*N]\nlocal Z[2*M, 2*N]\nout Y[M, N]\nZ[i, j] = {value} where 0 <= i < 2*M, 0 <= j < 2*N\n\
         Y[i, j] = {word}(k in 0..2, l in 0..2) {read} where 0 <= i < M, 0 <= j < N\n"
    )
}

fn strided_writes(choices: &mut Choices) -> String {
    let value = choices.weighted(&[(40, "Z[i] + Z[i + N]"), (30, "Z[2*N - 1 - i]"), (30, "Z[2*i + 1] - Z[2*i]")]);
    let odd = choices.weighted(&[(50, "B[i]"), (30, "Z[2*i] - B[i]"), (20, "B[N - 1 - i]")]);
    format!(
        "in A[N], B[N]\nlocal Z[2*N]\nout Y[N]\nZ[2*i] = A[i] + 1 where 0 <= i < N\nZ[2*i + 1] = {odd} where 0 <= i < N\n\
         Y[i] = {value} where 0 <= i < N\n"
    )
}

fn growing(choices: &mut Choices) -> String {
    let value = choices.weighted(&[
        (25, "B[i] + sum(j in 0..i) A[j] * Y[i - 1 - j]"),
        (15, "max(j in 0..i) (Y[j] - A[j])"),
        (20, "Y[0] + A[i]"),
        (15, "Y[0] - Y[i - 1]"),
        (15, "Y[i - 1] + B[0] * A[N - i]"),
        (10, "(sum(j in 0..i) A[i - j] * Y[j]) + Y[i - 1]"),
    ]);
    format!("in A[N + 1], B[N + 1]\nout Y[N + 1]\nY[i] = A[i] where 0 <= i < 1\nY[i] = {value} where 1 <= i < N + 1\n")
}

fn reversed(choices: &mut Choices) -> String {
    let value = choices.weighted(&[
        (40, "X[t - 1, N - 1 - i] + A[i]"),
        (20, "X[t - 1, i] + X[t - 1, N - 1 - i]"),
        (20, "X[t - 1, 0] - X[t - 1, i]"),
        (20, "X[t - 1, N - 1 - i] + (sum(j in 0..i) A[j] * X[t - 1, j])"),
    ]);
    format!(
        "in A[N]\nout X[T + 1, N]\nX[t, i] = A[i] where 0 <= t < 1, 0 <= i < N\n\
         X[t, i] = {value} where 1 <= t < T + 1, 0 <= i < N\n"
    )
}

fn mutual(choices: &mut Choices) -> String {
    let first = choices.weighted(&[(40, "Y[i - 1] + A[i]"), (30, "X[i - 1] - Y[i - 1]"), (30, "2 * Y[i - 1]")]);
    let second = choices.weighted(&[(40, "X[i]"), (30, "X[i] + Y[i - 1]"), (30, "X[i - 1]")]);
    let third = choices.percent(40);
    let mut text = format!(
        "in A[N + 1]\nout X[N + 1], Y[N + 1]\nX[i] = A[i] where 0 <= i < 1\nX[i] = {first} where 1 <= i < N + 1\n\
         Y[i] = A[i] where 0 <= i < 1\nY[i] = {second} - A[i] where 1 <= i < N + 1\n"
    );
    if third {
        let read = choices.weighted(&[(50, "X[N - i] + Y[i]"), (50, "sum(j in 0..i) X[j] - Y[i]")]);
        text += &format!("out Z[N + 1]\nZ[i] = {read} where 0 <= i < N + 1\n");
    }
    text
}

fn growing_vectors(choices: &mut Choices) -> String {
    let word = word(choices);
    let value = choices.weighted(&[(60, "Y[t - 1, i] - Y[t - 1, t - 2 - i]"), (40, "max(Y[t - 1, i], K[t - 1])")]);
    format!(
        "in A[N + 1]\nlocal Y[N + 1, N + 1]\nout K[N]\nK[t] = A[t] + {word}(i in 0..t) A[t - i] * Y[t, i] where 0 <= t < N\n\
         Y[t, i] = {value} where 1 <= t < N + 1, 0 <= i < t - 1\nY[t, t - 1] = K[t - 1] where 1 <= t < N + 1\n\
         Y[t, i] = 0 where 0 <= t < N + 1, t <= i < N + 1\n"
    )
}

fn products(choices: &mut Choices) -> String {
    let (first, second) = (word(choices), word(choices));
    let read = choices.weighted(&[(70, "Y[i, k]"), (15, "Y[M - 1 - i, k]"), (15, "max(Y[i, k], 0)")]);
    format!(
        "in A[M, N], B[N, T], C[T, N]\nlocal Y[M, T]\nout Z[M, N]\n\
         Y[i, j] = {first}(k in 0..N) A[i, k] * B[k, j] where 0 <= i < M, 0 <= j < T\n\
         Z[i, j] = {second}(k in 0..T) {read} * C[k, j] where 0 <= i < M, 0 <= j < N\n"
    )
}

fn attention(choices: &mut Choices) -> String {
    let range = choices.weighted(&[(70, "0..i + 1"), (30, "i..N")]);
    let (low, high) = range.split_once("..").unwrap_or_default();
    let rest = if low == "0" { ("i + 1", "N") } else { ("0", "i") };
    format!(
        "in A[N, M], B[N, M]\nlocal S[N, N], P[N]\nout X[N, M]\n\
         S[i, j] = sum(k in 0..M) A[i, k] * B[j, k] where 0 <= i < N, {low} <= j < {high}\n\
         S[i, j] = 0 where 0 <= i < N, {} <= j < {}\n\
         P[i] = max(j in {range}) S[i, j] where 0 <= i < N\n\
         X[i, k] = sum(j in {range}) (S[i, j] - P[i]) * B[j, k] where 0 <= i < N, 0 <= k < M\n",
        rest.0, rest.1
    )
}

fn factors(choices: &mut Choices) -> String {
    let joint = choices.weighted(&[(50, "(L[i, k] - U[k, j])"), (50, "(L[i, k] + U[k, j])")]);
    let word = word(choices);
    let zero = choices.weighted(&[(50, "0"), (50, "A[j, i]")]);
    format!(
        "in A[N, N]\nout L[N, N], U[N, N]\nU[i, j] = A[i, j] - {word}(k in 0..i) {joint} where 0 <= i < N, i <= j < N\n\
         U[i, j] = {zero} where 0 <= i < N, 0 <= j < i\n\
         L[i, j] = A[i, j] + U[j, j] - sum(k in 0..j) {joint} where 0 <= i < N, 0 <= j < i\n\
         L[i, j] = 1 where 0 <= i < N, i <= j < N\n"
    )
}

fn best_paths(choices: &mut Choices) -> String {
    let read = choices.weighted(&[(70, "V[t - 1, j] + A[j, i]"), (30, "V[t - 1, N - 1 - j] + A[i, j]")]);
    let last = choices.percent(50);
    let mut text = format!(
        "in A[N, N], B[T + 1, N]\nout V[T + 1, N]\nV[t, i] = B[t, i] where 0 <= t < 1, 0 <= i < N\n\
         V[t, i] = B[t, i] + max(j in 0..N) ({read}) where 1 <= t < T + 1, 0 <= i < N\n"
    );
    if last {
        text += "out P[T + 1]\nP[t] = max(i in 0..N) V[t, i] where 0 <= t < T + 1\n";
    }
    text
}

fn convolution(choices: &mut Choices) -> String {
    let read = choices.weighted(&[(60, "X[i + j]"), (20, "X[i - j + 2]"), (20, "X[N + 1 - i - j]")]);
    let vector = vector(choices, "X", "N + 2");
    if choices.percent(40) {
        return format!(
            "in A[M + 1, N + 1], W[2, 2]\nlocal X[M + 1, N + 1]\nout Y[M, N]\n\
             X[i, j] = A[i, j] - 1 where 0 <= i < M + 1, 0 <= j < N + 1\n\
             Y[i, j] = {}(k in 0..2, l in 0..2) W[k, l] * X[i + k, j + l] where 0 <= i < M, 0 <= j < N\n",
            word(choices)
        );
    }
    let word = word(choices);
    format!(
        "in A[N + 2], W[3]\nlocal X[N + 2]\nout Y[N]\n{vector}Y[i] = {word}(j in 0..3) W[j] * {read} where 0 <= i < N\n"
    )
}

fn stencil(choices: &mut Choices) -> String {
    let value = choices.weighted(&[
        (35, "U[t - 1, i - 1] + U[t - 1, i + 1]"),
        (20, "U[t, i - 1] + U[t - 1, i + 1]"),
        (15, "U[t - 1, i - 1] - U[t - 1, i]"),
        (15, "max(U[t, i - 1], U[t - 1, N + 1 - i])"),
        (15, "U[t, i + 1] - U[t - 1, i - 1]"),
    ]);
    let border = choices.weighted(&[(50, "A[0]"), (50, "U[t - 1, 0]")]);
    format!(
        "in A[N + 2]\nout U[T + 1, N + 2]\nU[t, i] = A[i] where 0 <= t < 1, 0 <= i < N + 2\n\
         U[t, i] = {border} where 1 <= t < T + 1, 0 <= i < 1\nU[t, i] = {value} where 1 <= t < T + 1, 1 <= i < N + 1\n\
         U[t, i] = A[i] where 1 <= t < T + 1, N + 1 <= i < N + 2\n"
    )
}

fn columns(choices: &mut Choices) -> String {
    let read = choices.weighted(&[(60, "B[i] * V[k, j, i]"), (40, "(V[k, j, i] - V[k, k, i])")]);
    let value =
        choices.weighted(&[(60, "V[k - 1, j, i] - R[k - 1, j]"), (40, "max(V[k - 1, j, i], R[k - 1, j] + B[i])")]);
    format!(
        "in A[N, M], B[M]\nlocal V[N, N, M]\nout R[N, N]\n\
         R[k, j] = {}(i in 0..M) {read} where 0 <= k < N, k <= j < N\nR[k, j] = 0 where 0 <= k < N, 0 <= j < k\n\
         V[k, j, i] = A[j, i] where 0 <= k < 1, 0 <= j < N, 0 <= i < M\n\
         V[k, j, i] = {value} where 1 <= k < N, k <= j < N, 0 <= i < M\n\
         V[k, j, i] = 0 where 1 <= k < N, 0 <= j < k, 0 <= i < M\n",
        word(choices)
    )
}

fn matrix(choices: &mut Choices) -> String {
    let read = choices.weighted(&[(60, "X[t - 1, k, j]"), (20, "X[t - 1, j, k]"), (20, "X[t - 1, N - 1 - k, j]")]);
    let range = choices.weighted(&[(60, "0..N"), (20, "0..i + 1"), (20, "i..N")]);
    let rest = choices.weighted(&[(60, ""), (40, " - X[t - 1, i, j]")]);
    format!(
        "in A[N, N], B[N, N]\nout X[T + 1, N, N]\nX[t, i, j] = B[i, j] where 0 <= t < 1, 0 <= i < N, 0 <= j < N\n\
         X[t, i, j] = ({}(k in {range}) A[i, k] * {read}){rest} where 1 <= t < T + 1, 0 <= i < N, 0 <= j < N\n",
        word(choices)
    )
}

fn row_after_row(choices: &mut Choices) -> String {
    let (value, times) = (choices.weighted(&[(50, "+ A[i]"), (50, "- A[N - 1 - i]")]), times(choices));
    if choices.percent(40) {
        return format!(
            "in A[N]\nout X[N, N]\nX[i, j] = A[0] where 0 <= i < 1, 0 <= j < 1\n\
             X[i, j] = X[i - 1, i - 1] where 1 <= i < N, 0 <= j < 1\nX[i, j] = {times}X[i, j - 1] {value} where 0 <= i < N, 1 <= j < i + 1\n\
             X[i, j] = 0 where 0 <= i < N, i + 1 <= j < N\n"
        );
    }
    let (first, start, rest, before) = match choices.percent(60) {
        true => ("0 <= i < 1", "N - 1", "1 <= i < N", "i - 1"),
        false => ("N - 1 <= i < N", "0", "0 <= i < N - 1", "i + 1"),
    };
    format!(
        "in A[N]\nout X[T + 1, N]\nX[t, i] = A[i] where 0 <= t < 1, {first}\n\
         X[t, i] = X[t - 1, {start}] {value} where 1 <= t < T + 1, {first}\n\
         X[t, i] = {times}X[t, {before}] {value} where 0 <= t < T + 1, {rest}\n"
    )
}

fn plane_after_plane(choices: &mut Choices) -> String {
    let value = choices.weighted(&[(50, "+ A[j]"), (50, "- A[M - 1 - j]")]);
    format!(
        "in A[M]\nout X[T, N, M]\nX[t, i, j] = A[0] where 0 <= t < 1, 0 <= i < 1, 0 <= j < 1\n\
         X[t, i, j] = X[t - 1, N - 1, M - 1] where 1 <= t < T, 0 <= i < 1, 0 <= j < 1\n\
         X[t, i, j] = X[t, i - 1, M - 1] where 0 <= t < T, 1 <= i < N, 0 <= j < 1\n\
         X[t, i, j] = X[t, i, j - 1] {value} where 0 <= t < T, 0 <= i < N, 1 <= j < M\n"
    )
}

fn sweeps_in_time(choices: &mut Choices) -> String {
    let first = choices.weighted(&[(60, "X[t - 1, 0]"), (20, "X[t - 1, N]"), (20, "A[0]")]);
    let back = choices.weighted(&[(60, "Y[t, i]"), (20, "Y[t, N - i]"), (20, "Y[t, 0]")]);
    format!(
        "in A[N + 1]\nlocal Y[T + 1, N + 1]\nout X[T + 1, N + 1]\nX[t, i] = A[i] where 0 <= t < 1, 0 <= i < N + 1\n\
         Y[t, i] = 0 where 0 <= t < 1, 0 <= i < N + 1\nY[t, i] = {first} where 1 <= t < T + 1, 0 <= i < 1\n\
         Y[t, i] = Y[t, i - 1] + X[t - 1, i] where 1 <= t < T + 1, 1 <= i < N + 1\n\
         X[t, i] = Y[t, N] where 1 <= t < T + 1, N <= i < N + 1\n\
         X[t, i] = {back} - X[t, i + 1] where 1 <= t < T + 1, 0 <= i < N\n"
    )
}

fn power_iteration(choices: &mut Choices) -> String {
    let (first, second) = (word(choices), word(choices));
    let value = choices.weighted(&[(50, "Y[t, i] - S[t]"), (25, "X[t - 1, i] - S[t]"), (25, "Y[t, N - 1 - i] - S[t]")]);
    format!(
        "in A[N, N], B[N]\nlocal Y[T + 1, N], S[T + 1]\nout X[T + 1, N]\nX[t, i] = B[i] where 0 <= t < 1, 0 <= i < N\n\
         Y[t, i] = B[i] where 0 <= t < 1, 0 <= i < N\nS[t] = 0 where 0 <= t < 1\n\
         Y[t, i] = {first}(j in 0..N) A[i, j] * X[t - 1, j] where 1 <= t < T + 1, 0 <= i < N\n\
         S[t] = {second}(i in 0..N) Y[t, i] where 1 <= t < T + 1\nX[t, i] = {value} where 1 <= t < T + 1, 0 <= i < N\n"
    )
}

fn solves_in_time(choices: &mut Choices) -> String {
    let start = choices.weighted(&[(40, "B[i]"), (30, "X[t - 1, i]"), (30, "X[t - 1, N - 1 - i]")]);
    let rest = choices.weighted(&[(50, ""), (50, " - (sum(j in i + 1..N) A[i, j] * X[t - 1, j])")]);
    let range = choices.weighted(&[(70, "0..i"), (30, "i + 1..N")]);
    format!(
        "in A[N, N], B[N]\nout X[T + 1, N]\nX[t, i] = B[i] where 0 <= t < 1, 0 <= i < N\n\
         X[t, i] = {start} - (sum(j in {range}) A[i, j] * X[t, j]){rest} where 1 <= t < T + 1, 0 <= i < N\n"
    )
}

fn both_ends(choices: &mut Choices) -> String {
    let (up, down) = choices.weighted(&[(50, ("i - 1", "i + 1")), (25, ("i - 1", "i - N")), (25, ("0", "i + 1"))]);
    let value = choices.weighted(&[(50, "Y[i]"), (50, "Y[i] + A[i]")]);
    format!(
        "in A[2*N]\nlocal Y[2*N]\nout X[2*N]\nY[i] = A[i] where 0 <= i < 1\nY[i] = X[{up}] where 1 <= i < N\n\
         Y[i] = X[{down}] where N <= i < 2*N - 1\nY[i] = A[i] - 1 where 2*N - 1 <= i < 2*N\nX[i] = {value} where 0 <= i < 2*N\n"
    )
}

fn channels(choices: &mut Choices) -> String {
    let word = word(choices);
    let range = choices.weighted(&[(60, "k in 0..M, l in 0..2"), (40, "l in 0..2, k in 0..M")]);
    let value = choices.weighted(&[(50, "A[k, i] + 1"), (50, "A[k, N - i]")]);
    format!(
        "in A[M, N + 1], W[T, M, 2]\nlocal X[M, N + 1]\nout Y[T, N]\nX[k, i] = {value} where 0 <= k < M, 0 <= i < N + 1\n\
         Y[t, i] = {word}({range}) W[t, k, l] * X[k, i + l] where 0 <= t < T, 0 <= i < N\n"
    )
}

fn tensor_in_time(choices: &mut Choices) -> String {
    let value = choices.weighted(&[
        (40, "X[t - 1, i, j, k] + X[t, i, j, k - 1]"),
        (30, "X[t - 1, j, i, k] - X[t, i, j, k - 1]"),
        (30, "max(X[t - 1, i, j, M - k], X[t - 1, i, N - 1 - j, k])"),
    ]);
    format!(
        "in A[N, N]\nout X[T + 1, N, N, M + 1]\n\
         X[t, i, j, k] = A[i, j] where 0 <= t < 1, 0 <= i < N, 0 <= j < N, 0 <= k < M + 1\n\
         X[t, i, j, k] = A[j, i] where 1 <= t < T + 1, 0 <= i < N, 0 <= j < N, 0 <= k < 1\n\
         X[t, i, j, k] = {value} where 1 <= t < T + 1, 0 <= i < N, 0 <= j < N, 1 <= k < M + 1\n"
    )
}
