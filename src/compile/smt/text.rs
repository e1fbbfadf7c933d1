//! Obligations as SMT-LIB 2 text that any solver for linear integer arithmetic can replay: `unsat` means proved.
//!
//! Written from the formulas, not from the solver's own terms, so that a replay also checks the encoding.

use std::collections::BTreeMap;
use std::fmt::Write;
use systole_base::integer::{Affine, Name};
use systole_program::obligation::{Formula, Obligation};

/// Words that SMT-LIB or its theory of integers keeps for itself.
const RESERVED: &str = " ! _ as and abs assert distinct div exists false forall is_int ite let match mod not or par \
                        divisible push pop to_int to_real true xor Int Real Bool Array ";

/// All obligations in one text, each in a scope of its own.
pub fn dump(obligations: &[Obligation]) -> String {
    let mut text = header();
    for obligation in obligations {
        let _ = write!(text, "\n(push 1)\n{}(pop 1)\n", query(obligation));
    }
    text
}

/// One obligation.
pub fn dump_smt(obligation: &Obligation) -> String {
    header() + &query(obligation)
}

fn header() -> String {
    "; each query asks for a violation: unsat means proved for all sizes\n(set-logic QF_LIA)\n".to_owned()
}

fn query(obligation: &Obligation) -> String {
    let symbols: BTreeMap<&Name, String> =
        obligation.variables.iter().map(|variable| (variable, symbol(variable))).collect();
    let mut text = format!("; {} of {}\n", obligation.kind, obligation.of.escape_debug());
    for variable in &obligation.variables {
        let _ = writeln!(text, "(declare-fun {} () Int)", symbols[variable]);
    }
    let parts = match &obligation.violation {
        Formula::All(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    for part in parts {
        let _ = writeln!(text, "(assert {})", show_formula(part, &symbols));
    }
    text + "(check-sat)\n"
}

/// A name as a symbol: as it is, between bars, or, where it is a word of the language, told apart from that.
fn symbol(name: &Name) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let digit = name.starts_with(|c: char| c.is_ascii_digit());
    if RESERVED.contains(&format!(" {name} ")) {
        return format!("|variable {name}|");
    }
    if plain && !digit && !name.is_empty() { name.to_string() } else { format!("|{}|", name.replace(['|', '\\'], "/")) }
}

fn show_formula(formula: &Formula, symbols: &BTreeMap<&Name, String>) -> String {
    let each = |parts: &[Formula]| parts.iter().map(|part| show_formula(part, symbols)).collect::<Vec<_>>().join(" ");
    match formula {
        Formula::AtLeastZero(form) => show_inequality(form, symbols),
        Formula::All(parts) if parts.is_empty() => "true".to_owned(),
        Formula::Any(parts) if parts.is_empty() => "false".to_owned(),
        Formula::All(parts) => format!("(and {})", each(parts)),
        Formula::Any(parts) => format!("(or {})", each(parts)),
        Formula::Not(part) => format!("(not {})", show_formula(part, symbols)),
    }
}

/// `form >= 0` with positive terms on the left and negative ones on the right.
fn show_inequality(form: &Affine, symbols: &BTreeMap<&Name, String>) -> String {
    let side = |sign: i64| {
        let terms = form.terms().filter(|(_, coefficient)| coefficient.signum() == sign);
        let mut shown: Vec<String> = terms.map(|(name, coefficient)| show_term(name, coefficient, symbols)).collect();
        if form.constant_term().signum() == sign {
            shown.push(form.constant_term().unsigned_abs().to_string());
        }
        match shown.as_slice() {
            [] => "0".to_owned(),
            [single] => single.clone(),
            _ => format!("(+ {})", shown.join(" ")),
        }
    };
    format!("(>= {} {})", side(1), side(-1))
}

fn show_term(name: &Name, coefficient: i64, symbols: &BTreeMap<&Name, String>) -> String {
    let symbol = symbols.get(name).cloned().unwrap_or_else(|| symbol(name));
    match coefficient.unsigned_abs() {
        1 => symbol,
        magnitude => format!("(* {magnitude} {symbol})"),
    }
}
