//! Random kernels of one space, as text, grown from a list of random numbers, which proptest shrinks.
//!
//! In bounds by construction: an index runs from 0 to a last value that is affine in the parameters, and a subscript with
//! negative coefficients is shifted up by what they may take away.

/// Choices, one after the other; 0 for ever when they have run out, so that every growth ends.
pub struct Choices {
    values: Vec<u32>,
    next: usize,
}

impl Choices {
    pub fn new(values: Vec<u32>) -> Choices {
        Choices { values, next: 0 }
    }

    pub fn choose(&mut self, count: usize) -> usize {
        let value = self.values.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        value as usize % count.max(1)
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.choose(from.len())]
    }
}

/// An index with its size parameter, the range it is reduced over, and the last value it can have.
struct Index {
    name: &'static str,
    parameter: &'static str,
    range: String,
    last: String,
}

const NAMES: [(&str, &str); 3] = [("i", "M"), ("j", "N"), ("k", "K")];

/// A kernel of two or three indices with one to three reads.
pub fn kernel(choices: &mut Choices) -> String {
    let dimension = 2 + choices.choose(2);
    let shape = Shape::grow(dimension, choices);
    let reads = 1 + choices.choose(3);
    let mut inputs: Vec<String> = vec![];
    let reads: Vec<String> = (0..reads).map(|number| read(number, &shape.indices, &mut inputs, choices)).collect();
    let body = (1..reads.len()).fold(reads[0].clone(), |sum, next| join(&sum, &reads[next], choices));
    let body = finish(&body, &shape.indices, choices);
    let parameters: Vec<&str> = shape.indices.iter().map(|index| index.parameter).collect();
    format!(
        "kernel grown({})\nin {}\nout C{}\nC{} = {}({body})\n",
        parameters.join(", "),
        inputs.join(", "),
        bracketed(&shape.extents),
        bracketed(&shape.subscripts),
        shape.reduction,
    )
}

/// The indices and how they make up the output.
struct Shape {
    indices: Vec<Index>,
    subscripts: Vec<String>,
    extents: Vec<String>,
    reduction: String,
}

impl Shape {
    fn grow(dimension: usize, choices: &mut Choices) -> Shape {
        let free: Vec<bool> = (0..dimension).map(|_| choices.choose(2) == 0).collect();
        let mut indices: Vec<Index> = vec![];
        for (number, (name, parameter)) in NAMES[..dimension].iter().enumerate() {
            let (range, last) = if free[number] { plain(parameter) } else { range(&indices, parameter, choices) };
            indices.push(Index { name, parameter, range, last });
        }
        let (mut subscripts, mut extents) = (vec![], vec![]);
        for index in indices.iter().zip(&free).filter(|(_, free)| **free).map(|(index, _)| index) {
            subscripts.push(index.name.to_owned());
            extents.push(index.parameter.to_owned());
        }
        let reduced: Vec<usize> = (0..dimension).filter(|number| !free[*number]).collect();
        if reduced.len() >= 2 && choices.choose(2) == 0 {
            let (a, b) = (reduced[0], reduced[1]);
            for number in [a, b] {
                (indices[number].range, indices[number].last) = plain(indices[number].parameter);
            }
            subscripts.push(format!("{} + {}", indices[a].name, indices[b].name));
            extents.push(format!("{} + {} - 1", indices[a].parameter, indices[b].parameter));
        }
        let binding = |number: &usize| format!("{} in {}", indices[*number].name, indices[*number].range);
        let bindings: Vec<String> = reduced.iter().map(binding).collect();
        let operator = choices.pick(&["sum", "max", "sum", "min", "prod"]);
        let reduction =
            if reduced.is_empty() { String::new() } else { format!("{operator}({}) ", bindings.join(", ")) };
        Shape { indices, subscripts, extents, reduction }
    }
}

fn plain(parameter: &str) -> (String, String) {
    (format!("0..{parameter}"), format!("({parameter} - 1)"))
}

/// A range that may depend on one of the indices before, and never is empty.
fn range(before: &[Index], parameter: &str, choices: &mut Choices) -> (String, String) {
    if before.is_empty() || choices.choose(2) == 0 {
        return plain(parameter);
    }
    let other = choices.pick(before);
    let (name, last) = (other.name, other.last.clone());
    match choices.choose(4) {
        0 => (format!("0..{name} + 1"), last),
        1 => (format!("{name}..{last} + 1"), last),
        2 => (format!("{name}..{name} + {parameter}"), format!("({last} + {parameter} - 1)")),
        _ => (format!("0..{last} - {name} + 1"), last),
    }
}

/// One read, of a tensor of its own or, now and then, of the one before.
fn read(number: usize, indices: &[Index], inputs: &mut Vec<String>, choices: &mut Choices) -> String {
    let rank = 1 + choices.choose(indices.len());
    let tensor = ["A", "B", "D"][number];
    let rows: Vec<Vec<i64>> = (0..rank).map(|row| coefficients(row, indices.len(), choices)).collect();
    let subscripts: Vec<String> = rows.iter().map(|row| subscript(row, indices)).collect();
    let extents: Vec<String> = rows.iter().map(|row| extent(row, indices)).collect();
    inputs.push(format!("{tensor}{}", bracketed(&extents)));
    format!("{tensor}{}", bracketed(&subscripts))
}

/// Plain subscripts half of the time, else entries of -1 to 2.
fn coefficients(row: usize, dimension: usize, choices: &mut Choices) -> Vec<i64> {
    let plain = choices.choose(2) == 0;
    let index = (row + choices.choose(dimension)) % dimension;
    let entry = |number: usize, choices: &mut Choices| match plain {
        true => i64::from(number == index),
        false => *choices.pick(&[0, 1, -1, 2]),
    };
    (0..dimension).map(|number| entry(number, choices)).collect()
}

fn subscript(row: &[i64], indices: &[Index]) -> String {
    let mut terms = vec!["0".to_owned()];
    for (entry, index) in row.iter().zip(indices).filter(|(entry, _)| **entry != 0) {
        terms.push(format!("{entry}*{}", index.name));
        if *entry < 0 {
            terms.push(format!("{}*{}", -entry, index.last));
        }
    }
    terms.join(" + ")
}

fn extent(row: &[i64], indices: &[Index]) -> String {
    let terms = row.iter().zip(indices).filter(|(entry, _)| **entry != 0);
    let terms: Vec<String> = terms.map(|(entry, index)| format!("{}*{}", entry.abs(), index.last)).collect();
    terms.iter().fold("1".to_owned(), |sum, term| format!("{sum} + {term}"))
}

fn join(left: &str, right: &str, choices: &mut Choices) -> String {
    match choices.choose(6) {
        0 | 1 => format!("{left} * {right}"),
        2 => format!("({left} - {right})"),
        3 => format!("max({left}, {right})"),
        4 => format!("select({left} > {right}, {left}, 2 * {right})"),
        _ => format!("({left} + {right})"),
    }
}

fn finish(body: &str, indices: &[Index], choices: &mut Choices) -> String {
    match choices.choose(5) {
        0 | 1 => body.to_owned(),
        2 => format!("{body} + {}", choices.pick(indices).name),
        3 => format!("abs({body}) - 3"),
        _ => format!("min({body}, 7)"),
    }
}

fn bracketed(parts: &[String]) -> String {
    if parts.is_empty() { String::new() } else { format!("[{}]", parts.join(", ")) }
}
