//! The meaning of terms, by brute force: the value of a term at a point of a small domain.
//!
//! Shares nothing with the stage but the printed form of terms. An undefined value is NaN, so that a rule which looks at
//! a value where there is none is found out.

use crate::kernels::form;
use crate::system_meaning::Computed;
use egg::{Id, Language, RecExpr};
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Bindings, Name};
use systole_base::scalar::Function;
use systole_compile::rewrite::{Term, null_directions};
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Operator, Space};

/// Spaces with sizes: all their points.
pub struct World<'a> {
    spaces: Vec<Points<'a>>,
    sizes: Bindings,
    /// Where the spaces are those of a system, what they compute.
    computed: Option<Computed<'a>>,
}

struct Points<'a> {
    space: &'a Space,
    points: BTreeSet<Vec<i64>>,
}

/// A point of the space at a position.
type Point<'p> = (usize, &'p [i64]);

fn bind(parameters: &[Name], sizes: &[i64]) -> Bindings {
    parameters.iter().cloned().zip(sizes.iter().cycle().copied()).collect()
}

fn points_of<'a>(space: &'a Space, sizes: &Bindings) -> Points<'a> {
    Points { space, points: space.domain.set.points(space.indices(), sizes).unwrap().into_iter().collect() }
}

/// Parameters get `sizes` in turn.
pub fn world<'a>(space: &'a Space, sizes: &[i64]) -> World<'a> {
    let sizes = bind(&space.parameters, sizes);
    World { spaces: vec![points_of(space, &sizes)], sizes, computed: None }
}

/// All spaces of a system, with what they compute.
pub fn system_world<'a>(system: &'a SpaceSystem, sizes: &[i64]) -> World<'a> {
    let sizes = bind(&system.parameters, sizes);
    let spaces = system.spaces.iter().map(|space| points_of(space, &sizes)).collect();
    World { spaces, computed: Some(Computed::new(system, &sizes)), sizes }
}

/// The forms of `[i+k,2*j]`, the form of `<i-k>`.
fn forms(text: &str) -> Vec<Affine> {
    let inner = &text[1..text.len() - 1];
    inner.split(',').filter(|piece| !piece.is_empty()).map(form).collect()
}

/// An integer in -4..=4 that depends on the tensor and the element only.
pub fn element(tensor: &str, subscripts: &[i64]) -> f64 {
    let bytes = tensor.bytes().map(i64::from).chain(subscripts.iter().copied());
    let mixed = bytes.fold(17_i64, |hash, byte| hash.wrapping_mul(1_000_003).wrapping_add(byte * 7919 + 13));
    ((mixed >> 7).rem_euclid(9) - 4) as f64
}

impl World<'_> {
    /// The value of `term` at each point of the space at `home`.
    pub fn values(&self, term: &RecExpr<Term>, home: usize) -> Vec<f64> {
        self.spaces[home].points.iter().map(|point| self.value(term, term.root(), (home, point))).collect()
    }

    /// The first point at which the two terms differ, with both values.
    pub fn difference(&self, one: &RecExpr<Term>, other: &RecExpr<Term>) -> Option<String> {
        let alone = self.computed.is_none().then_some(0);
        let home = alone.or(self.home(one, one.root())).or(self.home(other, other.root()))?;
        let pairs = self.values(one, home).into_iter().zip(self.values(other, home));
        let (point, (a, b)) = self.spaces[home].points.iter().zip(pairs).find(|(_, pair)| self.differ(*pair))?;
        Some(format!("at {point:?} of {:?}\n  {one}\n    = {a}\n  {other}\n    = {b}", self.sizes))
    }

    /// Values of systems are fractions, and so are those of some functions: the order of a sum changes their last digits.
    fn differ(&self, (a, b): (f64, f64)) -> bool {
        let allowed = match self.computed {
            Some(_) => 1e-9 * (1.0 + a.abs()),
            None if a.fract() != 0.0 && b.fract() != 0.0 => 1e-12 * (1.0 + a.abs()),
            None => 0.0,
        };
        let same = a == b || (a - b).abs() <= allowed || (a.is_nan() && b.is_nan());
        !same
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.spaces.iter().position(|points| &*points.space.name == name)
    }

    /// The space that a term is a field on; `None` for what means the same on all spaces, or belongs to none yet.
    fn home(&self, term: &RecExpr<Term>, id: Id) -> Option<usize> {
        match &term[id] {
            Term::At(_) | Term::Index(_) | Term::Inner(_) => None,
            Term::Combine([_, a, b]) => self.home(term, *a).or_else(|| self.home(term, *b)),
            Term::Ite(children) => children.iter().find_map(|child| self.home(term, *child)),
            Term::Sched([_, _, value]) => self.home(term, *value),
            Term::Other(_, children) => children.iter().find_map(|child| self.home(term, *child)),
            Term::Heads([space, _]) => self.home(term, *space),
            node => {
                let space = *node.children().first()?;
                self.position(&term[space].to_string()).or_else(|| self.home(term, space))
            }
        }
    }

    fn apply(&self, map: &str, (home, point): Point) -> Vec<i64> {
        let bindings = self.spaces[home].space.bind(&self.sizes, point);
        forms(map).iter().map(|form| form.evaluate(&bindings).unwrap()).collect()
    }

    fn vector(&self, home: usize, direction: &str) -> Vec<i64> {
        forms(direction)[0].row(self.spaces[home].space.indices())
    }

    fn moved(&self, (home, point): Point, along: &[i64], factor: i64) -> Option<Vec<i64>> {
        let target: Vec<i64> = point.iter().zip(along).map(|(x, d)| x + factor * d).collect();
        self.spaces[home].points.contains(&target).then_some(target)
    }

    /// The line through `point`, from its head on.
    fn line(&self, at: Point, along: &[i64]) -> Vec<Vec<i64>> {
        self.line_on(at, along, &[])
    }

    /// The line through `point` among the points that are left by taking heads.
    fn line_on(&self, (home, point): Point, along: &[i64], heads: &[Vec<i64>]) -> Vec<Vec<i64>> {
        let moved =
            |from: &[i64], by: i64| self.moved((home, from), along, by).filter(|to| self.is_on(home, to, heads));
        let mut head = point.to_vec();
        while let Some(before) = moved(&head, -1) {
            head = before;
        }
        let mut line = vec![head];
        while let Some(next) = moved(&line[line.len() - 1], 1) {
            line.push(next);
        }
        line
    }

    /// The directions whose heads are left of a whole space, where a term is on such a space; none for any other child.
    fn heads(&self, term: &RecExpr<Term>, space: Id, home: usize) -> Vec<Vec<i64>> {
        let Term::Heads([whole, along]) = &term[space] else { return vec![] };
        let mut heads = self.heads(term, *whole, home);
        heads.push(self.direction(term, *along, home));
        heads
    }

    /// Whether a point of the space is left by taking heads along some directions, one after the other.
    fn is_on(&self, home: usize, point: &[i64], heads: &[Vec<i64>]) -> bool {
        let Some((last, others)) = heads.split_last() else { return true };
        let before = self.moved((home, point), last, -1);
        self.is_on(home, point, others) && !before.is_some_and(|before| self.is_on(home, &before, others))
    }

    /// The point of the space called `name` that works on an element; any of a line will do.
    fn worker(&self, name: &str, element: &[i64]) -> Option<(usize, Vec<i64>)> {
        let giver = self.position(name)?;
        let works = |y: &&Vec<i64>| {
            let bindings = self.spaces[giver].space.bind(&self.sizes, y);
            let output = self.spaces[giver].space.output_access.iter().map(|form| form.evaluate(&bindings));
            output.eq(element.iter().map(|subscript| Some(*subscript)))
        };
        self.spaces[giver].points.iter().find(works).map(|y| (giver, y.clone()))
    }

    fn element(&self, tensor: &str, subscripts: &[i64]) -> f64 {
        match &self.computed {
            Some(computed) => computed.element(tensor, subscripts),
            None => element(tensor, subscripts),
        }
    }

    fn combine(&self, operator: &str, values: impl Iterator<Item = f64>) -> f64 {
        let operator = Operator::from_keyword(operator).unwrap();
        values.fold(operator.neutral(), |a, b| operator.combine(a, b))
    }

    fn value(&self, term: &RecExpr<Term>, id: Id, (home, x): Point) -> f64 {
        let node = &term[id];
        let text = |child: Id| term[child].to_string();
        let at = |child: Id, point: &[i64]| self.value(term, child, (home, point));
        let read =
            |tensor: Id, map: Id, point: &[i64]| self.element(&text(tensor), &self.apply(&text(map), (home, point)));
        let heads = node.children().first().map_or(vec![], |space| self.heads(term, *space, home));
        if !self.is_on(home, x, &heads) {
            return f64::NAN;
        }
        let line = |direction: Id| self.line_on((home, x), &self.direction(term, direction, home), &heads);
        let before = |direction: Id| {
            let before = self.moved((home, x), &self.direction(term, direction, home), -1);
            before.filter(|point| self.is_on(home, point, &heads))
        };
        let fibre = |map: Id| {
            let element = self.apply(&text(map), (home, x));
            self.spaces[home].points.iter().filter(move |y| self.apply(&term[map].to_string(), (home, y)) == element)
        };
        match node {
            Term::Number(literal) => literal.value(),
            Term::At([tensor, map]) => read(*tensor, *map, x),
            Term::Index(map) | Term::Here([_, map]) => self.apply(&text(*map), (home, x))[0] as f64,
            Term::In([_, e]) | Term::Send([_, _, e]) | Term::Sched([_, _, e]) => at(*e, x),
            Term::Reduce([_, o, k, e]) => {
                let position = self.spaces[home].space.indices().iter().position(|index| **index == *text(*k)).unwrap();
                let same = |y: &&Vec<i64>| (0..x.len()).all(|place| place == position || x[place] == y[place]);
                self.combine(&text(*o), self.spaces[home].points.iter().filter(same).map(|y| at(*e, y)))
            }
            Term::Accum([_, o, g, e]) => self.combine(&text(*o), fibre(*g).map(|y| at(*e, y))),
            Term::Inner([s, o, g, e]) | Term::Handoff([_, s, o, g, e]) => {
                let worker = self.worker(&text(*s), &self.apply(&text(*g), (home, x)));
                let neutral = Operator::from_keyword(&text(*o)).unwrap().neutral();
                worker.map_or(neutral, |(giver, y)| self.value(term, *e, (giver, &y)))
            }
            Term::Read([_, tensor, map, _])
            | Term::Hold([_, tensor, map])
            | Term::Feed([_, tensor, map])
            | Term::Take([_, tensor, map])
            | Term::Kept([_, tensor, map])
            | Term::Stored([_, tensor, map])
            | Term::Const([_, tensor, map]) => read(*tensor, *map, x),
            Term::Stream([_, d, tensor, map]) => read(*tensor, *map, line(*d).first().unwrap()),
            Term::Bcast([_, d, tensor, map]) => read(*tensor, *map, line(*d).last().unwrap()),
            Term::Load([_, d, tensor, map]) | Term::Xfer([_, d, tensor, map]) => {
                before(*d).map_or_else(|| read(*tensor, *map, x), |_| f64::NAN)
            }
            Term::Result(_) => {
                let space = self.spaces[home].space;
                let bindings = space.bind(&self.sizes, x);
                let output = space.output_access.iter().map(|form| form.evaluate(&bindings).unwrap());
                self.element(&space.output, &output.collect::<Vec<i64>>())
            }
            Term::Fby([_, d, h]) => before(*d).map_or_else(|| at(*h, x), |y| at(id, &y)),
            Term::Red([_, o, ds, f]) => {
                let points = self.reduced_points(term, *ds, (home, x));
                self.combine(&text(*o), points.iter().map(|y| at(*f, y)))
            }
            Term::Acc([_, o, d, f]) => {
                let line = line(*d);
                let upto = line.iter().take_while(|y| y.as_slice() != x).chain(line.iter().filter(|y| *y == x));
                self.combine(&text(*o), upto.map(|y| at(*f, y)))
            }
            Term::Last([_, d, v]) => at(*v, line(*d).last().unwrap()),
            Term::Combine([o, a, b]) => Operator::from_keyword(&text(*o)).unwrap().combine(at(*a, x), at(*b, x)),
            Term::Neutral(o) => Operator::from_keyword(&text(*o)).unwrap().neutral(),
            Term::Ite([c, a, b]) => at(if at(*c, x) == 0.0 { *b } else { *a }, x),
            Term::Head([_, d]) => f64::from(before(*d).is_none()),
            Term::Shift([_, d, v]) | Term::Recv([_, d, v]) => before(*d).map_or(f64::NAN, |y| at(*v, &y)),
            Term::Other(word, children) => {
                let values: Vec<f64> = children.iter().map(|child| at(*child, x)).collect();
                Function::from_keyword(word.as_str()).map_or(f64::NAN, |function| function.apply(&values))
            }
            // Any function will do that tells leaves, arguments and their order apart.
            Term::Call([called, argument]) => 0.75 * at(*called, x) + at(*argument, x),
            Term::Leaf(name) => text(*name).bytes().map(f64::from).sum(),
            // Terms of the algebra, which has frames in place of spaces.
            Term::Pair(_)
            | Term::Part(_)
            | Term::Count(_)
            | Term::Running(_)
            | Term::Sliding(_)
            | Term::Mirrored(_)
            | Term::Paired(_)
            | Term::Both(_)
            | Term::Turned(_) => f64::NAN,
            Term::Access(_)
            | Term::Direction(_)
            | Term::End
            | Term::Nulls(_)
            | Term::Signs(_)
            | Term::Offset(_)
            | Term::Heads(_)
            | Term::Axes(_)
            | Term::Dir(_)
            | Term::Defined(_)
            | Term::Pick(_)
            | Term::Where(_) => f64::NAN,
        }
    }

    /// The vector of a direction, or of an offset: the only small step to a point that writes what is read here.
    fn direction(&self, term: &RecExpr<Term>, id: Id, home: usize) -> Vec<i64> {
        let Term::Offset([own, _, map]) = &term[id] else { return self.vector(home, &term[id].to_string()) };
        let own = self.position(&term[*own].to_string()).unwrap();
        let space = self.spaces[own].space;
        let written = |point: &[i64]| -> Vec<i64> {
            let bindings = space.bind(&self.sizes, point);
            space.output_access.iter().map(|form| form.evaluate(&bindings).unwrap()).collect()
        };
        let zero = vec![0; space.dimension()];
        let element = self.apply(&term[*map].to_string(), (own, &zero));
        let digits = |rank: usize| (0..zero.len()).map(move |place| (rank / 5_usize.pow(place as u32)) as i64 % 5 - 2);
        let small = (0..5_usize.pow(zero.len() as u32)).map(|rank| digits(rank).collect::<Vec<i64>>());
        let back = |vector: &Vec<i64>| vector.iter().map(|entry| -entry).collect::<Vec<i64>>();
        let along = small.into_iter().find(|vector| written(&back(vector)) == element).unwrap();
        self.vector(home, &space.show_direction(&along))
    }

    /// Whether no line along `along` leaves the faces on which lines along `head` begin.
    fn runs_within(&self, home: usize, head: &[i64], along: &[i64]) -> bool {
        let space = self.spaces[home].space;
        let slope = |row: &[i64], by: &[i64]| row.iter().zip(by).map(|(a, b)| a * b).sum::<i64>();
        let rows = space.domain.set.constraints().iter().map(|form| form.row(space.indices()));
        rows.into_iter().all(|row| slope(&row, head) <= 0 || slope(&row, along) == 0)
    }

    /// The indices as directions, always the first one within whose faces all others run, or else the first.
    fn axes(&self, home: usize) -> Vec<Vec<i64>> {
        let size = self.spaces[home].space.dimension();
        let mut left: Vec<Vec<i64>> = (0..size).map(|axis| (0..size).map(|i| i64::from(i == axis)).collect()).collect();
        let mut order = vec![];
        while !left.is_empty() {
            let leads = |axis: &Vec<i64>| left.iter().all(|other| other == axis || self.runs_within(home, axis, other));
            order.push(left.remove(left.iter().position(leads).unwrap_or(0)));
        }
        order
    }

    /// The points that a list of directions, or what folds to one, reduces over.
    fn reduced_points(&self, term: &RecExpr<Term>, list: Id, (home, x): Point) -> Vec<Vec<i64>> {
        let text = |child: Id| term[child].to_string();
        match &term[list] {
            Term::Dir([d, _]) => self.line((home, x), &self.direction(term, *d, home)),
            Term::Signs([_, k]) => self.line((home, x), &self.vector(home, &format!("<{}>", text(*k)))),
            // Lists are texts: where those of two spaces are the same, so is the term.
            Term::Nulls([s, g]) if self.position(&text(*s)).is_some_and(|other| other != home) => {
                let other = self.spaces[self.position(&text(*s)).unwrap()].space;
                let along = &null_directions(other, &forms(&text(*g)))[0];
                self.line((home, x), &self.vector(home, &other.show_direction(along)))
            }
            Term::Nulls([s, g]) if matches!(term[*s], Term::Heads(_)) => {
                let heads = self.heads(term, *s, home);
                let nulls = null_directions(self.spaces[home].space, &forms(&text(*g)));
                let within = |along: &&Vec<i64>| heads.iter().all(|head| self.runs_within(home, head, along));
                nulls.iter().find(within).map_or(vec![x.to_vec()], |along| self.line((home, x), along))
            }
            Term::Axes(s) => self.line((home, x), &self.axes(home)[self.heads(term, *s, home).len()]),
            Term::Nulls([_, g]) => {
                let element = self.apply(&text(*g), (home, x));
                let fibre = |y: &&Vec<i64>| self.apply(&text(*g), (home, y)) == element;
                self.spaces[home].points.iter().filter(fibre).cloned().collect()
            }
            _ => vec![x.to_vec()],
        }
    }
}

/// Whether a term denotes numbers at points, not a list, a map or a name.
pub fn is_field(term: &RecExpr<Term>) -> bool {
    match &term[term.root()] {
        Term::Access(_)
        | Term::Direction(_)
        | Term::End
        | Term::Nulls(_)
        | Term::Signs(_)
        | Term::Offset(_)
        | Term::Heads(_)
        | Term::Axes(_)
        | Term::Dir(_) => false,
        Term::Other(_, children) => !children.is_empty(),
        node => !node.is_leaf() || matches!(node, Term::Number(_)),
    }
}
