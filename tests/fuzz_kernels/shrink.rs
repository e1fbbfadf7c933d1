//! Smaller kernels with the same failure.

use crate::growth::reads;
use crate::kernel::{Equation, Expr, Form, Kernel, Range, Role, Value};

/// A kernel after some steps, each the number of a candidate.
pub fn after(kernel: &Kernel, steps: &[usize]) -> Option<Kernel> {
    steps.iter().try_fold(kernel.clone(), |kernel, step| candidates(&kernel).into_iter().nth(*step))
}

/// The steps to the smallest kernel found for which `fails` still holds, after so many trials at most; what is not valid fails
/// otherwise, so it is not kept.
pub fn shrink(kernel: &Kernel, trials: usize, mut fails: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let (mut best, mut steps, mut trials) = (kernel.clone(), vec![], trials);
    'smaller: loop {
        let length = best.to_string().len();
        for (step, candidate) in candidates(&best).into_iter().enumerate() {
            if candidate.to_string().len() >= length {
                continue;
            }
            if trials == 0 {
                return steps;
            }
            trials -= 1;
            steps.push(step);
            if fails(&steps) {
                best = candidate;
                continue 'smaller;
            }
            steps.pop();
        }
        return steps;
    }
}

/// Kernels that lack something, those that lack most first.
fn candidates(kernel: &Kernel) -> Vec<Kernel> {
    let mut found = vec![];
    for tensor in kernel.tensors.iter().filter(|tensor| tensor.role != Role::Input) {
        found.extend(without(kernel, &tensor.name));
        found.push(in_one_piece(kernel, &tensor.name));
    }
    for at in 0..kernel.equations.len() {
        for smaller in smaller_equations(&kernel.equations[at], kernel) {
            let mut other = kernel.clone();
            other.equations[at] = smaller;
            found.push(other);
        }
    }
    found.into_iter().map(pruned).collect()
}

/// The kernel without a tensor that no other reads.
fn without(kernel: &Kernel, name: &str) -> Option<Kernel> {
    let mut other = kernel.clone();
    let defines = |equation: &Equation| {
        equation.target == name
            || matches!(&equation.value, Value::Joint(_, others, ..) if others.contains(&name.to_owned()))
    };
    let (gone, left): (Vec<_>, Vec<_>) = other.equations.into_iter().partition(defines);
    let mut targets: Vec<String> = gone.iter().map(|equation| equation.target.clone()).collect();
    for equation in &gone {
        if let Value::Joint(_, others, ..) = &equation.value {
            targets.extend(others.clone());
        }
    }
    if left.is_empty() || left.iter().any(|equation| reads(&equation.value).iter().any(|read| targets.contains(read))) {
        return None;
    }
    other.equations = left;
    other.tensors.retain(|tensor| !targets.contains(&tensor.name));
    Some(other)
}

/// The first equation of a tensor as that of all its points.
fn in_one_piece(kernel: &Kernel, name: &str) -> Kernel {
    let mut other = kernel.clone();
    let mut is_first = true;
    other.equations.retain(|equation| equation.target != name || std::mem::replace(&mut is_first, false));
    for equation in other.equations.iter_mut().filter(|equation| equation.target == name) {
        equation.conditions.clear();
    }
    other
}

/// The kernel without inputs and parameters that nothing needs; what only it itself reads is handed out.
fn pruned(mut kernel: Kernel) -> Kernel {
    let equations = kernel.equations.clone();
    let is_read = |name: &String| {
        equations.iter().any(|equation| equation.target != *name && reads(&equation.value).contains(name))
    };
    kernel.tensors.retain(|tensor| tensor.role != Role::Input || is_read(&tensor.name));
    for tensor in kernel.tensors.iter_mut().filter(|tensor| tensor.role == Role::Local && !is_read(&tensor.name)) {
        tensor.role = Role::Output;
    }
    let text = kernel.to_string();
    let body: String = text.lines().skip(1).collect::<Vec<_>>().join("\n");
    let words: Vec<&str> = body.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    let is_used = |name: &&String| words.contains(&name.as_str());
    let used: Vec<String> = kernel.parameters.iter().filter(is_used).cloned().collect();
    if !used.is_empty() {
        kernel.parameters = used;
    }
    kernel
}

fn smaller_equations(equation: &Equation, kernel: &Kernel) -> Vec<Equation> {
    let with = |value: Value| Equation { value, ..equation.clone() };
    match &equation.value {
        Value::Plain(value) => smaller(value, kernel).into_iter().map(|value| with(Value::Plain(value))).collect(),
        Value::Scattered(word, ranges, body) => {
            let bodies = smaller(body, kernel).into_iter();
            bodies.map(|body| with(Value::Scattered(word, ranges.clone(), body))).collect()
        }
        Value::Joint(word, others, range, terms) => {
            let lists = smaller_lists(terms, kernel).into_iter();
            lists.map(|terms| with(Value::Joint(word, others.clone(), range.clone(), terms))).collect()
        }
    }
}

fn smaller_lists(list: &[Expr], kernel: &Kernel) -> Vec<Vec<Expr>> {
    let mut found = vec![];
    for (at, value) in list.iter().enumerate() {
        for other in smaller(value, kernel) {
            let mut list = list.to_vec();
            list[at] = other;
            found.push(list);
        }
    }
    found
}

/// The value with one part less.
fn smaller(value: &Expr, kernel: &Kernel) -> Vec<Expr> {
    let one = Expr::Number(1.0);
    match value {
        Expr::Number(_) => vec![],
        Expr::Index(form) => vec![one, Expr::Index(Form { constant: 0, ..form.clone() })],
        Expr::Read(tensor, subscripts) => {
            let plain = subscripts.iter().map(|form| Form { constant: 0, ..form.clone() }).collect();
            vec![one, Expr::Read(tensor.clone(), plain)]
        }
        Expr::Else(_, _, other) => vec![one, (**other).clone()],
        Expr::Apply(word, arguments) => {
            let mut found = vec![one];
            found.extend(arguments.iter().cloned());
            found.extend(smaller_lists(arguments, kernel).into_iter().map(|arguments| Expr::Apply(word, arguments)));
            found
        }
        Expr::Reduce(word, ranges, body) => {
            let mut found = vec![one, (**body).clone()];
            for other in smaller_ranges(ranges, kernel) {
                found.push(Expr::Reduce(word, other, body.clone()));
            }
            let bodies = smaller(body, kernel).into_iter();
            found.extend(bodies.map(|body| Expr::Reduce(word, ranges.clone(), Box::new(body))));
            found
        }
    }
}

fn smaller_ranges(ranges: &[Range], kernel: &Kernel) -> Vec<Vec<Range>> {
    let mut found = vec![];
    for at in 0..ranges.len() {
        if ranges.len() > 1 {
            let mut fewer = ranges.to_vec();
            fewer.remove(at);
            found.push(fewer);
        }
        for size in &kernel.parameters {
            let mut plain = ranges.to_vec();
            plain[at] = Range::new(&ranges[at].index, Form::number(0), Form::of(size));
            found.push(plain);
        }
    }
    found
}
