//! The exact combination of choices under one map.
//!
//! Costs of operands and of the reduction join by sums and maxima, so a combination that is beaten by another with the same
//! rest stays beaten whatever is joined to it: pruning after each operand loses nothing. On a hexagonal network the links
//! of one diagonal exclude those of the other, which is not a property of single choices; there the choices are combined
//! once for each family of diagonals.

use super::Task;
use super::paces::Paces;
use super::place_table::PlaceTable;
use super::priced::{Priced, Timing};
use super::timeliness::{Built, Timeliness};
use crate::cost::{Cost, unbeaten};
use crate::extract::{Found, Rejections};
use crate::mapping::clock::Clock;
use crate::mapping::{Fold, SpaceDesign, SpaceTimeMap};
use crate::rewrite::Dataflow;

/// A choice that is legal under the map.
#[derive(Clone, Copy)]
struct Offer {
    /// Its position among the choices.
    choice: usize,
    cost: Cost,
    /// 1 or -1 where it needs links along one of the two diagonals of a hexagonal network, else 0.
    diagonal: i64,
}

/// The choices that are legal under one map, with their costs.
pub struct Offers {
    operands: Vec<Vec<Offer>>,
    chains: Vec<Offer>,
    /// The families of diagonals to combine; the first, 0, uses none.
    families: &'static [i64],
}

/// A combination of choices.
#[derive(Clone)]
pub struct Combined {
    /// What it costs.
    pub cost: Cost,
    operands: Vec<usize>,
    chain: usize,
    uses_diagonal: bool,
}

impl Offers {
    /// The legal choices; `None`, with the tensor to blame counted, where an operand or the reduction has none.
    pub fn new(
        (table, timeliness): (&PlaceTable, &mut Timeliness),
        (map, clock): (&SpaceTimeMap, Option<&Clock>),
        mut paces: Paces,
        rejections: &mut Rejections,
    ) -> Option<Offers> {
        let space = table.task.space;
        let mut offers_of = |choices| offers_of((table, timeliness), choices, (map, clock), &mut paces);
        let mut operands = vec![];
        for (operand, choices) in space.operands.iter().zip(&table.operands) {
            let offers = offers_of(choices);
            if offers.is_empty() {
                rejections.add_late(&operand.tensor);
                return None;
            }
            operands.push(offers);
        }
        let chains = offers_of(&table.chains);
        if chains.is_empty() {
            rejections.add_late(&space.output);
            return None;
        }
        let slanted = chains.iter().chain(operands.iter().flatten()).any(|offer| offer.diagonal != 0);
        Some(Offers { operands, chains, families: if slanted { &[0, 1, -1] } else { &[0] } })
    }

    /// The offers of one family.
    fn family(&self, diagonal: i64) -> (Vec<Vec<Offer>>, Vec<Offer>) {
        let keep = |offers: &Vec<Offer>| {
            offers.iter().filter(|offer| offer.diagonal == 0 || offer.diagonal == diagonal).copied().collect::<Vec<_>>()
        };
        (self.operands.iter().map(keep).collect(), keep(&self.chains))
    }

    /// How many forms are legal; the largest number there is where they are more.
    pub fn count(&self) -> u64 {
        let product = |diagonal: i64| {
            let (operands, chains) = self.family(diagonal);
            operands.iter().fold(chains.len() as u64, |forms, offers| forms.saturating_mul(offers.len() as u64))
        };
        let plain = product(0);
        self.families[1..].iter().fold(plain, |sum, diagonal| sum.saturating_add(product(*diagonal) - plain))
    }

    /// A bound from below on the cost of every form.
    pub fn least(&self, base: Cost) -> Cost {
        let least = |offers: &Vec<Offer>| {
            let entry = |pick: fn(&Cost) -> u64| offers.iter().map(|offer| pick(&offer.cost)).min().unwrap_or(0);
            Cost {
                channel_words: entry(|cost| cost.channel_words),
                memory_words: entry(|cost| cost.memory_words),
                buffers: entry(|cost| cost.buffers),
                fanout: entry(|cost| cost.fanout),
                ..Cost::default()
            }
        };
        self.operands.iter().chain([&self.chains]).fold(base, |sum, offers| sum.join(&least(offers)))
    }

    /// Every form, each once.
    pub fn every_form(&self, base: Cost) -> Vec<Combined> {
        self.combine(base, |forms| forms)
    }

    /// The forms that no other form of this map beats, with their ties.
    pub fn best_forms(&self, base: Cost) -> Vec<Combined> {
        let forms = self.combine(base, pareto);
        pareto(forms)
    }

    fn combine(&self, base: Cost, prune: impl Fn(Vec<Combined>) -> Vec<Combined>) -> Vec<Combined> {
        let mut all = vec![];
        for diagonal in self.families {
            let (operands, chains) = self.family(*diagonal);
            let mut forms: Vec<Combined> = chains.iter().map(|offer| Combined::start(base, offer)).collect();
            for offers in operands {
                let longer = forms.iter().flat_map(|form| offers.iter().map(|offer| form.with(offer)));
                forms = prune(longer.collect());
            }
            all.extend(forms.into_iter().filter(|form| *diagonal == 0 || form.uses_diagonal));
        }
        all
    }
}

/// The choices that are legal under the map.
fn offers_of(
    (table, timeliness): (&PlaceTable, &mut Timeliness),
    choices: &[Option<Built>],
    (map, clock): (&SpaceTimeMap, Option<&Clock>),
    paces: &mut Paces,
) -> Vec<Offer> {
    let built = choices.iter().enumerate().filter_map(|(choice, built)| Some((choice, built.as_ref()?)));
    let in_time = built.filter(|(_, built)| timeliness.is_in_time(built));
    // Two rows may drive one bus at once where PEs are in different ones.
    let are_apart = |level: &Priced| {
        let rows = clock.zip(table.task.extents.as_deref());
        rows.is_none_or(|(clock, extents)| clock.keeps_rows_apart(map, extents, &table.place.apply(&level.direction)))
    };
    let is_carried = |level: &Priced| level.timing != Timing::Together || are_apart(level);
    let in_time = in_time.filter(|(_, built)| built.levels.iter().all(is_carried));
    in_time.filter_map(|(choice, built)| offer_of(table, choice, &built.levels, map, paces)).collect()
}

/// A chain, or a tree, that is in time is legal where all its levels are, and costs what they cost together.
fn offer_of(
    table: &PlaceTable,
    choice: usize,
    levels: &[Priced],
    map: &SpaceTimeMap,
    paces: &mut Paces,
) -> Option<Offer> {
    let mut offer = Offer { choice, cost: Cost::default(), diagonal: 0 };
    for (position, level) in levels.iter().enumerate() {
        let spacing = paces.of(position, &level.fixed);
        let cost = table.under_step(level, &map.step, spacing.map(Vec::as_slice))?;
        let diagonal = table.diagonal(level);
        if diagonal * offer.diagonal < 0 {
            return None;
        }
        offer.cost = offer.cost.join(&cost);
        offer.diagonal = if diagonal != 0 { diagonal } else { offer.diagonal };
    }
    Some(offer)
}

/// The forms that no other beats, in the order in which they came.
fn pareto(mut forms: Vec<Combined>) -> Vec<Combined> {
    let best = unbeaten(forms.iter().map(|form| form.cost));
    forms.retain(|form| best.binary_search(&form.cost).is_ok());
    forms
}

impl Combined {
    fn start(base: Cost, chain: &Offer) -> Combined {
        let cost = base.join(&chain.cost);
        Combined { cost, operands: vec![], chain: chain.choice, uses_diagonal: chain.diagonal != 0 }
    }

    fn with(&self, offer: &Offer) -> Combined {
        Combined {
            cost: self.cost.join(&offer.cost),
            operands: self.operands.iter().copied().chain([offer.choice]).collect(),
            chain: self.chain,
            uses_diagonal: self.uses_diagonal || offer.diagonal != 0,
        }
    }

    /// The design that this form is under its map.
    pub fn found(&self, task: &Task, map: &SpaceTimeMap) -> Found {
        let choices = &task.choices;
        let chosen = self.operands.iter().zip(&choices.transports).map(|(index, offered)| offered[*index].clone());
        let dataflow = Dataflow { transports: chosen.collect(), chain: choices.chains[self.chain].clone() };
        Found { cost: self.cost, parts: vec![SpaceDesign::unshifted(map.clone(), dataflow)], fold: Fold::default() }
    }
}
