//! Which partial designs are gone on with.
//!
//! In: drafts, with what they would cost. Out: for each objective the best that are legal. Drafts are made legal in the
//! order of these costs, a few at a time, until there are enough: to keep spaces apart takes longer than all else.

use super::draft::{Draft, Ordered};
use super::partial::Partial;
use crate::cost::{Cost, Objective};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Of designs that cost the same no more than this are kept for one objective: many are mirror images of each other.
const ALIKE: usize = 2;

/// The legal designs of drafts, each by its number.
pub type Legal = BTreeMap<usize, Vec<Ordered>>;

/// Makes a draft legal in every way there is.
type MakeLegal<'a> = &'a (dyn Fn(&Draft) -> Vec<Ordered> + Sync);

/// Drafts made legal, until there are `beam` of them under each objective or `most` have been looked at for it; or one round of them, where it
/// does not go on.
pub fn legal_of(
    drafts: &[Draft],
    (beam, most): (usize, usize),
    (legal, goes_on): (MakeLegal, &dyn Fn() -> bool),
) -> Legal {
    let mut found = Legal::new();
    let mut orders: Vec<Order> = Objective::ALL.iter().map(|(objective, _)| Order::new(*objective, drafts)).collect();
    loop {
        let next = orders.iter_mut().flat_map(|order| order.next(drafts, &found, (beam, most)));
        let next: BTreeSet<usize> = next.collect();
        if next.is_empty() || (!found.is_empty() && !goes_on()) {
            return found;
        }
        let open = next.into_par_iter().filter(|number| !found.contains_key(number));
        let made: Vec<(usize, Vec<Ordered>)> = open.map(|number| (number, legal(&drafts[number]))).collect();
        found.extend(made);
    }
}

/// Drafts in the order of an objective.
struct Order {
    open: Vec<usize>,
    taken: Vec<usize>,
}

impl Order {
    fn new(objective: Objective, drafts: &[Draft]) -> Order {
        let mut open: Vec<usize> = (0..drafts.len()).collect();
        open.sort_by_cached_key(|number| (drafts[*number].key(objective), drafts[*number].plainness()));
        Order { open, taken: vec![] }
    }

    /// The next drafts to look at: as many as legal ones are missing, and none of which enough that cost the same are legal.
    fn next(&mut self, drafts: &[Draft], found: &Legal, (beam, most): (usize, usize)) -> Vec<usize> {
        let is_legal = |number: &usize| found.get(number).is_some_and(|designs| !designs.is_empty());
        let mut alike: HashMap<&[Cost], usize> = HashMap::new();
        let legal: Vec<usize> = self.taken.iter().copied().filter(is_legal).collect();
        legal.iter().for_each(|number| *alike.entry(&drafts[*number].costs).or_default() += 1);
        let missing = beam.saturating_sub(legal.len()).min(most - self.taken.len());
        let mut next = vec![];
        for number in &self.open {
            let like = alike.entry(&drafts[*number].costs).or_default();
            if next.len() < missing && *like < ALIKE {
                *like += 1;
                next.push(*number);
            }
        }
        self.open.retain(|number| !next.contains(number));
        self.taken.extend(&next);
        next
    }
}

/// The best designs, `beam` of them under each objective, in the order in which they came.
pub fn best(designs: Vec<Partial>, beam: usize) -> Vec<Partial> {
    let designs = distinct(designs);
    let kept: BTreeSet<usize> =
        Objective::ALL.iter().flat_map(|(objective, _)| best_under(*objective, &designs, beam)).collect();
    designs.into_iter().enumerate().filter(|(number, _)| kept.contains(number)).map(|(_, design)| design).collect()
}

/// Of designs with the same places and dataflows, which go on alike, the first.
fn distinct(designs: Vec<Partial>) -> Vec<Partial> {
    let mut seen = HashSet::new();
    let place = |design: &Partial| {
        let parts = design.found.parts.iter();
        parts.map(|part| (part.map.place.clone(), part.origin.clone(), part.dataflow.clone())).collect::<Vec<_>>()
    };
    designs.into_iter().filter(|design| seen.insert(place(design))).collect()
}

fn best_under(objective: Objective, designs: &[Partial], beam: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..designs.len()).collect();
    order.sort_by_cached_key(|number| designs[*number].found.order(objective));
    let mut alike: HashMap<Cost, usize> = HashMap::new();
    order.retain(|number| {
        let count = alike.entry(designs[*number].found.cost).or_default();
        *count += 1;
        *count <= ALIKE
    });
    order.truncate(beam);
    order
}
