//! Random systems: templates as they are, changed in places, one upon the other, and reads at random.
//!
//! What the evaluator finds undefined at small sizes is thrown away, so nearly all are systems; of those with a cycle some are kept.

use crate::choices::Choices;
use crate::evaluate::{Verdict, evaluate, inputs};
use crate::random::random;
use crate::systems::{Equation, Expression, Form, Operator, Role, Scope, System, Tensor};
use crate::templates::TEMPLATES;
use crate::text::read;

/// The most equations of a system.
const EQUATIONS: usize = 9;

/// Sizes up to which a system is looked at, for those of one size, two and three.
const LARGEST: [i64; 3] = [7, 4, 4];

/// A system with the kind that it is of, and whether it has a cycle.
pub struct Grown {
    pub kind: String,
    pub system: System,
    /// The element that needs itself, and the sizes at which it does.
    pub cycle: Option<String>,
}

/// How a system grows.
#[derive(Clone, Copy)]
enum Way {
    Template,
    Changed,
    Joined,
    Random,
}

/// The system of this number.
pub fn grow(seed: u64, number: u64) -> Grown {
    let choices = &mut Choices::new(seed, number);
    loop {
        let way = choices.weighted(&[(10, Way::Template), (25, Way::Changed), (25, Way::Joined), (40, Way::Random)]);
        let (name, template) = *choices.pick(&TEMPLATES);
        let (kind, mut system) = match way {
            Way::Template => (name.to_owned(), read(&template(choices))),
            Way::Changed => {
                let mut system = read(&template(choices));
                (0..=choices.choose(3)).for_each(|_| change(&mut system, choices));
                (format!("{name}, changed"), system)
            }
            Way::Joined => {
                let (other, second) = *choices.pick(&TEMPLATES);
                let (first, second) = (read(&template(choices)), read(&second(choices)));
                let Some(mut system) = join(first, second, choices) else { continue };
                if choices.percent(50) {
                    change(&mut system, choices);
                }
                (format!("{name}, then {other}"), system)
            }
            Way::Random => ("random reads".to_owned(), read(&random(choices))),
        };
        tidy(&mut system, choices);
        if system.equations.len() > EQUATIONS {
            continue;
        }
        match at_small_sizes(&system) {
            (Verdict::Values(_), _) => return Grown { kind, system, cycle: None },
            (Verdict::Cycle(element), sizes) if choices.percent(50) => {
                return Grown { kind, system, cycle: Some(format!("{element} at {sizes:?}")) };
            }
            _ => {}
        }
    }
}

/// A system that is written down, and not grown.
pub fn known(system: System) -> Grown {
    let cycle = match at_small_sizes(&system) {
        (Verdict::Cycle(element), sizes) => Some(format!("{element} at {sizes:?}")),
        _ => None,
    };
    Grown { kind: "written down".to_owned(), system, cycle }
}

/// All choices of sizes from 1 on.
fn all_sizes(system: &System) -> Vec<Scope> {
    let count = system.sizes.len() as u32;
    let largest = LARGEST[system.sizes.len().clamp(1, 3) - 1];
    let sizes = |code: i64| {
        let size = |(place, name): (usize, &String)| (name.clone(), 1 + code / largest.pow(place as u32) % largest);
        system.sizes.iter().enumerate().map(size).collect()
    };
    (0..largest.pow(count)).map(sizes).collect()
}

/// What a system is at all small sizes: undefined if it is so at any, else with a cycle if it has one at any.
fn at_small_sizes(system: &System) -> (Verdict, Scope) {
    let mut found = (Verdict::Values(inputs(system, &vec![])), vec![]);
    // From the largest sizes, where most of what is undefined shows.
    for sizes in all_sizes(system).into_iter().rev() {
        match evaluate(system, &sizes, &inputs(system, &sizes)) {
            Verdict::Values(_) => {}
            verdict @ Verdict::Undefined(_) => return (verdict, sizes),
            verdict @ Verdict::Cycle(_) => found = (verdict, sizes),
        }
    }
    found
}

/// Every expression within, itself first.
fn parts(value: &mut Expression, see: &mut dyn FnMut(&mut Expression)) {
    see(value);
    match value {
        Expression::Number(_) | Expression::Read(..) => {}
        Expression::Apply(_, sides) => sides.iter_mut().for_each(|side| parts(side, see)),
        Expression::Reduce(_, _, body) => parts(body, see),
    }
}

/// The names that an equation reads.
fn names(equation: &Equation) -> Vec<String> {
    let mut found = vec![];
    parts(&mut equation.value.clone(), &mut |part| {
        if let Expression::Read(tensor, _) = part {
            found.push(tensor.clone());
        }
    });
    found
}

/// What is not read is no input and not local; what is read on may be local.
fn tidy(system: &mut System, choices: &mut Choices) {
    let equations = system.equations.clone();
    let is_read = |name: &str| {
        equations.iter().any(|equation| equation.target != name && names(equation).iter().any(|other| other == name))
    };
    system.tensors.retain(|tensor| tensor.role != Role::Input || is_read(&tensor.name));
    for tensor in &mut system.tensors {
        match tensor.role {
            Role::Local if !is_read(&tensor.name) => tensor.role = Role::Output,
            Role::Output if is_read(&tensor.name) && choices.percent(30) => tensor.role = Role::Local,
            _ => {}
        }
    }
    if system.with_role(Role::Output).next().is_none() {
        let last = system.tensors.last_mut();
        last.expect("a tensor").role = Role::Output;
    }
    *system = read(&system.to_string());
}

/// Changes one read or one reduction.
fn change(system: &mut System, choices: &mut Choices) {
    let tensors = system.tensors.clone();
    let which = choices.choose(system.equations.len());
    let equation = &mut system.equations[which];
    let indices: Vec<String> = equation.ranges.iter().map(|range| range.index.clone()).collect();
    let mut count = 0;
    parts(&mut equation.value, &mut |_| count += 1);
    let (chosen, mut at) = (choices.choose(count), 0);
    parts(&mut equation.value, &mut |part| {
        if at == chosen {
            change_part(part, &tensors, &indices, choices);
        }
        at += 1;
    });
}

fn change_part(part: &mut Expression, tensors: &[Tensor], indices: &[String], choices: &mut Choices) {
    match part {
        Expression::Number(value) => *value += 1.0,
        Expression::Apply(operator, _) if *operator != Operator::Multiply => {
            *operator = *choices.pick(&[Operator::Add, Operator::Subtract, Operator::Maximum]);
        }
        Expression::Apply(..) => {}
        Expression::Reduce(operator, ranges, _) => {
            let range = ranges.last_mut().expect("a range");
            match choices.choose(3) {
                0 if !indices.is_empty() => range.high = Form::of(choices.pick::<String>(indices)),
                1 if !indices.is_empty() => range.low = Form::of(choices.pick::<String>(indices)),
                _ => {
                    *operator = if *operator == Operator::Add { Operator::Maximum } else { Operator::Add };
                }
            }
        }
        Expression::Read(tensor, subscripts) => {
            let shape = tensors.iter().find(|known| known.name == *tensor).map_or(&[][..], |known| &known.shape);
            let place = choices.choose(subscripts.len());
            let subscript = &mut subscripts[place];
            match choices.choose(6) {
                0 => subscript.constant += 1,
                1 => subscript.constant -= 1,
                2 => {
                    let mut reversed = shape[place].clone();
                    subscript.terms.iter().for_each(|(name, factor)| reversed.add(name, -factor));
                    reversed.constant -= 1 + subscript.constant;
                    *subscript = reversed;
                }
                3 => *subscript = Form::default(),
                4 if !indices.is_empty() => *subscript = Form::of(choices.pick::<String>(indices)),
                _ => {
                    let other = choices.choose(subscripts.len());
                    subscripts.swap(place, other);
                }
            }
        }
    }
}

/// The second system upon the first: one of its inputs is what the first computes.
fn join(first: System, mut second: System, choices: &mut Choices) -> Option<System> {
    let given: Vec<&Tensor> = first.tensors.iter().filter(|tensor| tensor.role != Role::Input).collect();
    let wanted: Vec<&Tensor> = second.with_role(Role::Input).collect();
    let fit = wanted.iter().flat_map(|wanted| given.iter().map(move |given| (wanted, given)));
    let fit: Vec<(String, String)> = fit
        .filter(|(wanted, given)| wanted.shape == given.shape)
        .map(|(wanted, given)| (wanted.name.clone(), given.name.clone()))
        .collect();
    if fit.is_empty() {
        return None;
    }
    let (wanted, given) = choices.pick(&fit).clone();
    let renamed = |name: &str| if name == wanted { given.clone() } else { format!("{name}b") };
    second.tensors.retain(|tensor| tensor.name != wanted);
    second.tensors.iter_mut().for_each(|tensor| tensor.name = renamed(&tensor.name));
    for equation in &mut second.equations {
        equation.target = renamed(&equation.target);
        parts(&mut equation.value, &mut |part| {
            if let Expression::Read(tensor, _) = part {
                *tensor = renamed(tensor);
            }
        });
    }
    let mut all = first;
    all.tensors.extend(second.tensors);
    all.equations.extend(second.equations);
    Some(all)
}
