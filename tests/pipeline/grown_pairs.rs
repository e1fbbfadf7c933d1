//! Random kernels that can be tiled only with a change of their form: two tensors that need each other, inputs read the other
//! way round, outputs that are scattered to.

use super::grown::Choices;

/// A kernel of sizes `M` and `N`.
pub fn kernel(choices: &mut Choices) -> String {
    match choices.choose(6) {
        0 => line(choices),
        1 => plane(choices),
        2 => solve(choices),
        3 => beside(choices),
        4 => turned(choices),
        _ => scattered(choices),
    }
}

fn join(choices: &mut Choices, left: &str, right: &str) -> String {
    match choices.choose(4) {
        0 => format!("({left} - {right})"),
        1 => format!("max({left}, {right})"),
        2 => format!("{left} * 0.5 + {right}"),
        _ => format!("({left} + {right})"),
    }
}

/// Which of both are handed out.
fn roles(choices: &mut Choices, shape: &str) -> String {
    match choices.choose(3) {
        0 => format!("out X[{shape}], Y[{shape}]\n"),
        1 => format!("local X[{shape}]\nout Y[{shape}]\n"),
        _ => format!("local Y[{shape}]\nout X[{shape}]\n"),
    }
}

/// Each from the other, one element before or at the same place.
fn line(choices: &mut Choices) -> String {
    let own = if choices.choose(2) == 0 { "X[i - 1]" } else { "A[i]" };
    let right = join(choices, "Y[i - 1]", own);
    let same = join(choices, "X[i]", "B[i]");
    let roles = roles(choices, "M");
    format!("kernel line(M)\nin A[M], B[M]\n{roles}X[0] = A[0]\nX[i] = {right}   where 1 <= i\nY[i] = {same}\n")
}

/// Neighbours above, on the left, or across.
fn plane(choices: &mut Choices) -> String {
    let mut neighbour = |tensor: &str| {
        let place = *choices.pick(&["i - 1, j", "i, j - 1", "i - 1, j - 1"]);
        format!("{tensor}[{place}]")
    };
    let (one, other, third) = (neighbour("Y"), neighbour("X"), neighbour("Y"));
    let (x, y) = (join(choices, &one, &other), join(choices, "X[i, j]", &third));
    let roles = roles(choices, "M, N");
    let border = |tensor: &str, input: &str| {
        format!("{tensor}[0, j] = {input}[0, j]\n{tensor}[i, 0] = {input}[i, 0]   where 1 <= i\n")
    };
    format!(
        "kernel plane(M, N)\nin A[M, N], B[M, N]\n{roles}{}{}X[i, j] = {x}   where 1 <= i, 1 <= j\n\
         Y[i, j] = {y}   where 1 <= i, 1 <= j\n",
        border("X", "A"),
        border("Y", "B"),
    )
}

/// A triangular solve in which each element takes a sum over the other tensor.
fn solve(choices: &mut Choices) -> String {
    let read = *choices.pick(&["X[k]", "Y[k]"]);
    let x = join(choices, "A[i]", "sum(k in 0..i) B[i, k] * Y[k]");
    let y = join(choices, "X[i]", &format!("sum(k in 0..i) C[i, k] * {read}"));
    let roles = roles(choices, "M");
    format!("kernel solve(M)\nin A[M], B[M, M], C[M, M]\n{roles}X[i] = {x}\nY[i] = {y}\n")
}

/// One tensor has an element more, which is the first of all.
fn beside(choices: &mut Choices) -> String {
    let x = join(choices, "A[i]", "Y[i]");
    let y = join(choices, "X[i - 1]", "Y[i - 1]");
    format!(
        "kernel beside(M)\nin A[M]\nlocal X[M], Y[M + 1]\nout Z[M]\nX[i] = {x}   where 0 <= i < M\nY[0] = 0\nY[i] = {y}   where 1 <= i <= M\n\
         Z[i] = Y[i + 1]   where 0 <= i < M\n"
    )
}

fn turned(choices: &mut Choices) -> String {
    let before = choices.choose(3);
    let extent = format!("M + N + {before}");
    let term = join(choices, "A[k]", &format!("B[i - k + N - 1 + {before}]"));
    format!("kernel turned(M, N)\nin A[N], B[{extent}]\nout Y[M]\nY[i] = sum(k in 0..N) ({term})\n")
}

fn scattered(choices: &mut Choices) -> String {
    let term = join(choices, "A[i]", "B[j]");
    let operator = *choices.pick(&["sum", "max"]);
    format!("kernel scattered(M, N)\nin A[M], B[N]\nout Y[M + N - 1]\nY[i + j] = {operator}(i, j) ({term})\n")
}
