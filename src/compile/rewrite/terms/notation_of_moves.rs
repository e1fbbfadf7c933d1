//! What moves, and what is handed over, in words beside the notation of kernels.

use super::language::Term;
use super::notation::{Notation, spaced};
use egg::Id;
use systole_equations::recurrence::Operator;

impl Notation<'_> {
    /// A term that says where its value comes from; `None` for others.
    pub(super) fn moved(&self, id: Id) -> Option<String> {
        let text = match &self.term[id] {
            Term::In([space, value]) => format!("{} on {}", self.operand(*value), self.place(*space)),
            Term::Here([space, access]) => format!("{} on {}", bare(&self.text(*access)), self.place(*space)),
            Term::Accum([_, operator, access, value]) => {
                format!("{}(all with one {}) {}", self.text(*operator), bare(&self.text(*access)), self.operand(*value))
            }
            Term::Inner([space, _, access, value]) => {
                format!("{} of {}{}", self.operand(*value), self.text(*space), spaced(&self.text(*access)))
            }
            Term::Handoff([reader, giver, _, access, value]) => {
                let (giver, reader) = (self.text(*giver) + &spaced(&self.text(*access)), self.text(*reader));
                format!("{} handed from {giver} to {reader}", self.operand(*value))
            }
            Term::Red([_, operator, list, value]) => {
                format!("{} along {} of {}", self.text(*operator), self.list(*list), self.operand(*value))
            }
            Term::Acc([_, operator, along, value]) => {
                format!("{} so far along {} of {}", self.text(*operator), self.along(*along), self.operand(*value))
            }
            Term::Last([_, along, value]) => {
                format!("{} at the end along {}", self.operand(*value), self.along(*along))
            }
            Term::Combine([operator, one, other]) => self.combined(*operator, *one, *other),
            Term::Neutral(operator) => {
                Operator::from_keyword(&self.text(*operator)).map(|operator| operator.neutral().to_string())?
            }
            Term::Ite([condition, one, other]) => {
                format!("{} where {}, else {}", self.operand(*one), self.part(*condition), self.operand(*other))
            }
            Term::Head([_, along]) => format!("a line along {} begins", self.along(*along)),
            Term::Sched([place, step, value]) => {
                format!(
                    "{} at place {}, step {}",
                    self.operand(*value),
                    bare(&self.text(*place)),
                    bare(&self.text(*step))
                )
            }
            Term::Call([function, argument]) => format!("{}({})", self.part(*function), self.part(*argument)),
            Term::Leaf(name) => self.text(*name),
            _ => return self.read(id).or_else(|| self.passed(id)).or_else(|| self.directions(id)),
        };
        Some(text)
    }

    /// A read, and how its element comes.
    fn read(&self, id: Id) -> Option<String> {
        let element = |tensor: &Id, access: &Id| self.element(*tensor, *access);
        Some(match &self.term[id] {
            Term::Read([space, tensor, access, list]) => {
                let rest = match self.term[*list] {
                    Term::Dir(_) => format!(", reused along {}", self.list(*list)),
                    _ => String::new(),
                };
                format!("{} read on {}{rest}", element(tensor, access), self.place(*space))
            }
            Term::Stream([_, along, tensor, access]) => {
                format!("{} streamed along {}", element(tensor, access), self.along(*along))
            }
            Term::Bcast([_, along, tensor, access]) => {
                format!("{} broadcast along {}", element(tensor, access), self.along(*along))
            }
            Term::Load([_, along, tensor, access]) => {
                format!("{} loaded where lines along {} begin", element(tensor, access), self.along(*along))
            }
            Term::Xfer([_, along, tensor, access]) => {
                format!("{} handed to where lines along {} begin", element(tensor, access), self.along(*along))
            }
            Term::Take([_, tensor, access]) => format!("{} handed to each point", element(tensor, access)),
            Term::Kept([_, tensor, access]) => format!("{} kept where it is computed", element(tensor, access)),
            Term::Stored([_, tensor, access]) => format!("{} stored for all PEs", element(tensor, access)),
            Term::Hold([_, tensor, access]) => format!("{} held in memory", element(tensor, access)),
            Term::Feed([_, tensor, access]) => format!("{} fed through a port", element(tensor, access)),
            Term::Const([_, tensor, access]) => format!("{} known everywhere", element(tensor, access)),
            _ => return None,
        })
    }

    /// What passes from point to point.
    fn passed(&self, id: Id) -> Option<String> {
        Some(match &self.term[id] {
            Term::Result(space) => format!("what {} computes", self.text(*space)),
            Term::Fby([_, along, head]) => format!("{} carried along {}", self.operand(*head), self.along(*along)),
            Term::Shift([_, along, value]) => {
                format!("{} of the point before along {}", self.operand(*value), self.along(*along))
            }
            Term::Recv([_, along, message]) => {
                format!("{} received along {}", self.operand(*message), self.along(*along))
            }
            Term::Send([_, along, value]) => format!("{} sent along {}", self.operand(*value), self.along(*along)),
            _ => return None,
        })
    }

    /// Directions by what they leave alone.
    fn directions(&self, id: Id) -> Option<String> {
        Some(match &self.term[id] {
            Term::Nulls([_, access]) => format!("the directions that leave {} alone", bare(&self.text(*access))),
            Term::Signs([_, index]) => format!("the directions of {}", self.text(*index)),
            Term::Axes(space) => format!("the first axis of {}", self.place(*space)),
            Term::Offset([_, tensor, access]) => format!("the step to {}", self.element(*tensor, *access)),
            Term::Dir(_) => self.list(id),
            _ => return None,
        })
    }

    fn combined(&self, operator: Id, one: Id, other: Id) -> String {
        match self.text(operator).as_str() {
            "sum" => format!("{} + {}", self.operand(one), self.operand(other)),
            word => format!("{word}({}, {})", self.part(one), self.part(other)),
        }
    }

    /// A space, or the heads of one.
    fn place(&self, space: Id) -> String {
        match &self.term[space] {
            Term::Heads([of, along]) => format!("the heads along {} of {}", self.along(*along), self.place(*of)),
            node => node.to_string(),
        }
    }

    fn along(&self, direction: Id) -> String {
        match &self.term[direction] {
            Term::Direction(text) => text.to_string().trim_matches(['<', '>']).to_owned(),
            _ => self.part(direction),
        }
    }

    fn list(&self, id: Id) -> String {
        match &self.term[id] {
            Term::Dir([first, rest]) if matches!(self.term[*rest], Term::End) => self.along(*first),
            Term::Dir([first, rest]) => format!("{} or {}", self.along(*first), self.list(*rest)),
            Term::End => "nothing".to_owned(),
            _ => self.part(id),
        }
    }
}

/// `i, k` for `[i,k]`.
fn bare(access: &str) -> String {
    access.trim_matches(['[', ']']).replace(',', ", ")
}
