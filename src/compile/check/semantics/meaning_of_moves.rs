//! What terms say that move values: reads and how they come, what passes from point to point.

use super::meaning::{Around, Local, Meaning, Read, Reader};
use crate::rewrite::terms::Term;
use egg::Id;

impl Reader<'_> {
    /// A read that holds only where the element is the same at several points.
    pub(super) fn reading(&self, id: Id) -> Read<Meaning> {
        match &self.term[id] {
            Term::Read([space, tensor, access, list]) => {
                let sets = self.list(*list)?;
                self.on(*space, Local::Steady(self.forms(*access)?, sets, self.element(*tensor, *access)?))
            }
            Term::Const([space, tensor, access]) => {
                let all = vec![Around::Fibre(vec![])];
                self.on(*space, Local::Steady(self.forms(*access)?, all, self.element(*tensor, *access)?))
            }
            Term::Stream([space, along, tensor, access]) => {
                self.on(*space, Local::AtHead(self.direction(*along)?, self.element(*tensor, *access)?))
            }
            Term::Bcast([space, along, tensor, access]) => {
                self.on(*space, Local::AtEnd(self.direction(*along)?, self.element(*tensor, *access)?))
            }
            node => Err(format!("`{node}` is no read")),
        }
    }

    pub(super) fn transport(&self, id: Id) -> Read<Meaning> {
        match &self.term[id] {
            Term::Here([space, access]) => self.on(*space, Local::Itself(Meaning::Form(self.form(*access)?))),
            Term::In([space, value]) | Term::Send([space, _, value]) => {
                self.on(*space, Local::Itself(self.field(*value)?))
            }
            Term::Handoff([reader, giver, operator, access, value]) => {
                self.on(*reader, Local::Itself(self.given([*giver, *operator, *access, *value])?))
            }
            Term::Hold([space, tensor, access])
            | Term::Feed([space, tensor, access])
            | Term::Kept([space, tensor, access])
            | Term::Stored([space, tensor, access])
            | Term::Take([space, tensor, access]) => self.on(*space, Local::Itself(self.element(*tensor, *access)?)),
            Term::Load([space, along, tensor, access]) | Term::Xfer([space, along, tensor, access]) => {
                self.on(*space, Local::OnlyAtHead(self.direction(*along)?, self.element(*tensor, *access)?))
            }
            Term::Result(space) => {
                let written = Meaning::Element(
                    self.world.space(self.space).output.to_string(),
                    self.world.output(self.space).to_vec(),
                );
                self.on(*space, Local::Itself(written))
            }
            Term::Fby([space, along, head]) => {
                self.on(*space, Local::AtHead(self.direction(*along)?, self.field(*head)?))
            }
            Term::Head([space, along]) => self.on(*space, Local::IsHead(self.direction(*along)?)),
            Term::Shift([space, along, value]) | Term::Recv([space, along, value]) => {
                self.on(*space, Local::Before(self.direction(*along)?, self.field(*value)?))
            }
            node => Err(format!("`{node}` is no value")),
        }
    }
}
