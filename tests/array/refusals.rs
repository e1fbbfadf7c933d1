//! One wrong thing a text, and the words it is refused with.

use super::round_trip::MATMUL;
use systole_program::array::{is_untouched, parse, print};

/// The good program, which every refusal is a small change of.
fn good() -> String {
    MATMUL.replace("(- B)", "(neg B)")
}

/// Changes a good program in one place, where all of `what` is, and looks for a message among all messages and help lines.
pub fn expect_of(good: &str, what: &str, by: &str, message: &str) {
    assert_eq!(good.matches(what).count(), 1, "`{what}` must occur once");
    let found = refuse_text(&good.replace(what, by));
    assert!(found.contains(message), "expected `{message}` in:\n{found}");
}

fn refuse_text(text: &str) -> String {
    let faults = parse("m.pe", text).expect_err("the text must be refused");
    faults.iter().map(|fault| format!("{fault}\n{}\n", fault.help_text().unwrap_or(""))).collect()
}

fn expect(what: &str, by: &str, message: &str) {
    expect_of(&good(), what, by, message);
}

#[test]
fn the_good_program_is_not_refused() {
    assert!(parse("m.pe", &good()).is_ok());
}

#[test]
fn forms() {
    expect("(store (C p0 p1) C))", "(store (C p0 p1) C)", "m.pe:2: parentheses do not balance");
    assert!(refuse_text(&format!("{})", good())).contains("m.pe:19: parentheses do not balance"));
    assert!(refuse_text(&format!("{} more", good())).contains("text follows the program"));
    assert!(refuse_text("; nothing").contains("the text holds no program"));
    assert!(refuse_text("").contains("the text holds no program"));
    assert!(refuse_text("word").contains("m.pe:1: expected `(program NAME (version 1) ..)`, found `word`"));
    assert!(refuse_text("(program p (version \"1)").contains("a quoted string does not end"));
    let deep = format!("{}{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(refuse_text(&deep).contains("nested too deep"));
}

#[test]
fn loads() {
    let array = "(array A in (M K)";
    for (setting, message) in [
        ("(loads (latency 0) (outstanding 1))", "the loads of `A` have latency 0; it must be at least 1"),
        ("(loads (latency 1) (outstanding 0))", "no load of `A` may be outstanding; it must be at least 1"),
        ("(loads (latency 1))", "(loads (latency N) (outstanding N))"),
        ("(loads (outstanding 1) (latency 1))", "`(latency N)`"),
    ] {
        expect(array, &format!("{array} {setting}"), message);
    }
    let computed = "array `C` is an output, and only words of inputs can be asked for ahead";
    expect("(array C out (M N)", "(array C out (M N) (loads (latency 1) (outstanding 2))", computed);
    let asked = good().replace(array, &format!("{array} (loads (latency 200) (outstanding 201))"));
    let program = parse("m.pe", &asked).expect("it may be said of an input");
    assert_eq!(program.load_latency(), 200);
    assert_eq!(parse("m.pe", &print(&program)).expect("its own text"), program);
}

#[test]
fn header() {
    expect("(version 1)", "(version 2)", "m.pe:2: version 2 of the program text is not known");
    expect("(version 1)", "(versoin 1)", "expected `(program NAME (version 1) ..)`");
    expect("program matmul", "program 3", "`3` cannot be the name of a program");
    expect("array A in", "array inf in", "`inf` cannot be the name of an array");
    expect("(parameters M N K)", "(parameters M N K) (version 1)", "expected one version");
}

#[test]
fn words() {
    expect("(bus ", "(buss ", "did you mean `bus`?");
    expect("(recv A", "(receive A", "m.pe:18: `receive` is not an instruction");
    expect("(tick 1)", "(tock 1)", "did you mean `tick`?");
    expect("(add C", "(plus C", "`plus` is not a scalar function");
    expect("(>= k 1)", "(> k 1)", "`>` is not a comparison");
    expect("(at (+ p0", "(at (plus p0", "`plus` is not an integer operation");
    expect("(grid ", "(fold diagonal) (grid ", "`diagonal` is not how something is distributed");
    expect("(grid ", "(fold block-cyclic:0) (grid ", "did you mean `block-cyclic:2`?");
    expect("(grid ", "(fold cyclic) (fold cyclic) (grid ", "expected one fold");
    expect("(grid ", "(order turn) (grid ", "did you mean `turns`?");
    expect("(grid ", "(order steps:0) (grid ", "`steps:0` is not an order of tiles");
    expect("(grid ", "(order steps) (order turns) (grid ", "expected one order");
    expect("(M K))", "(M K) (layout cyclics))", "did you mean `cyclic`?");
    expect("array A in", "array A inn", "m.pe:4: expected `in` or `out`, found `inn`");
}

#[test]
fn parts() {
    expect("(send A_east A)", "(send A_east)", "expected `(send CHANNEL REGISTER)`, with 2 parts");
    expect("(latency 1)", "(latency one)", "expected a whole number from 0 on");
    expect("(depth 2)", "(depth -2)", "expected a whole number from 0 on");
    expect("(offset 0 1)", "(offset 0 x)", "expected a whole number of 64 bits");
    expect("(mul A B)))) (", "(mul A)))) (", "expected 2 operands of `mul`");
    expect("(load B (B k p1))", "(load B B)", "expected an element such as");
    expect("(neg B)", "()", "expected a scalar expression");
}

#[test]
fn names() {
    expect("(array B in", "(array A in", "m.pe:4: array `A` is declared twice");
    expect("(parameters M N K)", "(parameters M N K M)", "parameter or coordinate `M` is declared twice");
    expect("(bus B_column", "(bus A_east", "channel or bus `A_east` is declared twice");
    expect("thin-class pe9", "thin-class pe0", "class `pe0` is declared twice");
    expect("(send A_east A)", "(send A_est A)", "m.pe:14: channel `A_est` is not declared");
    expect("(send A_east A)", "(send A_est A)", "did you mean `A_east`?");
    expect("(drive B_column B", "(drive A_east B", "bus `A_east` is not declared");
    expect("(load A (A p0 k))", "(load A (D p0 k))", "array `D` is not declared");
    expect("(at (+ p0 p1 k))", "(at (+ p0 p1 j))", "m.pe:10: variable `j` is not known here");
    expect("(guard (>= p0 1))", "(guard (>= k 1))", "variable `k` is not known here");
    expect("(array A in (M K))", "(array A in (M p0))", "variable `p0` is not known here");
    expect("(at (+ p0 p1 k))", "(loop k 0 1 (tick 2))", "loop index `k` hides another variable");
}

#[test]
fn ranks() {
    expect("(load A (A p0 k))", "(load A (A k))", "array `A` has 2 dimensions, 1 subscript given");
    expect("(offset 0 1)", "(offset 1)", "the offset of `A_east` has 1 entry, the grid has rank 2");
    expect("(direction 1 0)", "(direction 0 0)", "the direction of `B_column` is zero");
    expect("(drive B_column B (k))", "(drive B_column B (k 0))", "1 entry, another one has 2");
}

#[test]
fn values() {
    expect("(depth 2)", "(depth 0)", "m.pe:6: channel `A_east` has depth 0");
    expect("(latency 1)", "(latency 0)", "channel `A_east` has latency 0");
    expect("(at (+ p0 p1 k))", "(at (mod k 0))", "the divisor of `(mod k 0)` is not positive");
    expect("(load A (A p0 k))", "(load A (C p0 k))", "array `C` is an output and cannot be read");
    expect("(store (C p0 p1) C)", "(store (A p0 p1) C)", "array `A` is an input and cannot be stored to");
}

/// Only in a cell may operations share a step, and may words be there in the step of their send: on the PE that keeps them.
#[test]
fn cells() {
    let cell = |text: String| text.replace("(grid", "(cell 2) (grid");
    let shared = good().replace("(tick 1)", "(share) (end-step)");
    assert!(parse("m.pe", &cell(shared.clone())).is_ok());
    expect("(tick 1)", "(share)", "`(share)` in a program that does not say how much a cell holds");
    expect("(tick 1)", "(end-step)", "`(end-step)` in a program that does not say how much a cell holds");
    expect_of(&cell(good()), "(latency 1)", "(latency 0)", "channel `A_east` has latency 0");
    let kept = good().replace("(offset 0 1)", "(offset 0 0)").replace("(latency 1)", "(latency 0)");
    assert!(refuse_text(&kept).contains("channel `A_east` has latency 0"));
    assert!(parse("m.pe", &cell(kept)).is_ok());
    for wrong in ["(cell 1)", "(cell 0)", "(cell some)"] {
        assert!(
            refuse_text(&cell(good()).replace("(cell 2)", wrong))
                .contains("a number of operations, 2 at least, or `all`")
        );
    }
    assert!(refuse_text(&cell(cell(good()))).contains("expected one cell"));
}

/// Each refusal beside what is not refused; two extents may be the same without being written alike.
#[test]
fn assumptions() {
    let input = |rest: &str| format!("(array A in {rest})");
    for good_one in ["(M K) (is letters)", "(M M) (is dominant)", "((+ M 1) (+ 1 M)) (is positive_definite)"] {
        assert!(parse("m.pe", &good().replace(&input("(M K)"), &input(good_one))).is_ok(), "{good_one}");
    }
    let refused = |by: &str, message: &str| expect(&input("(M K)"), &input(by), message);
    let square = "m.pe:4: array `A` is assumed to be `dominant`, and only a square matrix can be so";
    refused("(M K) (is dominant)", square);
    refused("(M (+ M 1)) (is dominant)", square);
    refused("(M M) (is positiv_definite)", "m.pe:4: `positiv_definite` is not what an array can be assumed to be");
    refused("(M M) (is positiv_definite)", "did you mean `positive_definite`?");
    refused("(M M) (is spd)", "known are `dominant`, `positive_definite`, `letters`, `bits`, `positive`");
    refused("(M K) (is)", "expected `(is ASSUMPTION)`, with 1 parts");
    refused("(M K) (is bits letters)", "expected `(is ASSUMPTION)`, with 1 parts");
    refused("(M K) (is bits) (is letters)", "expected `(axes (BEFORE BODY SIZE AFTER [MARGIN]) ..)`");
    refused("(M K) (axes (0 M 4 0) (0 K 4 0)) (is bits)", "expected nothing after the axes");
    let output = "array `C` is an output and cannot be assumed to be `bits`";
    expect("(array C out (M N))", "(array C out (M N) (is bits))", output);
}

#[test]
fn uses() {
    expect("(send A_east A)", "(tick 0)", "channel `A_east` is received on but never sent on");
    expect("(recv A A_east)", "(load A (A 0 0))", "channel `A_east` is sent on but never received on");
    expect("(drive B_column B (k))", "(tick 0)", "bus `B_column` is listened to but never driven");
    expect("(listen B B_column (k))", "(tick 0)", "m.pe:18: register `B` is read, but nothing before writes it");
    expect("(store (C p0 p1) C)", "(store (C p0 p1) D)", "register `D` is read");
}

/// A register that the next round reads may be written later in the body; one that is written after the loop may not.
#[test]
fn registers_carried_by_a_loop() {
    let program = |body: &str| format!("(program p (version 1) (parameters N) (class c (guard) {body}))");
    assert!(parse("p.pe", &program("(loop i 0 N (if ((>= i 1)) ((let y x)) ()) (let x 1))")).is_ok());
    assert!(refuse_text(&program("(loop i 0 N (let y x)) (let x 1)")).contains("register `x` is read"));
}

#[test]
fn all_faults_are_told_at_once() {
    let text = good().replace("(depth 2)", "(depth 0)").replace("(tick 1)", "(load Z (Z 1))");
    assert_eq!(parse("m.pe", &text).unwrap_err().len(), 2);
    let text = good().replace("(tick 1)", "(tock 1)").replace("(bus ", "(boss ");
    assert_eq!(parse("m.pe", &text).unwrap_err().len(), 2);
}

#[test]
fn a_program_changed_after_it_was_printed() {
    let printed = print(&parse("m.pe", &good()).unwrap());
    assert!(parse("m.pe", &printed).is_ok());
    let changed = printed.replace("(tick 1)", "(tick 2)");
    assert_eq!(is_untouched(&changed), Some(false));
    assert_eq!(is_untouched(&format!("{printed}; more")), Some(false));
    // It is a program all the same: what it says is checked, who wrote it is the caller's question.
    assert!(parse("m.pe", &changed).is_ok());
    let (unsealed, _) = changed.split_once("(digest").unwrap();
    assert_eq!(is_untouched(&format!("{unsealed})")), None);
    assert!(parse("m.pe", &format!("{unsealed})")).is_ok());
}

/// What is filled in is there before the run, so it is an element of an output, and depends on indices alone.
#[test]
fn fills() {
    let fill = "(fill (C p0 p1) (mul 2 (index (+ p0 M)))))";
    let good = good().replace("(store (C p0 p1) C))", fill);
    assert!(print(&parse("m.pe", &good).unwrap()).contains("(fill (C p0 p1) (mul 2.0 (index (+ p0 M))))"));
    let refuse = |by: &str, message: &str| expect_of(&good, fill, by, message);
    refuse("(fill (C p0 p1) C))", "`C` is filled before the run, when register `C` has no value yet");
    refuse("(fill (C p0 p1) C))", "use `store`");
    refuse("(fill (C p0 p1) (add 1 (mul A B))))", "when register `A` has no value yet");
    refuse("(fill (A p0 p1) 1))", "array `A` is an input and cannot be stored to");
    refuse("(fill (C p0) 1))", "array `C` has 2 dimensions, 1 subscript given");
    refuse("(fill (C p0 q) 1))", "variable `q` is not known here");
    refuse("(fill (C p0 p1)))", "expected `(fill (ARRAY SUBSCRIPT ..) EXPRESSION)`");
}
