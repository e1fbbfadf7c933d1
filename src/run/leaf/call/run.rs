//! Runs a routine's body.
//!
//! In: a routine, the boxes of a call, the elements of its windows. Out: the windows, worked on, each element with the bits
//! that the sequential order gives. An access that stays within its window for all indices of the tile is known to do so before
//! the run; any other is checked for each range of rounds.

use super::lanes::Registers;
use super::prepare::{Link, Prepared};
use super::window::{Boxes, Elements};
use crate::leaf::Element;
use crate::leaf::library::{Layout, Library};
use crate::leaf::recognised::{Kind, Recognised};
use crate::leaf::routine::{Few, Loop, Node, Routine, SlotAffine, Span, Way, depends};
use crate::leaf::tally::Work;
use systole_program::array::Trouble;

/// A routine that runs.
pub struct Run<'a, E: Element> {
    pub routine: &'a Routine,
    pub boxes: &'a Boxes,
    pub windows: Few<Elements<'a, E>>,
    pub links: &'a [Link],
    /// The values of the indices, as they are where the call was prepared; the first of its box where no loop gives it one.
    pub slots: Few<i64>,
    /// How far the indices' boxes have moved since, where the body takes indices for numbers.
    pub moved: Few<i64>,
    /// The address of each access in the round that runs.
    pub cursors: Few<i64>,
    pub(super) registers: Registers<E>,
    pub leaf: usize,
    /// The boxes of the indices, or parts of them.
    pub spans: Few<Span>,
    /// Who runs what is known.
    pub library: Option<&'static dyn Library<E>>,
    /// What was done so far.
    pub work: Work,
    /// What the result's window begins with, while it holds anything yet.
    pub blank: Option<E>,
    /// Whether accesses are checked and functions counted, and no element is touched.
    pub is_dry: bool,
}

impl<'a, E: Element> Run<'a, E> {
    /// Ready to run.
    pub fn new(leaf: usize, routine: &'a Routine, call: &'a Prepared, windows: Few<Elements<'a, E>>) -> Run<'a, E> {
        let Prepared { boxes, links, .. } = call;
        Run {
            routine,
            boxes,
            windows,
            links,
            slots: boxes.indices.iter().map(|(first, _)| *first).collect(),
            moved: Few::new(),
            cursors: Few::new(),
            registers: Registers::new(),
            leaf,
            spans: Few::from_slice(&boxes.indices),
            library: None,
            work: Work::default(),
            blank: None,
            is_dry: false,
        }
    }

    /// Runs steps at the indices' values.
    pub fn block(&mut self, nodes: &'a [Node]) -> Result<(), Trouble> {
        nodes.iter().try_for_each(|node| match node {
            Node::Loop(repeated) => {
                self.fill();
                self.repeat(repeated)
            }
            Node::If { conditions, then, otherwise } => {
                let holds = conditions.iter().all(|form| form.value(&self.slots) >= 0);
                self.block(if holds { then } else { otherwise })
            }
            Node::Set(set) => {
                self.fill();
                self.sequence(&[set], None)
            }
            Node::Known(known) => self.known(known),
        })
    }

    /// Has the library run a nest, or runs its loops.
    fn known(&mut self, known: &'a Recognised) -> Result<(), Trouble> {
        match (&known.kind, self.library) {
            (_, None) => self.repeat(&known.loops),
            (Kind::Product(product), Some(library)) => self.product(product, &known.loops, library),
            (Kind::Task(assignment), Some(library)) => match self.task(assignment, library)? {
                true => Ok(()),
                false => {
                    self.fill();
                    self.own();
                    self.repeat(&known.loops)
                }
            },
        }
    }

    /// Gives the result's window what it begins with, unless somebody has written all of it.
    pub fn fill(&mut self) {
        if let Some(value) = self.blank.take() {
            self.windows[0].values_mut().fill(value);
        }
    }

    /// Whether the result's window begins with this number, or anything, but holds something else yet, and is this matrix.
    pub fn is_blank(&self, window: usize, layout: Layout) -> bool {
        let is_whole = window == 0 && layout.rows * layout.columns == self.windows[0].values().len();
        is_whole && self.blank.is_some()
    }

    /// Takes a copy of each window that loops may write and a library would not.
    pub fn own(&mut self) {
        let written = self.windows.iter_mut().zip(&self.routine.written).filter(|(_, written)| **written);
        written.for_each(|(window, _)| window.own());
    }

    /// Runs all rounds of a loop.
    pub fn repeat(&mut self, repeated: &'a Loop) -> Result<(), Trouble> {
        let (first, last) = self.rounds(repeated);
        if repeated.way != Way::Around {
            return self.sweep(&repeated.body.iter().collect::<Vec<_>>(), repeated, (first, last));
        }
        if self.is_dry && self.are_alike(repeated) {
            return self.one_for_all(repeated, &mut |run| run.block(&repeated.body));
        }
        let round = |run: &mut Self, value: i64| {
            run.slots[repeated.index] = value;
            run.block(&repeated.body)
        };
        match repeated.falls {
            true => (first..=last).rev().try_for_each(|value| round(self, value)),
            false => (first..=last).try_for_each(|value| round(self, value)),
        }
    }

    /// Whether the same is done in all rounds of a loop, and no access needs to be checked in any.
    pub(super) fn are_alike(&self, repeated: &Loop) -> bool {
        self.links.iter().all(|link| link.is_safe) && !depends(&repeated.body, repeated.index)
    }

    /// Counts one round of a loop for each of them.
    pub(super) fn one_for_all(
        &mut self,
        repeated: &'a Loop,
        round: &mut dyn FnMut(&mut Self) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let (before, (first, last)) = (self.work.applied, self.rounds(repeated));
        if first <= last {
            self.slots[repeated.index] = first;
            round(self)?;
            let rounds = last.abs_diff(first).checked_add(1);
            let applied = rounds.and_then(|rounds| rounds.checked_mul(self.work.applied - before));
            self.work.applied = applied.and_then(|applied| applied.checked_add(before)).ok_or(Trouble::Overflow)?;
        }
        Ok(())
    }

    /// The first and last value of a loop's index.
    pub fn rounds(&self, repeated: &Loop) -> Span {
        self.outer_rounds(repeated, &[])
    }

    /// The same by the bounds that none of these indices occurs in.
    pub fn outer_rounds(&self, repeated: &Loop, without: &[usize]) -> Span {
        let (first, last) = self.spans[repeated.index];
        let meant = |(form, _): &&(SlotAffine, i64)| !form.mentions(without);
        let lower = repeated.lower.iter().filter(meant);
        let lower = lower.map(|(form, by)| -(-form.value(&self.slots)).div_euclid(*by));
        let upper = repeated.upper.iter().filter(meant).map(|(form, by)| form.value(&self.slots).div_euclid(*by));
        (lower.fold(first, i64::max), upper.fold(last, i64::min))
    }

    /// Runs the rounds of a loop, cut into ranges in which each condition on its index is the same for all rounds.
    fn sweep(&mut self, nodes: &[&'a Node], repeated: &Loop, (first, last): Span) -> Result<(), Trouble> {
        if first > last {
            return Ok(());
        }
        let choice = nodes.iter().enumerate().find_map(|(position, node)| match node {
            Node::If { conditions, then, otherwise } => Some((position, conditions, [then, otherwise])),
            _ => None,
        });
        let Some((position, conditions, [then, otherwise])) = choice else {
            return self.straight(nodes, repeated, (first, last));
        };
        let (from, to) = self.holding(conditions, repeated.index, (first, last));
        for (range, side) in [((first, from - 1), otherwise), ((from, to), then), ((to + 1, last), otherwise)] {
            let chosen: Vec<&Node> =
                nodes[..position].iter().copied().chain(side).chain(nodes[position + 1..].iter().copied()).collect();
            self.sweep(&chosen, repeated, range)?;
        }
        Ok(())
    }

    /// Where all conditions hold: a part of the range, or what is empty behind its end.
    fn holding(&mut self, conditions: &[SlotAffine], index: usize, (first, last): Span) -> Span {
        self.slots[index] = 0;
        let (mut from, mut to) = (first, last);
        for form in conditions {
            let rest = form.value(&self.slots);
            match form.coefficient(index) {
                0 if rest >= 0 => {}
                0 => to = from - 1,
                by if by > 0 => from = from.max(-rest.div_euclid(by)),
                by => to = to.min(rest.div_euclid(-by)),
            }
        }
        if from <= to { (from, to) } else { (last + 1, last) }
    }

    /// Rounds without conditions on the loop's index.
    fn straight(&mut self, nodes: &[&'a Node], repeated: &Loop, (first, last): Span) -> Result<(), Trouble> {
        if let Way::Lanes(most) = repeated.way {
            let most = if self.is_dry { usize::MAX } else { most };
            return (first..=last).step_by(most).try_for_each(|base| {
                let count = usize::try_from(last - base + 1).unwrap_or(most).min(most);
                self.side_by_side(nodes, repeated.index, base, count)
            });
        }
        let sets = nodes.iter().filter_map(|node| if let Node::Set(set) = node { Some(set) } else { None });
        self.sequence(&sets.collect::<Vec<_>>(), Some((repeated.index, first, last)))
    }

    /// Refuses an access that leaves its window, at the indices' values.
    pub fn check(&self, access: usize) -> Result<(), Trouble> {
        let (access, area) = (&self.routine.accesses[access], &self.boxes.windows[self.links[access].window]);
        let mut dimensions = access.subscripts.iter().zip(&area.spans);
        let is_within = dimensions.all(|(form, (first, last))| (*first..=*last).contains(&form.value(&self.slots)));
        if is_within { Ok(()) } else { Err(Trouble::OutsideWindow { leaf: self.leaf, window: access.window }) }
    }
}
