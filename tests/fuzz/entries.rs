//! The four ways for text into the library. Whatever the text, each comes back with a result or with messages, and what
//! is printed reads back as the same thing.
#![allow(dead_code)]

use systole::array;
use systole::array::{IndexExpr, Program};
use systole::integer::Bindings;
use systole::rewrite::{Statement, compare_recurrences};
use systole::span::{Source, Span};
use systole::{diagnostic, recurrence, rewrite, syntax};

/// A kernel.
pub fn parser(text: &str) {
    let source = Source::new("fuzz.rec", text);
    if let Ok(file) = syntax::parse(&source) {
        let printed = Source::new("printed.rec", syntax::print(&file));
        let again = syntax::parse(&printed).unwrap_or_else(|problems| panic!("{}\n{}", printed.text, shown(&problems)));
        assert!(again == file, "{} reads back as another file", printed.text);
    }
    match recurrence::load(&source) {
        Ok(system) => drop(recurrence::one_space(&system).map_err(|problems| shown(&problems))),
        Err(problems) => drop(shown(&problems)),
    }
    if let Ok(kernel) = syntax::einsum(text) {
        assert!(syntax::parse(&kernel).is_ok(), "{} is no kernel", kernel.text);
    }
}

/// A file of rewrite rules.
pub fn rules(text: &str) {
    match rewrite::read_rules(&Source::new("fuzz.rules", text)) {
        Ok(rules) => drop(rules),
        Err(problems) => drop(shown(&problems)),
    }
}

/// A kernel with the recurrences of its design behind it.
pub fn spaces(text: &str) {
    let source = Source::new("fuzz.spaces", text);
    let (kernel, within) = rewrite::split_recurrences(&source);
    drop(recurrence::load(&kernel).map_err(|problems| shown(&problems)));
    let lines = match rewrite::read_recurrences(&source, within.unwrap_or(Span { start: 0, end: source.text.len() })) {
        Ok(read) => read.into_iter().map(|read| read.line).collect::<Vec<Statement>>(),
        Err(problems) => return drop(shown(&problems)),
    };
    let printed: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let again = Source::new("printed.spaces", &*printed);
    let again = rewrite::read_recurrences(&again, Span { start: 0, end: printed.len() })
        .unwrap_or_else(|problems| panic!("{printed}\n{}", shown(&problems)));
    assert!(compare_recurrences(&again, &lines).is_empty(), "{printed} reads back as other lines");
}

/// A program. It is compiled where it is small; it is not run, since a valid program may take for ever.
pub fn program(text: &str) {
    let program = match array::parse("fuzz.pe", text) {
        Ok(program) => program,
        Err(problems) => return drop(shown(&problems)),
    };
    let printed = array::print(&program);
    let again =
        array::parse("printed.pe", &printed).unwrap_or_else(|problems| panic!("{printed}\n{}", shown(&problems)));
    assert_eq!(array::print(&again), printed);
    if let Err(problems) = array::validate(&program) {
        return drop(shown(&problems));
    }
    for size in [1, 2] {
        let sizes: Bindings = program.parameters.iter().map(|parameter| (parameter.clone(), size)).collect();
        if is_small(&program, &sizes) {
            drop(array::compile(&program, &sizes).map_err(|problems| shown(&problems)));
        }
    }
}

/// Whether the grid and the arrays have few elements.
fn is_small(program: &Program, sizes: &Bindings) -> bool {
    let extent = |first: &IndexExpr, last: &IndexExpr| {
        Some(last.evaluate(sizes)?.checked_sub(first.evaluate(sizes)?)?.checked_add(1)?.clamp(0, 1 << 20) as u64)
    };
    let product = |extents: Vec<Option<u64>>| extents.into_iter().try_fold(1u64, |p, side| p.checked_mul(side?));
    let grid = product(program.grid.iter().map(|side| extent(&side.first, &side.last)).collect());
    let one = IndexExpr::Constant(1);
    let shapes =
        program.arrays.iter().map(|array| product(array.shape.iter().map(|side| extent(&one, side)).collect()));
    let small = |volume: Option<u64>| volume.is_none_or(|volume| volume <= 1 << 12);
    shapes.chain([grid]).all(small)
}

fn shown(problems: &diagnostic::Diagnostics) -> String {
    diagnostic::render(problems, false)
}
