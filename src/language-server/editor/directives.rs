//! The words that lead a line of a schedule, and what such a line means.

use systole_base::span::Source;
use systole_equations::syntax::ast::{Directive, Expr, Infix, Schedule, Term};

/// Each word with a line that it may lead, and what that line means.
pub const WORDS: [(&str, &str, &str); 23] = [
    ("place", "place (i, j)", "which PE runs a point, for every space that has these indices"),
    ("time", "time i + j", "when a point runs; a vector such as `(k, i + j)` is compared entry by entry"),
    ("stream", "stream A along j", "from PE to PE along an index; without `along`, in any way on offer"),
    ("broadcast", "broadcast A along j", "over a bus, to all PEs of a line at once"),
    ("prefetch", "prefetch A", "brought into the PE that uses it before the run"),
    ("feed", "feed A", "through the PE's own port when it is used"),
    ("local", "local X", "kept by the PE that computes it, and read there at any later time"),
    ("memory", "memory X", "stored in a memory that all PEs share, and read there by any of them"),
    ("room", "room X (2, _)", "with `local X`: the words that a PE has along each dimension; `_` is a word each"),
    ("tile", "tile i 64", "tiles of so many elements along an index are the unit"),
    ("fold", "fold (2)", "how many neighbouring PEs become one, or which worker owns a PE: `fold cyclic`"),
    ("layout", "layout A cyclic", "where the words of an array begin or end, on threads and ranks"),
    ("order", "order turns:4", "in which order a worker computes the tiles of its PEs"),
    ("io", "io boundary", "values enter and leave at the edge of the array"),
    ("network", "network hex", "how PEs are joined: line, wire, mesh, hex, king or torus"),
    ("load", "load C along (1, 0)", "with `io boundary`: the direction in which what stays is loaded and recovered"),
    ("space", "space X.sum", "the lines that follow speak of this space alone"),
    ("handoff", "handoff X.sum", "how the values of a space reach the spaces that read them"),
    ("bus", "bus A", "over one bus from memory"),
    ("reduce", "reduce along k", "the levels of a reduction, the innermost first"),
    ("phase", "phase (1)", "the PE with which a fold begins, along each axis"),
    ("split", "split sum(c, k) as sum(k) sum(c)", "a reduction as several, the outermost first"),
    ("position", "position 1", "where spaces share a step of a PE, those with the smallest numbers run first"),
];

/// What the line means that a word leads.
pub fn meaning(word: &str) -> Option<&'static str> {
    WORDS.iter().find(|(known, ..)| *known == word).map(|(.., meaning)| *meaning)
}

/// What a line says of its own names, where there is more to say than what its word means.
pub fn of_this_line(directive: &Directive, schedule: &Schedule, source: &Source) -> Option<String> {
    let text = |expression: &Expr| source.slice(expression.span).trim().to_owned();
    let all = |forms: &[Expr]| forms.iter().map(text).collect::<Vec<_>>().join(", ");
    match directive {
        Directive::Place(forms) => {
            let axes = if forms.len() == 1 { "1 axis" } else { &format!("{} axes", forms.len()) };
            Some(format!("A point runs on PE `({})`; the array has {axes}.", all(forms)))
        }
        Directive::Time(forms) if forms.len() == 1 => Some(format!("A point runs at step `{}`.", all(forms))),
        Directive::Time(forms) => Some(format!("A point runs at step `({})`.", all(forms))),
        Directive::Stream(tensor, along) if !along.is_empty() => {
            let moves = along.iter().map(|index| moved(index, schedule)).collect::<Option<Vec<_>>>();
            let moves = moves.map_or_else(String::new, |moves| format!(" {}", moves.join(" ")));
            Some(format!("`{}` moves from PE to PE along `{}`.{moves}", tensor.node, all(along)))
        }
        _ => None,
    }
}

/// How far a value moves from one point to the next along an index, and in how many steps.
fn moved(along: &Expr, schedule: &Schedule) -> Option<String> {
    let Term::Name(index) = &along.node else { return None };
    let forms = |of: fn(&Directive) -> Option<&Vec<Expr>>| schedule.directives.iter().find_map(|one| of(&one.node));
    let slopes = |forms: &[Expr]| forms.iter().map(|form| slope(form, index)).collect::<Option<Vec<f64>>>();
    let place = slopes(forms(|one| if let Directive::Place(forms) = one { Some(forms) } else { None })?)?;
    let time = slopes(forms(|one| if let Directive::Time(forms) = one { Some(forms) } else { None })?)?;
    let [steps] = time[..] else { return None };
    let offset = place.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    let steps = if steps == 1.0 { "1 step".to_owned() } else { format!("{steps} steps") };
    Some(format!("From one `{index}` to the next it goes ({offset}) PEs, and has {steps} for the way."))
}

/// How a form grows with an index; `None` where it is not affine.
fn slope(form: &Expr, index: &str) -> Option<f64> {
    match &form.node {
        Term::Number(_) => Some(0.0),
        Term::Name(name) => Some(if &**name == index { 1.0 } else { 0.0 }),
        Term::Negate(of) => slope(of, index).map(|slope| -slope),
        Term::Infix(Infix::Add, left, right) => Some(slope(left, index)? + slope(right, index)?),
        Term::Infix(Infix::Subtract, left, right) => Some(slope(left, index)? - slope(right, index)?),
        Term::Infix(Infix::Multiply, left, right) => match (&left.node, &right.node) {
            (Term::Number(factor), _) => Some(factor * slope(right, index)?),
            (_, Term::Number(factor)) => Some(factor * slope(left, index)?),
            _ => None,
        },
        _ => None,
    }
}
