//! All workers of a prediction, and the packets between them.
//!
//! In: a plan, and an account for each worker. Out: what each worker did. Whoever can go on first does: a worker that has
//! something to do at its clock, one that has not when its first packet is there. What it sends is there no earlier than that,
//! so each worker has met everything that comes to it until then. Of workers at the same time the one with the least number
//! is first; so the result depends on nothing else.

use super::account::Account;
use super::ghost::Ghost;
use super::shapes::Shapes;
use crate::exec::plan::Plan;
use crate::exec::trace::Tape;
use crate::exec::workers::outbox::Post;
use crate::exec::workers::packet::Packet;
use crate::exec::workers::word::{ELEMENT, Word};
use crate::exec::workers::worker::{Report, Worker};
use crate::shared::Fault;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Seconds that are no less than 0, as a number that is greater the later it is.
type Moment = u64;

/// What is on its way to a worker, by when it is there; of packets that are there together, in the order of sending.
type Mail = BTreeMap<(Moment, u64), Packet>;

/// All workers.
pub struct Network<'a, W: Word> {
    workers: Vec<Worker<'a, Shapes<'a>, Ghost<W>>>,
    accounts: &'a [Account],
    mails: Vec<Mail>,
    /// When each worker goes on; those that wait for nothing that is on its way are not in it.
    agenda: BTreeSet<(Moment, usize)>,
    /// Its entry in the agenda.
    due: Vec<Option<Moment>>,
    sent: u64,
}

/// What a worker sends.
struct Sending<'n> {
    account: &'n Account,
    mails: &'n mut [Mail],
    sent: &'n mut u64,
    /// Who got some.
    receivers: Vec<usize>,
}

impl Post for Sending<'_> {
    fn send(&mut self, to: usize, packet: Packet) {
        let there = self.account.send(ELEMENT * packet.size() as u64);
        self.mails[to].insert((moment(there), *self.sent), packet);
        *self.sent += 1;
        self.receivers.push(to);
    }
}

impl<'a, W: Word> Network<'a, W> {
    /// All workers before their first turn.
    pub fn new(plan: &'a Plan<'a>, accounts: &'a [Account]) -> Network<'a, W> {
        let tape = Tape::new(Instant::now(), false);
        let worker = |(number, account): (usize, &'a Account)| {
            Worker::new(plan, number, Shapes { layouts: &plan.code.arrays, account }, account, tape.clone())
        };
        let count = accounts.len();
        Network {
            workers: accounts.iter().enumerate().map(worker).collect(),
            accounts,
            mails: vec![Mail::new(); count],
            agenda: BTreeSet::new(),
            due: vec![None; count],
            sent: 0,
        }
    }

    /// Runs until nobody can go on.
    pub fn run(mut self) -> Result<Vec<Report>, Fault> {
        (0..self.workers.len()).for_each(|worker| self.enter(worker));
        while let Some((moment, worker)) = self.agenda.pop_first() {
            self.due[worker] = None;
            self.go_on(worker, moment)?;
        }
        Ok(self.workers.into_iter().map(|worker| worker.conclude().0).collect())
    }

    /// A worker takes in what is there, and gives its PEs a turn.
    fn go_on(&mut self, number: usize, now: Moment) -> Result<(), Fault> {
        let (worker, account) = (&mut self.workers[number], &self.accounts[number]);
        account.wait_until(f64::from_bits(now));
        while let Some(first) = self.mails[number].first_entry().filter(|entry| entry.key().0 <= now) {
            let packet = first.remove();
            account.take(ELEMENT * packet.size() as u64);
            let from = worker.tape().now();
            worker.deliver(&packet, from)?;
        }
        let mut sending = Sending { account, mails: &mut self.mails, sent: &mut self.sent, receivers: vec![] };
        worker.sweep(&mut sending)?;
        let receivers = sending.receivers;
        receivers.into_iter().chain([number]).for_each(|worker| self.enter(worker));
        Ok(())
    }

    /// Enters a worker in the agenda, anew.
    fn enter(&mut self, worker: usize) {
        let clock = moment(self.accounts[worker].now());
        let first = self.mails[worker].first_key_value().map(|((there, _), _)| clock.max(*there));
        let due = if self.workers[worker].is_ready() { Some(clock) } else { first };
        if let Some(before) = std::mem::replace(&mut self.due[worker], due) {
            self.agenda.remove(&(before, worker));
        }
        self.agenda.extend(due.map(|due| (due, worker)));
    }
}

/// Times are no less than 0, and the bits of such numbers rise with them.
fn moment(seconds: f64) -> Moment {
    seconds.max(0.0).to_bits()
}
