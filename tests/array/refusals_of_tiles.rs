//! One wrong thing about tiles a text, and the words it is refused with.

use super::refusals::expect_of;
use systole_base::diagnostic::render;
use systole_program::array::{parse, print};

const GOOD: &str = r#"(program product (version 1)
  (parameters M N K)
  (tiles M_by_4 M 4) (tiles N_by_4 N 4) (tiles K_by_4 K 4)
  (array A in (M K) (axes (0 M 4 0) (0 K 4 0)))
  (array B in (K N) (axes (0 K 4 0) (0 N 4 0)))
  (array C out (M N) (axes (0 M 4 0) (0 N 4 0)))
  (grid (p0 0 (- M_by_4 1)) (p1 0 (- N_by_4 1)))
  (leaf product (coordinates I J L)
    (index i (0 M 4 0) I) (index j (0 N 4 0) J) (index k (0 K 4 0) L)
    (window C (operator sum) (ranges (i 0 0 M) (j 0 0 N)))
    (window A (ranges (i 0 0 M) (k 0 0 K)))
    (window B (ranges (k 0 0 K) (j 0 0 N)))
    (gives ((0 M 4 0) I) ((0 N 4 0) J))
    (takes 1 ((0 M 4 0) I) ((0 K 4 0) L))
    (takes 2 ((0 K 4 0) L) ((0 N 4 0) J))
    (body
      (loop i (from) (to)
        (loop j (from (ceil (- i 1) 2)) (to (floor N 3))
          (loop k (from) (to)
            (if ((>= k 1))
              (do (set (0 i j) (add (0 i j) (mul (1 i k) (2 k j)))))
              (do (set (0 i j) (index (+ i j))))))))))
  (class pe0 (guard)
    (loop l 0 (- K_by_4 1)
      (load A (A p0 l))
      (load B (B l p1))
      (if ((>= l 1)) ((let C (call-onto C product (at p0 p1 l) A B))) ((let C (call product (at p0 p1 l) A B)))))
    (store (C p0 p1) C)))
"#;

fn expect(what: &str, by: &str, message: &str) {
    expect_of(GOOD, what, by, message);
}

#[test]
fn the_good_program_reads_back_from_its_print() {
    let program = parse("t.pe", GOOD).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
    assert_eq!(parse("u.pe", &print(&program)).unwrap(), program);
}

#[test]
fn numbers_of_tiles() {
    expect("(tiles M_by_4 M 4)", "(tiles M_by_4 M 0)", "m.pe:3: tiles of `M_by_4` have 0 elements");
    expect("(tiles M_by_4 M 4)", "(tiles M_by_4 P 4)", "m.pe:3: parameter `P` is not declared");
    expect("(tiles M_by_4 M 4)", "(tiles K M 4)", "parameter or coordinate `K` is declared twice");
    expect("(tiles M_by_4 M 4)", "", "m.pe:7: variable `M_by_4` is not known here");
    expect("(tiles M_by_4 M 4)", "(tiles M_by_4 M)", "expected `(tiles NAME PARAMETER SIZE)`");
}

/// The places of a slanted output are boxes; that they reach far enough is checked where the sizes are known.
#[test]
fn slants_of_outputs() {
    let output = "(array C out (M N) (axes (0 M 4 0) (0 N 4 0)))";
    let slanted = |slant: &str| format!("(array C out (M N) (slant {slant}) (axes (0 M 4 0) (0 N 4 0)))");
    let text = GOOD.replace(output, &slanted("(0 0 0) (2 0 1)"));
    let program = parse("t.pe", &text).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
    assert_eq!(parse("u.pe", &print(&program)).unwrap(), program);
    for (slant, message) in [
        ("(0 0 0)", "the slant of array `C` is not one of 2 dimensions"),
        ("(0 0 0) (2 1 0)", "each moved by numbers up to 268435456 and not by itself"),
        ("(0 1 0) (1 0 0)", "not by itself"),
        ("(0 0 0) (2 0)", "the slant of array `C` is not one of 2 dimensions"),
        ("(0 0 0) (2 x 0)", "a whole number"),
        ("(0 0 0) ()", "a list such as `(2 0 1)`"),
    ] {
        expect(output, &slanted(slant), message);
    }
    expect(
        "(array A in (M K) (axes",
        "(array A in (M K) (slant (0 0 0) (1 0 0)) (axes",
        "array `A` is slanted, but no output in tiles",
    );
}

/// The tiles of a slanted output may be counted from where the elements of each step begin.
#[test]
fn tiles_that_are_counted_otherwise() {
    let output = "(array C out (M N) (axes (0 M 4 0) (0 N 4 0)))";
    let counted = |rows: &str| {
        format!("(array C out (M N) (slant (0 0 0) (1 0 1)) (straight {rows}) (axes (0 M 4 0) (0 N 4 0)))")
    };
    let text = GOOD.replace(output, &counted("((0 0 0) M_by_4) ((1 0 -1) (+ N_by_4 2))"));
    let program = parse("t.pe", &text).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
    assert_eq!(parse("u.pe", &print(&program)).unwrap(), program);
    for (rows, message) in [
        ("((0 0 0) M_by_4)", "counts its tiles otherwise, but not as a slanted one of 2 dimensions"),
        ("((0 0 0) M_by_4) ((0 1 0) N_by_4)", "counts its tiles otherwise"),
        ("((0 0 0) M_by_4) ((1 0 -1) (+ N_by_4 1))", "counts its tiles so that elements may be in none"),
        ("((0 0 0) M_by_4) ((1 0 1) (+ N_by_4 2))", "counts its tiles so that elements may be in none"),
        ("((0 0 0) M_by_4) ((2 0 -1) (+ N_by_4 2))", "counts its tiles so that elements may be in none"),
        ("((0 0 0) (+ M_by_4 1)) ((1 0 -1) (+ N_by_4 2))", "counts its tiles so that elements may be in none"),
        ("((0 0 0) M_by_4) ((4000000000 0 -1) (+ N_by_4 2))", "counts its tiles so that elements may be in none"),
        ("((0 0 0) M_by_4) ((1 0 0) P_by_4)", "variable `P_by_4` is not known here"),
        ("((0 0 0) M_by_4) ((1 0 0))", "expected `((FACTOR .. SHIFT) EXTENT)`"),
        ("(0 0 0) (1 0 0)", "expected `((FACTOR .. SHIFT) EXTENT)`"),
    ] {
        expect(output, &counted(rows), message);
    }
    let empty = counted("((0 0 0) M_by_4) ((1 0 -1) (+ N_by_4 2))").replace("(0 M 4 0)", "(0 M 0 0)");
    expect(output, &empty, "tiles have 1 to");
    let huge = counted("((0 0 0) M_by_4) ((1 0 -1) (+ N_by_4 500000000000000000))");
    expect(output, &huge, "counts its tiles so that elements may be in none");
    let plain = counted("((0 0 0) M_by_4) ((1 0 0) N_by_4)").replace(" (slant (0 0 0) (1 0 1))", "");
    expect(output, &plain, "array `C` counts its tiles otherwise");
}

#[test]
fn axes_of_arrays() {
    expect(
        "(array C out (M N) (axes (0 M 4 0) (0 N 4 0)))",
        "(array C out (M N))",
        "m.pe:6: array `C` has 2 dimensions and 0 axes",
    );
    expect("(M K) (axes (0 M 4 0) (0 K 4 0))", "(M K) (axes (0 M 4 0))", "array `A` has 2 dimensions and 1 axis");
    expect("(M K) (axes (0 M 4 0)", "(M K) (axes (1 M 4 0)", "an axis of array `A` does not cover its extent `M`");
    expect("(M K) (axes (0 M 4 0)", "(M K) (axes (0 M 0 0)", "tiles of 0");
    expect("(M K) (axes (0 M 4 0)", "(M K) (axes (-1 (+ M 1) 4 0)", "-1 single elements");
    expect("(M K) (axes (0 M 4 0)", "(M K) (axes (0 P 4 0)", "variable `P` is not known here");
    expect("(M K) (axes (0 M 4 0)", "(M K) (axes (0 (* M K) 4 0)", "expected a linear form");
}

#[test]
fn names_of_leaves() {
    expect("(leaf product (coordinates I J L)", "(leaf 3 (coordinates I J L)", "`3` cannot be the name of a leaf");
    expect(
        "(leaf product (coordinates I J L)",
        "(leaf product (coordinates M J L)",
        "coordinate `M` hides a size of that name",
    );
    expect("(coordinates I J L)", "(coordinates I I L)", "coordinate `I` is declared twice");
    expect(
        "(index j (0 N 4 0) J)",
        "(index j (0 N 4 0) J) (index N_by_4 (0 N 4 0) J)",
        "index `N_by_4` hides a size of that name",
    );
    expect("(index j (0 N 4 0) J)", "(index j (0 N 4 0) J) (index i (0 N 4 0) J)", "index `i` is declared twice");
    expect("(index j (0 N 4 0) J)", "(index j (0 N 4 0) Q)", "m.pe:8: variable `Q` is not known here");
    expect("(index j (0 N 4 0) J)", "(index j (0 N 4 0) i)", "variable `i` is not known here");
    expect(
        "(class pe0",
        "(leaf product (coordinates) (window s (ranges)) (body)) (class pe0",
        "leaf `product` is declared twice",
    );
    expect("(body\n", "(boddy\n", "did you mean `body`?");
}

#[test]
fn windows() {
    expect("(window C (operator sum)", "(window C (operator sun)", "did you mean `sum`?");
    expect("(window A (ranges (i 0 0 M)", "(window A (ranges (I 0 0 M)", "m.pe:8: variable `I` is not known here");
    expect("(window A (ranges (i 0 0 M)", "(window A (ranges (i 0 0 i)", "variable `i` is not known here");
    expect(
        "(window A (ranges (i 0 0 M) (k",
        "(window A (ranges (k",
        "leaf `product`: argument 0 has 2 dimensions, window `A` has 1",
    );
    expect(
        "(window A (ranges (i 0 0 M)",
        "(window A (ranges (i 0 0 N)",
        "argument 0 has an axis that does not cover `N`",
    );
    expect("(takes 1 ", "(takes 3 ", "argument 0 fills window 3, of 3");
    expect("(takes 1 ", "(takes A ", "expected the number of a window");
    expect(
        "(gives ((0 M 4 0) I) ((0 N 4 0) J))",
        "(gives ((0 M 4 0) I))",
        "its result has 1 dimension, window `C` has 2",
    );
    expect("(gives ((0 M 4 0) I)", "(gives ((0 M 4 1) I)", "its result has an axis that does not cover `M`");
}

#[test]
fn steps() {
    expect("(loop i (from) (to)", "(loop h (from) (to)", "`h` is not an index of this leaf");
    expect("(loop k (from)", "(loop i (from)", "m.pe:19: a loop over `i` stands within another one");
    expect("(floor N 3)", "(floor N 0)", "m.pe:18: the divisor 0 of a bound is not positive");
    expect("(floor N 3)", "(ceil N 3)", "expected a bound");
    expect("(floor N 3)", "(floor k 3)", "m.pe:18: variable `k` is not known here");
    expect("((>= k 1))", "((= k 1))", "expected `>=` or `<=`");
    expect("((>= k 1))", "((>= I 1))", "m.pe:20: variable `I` is not known here");
    expect("(mul (1 i k) (2 k j))", "(mul (1 i k) (3 k j))", "m.pe:21: leaf `product` has no window 3, it has 3");
    expect("(mul (1 i k) (2 k j))", "(mul (1 i k) (2 k))", "m.pe:21: window `B` has 2 dimensions, 1 subscript given");
    expect("(mul (1 i k) (2 k j))", "(mul (1 i k))", "expected 2 operands of `mul`");
    expect("(mul (1 i k) (2 k j))", "(mull (1 i k) (2 k j))", "did you mean `mul`?");
    expect("(do (set (0 i j) (index", "(do (get (0 i j) (index", "m.pe:22: `get` is not a step of a leaf");
}

#[test]
fn calls() {
    let call = "(call product (at p0 p1 l) A B)";
    expect(call, "(call prodct (at p0 p1 l) A B)", "m.pe:27: leaf `prodct` is not declared");
    expect(call, "(call prodct (at p0 p1 l) A B)", "did you mean `product`?");
    expect(call, "(call product (at p0 p1) A B)", "leaf `product` has 3 coordinates, 2 given");
    expect(call, "(call product (at p0 p1 l) A)", "leaf `product` takes 2 tiles, 1 given");
    expect(call, "(call product (at p0 p1 q) A B)", "variable `q` is not known here");
    expect(call, "(call product (at p0 p1 l) A D)", "register `D` is read");
    expect(call, "(call product)", "expected `(call LEAF (at E ..) TILE ..)`");
}

/// Numbers that only sizes decide are refused when the program is compiled.
#[test]
fn sizes_that_do_not_fit() {
    let program = parse("t.pe", GOOD).unwrap();
    let sizes =
        |m: i64| [("M", m), ("N", 6), ("K", 4)].map(|(title, size)| (systole_base::integer::name(title), size)).into();
    let code = systole_program::array::compile(&program, &sizes(9)).unwrap();
    let layout = &code.arrays[0];
    assert_eq!((&layout.shape, &layout.elements), (&vec![3, 1], &vec![9, 4]));
    assert_eq!(layout.boxes, [vec![(0, 4), (4, 4), (8, 1)], vec![(0, 4)]]);
    assert_eq!(code.grid.extents, [3, 2]);
    assert!(systole_program::array::compile(&program, &sizes(i64::MAX)).is_err());
}
