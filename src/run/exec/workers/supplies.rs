//! Words that PEs load from the homes of other workers.
//!
//! In: what each PE of a worker will load of others, in its order (`needs.rs`). Out: each word when it is its turn. A PE asks for
//! [`AHEAD`] words before it needs the first; a home answers whoever asks, at once and whatever its own PEs wait for. So the words
//! that one PE loads are a channel whose writer never waits for anything but room, and the law of `mod.rs` holds as before.

use super::outbox::Outbox;
use super::packet::Parcel;
use super::word::Word;
use crate::exec::plan::Plan;
use crate::exec::sharing::needs::loads_of;
use std::collections::VecDeque;

/// For so many words a PE asks ahead: one on its way while the other is used.
pub const AHEAD: usize = 2;

/// A word to be asked for: its array and its address.
type Order = (usize, usize);

/// The words of one PE.
struct Supply<W> {
    /// What it will ask for.
    orders: std::vec::IntoIter<Order>,
    /// What it has asked for, as far as it is there, in the order in which it will load them.
    asked: VecDeque<Option<W>>,
    /// How many it has loaded.
    loaded: u64,
    is_parked: bool,
}

/// The words of all PEs of a worker; empty where every word has its home where it is loaded.
pub struct Supplies<W> {
    worker: usize,
    /// By the PEs' positions at the worker.
    supplies: Vec<Supply<W>>,
    /// Of the words that are there: now, and the most there were.
    bytes: u64,
    most_bytes: u64,
}

impl<W: Word> Supplies<W> {
    /// The supplies of a worker, whose first words are asked for.
    pub fn of(plan: &Plan<'_>, worker: usize, outbox: &mut Outbox) -> Supplies<W> {
        let mut supplies = Supplies { worker, supplies: vec![], bytes: 0, most_bytes: 0 };
        if plan.homes.is_some() {
            let supply = |orders: Vec<Order>| Supply {
                orders: orders.into_iter(),
                asked: VecDeque::new(),
                loaded: 0,
                is_parked: false,
            };
            supplies.supplies = loads_of(plan, worker).into_iter().map(supply).collect();
            (0..supplies.supplies.len()).for_each(|pe| supplies.ask(plan, pe, outbox));
        }
        supplies
    }

    /// Asks for what comes next, as far as there is room.
    fn ask(&mut self, plan: &Plan<'_>, pe: usize, outbox: &mut Outbox) {
        let supply = &mut self.supplies[pe];
        while supply.asked.len() < AHEAD
            && let Some((array, address)) = supply.orders.next()
        {
            let turn = supply.loaded + supply.asked.len() as u64;
            supply.asked.push_back(None);
            let parcel = Parcel::<W>::Ask { array, address, worker: self.worker, pe, turn };
            outbox.put(plan.home(array, address, self.worker), &parcel);
        }
    }

    /// The next word of a PE; `None` where it is not there yet, and then the PE is parked.
    pub fn take(&mut self, plan: &Plan<'_>, pe: usize, outbox: &mut Outbox) -> Option<W> {
        let supply = &mut self.supplies[pe];
        let Some(word) = supply.asked.front_mut().and_then(Option::take) else {
            supply.is_parked = true;
            return None;
        };
        supply.asked.pop_front();
        supply.loaded += 1;
        self.bytes -= word.bytes();
        self.ask(plan, pe, outbox);
        Some(word)
    }

    /// The word of a turn of a PE has come; the PE, if it waits for this one.
    pub fn arrive(&mut self, pe: usize, turn: u64, word: W) -> Option<usize> {
        self.bytes += word.bytes();
        self.most_bytes = self.most_bytes.max(self.bytes);
        let supply = &mut self.supplies[pe];
        let place = turn.saturating_sub(supply.loaded) as usize;
        *supply.asked.get_mut(place)? = Some(word);
        (place == 0 && std::mem::take(&mut supply.is_parked)).then_some(pe)
    }

    /// The most bytes that words took that were there and not loaded yet.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }
}
