//! The equations over tiles of kernels whose blocked form is known: Cyclotron's Figure 6 for the triangular solve and section
//! 10.3 for Cholesky's factor, where they are written by hand.

use super::{kernel, system, tiled};
use systole_base::integer::{Affine, Polyhedron};
use systole_base::scalar::Function;
use systole_equations::recurrence::spaces::cut_spaces;
use systole_equations::recurrence::{Expr, RecurrenceSystem};
use systole_equations::tiles::Tiled;

fn list(forms: &[Affine]) -> String {
    forms.iter().map(Affine::to_string).collect::<Vec<_>>().join(",")
}

fn at_least_0(set: &Polyhedron) -> String {
    let mut forms: Vec<String> = set.constraints().iter().map(Affine::to_string).collect();
    forms.sort();
    forms.join(", ")
}

/// An expression with its leaves by name, without their tile coordinates.
fn shown(tiled: &Tiled, value: &Expr) -> String {
    match value {
        Expr::Number(value) => value.to_string(),
        Expr::Index(form) => form.to_string(),
        Expr::Read { tensor, subscripts, .. } => format!("{tensor}[{}]", list(subscripts)),
        Expr::Apply(Function::Leaf(number), arguments) => {
            let tiles = arguments.iter().filter(|argument| !matches!(argument, Expr::Index(_)));
            let tiles: Vec<String> = tiles.map(|argument| shown(tiled, argument)).collect();
            format!("{}({})", tiled.leaves[usize::from(*number)].name, tiles.join(", "))
        }
        Expr::Apply(..) => "a function of numbers".to_owned(),
        Expr::Reduce { operator, index, range, body, .. } => {
            format!("{}({index}: {}) {}", operator.keyword(), at_least_0(range), shown(tiled, body))
        }
    }
}

fn equations(title: &str, sizes: &[(&str, i64)]) -> Vec<String> {
    equations_of(&kernel(title), sizes)
}

fn equations_of(system: &RecurrenceSystem, sizes: &[(&str, i64)]) -> Vec<String> {
    let tiled = tiled(system, sizes);
    let line = |equation: &systole_equations::recurrence::Equation| {
        let (element, value) = (list(&equation.subscripts), shown(&tiled, &equation.value));
        format!("{}[{element}] = {value} where {}", equation.target, at_least_0(&equation.domain.set))
    };
    let mut lines: Vec<String> = tiled.system.equations.iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn a_matrix_product_over_tiles_is_one_of_tiles() {
    let expected = ["C[i,j] = sum(k: K_by_4 - k - 1, k) C.sum(A[i,k], B[k,j]) \
                     where M_by_2 - i - 1, N_by_3 - j - 1, i, j"];
    assert_eq!(equations("matmul", &[("i", 2), ("j", 3), ("k", 4)]), expected);
}

#[test]
fn a_triangular_solve_over_tiles_solves_on_the_diagonal() {
    let expected = ["X[i] = X(B[i], sum(j: i - j - 1, j) X.sum(L[i,j], X[j]), L[i,i]) where N_by_4 - i - 1, i"];
    assert_eq!(equations("trisolve", &[("i", 4)]), expected);
}

#[test]
fn a_factor_over_tiles_has_a_diagonal_a_rest_and_one_sum_for_both() {
    let expected = [
        "L[i,i] = L.2(A[i,i], sum(k: i - k - 1, k) L.sum.2(L[i,k], L[i,k])) where N_by_4 - i - 1, i",
        "L[i,j] = 0 where N_by_4 - j - 1, i, j - i - 1",
        "L[i,j] = L(A[i,j], sum(k: j - k - 1, k) L.sum.2(L[i,k], L[j,k]), L[j,j]) where N_by_4 - i - 1, i - j - 1, j",
    ];
    assert_eq!(equations("cholesky", &[("j", 4)]), expected);
    let cut = cut_spaces(&tiled(&kernel("cholesky"), &[("j", 4)]).system).expect("spaces");
    assert_eq!(cut.spaces.len(), 3);
}

/// The border of zeros is a border of tiles, so what is left has the form of the equation over elements.
#[test]
fn an_alignment_over_tiles_reads_three_tiles_and_its_letters() {
    let expected = [
        "H[0,0] = 0 where ",
        "H[0,j] = 0 where N_by_4 - j, j - 1",
        "H[i,0] = 0 where M_by_4 - i, i - 1",
        "H[i,j] = H(H[i - 1,j - 1], H[i - 1,j], H[i,j - 1], a[i - 1], b[j - 1]) \
         where M_by_4 - i, N_by_4 - j, i - 1, j - 1",
    ];
    assert_eq!(equations("smith_waterman", &[("i", 4), ("j", 4)]), expected);
}

#[test]
fn an_index_without_tiles_stays_as_it_is() {
    let expected = ["C[i,j] = sum(k: K - k - 1, k) C.sum(A[i,k], B[k,j]) where M - i - 1, N_by_3 - j - 1, i, j"];
    assert_eq!(equations("matmul", &[("j", 3)]), expected);
}

/// The factors need each other in the tile on the diagonal, so they are the layers of one tensor, and one sum serves both: the
/// blocked factor that is else written by hand.
#[test]
fn factors_that_need_each_other_are_layers_of_one_tensor() {
    let expected = [
        "L[i,j] = L(L_U[i,j]) where N_by_4 - i - 1, N_by_4 - j - 1, i, j",
        "L_U[i,i] = L_U.3(A[i,i], sum(k: i - k - 1, k) L_U.sum(L_U[i,k], L_U[k,i])) where N_by_4 - i - 1, i",
        "L_U[i,j] = L_U(A[i,j], sum(k: j - k - 1, k) L_U.sum(L_U[i,k], L_U[k,j]), L_U[j,j]) \
         where N_by_4 - i - 1, i - j - 1, j",
        "L_U[i,j] = L_U.2(A[i,j], sum(k: i - k - 1, k) L_U.sum(L_U[i,k], L_U[k,j]), L_U[i,i]) \
         where N_by_4 - j - 1, i, j - i - 1",
        "U[i,j] = U(L_U[i,j]) where N_by_4 - i - 1, N_by_4 - j - 1, i, j",
    ];
    assert_eq!(equations("lu", &[("i", 4)]), expected);
}

/// Rotations lie beside what they turn: X[m], c[m], s[m] and the G that they give.
#[test]
fn rotations_and_what_they_turn_are_one_tensor() {
    let expected = [
        "R[k,j] = 0 where N_by_2 - k - 1, j, k - j - 1",
        "R[k,j] = R(X_G_c_s[M_by_3,k,j]) where N_by_2 - j - 1, j - k - 1, k",
        "R[k,k] = R.2(X_G_c_s[M_by_3,k,k]) where N_by_2 - k - 1, k",
        "X_G_c_s[0,k,j] = 0 where N_by_2 - j - 1, N_by_2 - k - 1, j, k",
        "X_G_c_s[m,0,0] = X_G_c_s.5(A[m - 1,0], X_G_c_s[m - 1,0,0]) where M_by_3 - m, m - 1",
        "X_G_c_s[m,k,k] = X_G_c_s.3(X_G_c_s[m,k - 1,k - 1], X_G_c_s[m,k - 1,k], X_G_c_s[m - 1,k - 1,k], \
         X_G_c_s[m - 1,k,k]) where M_by_3 - m, N_by_2 - k - 1, k - 1, m - 1",
    ];
    let found = equations("qr_givens", &[("m", 3), ("k", 2)]);
    assert_eq!(found.len(), 9, "{found:?}");
    expected.iter().for_each(|line| assert!(found.iter().any(|known| known == line), "{found:?}"));
}

/// What a change of form makes up has no name that the kernel has.
#[test]
fn names_that_are_taken_are_left_alone() {
    let both = "kernel both(N)\nin X_Y[N]\nout X[N], Y[N]\nX[0] = X_Y[0]\nX[i] = Y[i - 1] + X_Y[i]   where 1 <= i\nY[i] = X[i] * 2\n";
    let found = equations_of(&system(both), &[("i", 4)]);
    assert!(found.iter().any(|line| line.starts_with("X_Y_[i] = X_Y_(") && line.contains("X_Y[i]")), "{found:?}");
    let product = "kernel product(x0, N)\nin a[x0], b[N]\nout c[x0 + N - 1]\nc[i + j] = sum(i, j) a[i] * b[j]\n";
    let found = equations_of(&system(product), &[("i", 4)]);
    assert!(found.iter().any(|line| line.starts_with("c[x0_] = ")), "{found:?}");
}
