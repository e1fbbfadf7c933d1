//! One rank while its PEs run: sweeps, messages, and the token when there is nothing else to do.

use super::super::plan::Plan;
use super::super::trace::{Activity, Tape};
use super::super::workers::outbox::{FULL, POSTED, SLOTS};
use super::super::workers::worker::{Report, Worker};
use super::contents::Contents;
use super::sends::{Sends, slots};
use super::share::Share;
use super::tour::{Next, Tour};
use super::traffic::{Leg, Message, Traffic, Volley};
use super::world::World;
use crate::shared::Fault;
use mpi::request;
use mpi::traits::{Communicator, Source};
use systole_base::scalar::Real;
use systole_program::array::Op;

/// Runs the PEs of this rank until those of all ranks have come to rest; all ranks call it.
///
/// # Errors
/// What a PE of this rank does wrong; the other ranks break off.
pub fn run<'a, W: Contents>(
    world: &World,
    plan: &'a Plan<'a>,
    share: Share<'a, W>,
    operations: &'a W::Operations,
    tape: Tape,
) -> Result<(Report, Share<'a, W>), Fault> {
    let worker = Worker::new(plan, world.rank(), share, operations, tape);
    let room = usize::try_from(plan.under_way(world.rank())).unwrap_or(usize::MAX);
    let room = room.saturating_add(if plan.homes.is_some() { SLOTS } else { 0 });
    let mut rank =
        Rank { longest: longest(plan), room, worker, tour: Tour::new(world.rank(), world.size()), idle_since: None };
    let mut traffic = Traffic::new(world, W::Element::PRECISION);
    let mut outcome = Ok(());
    while !traffic.is_over() {
        outcome = outcome.and(rank.leg(world, &mut traffic));
    }
    outcome.map(|()| rank.worker.conclude())
}

/// How many entries a message has at most.
fn longest(plan: &Plan<'_>) -> usize {
    let ops = plan.code.classes.iter().flat_map(|class| &class.ops);
    let tags = ops.filter_map(|op| if let Op::Drive { tag, .. } = op { Some(tag.len()) } else { None });
    let dimensions = plan.faces.iter().flatten().map(|face| face.0.len());
    // A packet that is not full yet takes one more parcel: a head, a PE, a word or a uniform tile, the length of the tag or how many
    // dimensions a face has, and the tag or the lengths. The message has a head, the sender and the number of tiles, whose sizes are
    // counted with the packet's.
    3 + FULL + 5 + tags.chain(dimensions).max().unwrap_or(0)
}

/// The PEs of a rank, and what it knows of the token.
struct Rank<'a, W: Contents> {
    /// How many entries a message has at most.
    longest: usize,
    /// How many tiles MPI may read from at a time.
    room: usize,
    worker: Worker<'a, Share<'a, W>, W>,
    tour: Tour,
    /// Since when no PE can go on and nothing has come.
    idle_since: Option<u64>,
}

impl<W: Contents> Rank<'_, W> {
    /// Posts receives, and works until they are used up or all ranks have left.
    fn leg(&mut self, world: &World, traffic: &mut Traffic<'_>) -> Result<(), Fault> {
        let mut buffers = vec![vec![0u64; self.longest]; POSTED];
        request::multiple_scope(POSTED, |scope, posted| {
            let anyone = world.packets().any_process();
            for buffer in &mut buffers {
                posted.add(anyone.immediate_receive_into(scope, &mut buffer[..]));
            }
            let now = self.worker.tape().now();
            self.worker.tape().note(Activity::Post { receives: POSTED }, now);
            let mut leg = Leg::new(traffic, posted);
            let mut outcome = Ok(());
            while leg.is_open() {
                outcome = outcome.and(self.volley(&mut leg));
            }
            leg.close();
            outcome
        })
    }

    /// Works with fresh slots for what it sends.
    fn volley(&mut self, leg: &mut Leg<'_, '_, '_>) -> Result<(), Fault> {
        let slots = slots();
        request::scope(|scope| {
            let mut volley = Volley { leg, sends: Sends::new(scope, &slots, self.room) };
            let outcome = self.go(&mut volley);
            self.close(&mut volley);
            outcome
        })
    }

    /// Works until the volley is over, the receives of its leg are used up, or all ranks have left.
    fn go(&mut self, volley: &mut Volley<'_, '_, '_, '_, '_, '_>) -> Result<(), Fault> {
        let mut outcome = Ok(());
        while volley.leg.is_open() && !volley.is_over() {
            if volley.leg.traffic.has_left() {
                // What still comes is for nobody.
                if volley.leg.next().is_none() {
                    std::thread::yield_now();
                }
            } else if let Err(fault) = self.turn(volley) {
                outcome = Err(fault);
                volley.leg.leave();
            }
        }
        outcome
    }

    /// Ends a volley, for which PEs that can go on wait.
    fn close(&mut self, volley: &mut Volley<'_, '_, '_, '_, '_, '_>) {
        let from = self.worker.tape().now();
        volley.close();
        if self.idle_since.is_none() {
            self.worker.tape().note(Activity::Wait, from);
        }
    }

    /// What has been waited for has come, or nothing will.
    fn end_wait(&mut self) {
        if let Some(from) = self.idle_since.take() {
            self.worker.tape().note(Activity::Wait, from);
        }
    }

    fn turn(&mut self, volley: &mut Volley<'_, '_, '_, '_, '_, '_>) -> Result<(), Fault> {
        self.worker.sweep(volley)?;
        let leg = &mut *volley.leg;
        let mut from = self.worker.tape().now();
        while let Some(message) = leg.next() {
            match message {
                Message::Packet(packet) => {
                    // Its tiles have been received with it; who was idle has waited for them.
                    if self.idle_since.is_some() {
                        self.end_wait();
                        from = self.worker.tape().now();
                    }
                    self.worker.deliver(&packet, from)?;
                    from = self.worker.tape().now();
                }
                Message::Token(token) => self.tour.arrive(token),
                Message::Over => {
                    self.end_wait();
                    leg.leave();
                }
            }
        }
        if !self.worker.is_ready() && !leg.traffic.has_left() {
            let now = self.worker.tape().now();
            self.idle_since.get_or_insert(now);
            match self.tour.idle(leg.traffic.sent, leg.traffic.received) {
                Next::Pass(token) => leg.pass(token),
                Next::Wait => std::thread::yield_now(),
                Next::End => {
                    self.end_wait();
                    leg.leave();
                }
            }
        }
        Ok(())
    }
}
