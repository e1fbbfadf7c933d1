//! One more family beside those that are placed.
//!
//! In: the task of the families so far, and designs of all of them but the newest. Out: designs with it too, made from the places
//! beside each, their dataflows, and the shortest steps of these.

use super::draft::{Draft, Next};
use super::keep::{Legal, legal_of};
use super::partial::Partial;
use crate::extract::Survey;
use crate::extract::solve::dataflows::{Dataflows, Laid, some_ways, ways_to_lay};
use crate::extract::solve::places::{Axes, Edge, NearRows, Placement, Places, edges, strict_operands};
use crate::extract::solve::search::forms;
use crate::extract::solve::task::{Task, Work};
use crate::mapping::SpaceDesign;
use crate::rewrite::{Choices, Transport};
use rayon::prelude::*;
use systole_base::integer::lexicographic_sign;
use systole_equations::recurrence::Chain;
use systole_equations::recurrence::spaces::SpaceSystem;

/// So many dataflows tell what one of a stage takes.
const FIRST_DRAFTS: usize = 8;

/// Then each placement has so many times as many dataflows as before.
const MORE_DRAFTS: usize = 3;

/// A stage may take as much for its drafts, however little they should take.
const LEAST_ROOM: u64 = 100_000;

/// The task of the families so far.
pub struct Stage<'a> {
    whole: &'a Task<'a>,
    task: Task<'a>,
    edges: Vec<Edge>,
    families: Vec<usize>,
    spaces: Vec<usize>,
    /// Its number in the whole system.
    newest: usize,
    axes: Axes,
    near: NearRows,
}

/// What a stage came to.
pub struct Grown {
    /// Legal designs of the families so far.
    pub designs: Vec<Partial>,
    /// How many drafts no legal design was made of.
    pub drafts: usize,
    /// Partial designs beside which there were more places than were looked at.
    pub crowded: u64,
    /// Dataflows that the budget had no room for.
    pub beyond: u64,
}

impl<'a> Stage<'a> {
    /// The stage that places the family `newest`, one of `families`, whose system is given.
    pub fn new(whole: &'a Task, system: &'a SpaceSystem, families: Vec<usize>, newest: usize, axes: Axes) -> Stage<'a> {
        let mut task = whole.among(system, &families);
        task.newest = Some(families.partition_point(|family| *family < newest));
        let edges = edges(system, &task.choices, &task.takers);
        let spaces = whole.system.spaces_among(&families);
        Stage { whole, task, edges, families, spaces, newest, axes, near: NearRows::default() }
    }

    /// The best legal designs that go on from these, so many under each objective; a survey is told of them. Where none are legal without it
    /// spaces take turns; `None` where they may not.
    pub fn go_on(
        &self,
        beam: &[Partial],
        (width, in_turns, limit): (usize, bool, u64),
        survey: Option<&mut Survey>,
    ) -> Option<Grown> {
        let (nexts, crowded) = self.nexts(beam);
        let (drafts, beyond) = self.drafts(&nexts, limit);
        // Where no dataflow has steps turns do not help, and a wider beam seldom does.
        let legal = match drafts.is_empty() {
            true => Legal::new(),
            false => self.legal(&drafts, (width, in_turns, limit))?,
        };
        if let Some(survey) = survey {
            survey.maps += nexts.len() as u64;
            tell(survey, &legal);
        }
        let numbers = (&self.families[..], &self.spaces[..]);
        let made = legal.values().filter(|found| !found.is_empty()).count();
        let grown = legal.into_iter().flat_map(|(number, found)| {
            let next = drafts[number].next;
            found.into_iter().map(move |found| next.partial.with(&next.placement, numbers, found))
        });
        Some(Grown { designs: grown.collect(), drafts: drafts.len() - made, crowded, beyond })
    }

    /// The places beside each partial design, and beside how many there are more.
    fn nexts<'b>(&self, beam: &'b [Partial]) -> (Vec<Next<'b>>, u64) {
        let beside: Vec<(Vec<Placement>, bool)> = beam.par_iter().map(|partial| self.beside(partial)).collect();
        let crowded = beside.iter().filter(|(_, crowded)| *crowded).count() as u64;
        let of = |(partial, (placements, _)): (&'b Partial, (Vec<Placement>, bool))| {
            placements.into_iter().map(move |placement| Next { partial, placement })
        };
        (beam.iter().zip(beside).flat_map(of).collect(), crowded)
    }

    /// The dataflows of each placement that have steps, and how many there is no room for. Then each placement has as many as another,
    /// spread over all of its own.
    fn drafts<'b>(&self, nexts: &'b [Next], limit: u64) -> (Vec<Draft<'b>>, u64) {
        let forms = forms(&self.task, &self.edges);
        let offered: Vec<Vec<Laid>> = nexts.par_iter().map(|next| self.parts(&forms, next)).collect();
        let counts: Vec<u64> = offered.iter().map(|laid| ways_to_lay(laid)).collect();
        let before = self.task.work.sum();
        let room = limit.saturating_sub(before).max(self.task.limits.stage);
        let drafts = room / self.work_of_a_draft(nexts, &offered, room);
        let share = share(&counts, drafts);
        // Where there is not room for one of each placement, some placements have none.
        let most = usize::try_from(drafts).unwrap_or(usize::MAX).max(1);
        let some: Vec<usize> = (0..nexts.len()).step_by(nexts.len().div_ceil(most).max(1)).collect();
        // There may be more ways than can be counted.
        let beyond = counts.iter().map(|count| count.saturating_sub(share)).fold(0, u64::saturating_add);
        let placements = (nexts.len() - some.len()) as u64;
        // The first dataflows of a placement may take much less than others. So each placement has one, then each some more, until the room is
        // used up.
        let (mut found, mut done) = (vec![], 0);
        let left = loop {
            let ways = if done == 0 { 1 } else { done * MORE_DRAFTS };
            let of_next = |number: usize| {
                let (next, order) = (&nexts[number], self.order(nexts[number].partial));
                let draft = move |parts| self.draft(next, parts, &order);
                let some = some_ways(&offered[number], share).skip(done).take(ways);
                some.filter_map(draft).map(|draft| (number, draft)).collect::<Vec<_>>()
            };
            found.extend(some.par_iter().copied().flat_map_iter(of_next).collect::<Vec<_>>());
            done += ways;
            let open = some.iter().map(|number| counts[*number].min(share).saturating_sub(done as u64));
            let left = open.fold(0, u64::saturating_add);
            if left == 0 || self.task.work.sum() - before > room.max(LEAST_ROOM) {
                break left;
            }
        };
        // In the order of placements, as if each had had all its dataflows at once.
        found.sort_by_key(|(number, _)| *number);
        let drafts = found.into_iter().map(|(_, draft)| draft).collect();
        (drafts, beyond.saturating_add(placements).saturating_add(left))
    }

    /// What a dataflow takes, as the first ones tell; or the first one alone, where so many would take all the room.
    fn work_of_a_draft(&self, nexts: &[Next], offered: &[Vec<Laid>], room: u64) -> u64 {
        let before = self.task.work.sum();
        let mut first: Vec<(&Next, Vec<SpaceDesign>)> = nexts
            .iter()
            .zip(offered)
            .flat_map(|(next, offered)| some_ways(offered, 1).map(move |parts| (next, parts)))
            .take(FIRST_DRAFTS)
            .collect();
        let count = first.len().max(1) as u64;
        let draft = |(next, parts): (&Next, Vec<SpaceDesign>)| drop(self.draft(next, parts, &self.order(next.partial)));
        let others = first.split_off(first.len().min(1));
        first.into_iter().for_each(draft);
        let of_first = self.task.work.sum() - before;
        if of_first.saturating_mul(FIRST_DRAFTS as u64) > room {
            return of_first.max(Work::DRAFTED);
        }
        others.into_par_iter().for_each(draft);
        ((self.task.work.sum() - before) / count).max(Work::DRAFTED)
    }

    fn draft<'b>(&self, next: &'b Next, parts: Vec<SpaceDesign>, order: &[(usize, usize)]) -> Option<Draft<'b>> {
        self.task.work.add(Work::DRAFTED);
        Draft::new(&self.task, next, parts, order)
    }

    /// Drafts are looked at until there are enough. What is given up here is missed by all stages that follow; turns, which slow
    /// all of them, are for drafts of which none is legal.
    fn legal(&self, drafts: &[Draft], (width, in_turns, limit): (usize, bool, u64)) -> Option<Legal> {
        let of = |in_turns| {
            move |draft: &Draft| {
                self.task.work.add(Work::KEPT_APART);
                draft.legal(&self.task, &self.order(draft.next.partial), in_turns)
            }
        };
        let left = limit.saturating_sub(self.task.work.sum()) / Work::KEPT_APART;
        let most = usize::try_from(left).unwrap_or(usize::MAX).clamp(width, drafts.len().max(width));
        let goes_on = || self.task.work.sum() < limit;
        let found = legal_of(drafts, (width, most), (&of(false), &goes_on));
        if found.values().any(|found| !found.is_empty()) {
            return Some(found);
        }
        // Turns are the last way out. Once the budget is used up, one draft under each objective has to do.
        let width = if goes_on() { width } else { 1 };
        in_turns.then(|| legal_of(drafts, (width, width), (&of(true), &|| true)))
    }

    /// The order of a partial design, over the spaces of this stage.
    fn order(&self, partial: &Partial) -> Vec<(usize, usize)> {
        let number = |space: usize| self.spaces.partition_point(|other| *other < space);
        partial.order.iter().map(|(first, second)| (number(*first), number(*second))).collect()
    }

    fn beside(&self, partial: &Partial) -> (Vec<Placement>, bool) {
        let Task { system, machine, constraint, bounds, choices, limits, .. } = &self.task;
        let stays = constraint.places.iter().any(Option::is_some);
        let (network, fixed) = (machine.links.network, constraint.fixed_rows());
        let (strict, bound, most) = (strict_operands(system, choices), bounds.bound, limits.next);
        let (edges, axes, near) = (&self.edges, self.axes, &self.near);
        let places = Places { system, edges, axes, bound, network, fixed, stays, strict, most, near };
        let rows: Vec<_> = self.families.iter().map(|family| partial.rows[*family].clone()).collect();
        places.beside(&rows, self.families.partition_point(|family| *family < self.newest))
    }

    /// For each space its parts, one for each dataflow that goes on from the partial design's; none where the array does not fit.
    fn parts(&self, forms: &Dataflows, next: &Next) -> Vec<Laid> {
        let of_space = |space: usize| forms.laid(space, &next.placement, self.dataflows(forms, next, space));
        let all: Vec<Laid> = (0..self.spaces.len()).map(of_space).collect();
        let fits = some_ways(&all, 1).next().is_none_or(|parts| self.task.room.holds(&parts));
        if fits { all } else { all.into_iter().map(Laid::without_dataflows).collect() }
    }

    fn dataflows(&self, forms: &Dataflows, next: &Next, space: usize) -> Choices {
        let known = next.partial.dataflows[self.spaces[space]].as_ref();
        let chains = known.map_or_else(|| self.chains(space), |known| vec![known.chain.clone()]);
        let transports = (0..self.task.system.spaces[space].operands.len()).map(|operand| {
            let known = known.map(|known| &known.transports[operand]);
            match known.filter(|_| !self.is_newly_computed(space, operand)) {
                Some(known) => vec![known.clone()],
                None => self.offered(forms, next, (space, operand)),
            }
        });
        Choices { transports: transports.collect(), chains }
    }

    /// The orders of a reduction. One that reads inputs only can run in either direction under mirrored places, so it runs forwards
    /// where its place is not given.
    fn chains(&self, space: usize) -> Vec<Chain> {
        let (chains, family) = (&self.task.choices[space].chains, self.task.system.members[space].family);
        let is_given = self.task.constraint.places[family].is_some();
        let reads_inputs = !is_given && self.whole.system.sources[self.spaces[space]].iter().all(Vec::is_empty);
        let is_forwards = |chain: &&Chain| chain.directions.iter().all(|along| lexicographic_sign(along) > 0);
        let forwards: Vec<Chain> = chains.iter().filter(|_| reads_inputs).filter(is_forwards).cloned().collect();
        if forwards.is_empty() { chains.clone() } else { forwards }
    }

    /// Whether the newest family computes what an operand reads.
    fn is_newly_computed(&self, space: usize, operand: usize) -> bool {
        let before: Vec<usize> = self.families.iter().copied().filter(|family| *family != self.newest).collect();
        !self.whole.system.is_within(&before, (self.spaces[space], operand))
    }

    /// The ways of an operand that are to be chosen from: for an input its streams, and to ask for nothing.
    fn offered(&self, forms: &Dataflows, next: &Next, (space, operand): (usize, usize)) -> Vec<Transport> {
        let is_input = self.whole.system.sources[self.spaces[space]][operand].is_empty();
        if !self.task.system.sources[space][operand].is_empty() {
            return forms.transports(space, operand, &next.placement);
        }
        if !is_input {
            return vec![Transport::Handoff];
        }
        let (place, _) = forms.place(space, &next.placement);
        let streams = self.task.moving_streams(space, operand, &place);
        std::iter::once(Transport::Feed).chain(streams.cloned()).collect()
    }
}

/// The most that each may have, so that all have no more than `room` together; at least one.
fn share(counts: &[u64], mut room: u64) -> u64 {
    let mut ascending = counts.to_vec();
    ascending.sort_unstable();
    for (number, count) in ascending.iter().enumerate() {
        let each = room / (ascending.len() - number) as u64;
        if *count > each {
            return each.max(1);
        }
        room -= count;
    }
    u64::MAX
}

/// Tells a survey of the designs that were found.
fn tell(survey: &mut Survey, legal: &Legal) {
    survey.legal += legal.values().filter(|found| !found.is_empty()).count() as u64;
    survey.designs += legal.values().map(|found| found.len() as u64).sum::<u64>();
    legal.values().flatten().for_each(|(found, _)| survey.front.add(found.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_as_much_as_there_is_room_for() {
        assert_eq!(share(&[3, 5, 2], 10), u64::MAX);
        assert_eq!(share(&[3, 50, 2], 10), 5);
        assert_eq!(share(&[30, 50, 2], 10), 4);
        assert_eq!(share(&[30, 50], 1), 1);
        assert_eq!(share(&[], 1), u64::MAX);
    }
}
