//! Kernels of several spaces with the dependences between their points, and what steps do to them point by point.

use super::forms::{form, names};
use systole_base::integer::{Affine, Bindings, Name, Polyhedron, name};
use systole_compile::mapping::{Dependence, Row, Unknowns};

/// Spaces over the one size `N`, and their dependences.
pub struct Several {
    pub unknowns: Unknowns,
    pub domains: Vec<(Vec<Name>, Polyhedron)>,
    pub dependences: Vec<Dependence>,
    pub names: Vec<&'static str>,
}

/// `0 <= k < j = i < N`, forms without blanks.
pub fn chain(text: &str) -> Polyhedron {
    let spaced = text.replace("<=", " le ").replace('<', " lt ").replace('=', " eq ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut set = Polyhedron::default();
    for link in words.windows(3).step_by(2) {
        let (left, right) = (form(link[0]), form(link[2]));
        let gap = right - left;
        set.add(gap.clone() - Affine::constant(i64::from(link[1] == "lt")));
        if link[1] == "eq" {
            set.add(-gap);
        }
    }
    set
}

impl Several {
    /// Spaces from `(indices, domain)`; dependences from `(name, reader, writer, set, at, least)`.
    pub fn new(spaces: &[(&str, &str)], dependences: &[(&'static str, usize, usize, &str, &str, i64)]) -> Several {
        let domains: Vec<_> = spaces.iter().map(|(indices, set)| (names(indices), chain(set))).collect();
        let indices = domains.iter().map(|(indices, _)| indices.clone()).collect();
        let dependence =
            |(label, (_, reader, writer, set, at, least)): (usize, &(_, usize, usize, &str, &str, i64))| {
                let at = at.split(',').map(form).collect();
                let (set, quotients) = (chain(set), vec![]);
                Dependence { reader: *reader, writer: *writer, set, at, quotients, least: *least, exact: None, label }
            };
        Several {
            unknowns: Unknowns::new(indices, names("N").into()),
            dependences: dependences.iter().enumerate().map(dependence).collect(),
            names: dependences.iter().map(|dependence| dependence.0).collect(),
            domains,
        }
    }

    /// The rows of the dependences; the spans, if wanted, stand behind with the labels that follow.
    pub fn rows(&self, spans: bool) -> Vec<Row> {
        let mut rows: Vec<Row> =
            self.dependences.iter().flat_map(|one| self.unknowns.dependence_rows(one).unwrap()).collect();
        for (space, (_, set)) in self.domains.iter().enumerate().filter(|_| spans) {
            let label = self.dependences.len() + space;
            rows.extend(self.unknowns.span_rows(space, set, label).unwrap());
        }
        rows
    }

    /// Whether the steps respect a dependence at every point of every size up to `most`.
    pub fn respects(&self, dependence: &Dependence, values: &[i64], most: i64) -> bool {
        let step = |space: usize| self.unknowns.step_form(space, values).unwrap();
        let (read, written) = (step(dependence.reader), step(dependence.writer));
        let images = self.domains[dependence.writer].0.iter().cloned().zip(dependence.at.iter().cloned()).collect();
        let gap = read - written.substitute(&images);
        let in_time = |gap: i64| dependence.exact.map_or(gap >= dependence.least, |exact| gap == exact);
        everywhere(&dependence.set, &self.domains[dependence.reader].0, most, |point| {
            in_time(gap.evaluate(point).unwrap())
        })
    }

    /// Whether the steps respect everything at every size up to `most`.
    pub fn respects_all(&self, values: &[i64], most: i64) -> bool {
        self.dependences.iter().all(|dependence| self.respects(dependence, values, most))
    }

    /// Whether a space's step lies between 0 and the span at every size up to `most`.
    pub fn is_within_span(&self, space: usize, values: &[i64], most: i64) -> bool {
        let step = self.unknowns.step_form(space, values).unwrap();
        let [per_size, constant] = values[self.unknowns.span()] else { panic!("one size") };
        everywhere(&self.domains[space].1, &self.domains[space].0, most, |point| {
            (0..=per_size * point["N"] + constant).contains(&step.evaluate(point).unwrap())
        })
    }
}

fn everywhere(set: &Polyhedron, indices: &[Name], most: i64, holds: impl Fn(&Bindings) -> bool) -> bool {
    (1..=most).all(|size| {
        let sizes = Bindings::from([(name("N"), size)]);
        set.points(indices, &sizes).unwrap().iter().all(|point| {
            let mut bindings = sizes.clone();
            bindings.extend(indices.iter().cloned().zip(point.iter().copied()));
            holds(&bindings)
        })
    })
}

/// `x[i] = (b[i] - sum(j < i) l[i, j] * x[j]) / l[i, i]` with PE `i` for both spaces: `tri` is 0, `diag` is 1.
pub fn triangular(latency: i64) -> Several {
    let spaces = [("i j", "0 <= j < i < N"), ("i", "0 <= i < N")];
    let dependences = [
        ("sum along j", 0, 0, "1 <= j < i < N", "i,j-1", 1),
        ("sum to diag", 1, 0, "1 <= i < N", "i,i-1", 1),
        ("diag to stream", 0, 1, "1 <= j+1 = i < N", "j", latency),
        ("stream along i", 0, 0, "0 <= j < i-1 < N-1", "i-1,j", latency),
    ];
    Several::new(&spaces, &dependences)
}

/// Cholesky's factorisation with PE `(i, j)`: the update is 0, the column 1, the diagonal 2.
///
/// The operand `L[j, k]` enters the update at `(j, j, k)`, where it is the other operand of the same point.
pub fn cholesky(latency: i64) -> Several {
    let spaces = [("i j k", "0 <= k < j <= i < N"), ("i j", "0 <= j < i < N"), ("j", "0 <= j < N")];
    let dependences = [
        ("sum along k", 0, 0, "1 <= k < j <= i < N", "i,j,k-1", 1),
        ("L[i, k] along j", 0, 0, "0 <= k < j-1 < i < N", "i,j-1,k", latency),
        ("L[j, k] along i", 0, 0, "0 <= k < j <= i-1 < N-1", "i-1,j,k", latency),
        ("turn at the diagonal", 0, 0, "0 <= k < j = i < N", "i,j,k", 0),
        ("sum to column", 1, 0, "1 <= j < i < N", "i,j,j-1", 1),
        ("sum to diagonal", 2, 0, "1 <= j < N", "j,j,j-1", 1),
        ("column to L[i, k]", 0, 1, "0 <= k = j-1 < i < N", "i,k", latency),
        ("diagonal to column", 1, 2, "1 <= j+1 = i < N", "j", latency),
        ("L[j, j] along i", 1, 1, "0 <= j < i-1 < N-1", "i-1,j", latency),
    ];
    Several::new(&spaces, &dependences)
}
