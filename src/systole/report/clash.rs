//! A refuted obligation for the page: the two sides of its counterexample on the array, and all that runs beside them.
//!
//! In: a design and a refuted obligation of it. Out: the points of the design at the sizes of the counterexample, each
//! with its PE and time, and the moments that the refutation is about. Times are positions in the list of all times that
//! occur, in lexicographic order, so that vector time can be stepped through as well.

use super::recorder::{grid_of, is_drawn};
use super::run::Array;
use super::schedule::LaidOut;
use serde::Serialize;
use std::collections::BTreeSet;
use systole_base::integer::{Affine, Bindings};
use systole_compile::cost::Region;
use systole_compile::smt::{Counterexample, Discharged, Verdict};
use systole_program::obligation::{Moment, Obligation, Reason};

/// The points that are drawn at most.
const MOST_POINTS: u64 = 4096;

/// The largest size whose points are looked at.
const LARGEST: i64 = 256;

/// A point of a space: the space's position, its coordinates, the position of its PE, the position of its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Running(pub usize, pub Vec<i64>, pub usize, pub usize);

/// One side of the contradiction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// What happens.
    pub what: &'static str,
    /// The PE; it may lie outside the array.
    pub pe: Vec<i64>,
    /// The position of the time.
    pub time: usize,
}

/// What is wrong, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClashText {
    /// Which law.
    pub kind: &'static str,
    /// What it is about.
    pub of: String,
    /// The broken property.
    pub broken: String,
    /// What there is.
    pub available: String,
    /// What is needed.
    pub needed: String,
    /// What would mend it.
    pub help: String,
    /// The counterexample.
    pub example: String,
    /// Whether no counterexample is smaller.
    pub smallest: bool,
}

/// A refuted obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Clash {
    /// What is wrong.
    #[serde(flatten)]
    pub words: ClashText,
    /// The PEs at these sizes, those of the sides included.
    pub array: Array,
    /// The names of the spaces.
    pub spaces: Vec<String>,
    /// All times that occur.
    pub times: Vec<Vec<i64>>,
    /// All points; none where they are too many.
    pub points: Vec<Running>,
    /// The sides of the contradiction.
    pub sides: Vec<Side>,
}

/// A point or a side before PEs and times are numbered.
struct Event<What> {
    what: What,
    pe: Vec<i64>,
    time: Vec<i64>,
}

impl Clash {
    /// What a proof refutes; `None` where it does not.
    pub fn of(design: &[LaidOut], proof: &Discharged) -> Option<Clash> {
        let Verdict::Refuted(example) = &proof.verdict else { return None };
        let (moments, bindings) = (&proof.obligation.reason.moments, example.bindings());
        let sides: Vec<Event<&'static str>> = moments.iter().filter_map(|moment| side(moment, &bindings)).collect();
        let points = points(design, &example.sizes().iter().cloned().collect());
        let (pes, times) = occurring(&points, &sides);
        Some(Clash {
            words: words(&proof.obligation, example),
            spaces: design.iter().map(|laid| laid.space.name.to_string()).collect(),
            points: points.iter().filter_map(|point| numbered(point, &pes, &times)).collect(),
            sides: sides.into_iter().filter_map(|side| placed(side, &times)).collect(),
            array: array(pes),
            times,
        })
    }
}

fn words(obligation: &Obligation, example: &Counterexample) -> ClashText {
    let Reason { broken, available, needed, help, .. } = obligation.reason.clone();
    ClashText {
        kind: obligation.kind.keyword(),
        of: obligation.of.to_string(),
        broken,
        available,
        needed,
        help,
        example: example.to_string(),
        smallest: example.smallest,
    }
}

/// All PEs and all times, each in order.
fn occurring<A, B>(points: &[Event<A>], sides: &[Event<B>]) -> (Vec<Vec<i64>>, Vec<Vec<i64>>) {
    let of_points = points.iter().map(|point| (&point.pe, &point.time));
    let all = of_points.chain(sides.iter().map(|side| (&side.pe, &side.time)));
    let (pes, times): (BTreeSet<&Vec<i64>>, BTreeSet<&Vec<i64>>) = all.unzip();
    (pes.into_iter().cloned().collect(), times.into_iter().cloned().collect())
}

fn side(moment: &Moment, bindings: &Bindings) -> Option<Event<&'static str>> {
    let (pe, time) = (values(&moment.place, bindings)?, values(&moment.time, bindings)?);
    Some(Event { what: moment.what, pe, time })
}

fn values(forms: &[Affine], bindings: &Bindings) -> Option<Vec<i64>> {
    forms.iter().map(|form| form.evaluate(bindings)).collect()
}

/// The points of all spaces at these sizes; none where they are too many, or their array is too large to be drawn.
fn points(design: &[LaidOut], sizes: &Bindings) -> Vec<Event<(usize, Vec<i64>)>> {
    let mut found = vec![];
    if sizes.values().any(|size| *size > LARGEST) {
        return found;
    }
    for (number, laid) in design.iter().enumerate() {
        let Some(region) = Region::new(&laid.space.domain.set, laid.space.indices(), sizes) else { return vec![] };
        if region.count() + found.len() as u64 > MOST_POINTS {
            return vec![];
        }
        region.visit(&mut |point| {
            let bindings = laid.space.bind(sizes, point);
            if let (Some(pe), Some(time)) = (values(&laid.place, &bindings), values(&laid.time, &bindings)) {
                found.push(Event { what: (number, point.to_vec()), pe, time });
            }
        });
    }
    let places: Vec<&[i64]> = found.iter().map(|event| &event.pe[..]).collect();
    if is_drawn(&grid_of(&places).1) { found } else { vec![] }
}

fn numbered(point: &Event<(usize, Vec<i64>)>, pes: &[Vec<i64>], times: &[Vec<i64>]) -> Option<Running> {
    let (pe, time) = (pes.binary_search(&point.pe).ok()?, times.binary_search(&point.time).ok()?);
    Some(Running(point.what.0, point.what.1.clone(), pe, time))
}

fn placed(side: Event<&'static str>, times: &[Vec<i64>]) -> Option<Side> {
    let time = times.binary_search(&side.time).ok()?;
    Some(Side { what: side.what, pe: side.pe, time })
}

fn array(pes: Vec<Vec<i64>>) -> Array {
    let points: Vec<&[i64]> = pes.iter().map(Vec::as_slice).collect();
    let (first, extents) = grid_of(&points);
    Array { first, extents, pes }
}
