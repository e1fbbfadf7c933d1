//! What is printed reads back as the same program, and prints as the same text.

use super::random::Choices;
use proptest::prelude::*;
use systole_base::diagnostic::render;
use systole_equations::recurrence::{Assumption, Distribution, LeafOrder};
use systole_program::array::{Program, is_untouched, parse, print, validate};

/// The example of the format's documentation, with nothing left out.
pub const MATMUL: &str = r#"; A comment.
(program matmul (version 1)
  (parameters M N K)
  (array A in (M K)) (array B in (K N)) (array C out (M N))
  (grid (p0 0 (- M 1)) (p1 0 (- N 1)))
  (channel A_east (offset 0 1) (latency 1) (depth 2)) ; Trailing comment (with a parenthesis.
  (bus B_column (direction 1 0))
  (class pe0 (guard (= p0 0) (= p1 0))
    (loop k 0 (- K 1)
      (at (+ p0 p1 k))
      (load A (A p0 k))
      (load B (B k p1)) (drive B_column B (k))
      (if ((>= k 1)) ((let C (add C (mul A B)))) ((let C (mul A B))))
      (send A_east A)
      (tick 1))
    (store (C p0 p1) C))
  (thin-class pe9 (guard (>= p0 1))
    (loop k 0 (- K 1) (recv A A_east) (listen B B_column (k)) (let C (sub A (- B))))))
"#;

#[test]
fn a_program_written_by_hand_reads_back_from_its_print() {
    let text = MATMUL.replace("(- B)", "(neg (select (lt A 0.5) -1e-3 (index (- (floor k 2))))) ").replace("'", "");
    let program = parse("a.pe", &text).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
    let printed = print(&program);
    assert_eq!(parse("b.pe", &printed).unwrap(), program);
    assert_eq!(is_untouched(&printed), Some(true));
    assert_eq!(is_untouched(&text), None);
}

#[test]
fn the_print_is_one_instruction_a_line() {
    let text = "(program p (version 1) (parameters N) (array Y out (N)) (class pe0 (guard (>= N 2)) (let x 1)
                (loop i 0 (- N 1) (if ((>= i 1) (<= i 3)) ((tick 1) (tick 2)) ()) (store (Y i) x))))";
    let printed = print(&parse("p.pe", text).unwrap());
    let expected = "\
(program p (version 1)
  (parameters N)
  (array Y out (N))
  (class pe0 (guard (>= N 2))
    (let x 1.0)
    (loop i 0 (- N 1)
      (if ((>= i 1) (<= i 3))
        ((tick 1)
         (tick 2))
        ())
      (store (Y i) x)))
  (digest \"";
    assert!(printed.starts_with(expected), "{printed}");
    assert!(printed.ends_with("\"))\n"));
}

/// The word of the kernel language, between the shape and the axes.
#[test]
fn what_is_assumed_of_an_input_reads_back() {
    for (declared, assumption) in [
        ("(array A in (N N) (is positive_definite))", Some(Assumption::PositiveDefinite)),
        ("(array A in (N N) (is dominant) (axes (0 N 4 0) (0 N 4 0)))", Some(Assumption::Dominant)),
        ("(array A in ((+ N 1)) (is letters))", Some(Assumption::Letters)),
        ("(array A in () (is positive))", Some(Assumption::Positive)),
        ("(array A in (N N) (axes (0 N 4 0) (0 N 4 0)))", None),
        ("(array A in (N N))", None),
    ] {
        let text = format!("(program p (version 1) (parameters N) {declared})");
        let program = parse("p.pe", &text).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
        let printed = print(&program);
        assert_eq!(program.arrays[0].assumption, assumption);
        assert!(printed.contains(&format!("\n  {declared}\n")), "{printed}");
        assert_eq!(parse("q.pe", &printed).unwrap(), program);
    }
}

/// A text cannot say that nothing is distributed at a time; a program that is put together may.
#[test]
fn what_is_distributed_out_reads_back() {
    let text = "(program p (version 1) (parameters N) (array A in (N) (is letters) (layout block-cyclic:3)) (fold block) \
         (order turns:4))";
    let program = parse("p.pe", text).unwrap_or_else(|faults| panic!("{}", render(&faults, false)));
    assert_eq!(
        (program.fold, program.arrays[0].layout),
        (Some(Distribution::Block), Some(Distribution::BlockCyclic(3)))
    );
    assert_eq!(parse("q.pe", &print(&program)).unwrap(), program);
    assert_eq!(program.order, LeafOrder::from_keyword("turns:4"));
    let (mut folded, mut laid_out, unordered) = (program.clone(), program.clone(), program);
    folded.fold = Some(Distribution::BlockCyclic(0));
    laid_out.arrays[0].layout = Some(Distribution::BlockCyclic(0));
    for wrong in [folded, laid_out] {
        let faults = validate(&wrong).expect_err("a fault");
        assert!(render(&faults, false).contains("what is distributed 0 at a time"), "{}", render(&faults, false));
    }
    let disordered = Program { order: Some(LeafOrder { together: 0, ..LeafOrder::STEPS }), ..unordered };
    let faults = validate(&disordered).expect_err("a fault");
    assert!(render(&faults, false).contains("an order with 0 steps together"), "{}", render(&faults, false));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_read_back(values in proptest::collection::vec(any::<u32>(), 0..400)) {
        let program = Choices::new(values).program();
        let faults = validate(&program).err().unwrap_or_default();
        prop_assert!(faults.is_empty(), "{}", render(&faults, false));
        let printed = print(&program);
        let read = parse("random.pe", &printed).map_err(|faults| TestCaseError::fail(render(&faults, false)))?;
        prop_assert_eq!(print(&read), printed);
        prop_assert_eq!(read, program);
    }

    /// Whatever stands in the file, the parser answers.
    #[test]
    fn damaged_text_is_answered(at in 0usize..4000, length in 0usize..40, put in "[()\"; a-z0-9+\\-]{0,6}") {
        let text = super::round_trip::MATMUL.replace("(- B)", "(neg B)");
        let at = at % text.len();
        let end = (at + length).min(text.len());
        let damaged = format!("{}{put}{}", &text[..at], &text[end..]);
        if let Err(faults) = parse("damaged.pe", &damaged) {
            prop_assert!(!faults.is_empty());
            prop_assert!(faults.iter().all(|fault| fault.message().contains("damaged.pe:")), "{:?}", faults);
        }
    }
}
