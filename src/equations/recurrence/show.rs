//! A system as text: its normal form and its dependences.
//!
//! In: a system. Out, through `Display`: the declarations, each equation with the range of every index, and for each
//! read its access matrix, the directions along which it does not change, and, where the tensor is computed, how far
//! back it reaches.

use super::gather::scattered_indices;
use super::{Equation, Expr, RecurrenceSystem, Role, number_text};
use std::fmt;
use systole_base::integer::{Affine, Bound, Matrix, Name, Polyhedron};
use systole_base::scalar::Function;

impl fmt::Display for RecurrenceSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {}({}){}", self.name, self.parameters.join(", "), self.parameters.assumptions())?;
        for tensor in &self.tensors {
            let assumed = tensor.assumption.map_or_else(String::new, |word| format!(" is {}", word.keyword()));
            writeln!(f, "  {:<6}{}{assumed}", role_word(tensor.role), show_access(&tensor.name, &tensor.shape))?;
        }
        for equation in &self.equations {
            write_equation(f, self, equation)?;
        }
        let names: Vec<&str> = self.schedules.iter().map(|schedule| &*schedule.name).collect();
        if names.is_empty() { Ok(()) } else { writeln!(f, "\nschedules: {}", names.join(", ")) }
    }
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::Input => "in",
        Role::Output => "out",
        Role::Local => "local",
    }
}

fn write_equation(f: &mut fmt::Formatter<'_>, system: &RecurrenceSystem, equation: &Equation) -> fmt::Result {
    let target = show_access(&equation.target, &equation.subscripts);
    writeln!(f, "\n{target} = {}", show_expression(&equation.value))?;
    let mut lines = show_ranges(&equation.domain.indices, &equation.domain.set);
    collect_ranges(&equation.value, &mut lines);
    lines.iter().try_for_each(|line| writeln!(f, "  range       {line}"))?;
    let scattered = scattered_indices(equation);
    if !scattered.is_empty() {
        writeln!(f, "  fibres      each element gathers the points ({}) that it names", scattered.join(", "))?;
    }
    write_dependences(f, system, equation, &equation.value, &equation.domain.indices)
}

/// The bounds of each index by those before it.
fn show_ranges(indices: &[Name], set: &Polyhedron) -> Vec<String> {
    let within = |position: usize| set.eliminate_all(&indices[position + 1..]);
    indices.iter().enumerate().map(|(position, index)| show_range(index, &within(position))).collect()
}

fn show_range(index: &Name, set: &Polyhedron) -> String {
    let (lower, upper) = set.bounds(index);
    let low: Vec<String> = lower.iter().map(|bound| show_bound(bound, &bound.form)).collect();
    let high: Vec<String> = upper.iter().map(show_upper).collect();
    format!("{} <= {index} {}", low.join(", "), high.join(", "))
}

fn show_bound(bound: &Bound, form: &Affine) -> String {
    if bound.coefficient == 1 { form.to_string() } else { format!("({form})/{}", bound.coefficient) }
}

/// `< N` where that is exact, `<= (N - 1)/2` otherwise.
fn show_upper(bound: &Bound) -> String {
    match bound.coefficient {
        1 => format!("< {}", bound.form.clone() + Affine::constant(1)),
        _ => format!("<= {}", show_bound(bound, &bound.form)),
    }
}

fn collect_ranges(expression: &Expr, lines: &mut Vec<String>) {
    match expression {
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => {}
        Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| collect_ranges(argument, lines)),
        Expr::Reduce { index, range, body, .. } => {
            lines.push(show_range(index, range));
            collect_ranges(body, lines);
        }
    }
}

/// One line for each read, with the indices in scope there.
fn write_dependences(
    f: &mut fmt::Formatter<'_>,
    system: &RecurrenceSystem,
    equation: &Equation,
    expression: &Expr,
    indices: &[Name],
) -> fmt::Result {
    match expression {
        Expr::Number(_) | Expr::Index(_) => Ok(()),
        Expr::Read { tensor, subscripts, .. } => {
            writeln!(f, "  reads       {}", show_read(tensor, subscripts, indices))?;
            let computed = system.tensor(tensor).is_some_and(|tensor| tensor.role != Role::Input);
            if computed && *tensor == equation.target {
                writeln!(f, "  depends     {}", show_distance(equation, subscripts))?;
            } else if computed {
                writeln!(f, "  depends     on the equations of `{tensor}`")?;
            }
            Ok(())
        }
        Expr::Apply(_, arguments) => {
            arguments.iter().try_for_each(|argument| write_dependences(f, system, equation, argument, indices))
        }
        Expr::Reduce { index, body, .. } => {
            let indices: Vec<Name> = indices.iter().cloned().chain([index.clone()]).collect();
            write_dependences(f, system, equation, body, &indices)
        }
    }
}

/// `A[i, k] over (i, j, k): [[1, 0, 0], [0, 0, 1]], the same along <j>`.
fn show_read(tensor: &Name, subscripts: &[Affine], indices: &[Name]) -> String {
    let rows = subscripts.iter().map(|form| form.row(indices)).collect();
    let matrix = Matrix::new(rows, indices.len());
    let direction = |vector: &Vec<i64>| format!("<{}>", Affine::from_row(indices, vector).to_string().replace(' ', ""));
    let along: Vec<String> = matrix.null_lattice().iter().map(direction).collect();
    let same = if along.is_empty() {
        "different at every point".to_owned()
    } else {
        format!("the same along {}", along.join(", "))
    };
    format!("{} over ({}): {matrix:?}, {same}", show_access(tensor, subscripts), indices.join(", "))
}

/// How far back in its own tensor a read reaches, subscript by subscript.
fn show_distance(equation: &Equation, subscripts: &[Affine]) -> String {
    let pairs = equation.subscripts.iter().zip(subscripts);
    let distance: Vec<Affine> = pairs.map(|(target, read)| target.clone() - read.clone()).collect();
    let kind = if distance.iter().all(Affine::is_constant) { "uniform" } else { "varying" };
    let list: Vec<String> = distance.iter().map(Affine::to_string).collect();
    format!("on `{}` itself at {kind} distance ({})", equation.target, list.join(", "))
}

fn show_access(tensor: &Name, subscripts: &[Affine]) -> String {
    let list: Vec<String> = subscripts.iter().map(Affine::to_string).collect();
    if list.is_empty() { tensor.to_string() } else { format!("{tensor}[{}]", list.join(", ")) }
}

/// An expression in the notation of kernels, fully bracketed.
fn show_expression(expression: &Expr) -> String {
    match expression {
        Expr::Number(value) => number_text(*value),
        Expr::Index(form) => form.to_string(),
        Expr::Read { tensor, subscripts, .. } => show_access(tensor, subscripts),
        Expr::Apply(function, arguments) => show_apply(*function, arguments),
        Expr::Reduce { operator, index, body, .. } => {
            format!("{}({index}) {}", operator.keyword(), show_operand(body))
        }
    }
}

fn show_apply(function: Function, arguments: &[Expr]) -> String {
    let sign = match function {
        Function::Add => "+",
        Function::Subtract => "-",
        Function::Multiply => "*",
        Function::Divide => "/",
        _ => "",
    };
    match arguments {
        [left, right] if !sign.is_empty() => format!("{} {sign} {}", show_operand(left), show_operand(right)),
        [operand] if function == Function::Negate => format!("-{}", show_operand(operand)),
        _ => {
            let list: Vec<String> = arguments.iter().map(show_expression).collect();
            format!("{}({})", function.keyword(), list.join(", "))
        }
    }
}

/// Anything but a read, a number or a product of two of them stands in brackets.
fn show_operand(expression: &Expr) -> String {
    let text = show_expression(expression);
    match expression {
        Expr::Number(_) | Expr::Read { .. } => text,
        Expr::Reduce { body, .. } if matches!(**body, Expr::Reduce { .. }) => text,
        Expr::Index(form) if form.as_variable().is_some() => text,
        _ => format!("({text})"),
    }
}
