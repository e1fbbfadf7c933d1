//! Random kernels of one to three equations, as text: recurrences with a boundary, sums over boxes and triangles, reads of
//! tensors computed before.
//!
//! In bounds and defined everywhere by construction: a tensor has an element for each point of its box, inputs are two
//! elements longer than what reads them, and what reads backwards has a boundary of its own.

use super::grown::Choices;

/// A tensor that is computed, with its subscripts.
struct Grown {
    name: &'static str,
    indices: &'static [&'static str],
}

const NAMES: [&str; 3] = ["X", "Y", "Z"];

/// The text under way.
struct Text<'a> {
    choices: &'a mut Choices,
    inputs: Vec<String>,
    known: Vec<Grown>,
    equations: Vec<String>,
}

/// A kernel; the sizes are `M` for `i` and `N` for `j`.
pub fn kernel(choices: &mut Choices) -> String {
    let count = 1 + choices.choose(3);
    let mut text = Text { choices, inputs: vec![], known: vec![], equations: vec![] };
    for name in &NAMES[..count] {
        text.tensor(name);
    }
    let equations = text.equations.join("\n");
    let (last, others) = text.known.split_last().expect("a tensor");
    let declare = |tensor: &Grown| {
        let reads = equations.matches(&format!("{}[", tensor.name)).count();
        let written = text.equations.iter().filter(|equation| equation.starts_with(tensor.name)).count();
        let role = if tensor.name == last.name || reads == written { "out" } else { "local" };
        format!("{role} {}[{}]\n", tensor.name, extents(tensor.indices))
    };
    let tensors: String = others.iter().chain([last]).map(declare).collect();
    let read = |input: &&String| equations.contains(&input[..=input.find('[').unwrap_or(0)]);
    let inputs: Vec<&str> = text.inputs.iter().filter(read).map(String::as_str).collect();
    format!("kernel grown(M, N)\nin {}\n{tensors}{equations}\n", inputs.join(", "))
}

fn extents(indices: &[&str]) -> String {
    let extent = |index: &&str| if *index == "i" { "M" } else { "N" };
    indices.iter().map(extent).collect::<Vec<_>>().join(", ")
}

impl Text<'_> {
    fn tensor(&mut self, name: &'static str) {
        let indices: &[&str] = if self.choices.choose(3) == 0 { &["i", "j"] } else { &["i"] };
        match (self.choices.choose(4), indices.len()) {
            (0, 1) => self.recurrence(name),
            (0, _) => self.plane(name),
            (1, 1) => self.triangle(name),
            (2, 1) => self.sum(name, indices),
            (2, _) if self.known.is_empty() => self.sum(name, indices),
            _ => self.point(name, indices),
        }
        self.known.push(Grown { name, indices });
    }

    fn equation(&mut self, left: &str, right: &str, guard: &str) {
        self.equations.push(format!("{left} = {right}{guard}"));
    }

    fn point(&mut self, name: &str, indices: &[&str]) {
        let right = self.expression(indices);
        self.equation(&format!("{name}[{}]", indices.join(", ")), &right, "");
    }

    /// `X[i] = f(X[i - 1])` after its first element, or its first two.
    fn recurrence(&mut self, name: &str) {
        let back = 1 + self.choices.choose(4) / 3;
        let term = self.expression(&["i"]);
        let start = self.input(&["i"]);
        self.equation(&format!("{name}[i]"), &start, &format!("   where i < {back}"));
        let before = format!("{name}[i - {back}]");
        let right = self.join(&before, &term);
        self.equation(&format!("{name}[i]"), &right, &format!("   where {back} <= i"));
    }

    /// A plane that depends on its neighbours above, on the left, or across.
    fn plane(&mut self, name: &str) {
        let (start, side) = (self.input(&["i", "j"]), self.input(&["i", "j"]));
        let term = self.expression(&["i", "j"]);
        let above = format!("{name}[i - 1, j]");
        self.equation(&format!("{name}[0, j]"), &start.replace('i', "0"), "");
        let mut guard = "   where 1 <= i";
        let mut right = self.join(&above, &term);
        if self.choices.choose(2) == 0 {
            let read = if self.choices.choose(2) == 0 { "i, j - 1" } else { "i - 1, j - 1" };
            self.equation(&format!("{name}[i, 0]"), &side.replace('j', "0"), guard);
            guard = "   where 1 <= i, 1 <= j";
            right = self.join(&right, &format!("{name}[{read}]"));
        }
        self.equation(&format!("{name}[i, j]"), &right, guard);
    }

    /// A solve: each element takes a sum over those before it.
    fn triangle(&mut self, name: &str) {
        let (factor, term) = (self.input(&["i", "k"]), self.expression(&["i"]));
        let read = if self.choices.choose(3) == 0 { self.earlier(&["k"]) } else { format!("{name}[k]") };
        let range = if read.starts_with(name) { "0..i" } else { *self.choices.pick(&["0..i", "0..i + 1", "i..M"]) };
        let right = format!("{term} + sum(k in {range}) {factor} * {read}");
        self.equation(&format!("{name}[i]"), &right, "");
    }

    /// A sum over a box.
    fn sum(&mut self, name: &str, indices: &[&str]) {
        let factor = self.input(&[indices[0], "k"]);
        let other = if indices.len() == 2 { self.input(&["k", "j"]) } else { self.earlier(&["k"]) };
        let term = self.expression(indices);
        let right = match self.choices.choose(3) {
            0 => format!("sum(k in 0..M) {factor} * {other}"),
            1 => format!("{term} - sum(k in 0..M) {factor} * {other}"),
            _ => format!("max({term}, max(k in 0..M) ({factor} + {other}))"),
        };
        self.equation(&format!("{name}[{}]", indices.join(", ")), &right, "");
    }

    fn expression(&mut self, indices: &[&str]) -> String {
        let (one, other) = (self.earlier(indices), self.operand(indices));
        match self.choices.choose(3) {
            0 => one,
            _ => self.join(&one, &other),
        }
    }

    fn operand(&mut self, indices: &[&str]) -> String {
        if self.choices.choose(2) == 0 { self.earlier(indices) } else { self.input(indices) }
    }

    /// A computed tensor at this point, or along a direction in which it does not change; else an input.
    fn earlier(&mut self, indices: &[&str]) -> String {
        let fits = |tensor: &&Grown| tensor.indices.len() <= indices.len();
        let fitting: Vec<&Grown> = self.known.iter().filter(fits).collect();
        if fitting.is_empty() {
            return self.input(indices);
        }
        let tensor = self.choices.pick(&fitting);
        format!("{}[{}]", tensor.name, indices[..tensor.indices.len()].join(", "))
    }

    /// An input of its own, at an offset of up to 2, now and then without one of the indices.
    fn input(&mut self, indices: &[&str]) -> String {
        let name = format!("A{}", self.inputs.len() + 1);
        let kept: Vec<&str> = match (indices.len(), self.choices.choose(3)) {
            (2, 0) => indices[1..].to_vec(),
            _ => indices.to_vec(),
        };
        let offset = self.choices.choose(6).saturating_sub(3);
        let size = |index: &&str| if *index == "j" { "N" } else { "M" };
        let shifted = |text: &str, by: usize| if offset == 0 { text.to_owned() } else { format!("{text} + {by}") };
        let extents: Vec<String> = kept.iter().map(|index| shifted(size(index), 2)).collect();
        let subscripts: Vec<String> = kept.iter().map(|index| shifted(index, offset)).collect();
        self.inputs.push(format!("{name}[{}]", extents.join(", ")));
        format!("{name}[{}]", subscripts.join(", "))
    }

    fn join(&mut self, left: &str, right: &str) -> String {
        match self.choices.choose(5) {
            0 => format!("({left} - {right})"),
            1 => format!("max({left}, {right})"),
            2 => format!("{left} * 0.5 + {right}"),
            3 => format!("select({left} > {right}, {left}, {right} - 1)"),
            _ => format!("({left} + {right})"),
        }
    }
}
