//! Random systems: templates as they are, changed in places, one upon the other, and reads at random.
//!
//! What the evaluator finds undefined at small sizes is thrown away, so nearly all are systems; of those with a cycle some are kept.

use crate::choices::Choices;
use crate::evaluate::{Verdict, evaluate, inputs};
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

/// The extents of random tensors, each with an input of that extent.
const EXTENTS: [(&str, &str); 5] = [("N", "F"), ("M", "G"), ("N + 1", "H"), ("T + 1", "D"), ("2*N", "E")];

/// The extents of which one is a half of the other.
const HALF: (usize, usize) = (0, 4);

/// A tensor of random reads: its extents, and the index along which it goes on, if there is one: upward or downward.
struct Plan {
    name: &'static str,
    extents: Vec<usize>,
    along: Option<(usize, bool)>,
}

const INDICES: [&str; 3] = ["i", "j", "k"];

/// One to three tensors, each from a face on, or whole, of reads at random.
fn random(choices: &mut Choices) -> String {
    let count = choices.weighted(&[(40, 1), (40, 2), (20, 3)]);
    let plan = |name: &&'static str| {
        let rank = choices.weighted(&[(45, 1), (40, 2), (15, 3)]);
        let mut extents: Vec<usize> = (0..rank).map(|_| *choices.pick(&[0, 0, 1, 1, 2, 4])).collect();
        let along = (count == 1 || choices.percent(75)).then(|| (choices.choose(rank), choices.percent(65)));
        if let Some((place, _)) = along {
            extents[place] = 2 + choices.choose(2);
        }
        Plan { name, extents, along }
    };
    let plans: Vec<Plan> = ["X", "Y", "Z"][..count].iter().map(plan).collect();
    let inputs: Vec<String> = EXTENTS.iter().map(|(extent, name)| format!("{name}[{extent}]")).collect();
    let shape = |plan: &Plan| plan.extents.iter().map(|extent| EXTENTS[*extent].0).collect::<Vec<_>>().join(", ");
    let outputs: Vec<String> = plans.iter().map(|plan| format!("{}[{}]", plan.name, shape(plan))).collect();
    let mut text = format!("in {}\nout {}\n", inputs.join(", "), outputs.join(", "));
    for number in 0..plans.len() {
        text += &equations(&plans, number, choices);
    }
    text
}

fn equations(plans: &[Plan], number: usize, choices: &mut Choices) -> String {
    let plan = &plans[number];
    let indices = &INDICES[..plan.extents.len()];
    let bounds = |low: &str, high: &str| {
        let bound = |(place, index): (usize, &&str)| match plan.along {
            Some((along, _)) if along == place => format!("{low} <= {index} < {high}"),
            _ => format!("0 <= {index} < {}", EXTENTS[plan.extents[place]].0),
        };
        indices.iter().enumerate().map(bound).collect::<Vec<_>>().join(", ")
    };
    let target = format!("{}[{}]", plan.name, indices.join(", "));
    let own = choices.choose(indices.len());
    let input = format!("{}[{}]", EXTENTS[plan.extents[own]].1, indices[own]);
    let first = format!("{input} + {}", choices.choose(3));
    let terms: Vec<String> = (0..1 + choices.choose(3)).map(|_| term(plans, number, choices)).collect();
    let mut value = terms[0].clone();
    for term in &terms[1..] {
        value = match choices.choose(3) {
            0 => format!("max({value}, {term})"),
            1 => format!("{value} - {term}"),
            _ => format!("{value} + {term}"),
        };
    }
    let value = if choices.percent(40) { format!("{value} + {input}") } else { value };
    let Some((along, is_upward)) = plan.along else {
        return format!("{target} = {value} where {}\n", bounds("", ""));
    };
    let high = EXTENTS[plan.extents[along]].0;
    let last = high.trim_end_matches(" + 1");
    let [base, step] = match is_upward {
        true => [bounds("0", "1"), bounds("1", high)],
        false => [bounds(last, high), bounds("0", last)],
    };
    format!("{target} = {first} where {base}\n{target} = {value} where {step}\n")
}

/// A read, or a reduction of reads.
fn term(plans: &[Plan], number: usize, choices: &mut Choices) -> String {
    let (plan, other) = (&plans[number], choices.choose(plans.len()));
    // What a tensor without an index to go along reads of itself or of later ones is mostly a cycle.
    let other = if plan.along.is_none() { other.min(number.saturating_sub(1)) } else { other };
    if plan.along.is_none() && number == 0 {
        return format!("{}[{}]", EXTENTS[plan.extents[0]].1, INDICES[0]);
    }
    let read = &plans[other];
    let reduced = choices.percent(40).then(|| choices.choose(read.extents.len()));
    // A second index of a reduction, beside the first.
    let second = reduced.map(|first| (first + 1) % read.extents.len());
    let second = second.filter(|second| reduced != Some(*second) && choices.percent(30));
    let subscripts: Vec<String> = (0..read.extents.len())
        .map(|place| match place {
            _ if reduced == Some(place) => "l".to_owned(),
            _ if second == Some(place) => "s".to_owned(),
            _ => subscript(plans, (number, other), place, choices),
        })
        .collect();
    let access = format!("{}[{}]", read.name, subscripts.join(", "));
    let Some(reduced) = reduced else { return access };
    let own = INDICES[choices.choose(plan.extents.len())];
    let mut range = |place: usize| match plan.along {
        Some((along, is_upward)) if other == number && along == place => match is_upward {
            true => format!("0..{}", INDICES[along]),
            false => format!("{} + 1..{}", INDICES[along], EXTENTS[read.extents[place]].0),
        },
        _ => format!("0..{}", choices.weighted(&[(70, EXTENTS[read.extents[place]].0), (30, own)])),
    };
    let input = EXTENTS[read.extents[reduced]].1;
    let mut ranges = format!("l in {}", range(reduced));
    if let Some(second) = second {
        ranges += &format!(", s in {}", range(second));
    }
    match choices.choose(3) {
        0 => format!("(max({ranges}) ({access} - {input}[l]))"),
        1 => format!("(sum({ranges}) {access})"),
        _ => format!("(sum({ranges}) {input}[l] * {access})"),
    }
}

fn subscript(plans: &[Plan], (number, other): (usize, usize), place: usize, choices: &mut Choices) -> String {
    let (plan, read) = (&plans[number], &plans[other]);
    let extent = EXTENTS[read.extents[place]].0;
    if let (Some((own, is_upward)), Some((along, _))) = (plan.along, read.along)
        && along == place
        && other >= number
        && choices.percent(85)
    {
        return format!("{} {} 1", INDICES[own], if is_upward { '-' } else { '+' });
    }
    let halved = (0..plan.extents.len()).find(|index| (plan.extents[*index], read.extents[place]) == HALF);
    if let Some(halved) = halved.filter(|_| choices.percent(70)) {
        let index = INDICES[halved];
        return match choices.choose(4) {
            0 => format!("2*{index} + 1"),
            1 => format!("{extent} - 1 - 2*{index}"),
            2 => format!("{index} + N"),
            _ => format!("2*{index}"),
        };
    }
    let fit = |index: &usize| plan.extents[*index] == read.extents[place];
    let fitting: Vec<usize> = (0..plan.extents.len()).filter(fit).collect();
    if fitting.is_empty() {
        return if choices.percent(50) { "0".to_owned() } else { format!("{extent} - 1") };
    }
    let index = INDICES[*choices.pick(&fitting)];
    match choices.weighted(&[(60, 0), (20, 1), (8, 2), (12, 3)]) {
        0 => index.to_owned(),
        1 => format!("{extent} - 1 - {index}"),
        2 => "0".to_owned(),
        _ => format!("{index} - 1"),
    }
}
