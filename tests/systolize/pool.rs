//! Random designs: kernels of two and three loops with random index maps, places, steps and loading vectors.
//!
//! Drawn once, with a fixed seed; whether the scheme takes one is decided by `admitted`, which knows only the definitions
//! (null vectors are cross products).

use crate::common::{map, space};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::sync::OnceLock;
use systole_base::integer::{Vector, dot, name, primitive};
use systole_compile::mapping::SpaceTimeMap;
use systole_compile::systolize::{Loading, Scheme, systolize};
use systole_equations::recurrence::Space;

/// A random input of the scheme.
#[derive(Clone, Debug)]
pub struct Draft {
    pub text: String,
    pub index_maps: Vec<Vec<Vector>>,
    pub place: Vec<Vector>,
    pub step: Vector,
    pub loading: Vec<Vector>,
}

/// A draft that the scheme takes.
pub struct Sample {
    pub draft: Draft,
    pub space: Space,
    pub map: SpaceTimeMap,
    pub loading: Vec<Loading>,
    pub scheme: Scheme,
}

const NAMES: [&str; 3] = ["a", "b", "c"];

/// Random drafts, most of which the scheme refuses.
pub fn drafts(count: usize) -> Vec<Draft> {
    let config = Config { max_local_rejects: u32::MAX, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let strategy = (2usize..4).prop_flat_map(draft);
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("a draft").current()).collect()
}

/// The samples among many drafts.
pub fn samples() -> &'static [Sample] {
    static SAMPLES: OnceLock<Vec<Sample>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let taken = drafts(20_000).into_iter().filter(|draft| refusal(draft).is_none());
        let (across, others): (Vec<Draft>, Vec<Draft>) = taken.partition(loads_across_a_lattice);
        let (long, common): (Vec<Draft>, Vec<Draft>) = others.into_iter().partition(has_a_long_increment);
        let rare = across.into_iter().take(10).chain(long.into_iter().take(10));
        common.into_iter().take(130).chain(rare).map(sample).collect()
    })
}

fn sample(draft: Draft) -> Sample {
    let space = space(&draft.text);
    let map = map(&draft.place, &draft.step);
    let loading = loading(&draft);
    let scheme = systolize(&space, &map, &loading);
    let scheme = scheme.unwrap_or_else(|problems| panic!("{}\n{draft:?}", crate::common::shown(&problems)));
    Sample { draft, space, map, loading, scheme }
}

/// Loading vectors for the streams that stay.
pub fn loading(draft: &Draft) -> Vec<Loading> {
    let stays = |rows: &Vec<Vector>| {
        let along = null_vector(rows);
        draft.place.iter().all(|row| dot(row, &along) == 0)
    };
    let streams = NAMES.iter().zip(&draft.index_maps).zip(&draft.loading);
    let mine = streams.filter(|((_, rows), _)| stays(rows));
    mine.map(|((tensor, _), along)| Loading { tensor: name(tensor), along: along.clone(), span: None }).collect()
}

fn draft(dimension: usize) -> impl Strategy<Value = Draft> {
    let entry = prop_oneof![10 => -1i64..2, 1 => Just(2i64)];
    let rows = proptest::collection::vec(proptest::collection::vec(entry, dimension), dimension - 1);
    let near = proptest::collection::vec(proptest::collection::vec(-1i64..2, dimension), dimension - 1);
    let loading = proptest::collection::vec(-1i64..2, dimension - 1)
        .prop_filter("a loading vector leads somewhere", |along| along.iter().any(|entry| *entry != 0));
    let plain = 0usize..dimension;
    (
        proptest::collection::vec(rows, 3),
        near,
        proptest::collection::vec(-2i64..3, dimension),
        proptest::collection::vec(loading, 3),
        (0usize..3, 0i64..3, proptest::option::weighted(0.7, plain)),
    )
        .prop_map(|(mut index_maps, place, step, loading, (shape, shift, dropped))| {
            if let Some(dropped) = dropped {
                index_maps[2] = projection(step.len(), dropped);
            }
            Draft { text: text(&index_maps, shape, shift), index_maps, place, step, loading }
        })
        .prop_filter("index maps have full rank", |draft| {
            draft.index_maps.iter().all(|rows| null_vector(rows).iter().any(|entry| *entry != 0))
        })
}

/// All indices but one.
fn projection(dimension: usize, dropped: usize) -> Vec<Vector> {
    let unit = |index: usize| (0..dimension).map(|other| i64::from(other == index)).collect();
    (0..dimension).filter(|index| *index != dropped).map(unit).collect()
}

/// The kernel with these index maps: over a box, a triangle, or a box of two sizes.
fn text(index_maps: &[Vec<Vector>], shape: usize, shift: i64) -> String {
    let indices = &["i", "j", "k"][..index_maps[0].len() + 1];
    let last = indices.len() - 1;
    let ranges = indices.iter().enumerate().map(|(position, index)| match (shape, position) {
        (1, position) if position == last => format!("{index} in 0..i + 1"),
        (2, 0) => format!("{index} in 0..M"),
        _ => format!("{index} in 0..N"),
    });
    let ranges = ranges.collect::<Vec<_>>().join(", ");
    let size = |position: usize| if shape == 2 && position == 0 { "M" } else { "N" };
    let subscripts =
        |rows: &[Vector], shift: i64| rows.iter().map(|row| subscript(row, indices, &size, shift)).collect::<Vec<_>>();
    let extents =
        |rows: &[Vector], shift: i64| rows.iter().map(|row| extent(row, &size, shift)).collect::<Vec<_>>().join(", ");
    let at = |rows: &[Vector], shift: i64| subscripts(rows, shift).join(", ");
    let (a, b, c) = (&index_maps[0], &index_maps[1], &index_maps[2]);
    let parameters = if shape == 2 { "M, N" } else { "N" };
    format!(
        "kernel random({parameters})\nin a[{}], b[{}]\nout c[{}]\nc[{}] = sum({ranges}) a[{}] * b[{}]\n",
        extents(a, shift),
        extents(b, 0),
        extents(c, 0),
        at(c, 0),
        at(a, shift),
        at(b, 0)
    )
}

/// A row as a subscript, moved so that it starts at `shift` or later.
fn subscript(row: &[i64], indices: &[&str], size: &dyn Fn(usize) -> &'static str, shift: i64) -> String {
    let terms = row.iter().enumerate().filter(|(_, entry)| **entry != 0).map(|(position, entry)| {
        let back = if *entry < 0 { format!(" + {}*({} - 1)", -entry, size(position)) } else { String::new() };
        format!("{entry}*{}{back}", indices[position])
    });
    terms.chain([shift.to_string()]).collect::<Vec<_>>().join(" + ")
}

fn extent(row: &[i64], size: &dyn Fn(usize) -> &'static str, shift: i64) -> String {
    let terms = row.iter().enumerate().map(|(position, entry)| format!("{}*({} - 1)", entry.abs(), size(position)));
    terms.chain([(shift + 1).to_string()]).collect::<Vec<_>>().join(" + ")
}

/// Whether the place is not onto and some stream stays: then processes without points stand between those that hold it.
fn loads_across_a_lattice(draft: &Draft) -> bool {
    let content = orthogonal(&draft.place).into_iter().fold(0, systole_base::integer::gcd);
    content > 1 && !loading(draft).is_empty()
}

fn has_a_long_increment(draft: &Draft) -> bool {
    null_vector(&draft.place).iter().any(|entry| entry.abs() > 1)
}

/// A primitive vector orthogonal to all rows, one fewer than their length; zero where they are dependent.
pub fn null_vector(rows: &[Vector]) -> Vector {
    primitive(&orthogonal(rows))
}

/// The minors of the rows with alternating signs.
fn orthogonal(rows: &[Vector]) -> Vector {
    match rows {
        [row] => vec![-row[1], row[0]],
        [a, b] => {
            let minor = |x: usize, y: usize| a[x] * b[y] - a[y] * b[x];
            vec![minor(1, 2), minor(2, 0), minor(0, 1)]
        }
        _ => panic!("two or three loops"),
    }
}

/// Why the scheme must refuse a draft; `None` where it must not.
pub fn refusal(draft: &Draft) -> Option<&'static str> {
    let increment = null_vector(&draft.place);
    if increment.iter().all(|entry| *entry == 0) {
        return Some("the scheme needs a place of rank");
    }
    if dot(&draft.step, &increment) == 0 {
        return Some("two points share a process and a step");
    }
    let reuses: Vec<Vector> = draft.index_maps.iter().map(|rows| null_vector(rows)).collect();
    let first = |wrong: &dyn Fn(&Vector) -> Option<&'static str>| reuses.iter().find_map(wrong);
    first(&|along| {
        let far = draft.place.iter().any(|row| dot(row, along).abs() > 1);
        match dot(&draft.step, along) {
            0 => Some("share a step"),
            _ if far => Some("are not neighbours"),
            _ => None,
        }
    })
}
