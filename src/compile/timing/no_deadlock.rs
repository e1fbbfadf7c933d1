//! No deadlock: in a run without clocks every wait is for something earlier, so no waits go round in a circle.
//!
//! In: a design, and how workers run their PEs. Out: an obligation for each kind of wait. In such a run three acts wait. The
//! *take* of a word waits for its *give*. The give of a word over a channel of depth `B` waits for room: for the take of the
//! word that was given `B` words before it. Who *listens* to a bus waits for the drive of the word; a drive waits for nothing,
//! since a bus keeps all words. What a PE does comes in the order of its program, which is that of time: loops run so, and
//! `pe-conflict` says that no two points of a PE, or of a block of folded ones, have one time. So each act has a rank, its time
//! and then its [`Phase`] in the step, in which the acts of a PE follow each other. If each wait is for an act of smaller
//! rank, a circle of waits would be smaller than itself.
//!
//! Where operations share a step, the acts of one come before those of the next, so between time and phase a rank has the position of
//! the operation's space within a step. The acts of one space have one position, so what is said of a space alone leaves it out; words
//! that a PE feeds to a bus come before all operations of the step.
//!
//! **Any number of workers, and any owners.** A worker runs its PEs as coroutines and leaves out nobody who can go on, so sharing a
//! worker adds no wait, and nothing here depends on owners. [`PeOrder`] has the twin for which that is wrong.
//!
//! Depths are those that the program declares: emission asks the same functions for them. Vector times are compared
//! lexicographically, which is the order of the loops however long a row is; no clock is asked, so rows of one step, where a
//! word would come earlier in its row than it left (`short`), are no exception. Programs that load and recover through the array are
//! others, and argued for beside `Phases` in `array/emit/systolic.rs`.

use super::check::{check_design, check_network};
use super::frame::{Claim, Frame, Point};
use super::wording::{Side, show_place, sides, tuple};
use crate::mapping::{Feeder, Flow, MappedSpace};
use crate::rewrite::Transport;
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Name};
use systole_base::network::Links;
use systole_program::obligation::{Formula, Kind, Moment, Obligation, Reason};

/// How a worker runs the PEs that it owns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PeOrder {
    /// As coroutines: who waits is passed over.
    #[default]
    AsTheyCan,
    /// Each to its end before the next begins, in the order of their coordinates. Then all that one worker does has one order,
    /// and a wait for something later is a deadlock. No back end does so: it is the twin that must be refuted.
    OneAfterTheOther,
}

/// The parts of a step, in their order. At a point operands come in one after the other, in an order that all PEs of the space
/// have: each over a channel, off a bus, or from memory and then onto a bus. Running results come in next, and only then anything
/// goes out (`array/emit/body.rs`). What a PE feeds to a bus from memory comes before all else of the step
/// (`array/emit/order.rs`). So between drives and takes of different operands the operand decides, and these never wait for
/// each other within a step; of one operand, and between takes and gives, this order decides.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// A word goes onto a bus.
    Drive,
    /// A word comes in, over a channel or off a bus.
    Take,
    /// A word goes out over a channel.
    Give,
}

/// Something that a PE does.
pub(super) struct Act {
    pub place: Vec<Affine>,
    pub time: Vec<Affine>,
    /// Where operations share steps, the number of its space in their order within a step.
    pub turn: Option<Affine>,
    pub phase: Phase,
}

impl Act {
    /// What orders the acts that may wait for each other.
    fn rank(&self, turns: PeOrder) -> Vec<Affine> {
        let phase = Affine::constant(self.phase as i64);
        let place = match turns {
            PeOrder::AsTheyCan => &[][..],
            PeOrder::OneAfterTheOther => &self.place,
        };
        place.iter().chain(&self.time).chain(&self.turn).cloned().chain([phase]).collect()
    }

    /// This act waits for one that does not come before it.
    pub fn waits_in_vain(&self, awaited: &Act, turns: PeOrder) -> Formula {
        Formula::before(&awaited.rank(turns), &self.rank(turns)).negate()
    }

    pub fn moment(&self, what: &'static str) -> Moment {
        Moment { what, place: self.place.clone(), time: self.time.clone() }
    }

    /// A line of a message about this act.
    pub fn side<'a>(&self, what: &'a str, rest: String) -> Side<'a> {
        Side { what, time: tuple(&self.time), rest }
    }
}

/// States that no wait of a run of `design` without clocks is in vain, whoever owns which PE. With `depth` every channel has
/// room for so many words, in place of those that the program declares.
///
/// # Errors
/// What stands against stating it, as for [`space_obligations`](super::space_obligations); depths beyond what is proved word by word.
pub fn space_no_deadlock_obligations(
    design: &MappedSpace,
    links: &Links,
    depth: Option<u64>,
    turns: PeOrder,
) -> Checked<Vec<Obligation>> {
    check_design(design, links)?;
    let flows = design.flows().ok_or_else(|| super::generate::uneven_ends(design))?;
    check_network(design, &flows, links)?;
    let frame = Frame::new(design, links);
    let mut stated = vec![];
    for flow in flows.iter().filter(|flow| !flow.is_stationary()) {
        stated.push(frame.waits_for_word(flow, turns));
        stated.push(frame.waits_for_room(flow, depth, turns).map_err(|problem| vec![problem])?);
    }
    stated.extend(frame.listeners_wait(turns));
    Ok(stated)
}

impl Frame<'_> {
    fn act(&self, point: &Point, phase: Phase) -> Act {
        Act { place: self.place(point), time: self.time(point), turn: None, phase }
    }

    /// The take of each word of a flow comes after its give.
    fn waits_for_word(&self, flow: &Flow, turns: PeOrder) -> Obligation {
        let x = self.point(0);
        let source = x.moved(&flow.direction, -1);
        let (take, give) = (self.act(&x, Phase::Take), self.act(&source, Phase::Give));
        self.state(Claim {
            kind: Kind::NoDeadlock,
            of: flow.of.clone(),
            points: 1,
            extras: vec![],
            violation: vec![
                self.inside(&flow.set, &x),
                self.inside(&flow.set, &source),
                take.waits_in_vain(&give, turns),
            ],
            reason: self.no_word(flow, &give, &take),
        })
    }

    /// The give of each word comes after the take of the one that leaves it room: of words that a PE gives one after the other,
    /// one more than there is room for, the first is taken before the last is given.
    fn waits_for_room(&self, flow: &Flow, depth: Option<u64>, turns: PeOrder) -> Result<Obligation, Diagnostic> {
        let depth = depth.or_else(|| flow.depth(self.links.response)).ok_or_else(|| self.growing_fifo(flow))?;
        let words = super::fifo::told_apart(&flow.of, depth)?;
        let points: Vec<Point> = (0..=words).map(|number| self.point(number)).collect();
        let take = self.act(&points[0].moved(&flow.direction, 1), Phase::Take);
        let give = self.act(&points[words], Phase::Give);
        let sent = points.iter().map(|point| self.sends(&flow.set, point, &flow.direction));
        let ordered = points.windows(2).map(|pair| self.follows(&pair[0], &pair[1]));
        Ok(self.state(Claim {
            kind: Kind::NoDeadlock,
            of: flow.of.clone(),
            points: words + 1,
            extras: vec![],
            violation: sent.chain(ordered).chain([give.waits_in_vain(&take, turns)]).collect(),
            reason: self.no_room(flow, depth, &take, &give),
        }))
    }

    /// Whoever listens to a bus comes after the drive: the head of its line, or the feeder of a bus from memory.
    fn listeners_wait(&self, turns: PeOrder) -> Vec<Obligation> {
        let feeder = Feeder::of(self.space(), &self.design.map).filter(Feeder::has_listeners);
        let transports = self.design.dataflow.transports.iter().enumerate();
        let waits = |(position, transport): (usize, &Transport)| match transport {
            Transport::Broadcast(direction) => Some(self.waits_for_head(position, direction, turns)),
            Transport::Bus => feeder.as_ref().map(|feeder| self.waits_for_feeder(position, feeder, turns)),
            _ => None,
        };
        transports.filter_map(waits).collect()
    }

    fn waits_for_head(&self, position: usize, direction: &[i64], turns: PeOrder) -> Obligation {
        let (steps, x, set) = (self.fresh("m"), self.point(0), &self.space().domain.set);
        let count = Affine::variable(&steps);
        let head = x.moved_by(direction, &-count.clone());
        let (listen, drive) = (self.act(&x, Phase::Take), self.act(&head, Phase::Drive));
        let violation = vec![
            self.inside(set, &x),
            self.at_head(set, &head, direction),
            Formula::at_least(&count, &Affine::constant(1)),
            listen.waits_in_vain(&drive, turns),
        ];
        self.unheard(position, (&drive, &listen), violation, vec![steps])
    }

    fn waits_for_feeder(&self, position: usize, feeder: &Feeder, turns: PeOrder) -> Obligation {
        let x = self.point(0);
        let listen = self.act(&x, Phase::Take);
        let drive = Act { place: feeder.place.clone(), time: self.driven(feeder, &x), turn: None, phase: Phase::Drive };
        let listens = self.inside(&feeder.listeners(self.space()), &x);
        self.unheard(position, (&drive, &listen), vec![listens, listen.waits_in_vain(&drive, turns)], vec![])
    }

    fn unheard(
        &self,
        position: usize,
        (drive, listen): (&Act, &Act),
        violation: Vec<Formula>,
        extras: Vec<Name>,
    ) -> Obligation {
        let of = &self.space().operands[position].tensor;
        let value = self.show_operand(position, &self.point(0));
        let (available, needed) = sides(
            &drive.side("driven at", format!("{value} by {}", show_place(&drive.place))),
            &listen.side("heard at", format!("by {}", show_place(&listen.place))),
        );
        let reason = Reason {
            broken: format!("a word of `{of}` is heard before it is driven"),
            blame: format!("lets PEs listen for {of} before it is on the bus"),
            available,
            needed,
            help: format!("give each PE a port of its own with `feed {of}`"),
            moments: vec![drive.moment("driven"), listen.moment("heard")],
        };
        self.state(Claim { kind: Kind::NoDeadlock, of: of.clone(), points: 1, extras, violation, reason })
    }

    fn no_word(&self, flow: &Flow, give: &Act, take: &Act) -> Reason {
        let (of, along) = (&flow.of, self.show_along(&flow.direction));
        let value = self.show_value(flow, &self.point(0));
        let (available, needed) = sides(
            &give.side("given at", format!("{value} by {}", show_place(&give.place))),
            &take.side("taken at", format!("by {}", show_place(&take.place))),
        );
        Reason {
            broken: format!("a word of `{of}` is taken no later than it is given"),
            blame: format!("takes a word of {of} along {along} no later than it gives it"),
            available,
            needed,
            help: format!("every schedule needs {} >= {}", self.show_coefficients(&flow.direction), self.show_steps(1)),
            moments: vec![give.moment("given"), take.moment("taken")],
        }
    }

    fn no_room(&self, flow: &Flow, depth: u64, take: &Act, give: &Act) -> Reason {
        let (of, along) = (&flow.of, self.show_along(&flow.direction));
        let (available, needed) = sides(
            &take.side("room from", format!("when {} takes the first word", show_place(&take.place))),
            &give.side("given at", format!("word {} by {}", depth.saturating_add(1), show_place(&give.place))),
        );
        Reason {
            broken: format!("a word of `{of}` waits for room that comes later, in a channel of depth {depth}"),
            blame: format!("gives a word of {of} along {along} before there is room for it"),
            available,
            needed,
            help: self.enough(flow),
            moments: vec![take.moment("room"), give.moment("given")],
        }
    }
}
