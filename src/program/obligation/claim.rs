//! What is to be proved of a design, and what it means when it fails.

use super::Formula;
use std::fmt;
use systole_base::integer::{Affine, Name};

/// The kinds of obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A value is there before it is used: a stream leaves its link time enough, an accumulator its operation.
    Causality,
    /// No PE runs two points at one time.
    PeConflict,
    /// A stream's value reaches a point exactly when the point runs, counted from the head of its line.
    Alignment,
    /// With `io boundary`, values enter only at PEs whose predecessor lies outside the array.
    EdgeInjection,
    /// No link, and no bus, carries two words at one time.
    LinkConflict,
    /// A channel of the stated depth never has to hold more words.
    FifoDepth,
    /// A PE never has more loads of an operand outstanding than are stated.
    LoadDepth,
    /// A value that another space computes is there before it is taken.
    Handoff,
    /// What a PE keeps is not kept over while it is still to be read.
    Room,
    /// What a PE waits for in a run without clocks comes before what waits.
    NoDeadlock,
    /// Every element that is computed is written by an equation.
    ElementCover,
    /// No element is written twice.
    ElementApart,
    /// Every PE has a worker to run it.
    OwnerCover,
    /// No PE has two workers.
    OwnerApart,
    /// Every worker of a grid has a number of its own.
    OwnerNumber,
}

impl Kind {
    /// All kinds with the words for them.
    pub const ALL: [(Kind, &'static str); 15] = [
        (Kind::Causality, "causality"),
        (Kind::PeConflict, "pe-conflict"),
        (Kind::Alignment, "alignment"),
        (Kind::EdgeInjection, "edge-injection"),
        (Kind::LinkConflict, "link-conflict"),
        (Kind::FifoDepth, "fifo-depth"),
        (Kind::LoadDepth, "load-depth"),
        (Kind::Handoff, "handoff"),
        (Kind::Room, "room"),
        (Kind::NoDeadlock, "no-deadlock"),
        (Kind::ElementCover, "element-cover"),
        (Kind::ElementApart, "element-apart"),
        (Kind::OwnerCover, "owner-cover"),
        (Kind::OwnerApart, "owner-apart"),
        (Kind::OwnerNumber, "owner-number"),
    ];

    /// The word for it in tables and JSON.
    pub fn keyword(self) -> &'static str {
        Kind::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }

    /// What holds where it is proved, as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Kind::Causality => "A value is there before it is used.",
            Kind::PeConflict => "No PE runs two points at one time.",
            Kind::Alignment => "A value reaches each point exactly when the point runs.",
            Kind::EdgeInjection => {
                "With `io boundary` in the schedule, values enter and leave only at the edge of the array."
            }
            Kind::LinkConflict => "No link and no bus carries two words at one time.",
            Kind::FifoDepth => "A channel of the stated depth never has to hold more words.",
            Kind::LoadDepth => {
                "A PE that may have the stated number of loads of an operand outstanding has each word when its point runs."
            }
            Kind::Handoff => "A value that another space computes is there before it is used.",
            Kind::Room => "What a PE keeps is not kept over while it is still to be read.",
            Kind::NoDeadlock => {
                "In a run without clocks every wait is for something earlier, so no waits go round in a circle."
            }
            Kind::ElementCover => "Each element of each output is stored.",
            Kind::ElementApart => "No element of an output is stored twice.",
            Kind::OwnerCover => "Each PE has a worker that runs it; with a layout, each word has a home.",
            Kind::OwnerApart => "No PE has two workers; with a layout, no word has two homes.",
            Kind::OwnerNumber => "Each worker of a grid has a number of its own, below the number of all workers.",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.keyword())
    }
}

/// Both sides of the contradiction, should the obligation be refuted, in the source's own names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The broken property, as a message's first line.
    pub broken: String,
    /// What the schedule's own line does wrong: `leaves no step for A to travel along <j>`.
    pub blame: String,
    /// What there is: `available at  t = i + k + 1   A[i,k] from PE (i, j-1)`.
    pub available: String,
    /// What is needed: `needed at     t = i + k   at PE (i, j)`.
    pub needed: String,
    /// What would mend it.
    pub help: String,
    /// The same on the array: where and when the two sides are, for pictures.
    pub moments: Vec<Moment>,
}

/// Something that happens on a PE at a time, as forms over the variables of a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What happens, in a word or two: `needed`.
    pub what: &'static str,
    /// The PE, one form for each dimension of the array.
    pub place: Vec<Affine>,
    /// The time, in the components of the schedule.
    pub time: Vec<Affine>,
}

/// A claim for all sizes, stated by the formula that would break it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// Which law.
    pub kind: Kind,
    /// The tensor it is about, or the kernel for a PE conflict.
    pub of: Name,
    /// Integer variables of the violation, in the order in which a counterexample is made small: the parameters, then
    /// the coordinates of the points.
    pub variables: Vec<Name>,
    /// How many of them are parameters.
    pub parameters: usize,
    /// How many coordinates each point has that follows the parameters; what follows the points stands alone (a time, a
    /// count).
    pub points: Vec<usize>,
    /// Satisfiable exactly when the obligation fails. It bounds the parameters (each at least 1) itself.
    pub violation: Formula,
    /// What to tell the user then.
    pub reason: Reason,
}

impl Obligation {
    /// One that is owed and of which no formula can be written: unknown, whoever is asked. As it stands it is broken everywhere, so that a
    /// solver that is asked all the same never proves it.
    pub fn unstated(kind: Kind, of: Name, reason: Reason) -> Obligation {
        let violation = Formula::All(vec![]);
        Obligation { kind, of, variables: vec![], parameters: 0, points: vec![], violation, reason }
    }

    /// Whether there is a formula.
    pub fn is_stated(&self) -> bool {
        self.violation != Formula::All(vec![])
    }
}
