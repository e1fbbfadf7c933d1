//! From tree to text, one item a line, with no more brackets than the grammar needs.

use super::ast::{
    Binding, Condition, Definition, Directive, Equation, Expr, File, Ident, Infix, JointEquation, Level, Reduction,
    Relation, Schedule, Spanned, Tensor, Term,
};
use std::fmt::Write;

/// The file as text that [`parse`](super::parse) reads back to the same tree.
pub fn print(file: &File) -> String {
    let kernel = &file.kernel.node;
    let parameters: Vec<&str> = kernel.parameters.iter().map(|parameter| &*parameter.node).collect();
    let assumptions = print_conditions(&kernel.assumptions);
    let mut text = format!("kernel {}({}){assumptions}\n", kernel.name.node, parameters.join(", "));
    for definition in &file.definitions {
        text.push_str(&print_definition(&definition.node));
        text.push('\n');
    }
    print_tensors(&mut text, &file.tensors);
    let reductions = file.reductions.iter().map(|reduction| print_reduction(&reduction.node));
    let equations = file.equations.iter().map(|equation| print_equation(&equation.node));
    let joint = file.joint_equations.iter().map(|equation| print_joint_equation(&equation.node));
    for line in reductions.chain(equations).chain(joint) {
        text.push_str(&line);
        text.push('\n');
    }
    for schedule in &file.schedules {
        print_schedule(&mut text, schedule);
    }
    text
}

fn print_definition(Definition { name, arguments, value }: &Definition) -> String {
    let value = print_expression(value);
    match arguments {
        None => format!("const {} = {value}", name.node),
        Some(arguments) => {
            let arguments: Vec<&str> = arguments.iter().map(|argument| &*argument.node).collect();
            format!("function {}({}) = {value}", name.node, arguments.join(", "))
        }
    }
}

/// Neighbours of one direction share a line.
fn print_tensors(text: &mut String, tensors: &[Spanned<Tensor>]) {
    for line in tensors.chunk_by(|a, b| a.node.direction == b.node.direction) {
        let names: Vec<String> = line.iter().map(|tensor| print_tensor(&tensor.node)).collect();
        let word = line.first().map_or("", |tensor| tensor.node.direction.keyword());
        let _ = writeln!(text, "{word} {}", names.join(", "));
    }
}

fn print_tensor(tensor: &Tensor) -> String {
    let access = print_access(&tensor.name.node, &tensor.shape);
    let assumption = tensor.assumption.as_ref().map_or_else(String::new, |word| format!(" is {}", word.node));
    let over = tensor.over.as_ref().map_or_else(String::new, |steps| format!(" over {}", print_binding(steps)));
    format!("{access}{assumption}{over}")
}

fn print_reduction(reduction: &Reduction) -> String {
    let Reduction { name, left, right, values, neutral } = reduction;
    let names = |list: &[Ident]| list.iter().map(|name| &*name.node).collect::<Vec<_>>().join(", ");
    let operands = format!("{}({}) with ({})", name.node, names(left), names(right));
    format!("reduction {operands} = ({}) from ({})", print_list(values), print_list(neutral))
}

fn print_equation(equation: &Equation) -> String {
    let target = print_access(&equation.target.node, &equation.subscripts);
    let elsewhere = if equation.is_elsewhere { " elsewhere" } else { "" };
    format!("{target} = {}{}{elsewhere}", print_expression(&equation.value), print_conditions(&equation.conditions))
}

fn print_joint_equation(equation: &JointEquation) -> String {
    let JointEquation { targets, reduction, binding, terms } = equation;
    let targets: Vec<String> =
        targets.iter().map(|(target, subscripts)| print_access(&target.node, subscripts)).collect();
    let terms = print_list(terms);
    format!("({}) = {}({}) ({terms})", targets.join(", "), reduction.node, print_binding(binding))
}

fn print_conditions(conditions: &[Spanned<Condition>]) -> String {
    let list: Vec<String> = conditions.iter().map(|condition| print_condition(&condition.node)).collect();
    if list.is_empty() { String::new() } else { format!(" where {}", list.join(", ")) }
}

fn print_condition(condition: &Condition) -> String {
    let mut text = print_at(&condition.first, Rank::Sum);
    for (relation, form) in &condition.rest {
        let _ = write!(text, " {} {}", relation.sign(), print_at(form, Rank::Sum));
    }
    text
}

fn print_schedule(text: &mut String, schedule: &Schedule) {
    let _ = writeln!(text, "\nschedule {}", schedule.name.node);
    for directive in &schedule.directives {
        text.push_str(&print_directive(&directive.node));
        text.push('\n');
    }
}

fn print_flow(word: &str, tensor: &Ident, along: &[Expr]) -> String {
    let along = if along.is_empty() { String::new() } else { format!(" along {}", print_forms(along)) };
    format!("{word} {}{along}", tensor.node)
}

fn print_directive(directive: &Directive) -> String {
    match directive {
        Directive::Place(forms) => format!("place ({})", print_list(forms)),
        Directive::Time(forms) => match forms.as_slice() {
            [form] => format!("time {}", print_at(form, Rank::Sum)),
            forms => format!("time ({})", print_forms(forms)),
        },
        Directive::Stream(tensor, along) => print_flow("stream", tensor, along),
        Directive::StreamBoth(tensor, indices) => {
            let indices: Vec<&str> = indices.iter().map(|index| &*index.node).collect();
            format!("stream {} both {}", tensor.node, indices.join(", "))
        }
        Directive::Broadcast(tensor, along) => print_flow("broadcast", tensor, along.as_slice()),
        Directive::Local(tensor) => format!("local {}", tensor.node),
        Directive::Memory(tensor) => format!("memory {}", tensor.node),
        Directive::Room(tensor, words) => format!("room {} ({})", tensor.node, print_room(words)),
        Directive::Prefetch(tensor) => format!("prefetch {}", tensor.node),
        Directive::Feed(tensor) => format!("feed {}", tensor.node),
        Directive::Tile(index, size) => format!("tile {} {}", index.node, number_text(size.node)),
        Directive::Fold(word) => format!("fold {}", word.node),
        Directive::FoldBy(factors) => format!("fold ({})", print_numbers(factors)),
        Directive::Phase(phases) => format!("phase ({})", print_numbers(phases)),
        Directive::Position(number) => format!("position {}", number.node),
        Directive::Order(word) => format!("order {}", word.node),
        Directive::Layout(tensor, word) => format!("layout {} {}", tensor.node, word.node),
        Directive::Io(word) => format!("io {}", word.node),
        Directive::Network(word) => format!("network {}", word.node),
        Directive::Load(tensor, along) => format!("load {} along ({})", tensor.node, print_list(along)),
        Directive::Space(space) => format!("space {}", space.node),
        Directive::Handoff(tensor) => format!("handoff {}", tensor.node),
        Directive::Bus(tensor) => format!("bus {}", tensor.node),
        Directive::Reduce(levels) => format!("reduce along {}", print_forms(levels)),
        Directive::Split(whole, levels) => {
            let levels: Vec<String> = levels.iter().map(print_level).collect();
            format!("split {} as {}", print_level(whole), levels.join(" "))
        }
    }
}

fn print_level(level: &Level) -> String {
    format!("{}({})", level.operator.node, print_list(&level.indices))
}

fn print_numbers(numbers: &[Spanned<f64>]) -> String {
    numbers.iter().map(|number| number_text(number.node)).collect::<Vec<_>>().join(", ")
}

fn print_room(words: &[Option<Spanned<f64>>]) -> String {
    let along = |words: &Option<Spanned<f64>>| words.as_ref().map_or("_".to_owned(), |words| number_text(words.node));
    words.iter().map(along).collect::<Vec<_>>().join(", ")
}

fn print_list(list: &[Expr]) -> String {
    list.iter().map(print_expression).collect::<Vec<_>>().join(", ")
}

fn print_forms(list: &[Expr]) -> String {
    list.iter().map(|form| print_at(form, Rank::Sum)).collect::<Vec<_>>().join(", ")
}

fn print_access(tensor: &str, subscripts: &[Expr]) -> String {
    match subscripts.is_empty() {
        true => tensor.to_owned(),
        false => format!("{tensor}[{}]", print_list(subscripts)),
    }
}

/// How tightly a term binds. A reduction is open to the right up to the end of a product, so it may stand in a sum but
/// not in a product.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Comparison,
    Sum,
    Reduction,
    Product,
    Negation,
    Atom,
}

fn rank(term: &Term) -> Rank {
    match term {
        // It binds tightly, but reads better in brackets.
        Term::Compare(..) | Term::Else(..) => Rank::Comparison,
        Term::Infix(Infix::Add | Infix::Subtract, ..) => Rank::Sum,
        Term::Reduce(..) => Rank::Reduction,
        Term::Infix(Infix::Multiply | Infix::Divide, ..) => Rank::Product,
        Term::Negate(_) => Rank::Negation,
        Term::Number(_) | Term::Name(_) | Term::Access(..) | Term::Call(..) | Term::Divide(..) => Rank::Atom,
    }
}

/// Any expression as text.
pub(crate) fn print_expression(expression: &Expr) -> String {
    print_at(expression, Rank::Comparison)
}

/// The expression where only terms that bind at least as tightly as `least` may stand without brackets.
fn print_at(expression: &Expr, least: Rank) -> String {
    let text = print_term(&expression.node);
    match rank(&expression.node) < least {
        true => format!("({text})"),
        false => text,
    }
}

fn print_term(term: &Term) -> String {
    match term {
        Term::Number(value) => number_text(*value),
        Term::Name(name) => name.to_string(),
        Term::Access(tensor, subscripts) => print_access(&tensor.node, subscripts),
        Term::Call(function, arguments) => format!("{}({})", function.node, print_list(arguments)),
        Term::Negate(operand) => format!("-{}", print_at(operand, Rank::Negation)),
        Term::Infix(infix, left, right) => print_infix(*infix, left, right),
        Term::Compare(relation, left, right) => {
            format!("{} {} {}", print_at(left, Rank::Sum), relation.sign(), print_at(right, Rank::Sum))
        }
        Term::Else(element, other) => {
            format!("{} else {}", print_at(element, Rank::Atom), print_at(other, Rank::Negation))
        }
        Term::Divide(half, form, by) => format!("({}) {} {by}", print_expression(form), half.keyword()),
        Term::Reduce(operator, bindings, conditions, body) => {
            let bindings: Vec<String> = bindings.iter().map(print_binding).collect();
            let conditions = print_bound_conditions(conditions);
            format!("{}({}{conditions}) {}", operator.node, bindings.join(", "), print_body(body))
        }
    }
}

/// A body that begins with a minus stands in brackets: `max(a, b) - c` is a difference.
fn print_body(body: &Expr) -> String {
    let text = print_at(body, Rank::Reduction);
    if text.starts_with('-') { format!("({text})") } else { text }
}

fn print_infix(infix: Infix, left: &Expr, right: &Expr) -> String {
    let (left_rank, right_rank) = match infix {
        Infix::Add | Infix::Subtract => (Rank::Sum, Rank::Reduction),
        Infix::Multiply | Infix::Divide => (Rank::Product, Rank::Negation),
    };
    format!("{} {} {}", print_at(left, left_rank), infix.sign(), print_at(right, right_rank))
}

fn print_binding(binding: &Binding) -> String {
    match &binding.range {
        None => binding.index.node.to_string(),
        Some((low, high)) => {
            let step = if binding.step == 1 { String::new() } else { format!(" step {}", binding.step) };
            format!("{} in {}..{}{step}", binding.index.node, print_bound(low), print_bound(high))
        }
    }
}

/// The conditions of a reduction, whose sides are bounds.
fn print_bound_conditions(conditions: &[Spanned<Condition>]) -> String {
    let side = |(relation, form): &(Relation, Expr)| format!(" {} {}", relation.sign(), print_bound(form));
    let whole = |condition: &Spanned<Condition>| {
        print_bound(&condition.node.first) + &condition.node.rest.iter().map(side).collect::<String>()
    };
    let list: Vec<String> = conditions.iter().map(whole).collect();
    if list.is_empty() { String::new() } else { format!(" where {}", list.join(", ")) }
}

/// A bound of a range: the grammar has no reduction there without brackets.
fn print_bound(bound: &Expr) -> String {
    match ends_in_reduction(&bound.node) {
        true => format!("({})", print_expression(bound)),
        false => print_at(bound, Rank::Sum),
    }
}

/// Whether a reduction stands outside brackets in the printed form of a sum.
fn ends_in_reduction(term: &Term) -> bool {
    match term {
        Term::Reduce(..) => true,
        Term::Infix(Infix::Add | Infix::Subtract, left, right) => {
            ends_in_reduction(&left.node) || ends_in_reduction(&right.node)
        }
        _ => false,
    }
}

/// A number as kernels write it, with its sign: the shortest digits that read back to the same double.
pub fn number_text(value: f64) -> String {
    match value {
        f64::INFINITY => "infinity".to_owned(),
        f64::NEG_INFINITY => "-infinity".to_owned(),
        long if long != 0.0 && !(1e-15..1e15).contains(&long.abs()) => format!("{long:e}"),
        _ => value.to_string(),
    }
}
