//! Systems of reads at random: one to three tensors, each whole or from a face on, with reductions, reversed and strided reads.
//!
//! Many a text is none, since a read is outside; `growth.rs` throws it away.

use crate::choices::Choices;

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
pub fn random(choices: &mut Choices) -> String {
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
