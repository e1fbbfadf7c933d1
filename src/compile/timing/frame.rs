//! Points with symbolic coordinates, and their places and times under a design.
//!
//! In: a design and its links. Out: the pieces all violations are made of. Point 0 has the source's own index names
//! (`i`), point 1 has them primed (`i'`), further ones are numbered (`i'2`); so a counterexample reads in the words of
//! the source.

use crate::mapping::{Feeder, MappedSpace};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Matrix, Name, Parameters, Polyhedron, name, unused};
use systole_base::network::Links;
use systole_equations::recurrence::Space;
use systole_program::obligation::{Formula, Kind, Moment, Obligation, Reason};

/// What the obligations of one design are stated in.
pub(super) struct Frame<'a> {
    pub design: &'a MappedSpace<'a>,
    pub links: Links,
}

/// The coordinates of a point, as forms over the variables of a violation.
#[derive(Clone)]
pub(super) struct Point(Vec<Affine>);

/// An obligation that still lacks what all obligations share. `Points` says which points are variables: how many, or the
/// space of each.
pub(super) struct Claim<Points = usize> {
    pub kind: Kind,
    pub of: Name,
    /// The points that are variables, from point 0 on.
    pub points: Points,
    /// Variables beside the points.
    pub extras: Vec<Name>,
    /// What holds of them when the claim is broken, beside sizes of at least 1.
    pub violation: Vec<Formula>,
    pub reason: Reason,
}

impl<Points> Claim<Points> {
    /// The claim about points of these spaces as an obligation: its variables in order, its violation for sizes of at
    /// least 1.
    pub fn stated(self, parameters: &Parameters, spaces: &[&Space]) -> Obligation {
        let points = spaces.iter().enumerate().flat_map(|(number, space)| coordinate_names(space, number));
        let sizes = Polyhedron::sizes(parameters);
        let sizes = sizes.constraints().iter().cloned().map(Formula::AtLeastZero);
        Obligation {
            kind: self.kind,
            of: self.of,
            variables: parameters.iter().cloned().chain(points).chain(self.extras).collect(),
            parameters: parameters.len(),
            points: spaces.iter().map(|space| space.dimension()).collect(),
            violation: Formula::All(sizes.chain(self.violation).collect()),
            reason: self.reason,
        }
    }
}

impl Point {
    /// The point `steps` further along `direction`.
    pub fn moved(&self, direction: &[i64], steps: i64) -> Point {
        self.moved_by(direction, &Affine::constant(steps))
    }

    /// The point `steps` further along `direction`, for a symbolic number of steps.
    pub fn moved_by(&self, direction: &[i64], steps: &Affine) -> Point {
        Point(self.0.iter().zip(direction).map(|(form, entry)| form.clone() + steps.clone() * *entry).collect())
    }

    /// `self` comes before `other` in lexicographic order, which names each pair of distinct points once.
    pub fn before(&self, other: &Point) -> Formula {
        Formula::before(&self.0, &other.0)
    }
}

impl<'a> Frame<'a> {
    pub fn new(design: &'a MappedSpace<'a>, links: &Links) -> Frame<'a> {
        Frame { design, links: *links }
    }

    pub fn space(&self) -> &'a Space {
        self.design.space
    }

    /// The point whose coordinates are the variables with this number.
    pub fn point(&self, number: usize) -> Point {
        Point(self.coordinate_names(number).iter().map(Affine::variable).collect())
    }

    /// The point lies in `set`.
    pub fn inside(&self, set: &Polyhedron, point: &Point) -> Formula {
        let image = self.image(point);
        Formula::All(set.constraints().iter().map(|form| Formula::AtLeastZero(form.substitute(&image))).collect())
    }

    /// The point is the first of its line along `direction`.
    pub fn at_head(&self, set: &Polyhedron, point: &Point, direction: &[i64]) -> Formula {
        let before = self.inside(set, &point.moved(direction, -1));
        Formula::All(vec![self.inside(set, point), before.negate()])
    }

    /// The point is the last of its line along `direction`.
    pub fn at_end(&self, set: &Polyhedron, point: &Point, direction: &[i64]) -> Formula {
        let after = self.inside(set, &point.moved(direction, 1));
        Formula::All(vec![self.inside(set, point), after.negate()])
    }

    /// A value leaves the point along `direction`: it and its successor lie in `set`.
    pub fn sends(&self, set: &Polyhedron, point: &Point, direction: &[i64]) -> Formula {
        Formula::All(vec![self.inside(set, point), self.inside(set, &point.moved(direction, 1))])
    }

    /// When the point runs.
    pub fn time(&self, point: &Point) -> Vec<Affine> {
        apply(&self.design.map.step, point)
    }

    /// When a bus carries the word of the point.
    pub fn driven(&self, feeder: &Feeder, point: &Point) -> Vec<Affine> {
        apply(&feeder.map.step, point)
    }

    /// Where the point runs.
    pub fn place(&self, point: &Point) -> Vec<Affine> {
        apply(&self.design.map.place, point)
    }

    /// The point runs, which is called so.
    pub fn moment(&self, what: &'static str, point: &Point) -> Moment {
        Moment { what, place: self.place(point), time: self.time(point) }
    }

    /// Subscripts at a point.
    pub fn access(&self, subscripts: &[Affine], point: &Point) -> Vec<Affine> {
        let image = self.image(point);
        subscripts.iter().map(|form| form.substitute(&image)).collect()
    }

    /// `wanted`, or that with underscores where the source uses the name itself.
    pub fn fresh(&self, wanted: &str) -> Name {
        unused(wanted, self.space().indices().iter().chain(&self.space().parameters))
    }

    /// The names of the components of a time.
    pub fn clock(&self) -> Vec<Name> {
        clock_names(self.design.map.step.rows().len(), |wanted| self.fresh(wanted))
    }

    /// The claim as an obligation.
    pub fn state(&self, claim: Claim) -> Obligation {
        let spaces = vec![self.space(); claim.points];
        claim.stated(&self.space().parameters, &spaces)
    }

    fn coordinate_names(&self, number: usize) -> Vec<Name> {
        coordinate_names(self.space(), number)
    }

    fn image(&self, point: &Point) -> BTreeMap<Name, Affine> {
        self.space().indices().iter().cloned().zip(point.0.iter().cloned()).collect()
    }
}

/// The variables of a point of a space: its indices, marked with the point's number.
pub(super) fn coordinate_names(space: &Space, number: usize) -> Vec<Name> {
    space.indices().iter().map(|index| marked(index, number)).collect()
}

/// A variable of a point, marked with the point's number.
pub(super) fn marked(variable: &Name, number: usize) -> Name {
    match number {
        0 => variable.clone(),
        1 => name(&format!("{variable}'")),
        _ => name(&format!("{variable}'{number}")),
    }
}

/// The names of the components of a time: `T`, or `T1`, `T2`.
pub(super) fn clock_names(rows: usize, fresh: impl Fn(&str) -> Name) -> Vec<Name> {
    match rows {
        1 => vec![fresh("T")],
        _ => (1..=rows).map(|row| fresh(&format!("T{row}"))).collect(),
    }
}

/// `time` with `steps` added in its last, finest component.
pub(super) fn later(mut time: Vec<Affine>, steps: &Affine) -> Vec<Affine> {
    if let Some(finest) = time.last_mut() {
        *finest = finest.clone() + steps.clone();
    }
    time
}

/// `forms` moved by `factor * vector`.
pub(super) fn displaced(forms: Vec<Affine>, vector: &[i64], factor: &Affine) -> Vec<Affine> {
    forms.into_iter().zip(vector).map(|(form, entry)| form + factor.clone() * *entry).collect()
}

fn apply(rows: &Matrix, point: &Point) -> Vec<Affine> {
    let combine = |row: &Vec<i64>| {
        let terms = row.iter().zip(&point.0).map(|(entry, form)| form.clone() * *entry);
        terms.fold(Affine::default(), |sum, term| sum + term)
    };
    rows.rows().iter().map(combine).collect()
}
