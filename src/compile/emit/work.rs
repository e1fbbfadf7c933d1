//! What the PEs of an array do: the points of every space that lie on them, in the order of time.
//!
//! A PE with points of one space runs their loops. Where spaces follow each other, so do their loops; where they
//! interleave, one loop over the clock asks at each step which of them has a point there.

use super::body::Body;
use super::decide::{Decision, decide};
use super::grid::Side;
use super::order::{groups, meet};
use super::scan::Scan;
use crate::mapping::Rounds;
use crate::mapping::ends::{greatest_expression, least_expression};
use systole_base::integer::{Affine, Bound, Name, Polyhedron};
use systole_program::array::{Comparison, Condition, IndexExpr, Instruction};

/// The work of a whole array.
pub struct Work<'a> {
    /// One body a space.
    pub bodies: Vec<Body<'a>>,
    /// For each space the time of a point over coordinates and loop indices; of no meaning where there is one space.
    pub times: Vec<Affine>,
    /// Whether operations of a PE may share a step; then bodies stand in their order within one.
    pub shares_steps: bool,
    /// The name of the loop over the clock.
    pub clock: Name,
    /// The time of the first operation, over the parameters; of a round, over what numbers it too.
    pub start: IndexExpr,
    /// The rounds, where times are vectors.
    pub rounds: Option<Rounds>,
    /// The PEs that are divided into classes.
    pub pes: Polyhedron,
    /// The sides of the grid.
    pub sides: Vec<Side>,
    /// What is done once, on the first PE of the grid, before everything else.
    pub once: Vec<Instruction>,
}

impl Work<'_> {
    /// What the PEs of `set` do.
    pub fn write(&self, set: &Polyhedron) -> Vec<Instruction> {
        let present: Vec<usize> = (0..self.bodies.len()).filter(|space| self.has_points(*space, set)).collect();
        let mut body = self.write_once(set);
        for space in &present {
            let whole = &self.bodies[*space];
            let conditions = self.conditions_of(&whole.all, set);
            body.extend(when(conditions, whole.prefetches(set)));
        }
        match &self.rounds {
            None => body.extend(self.steps(&present, set)),
            Some(_) if present.is_empty() => {}
            Some(rounds) => {
                let advance = Instruction::Advance(rounds.length.clone());
                let known = set.intersect(&rounds.inside);
                // With what holds in every round it may turn out that a space has no points here after all.
                let present: Vec<usize> = present.into_iter().filter(|space| self.has_points(*space, &known)).collect();
                let steps = [self.steps(&present, &known), vec![advance]].concat();
                let numbered = rounds.names.iter().zip(&rounds.ranges).rev();
                body.extend(numbered.fold(steps, |body, (index, [first, last])| {
                    let (first, last) = (first.clone(), last.clone());
                    vec![Instruction::Loop { index: index.clone(), first, last, body }]
                }));
            }
        }
        body
    }

    /// What the PEs of `set` do of these spaces, in the order of steps.
    fn steps(&self, present: &[usize], set: &Polyhedron) -> Vec<Instruction> {
        let alone = |space: usize| self.on_pes(&self.bodies[space], set, self.bodies[space].write(set));
        if let [space] = present {
            return alone(*space);
        }
        let groups = groups(self, present, set);
        let write = |group: Vec<usize>| match group[..] {
            [space] => alone(space),
            _ => self.interleave(&group, set),
        };
        groups.into_iter().flat_map(write).collect()
    }

    /// Whether some PE of `set` may have points of the space.
    pub fn has_points(&self, space: usize, set: &Polyhedron) -> bool {
        let scan = &self.bodies[space].scan;
        !scan.domain.intersect(&scan.ties).intersect(set).is_empty()
    }

    /// Instructions for those PEs of `set` that have points of the space.
    fn on_pes(&self, body: &Body, set: &Polyhedron, then: Vec<Instruction>) -> Vec<Instruction> {
        when(self.conditions_of(&body.scan, set), then)
    }

    /// Whether a form over coordinates, rounds and loop indices depends on the PE alone.
    pub fn is_of_pe(&self, body: &Body, form: &Affine) -> bool {
        let is_of_round = self.rounds.as_ref().is_some_and(|rounds| form.mentions(&rounds.names));
        body.scan.is_of_pe(form) && !is_of_round
    }

    /// The conditions under which a PE of `set` has points.
    fn conditions_of(&self, scan: &Scan, set: &Polyhedron) -> Vec<Condition> {
        let known = set.intersect(&scan.ties);
        let mut conditions = conditions(scan, &scan.pes, &known);
        if self.bodies.len() > 1 || self.rounds.is_some() {
            conditions.extend(scan.lattice.iter().cloned());
        }
        conditions
    }

    /// Whether some PE of `set` has an operation of each space in one step.
    pub fn share_step(&self, one: usize, other: usize, set: &Polyhedron) -> bool {
        let operates = |space: usize| self.bodies[space].feeds.is_none();
        let of = |space: usize| (&self.bodies[space], &self.times[space]);
        self.shares_steps && operates(one) && operates(other) && meet(of(one), of(other), set)
    }

    /// One loop over the clock for spaces that interleave.
    fn interleave(&self, group: &[usize], set: &Polyhedron) -> Vec<Instruction> {
        let (mut around, mut steps, mut ends) = (vec![], vec![], vec![]);
        let pairs =
            group.iter().enumerate().flat_map(|(number, one)| group[..number].iter().map(move |other| (one, other)));
        let shared = pairs.into_iter().any(|(one, other)| self.share_step(*one, *other, set));
        let begun = group.iter().any(|space| self.bodies[*space].feeds.is_some());
        if begun {
            // What a PE feeds and what it operates in one step is one step: it begins once.
            steps.push(Instruction::At(self.since_start(IndexExpr::Variable(self.clock.clone()))));
        }
        for space in group {
            let whole = &self.bodies[*space];
            around.extend(self.on_pes(whole, set, whole.constants()));
            ends.push(self.span(*space));
            steps.extend(self.step(*space, (begun, shared), set));
        }
        if shared {
            steps.push(Instruction::EndStep);
        }
        let (lower, upper): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        let text = |end| group.iter().fold(end, |end, space| self.bodies[*space].scan.text(&end));
        let (first, last) = (text(least_expression(&lower, set)), text(greatest_expression(&upper, set)));
        around.push(Instruction::Loop { index: self.clock.clone(), first, last, body: steps });
        around
    }

    /// The bounds of the times at which a PE has points of the space.
    fn span(&self, space: usize) -> (Vec<Bound>, Vec<Bound>) {
        let scan = &self.bodies[space].scan;
        let now = self.times[space].clone() - Affine::variable(&self.clock);
        let mut set = scan.domain.clone();
        [now.clone(), -now].into_iter().for_each(|form| set.add(form));
        set.eliminate_all(scan.loops.iter().rev()).bounds(&self.clock)
    }

    /// The point of the space that runs at the clock, if there is one; `begun` where the step has begun, and `shared` where it is not
    /// over after the point.
    fn step(&self, space: usize, (begun, shared): (bool, bool), set: &Polyhedron) -> Vec<Instruction> {
        let whole = &self.bodies[space];
        let (scan, remainders) = whole.scan.at_clock(&self.clock, &self.times[space]);
        let known = set.intersect(&scan.ties);
        let asked = scan.domain.irredundant(&known);
        let tests = whole.scan.lattice.iter().cloned().chain(remainders).chain(conditions(&scan, &asked, &known));
        let tests = tests.collect();
        let at = self.since_start(IndexExpr::Variable(self.clock.clone()));
        let timed = Body { scan, at, shares_step: shared, is_undivided: false, ..whole.clone() };
        let known = timed.scan.domain.intersect(set);
        when(tests, if begun { timed.step(&known) } else { timed.point(&known) })
    }

    /// What the grid says of the coordinates and the sizes.
    pub fn inside(&self) -> Polyhedron {
        let sizes =
            self.bodies.first().map_or(Polyhedron::default(), |body| Polyhedron::sizes(&body.design.space.parameters));
        Polyhedron::new(sizes.constraints().iter().cloned().chain(self.sides.iter().flat_map(Side::constraints)))
    }

    /// A time as a clock: 0 at the first operation.
    pub fn since_start(&self, time: IndexExpr) -> IndexExpr {
        since(time, &self.start)
    }

    /// What is done once, where `set` has the first PE of the grid.
    fn write_once(&self, set: &Polyhedron) -> Vec<Instruction> {
        let mut tests = vec![];
        for side in &self.sides {
            match side.is_first().map(|condition| decide(&[condition], set)) {
                Some(Decision::Never) => return vec![],
                Some(Decision::Always) => {}
                _ => {
                    let (coordinate, first) = (IndexExpr::Variable(side.coordinate().name), side.first());
                    tests.push(Condition { comparison: Comparison::Equal, left: coordinate, right: first });
                }
            }
        }
        when(tests, self.once.clone())
    }
}

/// A time from another one on.
pub fn since(time: IndexExpr, start: &IndexExpr) -> IndexExpr {
    match start {
        IndexExpr::Constant(0) => time,
        start => IndexExpr::Difference(Box::new(time), Box::new(start.clone())),
    }
}

/// Instructions under conditions; nothing where there are none to do.
fn when(conditions: Vec<Condition>, then: Vec<Instruction>) -> Vec<Instruction> {
    match (then.is_empty(), conditions.is_empty()) {
        (true, _) => vec![],
        (_, true) => then,
        _ => vec![Instruction::If { conditions, then, otherwise: vec![] }],
    }
}

/// The constraints of a set that are not known already, as program text; a pair of opposite ones is an equation.
pub fn conditions(scan: &Scan, set: &Polyhedron, known: &Polyhedron) -> Vec<Condition> {
    let mut known = known.clone();
    let mut conditions = vec![];
    for form in set.constraints() {
        let opposite = -form.clone();
        if !matches!(decide(std::slice::from_ref(form), &known), Decision::Always) {
            let equal = set.constraints().contains(&opposite) || known.implies(&opposite);
            let mut condition = scan.condition(form);
            if equal {
                condition.comparison = Comparison::Equal;
                known.add(opposite);
            }
            known.add(form.clone());
            conditions.push(condition);
        }
    }
    conditions
}
