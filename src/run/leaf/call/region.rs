//! Where calls of a leaf do the same.
//!
//! In: a routine, what it runs, and the coordinates of a call. Out: a [`Region`] of coordinates around these. The boxes of every call
//! there are those of the given one, moved: as long, and as far from each other; and the verdicts on bounds are the same.
//!
//! **Why calls there do the same.** A call meets its coordinates in the spans of tiles alone. Whole tiles of an axis are as far apart as
//! they are long, so a form over the indices moves by a form over the coordinates. Addresses stay where a window moves with the tiles
//! in it and with the subscripts of its elements. The same rounds run where a bound that is always or never met moves no further than it
//! stays so, and any other does not move. Indices that are taken for numbers are moved when they are read
//! ([`Prepared::moved`](super::Prepared::moved)).

use super::window::Boxes;
use crate::leaf::recognised::{Kind, Plan};
use crate::leaf::routine::{Cut, Few, Frame, Node, Routine, SlotAffine, Span, Verdict, margins, verdict};

/// Coordinates at which each of these forms has a value within its span.
#[derive(Clone, Debug, Default)]
pub struct Region {
    limits: Vec<(SlotAffine, Span)>,
}

impl Region {
    /// The region around the coordinates of a call; `None` where numbers are too large to tell.
    pub fn around(routine: &Routine, plan: Option<&Plan>, boxes: &Boxes, at: &[i64]) -> Option<Region> {
        let mut survey = Survey { boxes, at, moves: Few::new(), region: Region::default() };
        survey.moves = routine.indices.iter().map(|cut| survey.cut(cut)).collect::<Option<_>>()?;
        survey.bounds(&routine.body)?;
        survey.windows(routine)?;
        plan.map_or(Some(()), |plan| survey.pairs(&plan.body))?;
        Some(survey.region).filter(|region| region.has(at))
    }

    /// Whether it has these coordinates. Those at which a number does not fit 64 bits are in no region: their calls are refused.
    pub fn has(&self, at: &[i64]) -> bool {
        let is_within = |value: i64, (least, most): Span| least <= value && value <= most;
        self.limits.iter().all(|(form, span)| form.checked_value(at).is_some_and(|value| is_within(value, *span)))
    }

    /// Leaves the coordinates at which a form has a value within a span.
    fn limit(&mut self, form: SlotAffine, span: Span) {
        match self.limits.iter_mut().find(|(known, _)| *known == form) {
            Some((_, held)) => *held = (held.0.max(span.0), held.1.min(span.1)),
            None if form.terms.is_empty() => {}
            None => self.limits.push((form, span)),
        }
    }
}

/// What has been found of a region.
struct Survey<'a> {
    boxes: &'a Boxes,
    at: &'a [i64],
    /// How the first value of each index moves: a form over the coordinates that is 0 at those of the call.
    moves: Few<SlotAffine>,
    region: Region,
}

impl Survey<'_> {
    /// How the first element of a tile moves with the coordinates, at which it stays as long as it is.
    fn cut(&mut self, cut: &Cut) -> Option<SlotAffine> {
        let tile = cut.tile.checked_value(self.at)?;
        let (tiles, step) = cut.alike(tile);
        self.region.limit(cut.tile.clone(), tiles);
        SlotAffine::constant(tile.checked_mul(-step)?).plus(&cut.tile, step)
    }

    /// How a form over the indices moves.
    fn moved(&self, form: &SlotAffine) -> Option<SlotAffine> {
        form.terms
            .iter()
            .try_fold(SlotAffine::constant(0), |sum, (slot, coefficient)| sum.plus(&self.moves[*slot], *coefficient))
    }

    /// Keeps what moves in two ways together.
    fn together(&mut self, one: &SlotAffine, other: &SlotAffine) -> Option<()> {
        self.region.limit(one.clone().plus(other, -1)?, (0, 0));
        Some(())
    }

    /// Keeps the verdicts on all bounds and conditions; of those that are open, by how much they are met.
    fn bounds(&mut self, body: &[Node]) -> Option<()> {
        let mut found = vec![];
        margins(body, &mut |margin| found.push(margin));
        found.iter().try_for_each(|form| {
            let margin = form.interval(&self.boxes.indices);
            let span = match (verdict(margin), margin) {
                (Verdict::Always, Some((least, _))) => (-least, i64::MAX),
                (Verdict::Never, Some((_, most))) => (i64::MIN, -1 - most),
                _ => (0, 0),
            };
            self.region.limit(self.moved(form)?, span);
            Some(())
        })
    }

    /// Keeps windows as long as they are, and tiles and accesses where they are in them.
    fn windows(&mut self, routine: &Routine) -> Option<()> {
        let windows = routine.windows.iter().map(|frame| self.window(frame)).collect::<Option<Vec<_>>>()?;
        let result = std::iter::once((0, &routine.result, &self.boxes.result));
        let arguments = routine.arguments.iter().zip(&self.boxes.arguments);
        let tiles = result.chain(arguments.map(|((window, cuts), area)| (*window, cuts, area)));
        for (window, cuts, area) in tiles {
            let moves = cuts.iter().map(|cut| self.cut(cut)).collect::<Option<Few<SlotAffine>>>()?;
            // An empty tile is nowhere.
            let mut pairs = moves.iter().zip(&windows[window]).filter(|_| area.volume > 0);
            pairs.try_for_each(|(tile, window)| self.together(tile, window))?;
        }
        routine.accesses.iter().try_for_each(|access| {
            let mut pairs = access.subscripts.iter().zip(&windows[access.window]);
            pairs.try_for_each(|(form, window)| self.together(&self.moved(form)?, window))
        })
    }

    /// How a window moves along each dimension. Where an end of it is cut off it stays.
    fn window(&mut self, frame: &Frame) -> Option<Few<SlotAffine>> {
        let moves = frame.ranges.iter().map(|reach| {
            let Some((low, high)) = reach.form.interval(&self.boxes.indices) else {
                return Some(SlotAffine::constant(0));
            };
            let (before, after) = (low + reach.first, reach.extent - 1 - (high + reach.last));
            let is_free = before >= 0 && after >= 0 && low + reach.first <= high + reach.last;
            let moved = self.moved(&reach.form)?;
            self.region.limit(moved.clone(), if is_free { (-before, after) } else { (0, 0) });
            Some(moved)
        });
        moves.collect()
    }

    /// Keeps indices of which a task asks that they run over the same elements as far from each other as they are.
    fn pairs(&mut self, body: &[Node]) -> Option<()> {
        body.iter().try_for_each(|node| match node {
            Node::Loop(repeated) => self.pairs(&repeated.body),
            Node::If { then, otherwise, .. } => {
                self.pairs(then)?;
                self.pairs(otherwise)
            }
            Node::Set(_) => Some(()),
            Node::Known(known) => match &known.kind {
                Kind::Product(_) => Some(()),
                Kind::Task(assignment) => assignment.alike.iter().try_for_each(|(one, other)| {
                    let moves = [one, other].map(|index| self.moves[*index].clone());
                    self.together(&moves[0], &moves[1])
                }),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kept;
    use super::super::area::Area;
    use super::*;
    use crate::leaf::recognised::{Assignment, Position, Recognised, Task};
    use crate::leaf::routine::{Loop, Way};
    use crate::leaf::{Leaves, Tile};
    use std::collections::BTreeMap;
    use std::sync::{Arc, OnceLock};
    use systole_base::integer::name;
    use systole_program::array::{Program, Trouble, parse};

    /// Sums over `j <= i`, with a window that is cut off and indices for numbers; of neighbours, of which some lie outside of their
    /// window, in a tile that lies anywhere in it; of elements that lie anywhere in their window.
    const TEXT: &str = "(program sums (version 1)
      (parameters N K)
      (leaf below (coordinates I J)
        (index i (0 N 3 0) I) (index j (0 N 3 0) J)
        (window s (operator sum) (ranges (i 0 0 N)))
        (window x (ranges (j -1 0 N)))
        (gives ((0 N 3 0) I))
        (takes 1 ((0 N 3 0) (- J 1)))
        (takes 1 ((0 N 3 0) J))
        (body
          (loop i (from) (to)
            (loop j (from) (to i)
              (if ((>= j 1))
                (do (set (0 i) (add (0 i) (add (1 (- j 1)) (index (+ (* 2 i) j))))))
                (do (set (0 i) (add (0 i) (1 j)))))))))
      (leaf beside (coordinates I J)
        (index i (0 N 3 0) I) (index j (0 K 3 0) J)
        (window s (operator sum) (ranges (i 0 0 N)))
        (window x (operator sum) (ranges (j -1 1 K)))
        (gives ((0 N 3 0) I))
        (takes 1 ((0 K 3 0) I))
        (body (loop i (from) (to) (loop j (from) (to)
          (set (0 i) (add (0 i) (add (1 (- j 1)) (1 (+ j 1)))))))))
      (leaf across (coordinates I J)
        (index i (4 N 3 4) I) (index j (0 K 3 0) J)
        (window s (operator sum) (ranges (i 0 0 (+ N 8))))
        (window x (operator sum) (ranges (i -1 3 (+ N 8))))
        (gives ((4 N 3 4) I))
        (takes 1 ((4 N 3 4) I))
        (body (loop i (from) (to) (loop j (from) (to)
          (set (0 i) (add (0 i) (1 j))))))))";

    type Outcome = Result<Vec<u64>, Trouble>;

    fn leaves() -> Leaves {
        static PROGRAM: OnceLock<Program> = OnceLock::new();
        let program = PROGRAM.get_or_init(|| parse("sums.pe", TEXT).unwrap());
        Leaves::new(program, &[(name("N"), 17), (name("K"), 15)].into()).unwrap()
    }

    /// All tiles, those that are not whole among them, and places outside.
    fn points() -> Vec<[i64; 2]> {
        (-2..13).flat_map(|i| (-2..8).map(move |j| [i, j])).collect()
    }

    fn region(leaf: usize, from: [i64; 2], plan: Option<&Plan>) -> Region {
        let leaves = leaves();
        let routine = leaves.calls.routine(leaf, &from).unwrap();
        Region::around(routine, plan, &Boxes::at(routine, &from).unwrap(), &from).unwrap()
    }

    /// What a call gives, where one was made before and serves a region.
    fn outcome(leaf: usize, at: [i64; 2], before: Option<([i64; 2], &Region)>) -> Outcome {
        let calling = leaves();
        if let Some((from, region)) = before {
            let prepared = leaves().calls.prepare(leaf, &from).unwrap().into_owned();
            calling.calls.kept[leaf].keep(&from, || Some(region.clone()), || prepared);
        }
        let boxes = Boxes::at(calling.calls.routine(leaf, &at)?, &at)?;
        let tile = |area: &Area| {
            Tile::Values(Arc::new((0..area.volume).map(|element| (element * 37 % 11) as f64 / 7.0).collect()))
        };
        let arguments: Vec<Tile> = boxes.arguments.iter().map(tile).collect();
        let result = calling.call(leaf, &at, Some(tile(&boxes.result)), &arguments)?;
        Ok(result.elements(boxes.result.volume).iter().map(|value| value.to_bits()).collect())
    }

    /// The region with each of its limits in turn one too wide at one end.
    fn widened(region: &Region) -> Vec<Region> {
        let ends = (0..region.limits.len()).flat_map(|limit| [(limit, (1, 0)), (limit, (0, 1))]);
        let widen = |(limit, (below, above)): (usize, Span)| {
            let mut wider = region.clone();
            let span = &mut wider.limits[limit].1;
            *span = (span.0.saturating_sub(below), span.1.saturating_add(above));
            wider
        };
        ends.map(widen).collect()
    }

    /// Of how many calls of a leaf others serve, in their regions and in regions that are one too wide, the latter wrongly.
    fn serve(leaf: usize) -> (usize, usize) {
        let alone: BTreeMap<[i64; 2], Outcome> = points().iter().map(|at| (*at, outcome(leaf, *at, None))).collect();
        let (mut served, mut wrong) = (0, 0);
        for from in points() {
            let region = region(leaf, from, None);
            for at in points().into_iter().filter(|at| region.has(at)) {
                assert_eq!(outcome(leaf, at, Some((from, &region))), alone[&at], "{at:?} as {from:?} of {leaf}");
                served += 1;
            }
            for wider in widened(&region) {
                let more = points().into_iter().filter(|at| wider.has(at) && !region.has(at));
                wrong += more.filter(|at| outcome(leaf, *at, Some((from, &wider))) != alone[at]).count();
            }
        }
        (served, wrong)
    }

    #[test]
    fn one_call_serves_its_region_and_no_wider_one() {
        for leaf in 0..3 {
            let (served, wrong) = serve(leaf);
            assert!(served > 2 * points().len() && wrong > points().len(), "{served} {wrong}");
        }
    }

    #[test]
    fn a_task_keeps_its_indices_together() {
        let position = Position { access: 0, row: 0, column: None };
        let assignment = Assignment {
            task: Task::Factor,
            alike: vec![(0, 1)],
            resets: vec![],
            result: position,
            sums: None,
            given: None,
            triangle: None,
            upper: None,
        };
        let loops = Loop { index: 0, falls: false, lower: vec![], upper: vec![], body: vec![], way: Way::Around };
        let body = vec![Node::Known(Box::new(Recognised { loops, kind: Kind::Task(assignment) }))];
        let plan = Plan { body, written: vec![true, false] };
        let (free, held) = (region(0, [4, 2], None), region(0, [4, 2], Some(&plan)));
        assert!([[4, 2], [4, 3], [3, 2]].iter().all(|at| free.has(at)));
        assert!(held.has(&[4, 2]) && held.has(&[3, 1]) && !held.has(&[4, 3]) && !held.has(&[3, 2]));
    }

    #[test]
    fn coordinates_without_a_number_are_in_no_region() {
        let at = [i64::MAX, i64::MAX];
        assert_eq!(outcome(0, at, None), outcome(0, [9, 9], None));
        let least = [0, i64::MIN];
        assert_eq!(outcome(0, least, Some(([0, -3], &region(0, [0, -3], None)))), Err(Trouble::Overflow));
        assert!(!region(0, [0, -3], None).has(&least));
    }

    #[test]
    fn so_many_kinds_are_kept_each_once() {
        let kept = Kept::default();
        let only = |kind: i64| Region { limits: vec![(SlotAffine::slot(0), (kind, kind))] };
        for kind in (0..100).flat_map(|kind| [kind, kind]) {
            kept.keep(&[kind], || Some(only(kind)), || kind);
        }
        assert_eq!((0..100).filter(|kind| kept.find(&[*kind]) == Some(kind)).count(), 64);
        kept.keep(&[7], || panic!("a region that is not needed"), || 7);
    }
}
