//! Spaces that are cut where a computed value is given, so that it can stream from there both ways.
//!
//! In: the spaces of a kernel, and which tensors are to stream both ways along which indices. An operand that is the same all along
//! an index `i` is computed at one place of that axis, such as `i = k`. Out: the same points, in up to three spaces of the same family
//! for each reader: those with `i < k`, with `i = k` and with `i > k`. Each has maps of its own, so a time may rise both ways, and in
//! each a stream runs away from the giver: its heads lie beside it.

use super::sources::find_sources;
use super::{Member, SpaceSystem};
use crate::recurrence::{Domain, Operand, Space, TwoSided};
use std::collections::BTreeMap;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Affine, Name, Polyhedron, name};
use systole_base::span::Span;

/// On which side of the giver a point reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// At smaller values of the index.
    Below,
    /// Where the element is computed.
    At,
    /// At larger values.
    Above,
}

impl Side {
    const ALL: [Side; 3] = [Side::Below, Side::At, Side::Above];

    /// The end of the name of a space of points there.
    fn word(self) -> &'static str {
        match self {
            Side::Below => "below",
            Side::At => "at",
            Side::Above => "above",
        }
    }
}

impl TwoSided {
    /// How far a point of `space` lies from where the operand's element is computed, along the index: a form over the space's indices.
    /// `None` where the operand is not of the tensor, or changes along the index.
    pub fn distance(&self, system: &SpaceSystem, space: &Space, operand: &Operand) -> Option<Affine> {
        let is_read = operand.tensor == self.tensor && space.indices().contains(&self.index);
        let stays = operand.access.iter().all(|form| form.coefficient(&self.index) == 0);
        let family = system.families.iter().find(|family| family.name == self.tensor).filter(|_| is_read && stays)?;
        let axis = family.indices.iter().position(|index| *index == self.index)?;
        Some(Affine::variable(&self.index) - operand.access.get(axis)?.clone())
    }

    /// The side of the giver on which all points of a space read an operand; `None` where they lie on several, or it has none.
    pub fn side(&self, system: &SpaceSystem, space: &Space, operand: &Operand) -> Option<Side> {
        let distance = self.distance(system, space, operand)?;
        let known = space.domain.set.intersect(&Polyhedron::sizes(&system.parameters));
        let one = Affine::constant(1);
        if known.implies(&(distance.clone() - one.clone())) {
            Some(Side::Above)
        } else {
            known.implies(&(-distance - one)).then_some(Side::Below)
        }
    }
}

impl SpaceSystem {
    /// The system with the spaces that read these tensors cut where the values are given.
    ///
    /// # Errors
    /// A tensor that no space reads so; reductions, and indices in strips.
    pub fn on_both_sides(mut self, asked: &[(TwoSided, Span)]) -> Checked<SpaceSystem> {
        for (two_sided, span) in asked {
            self.cut_at(two_sided, *span)?;
        }
        if !asked.is_empty() {
            find_sources(&mut self)?;
            self.two_sided = asked.iter().map(|(two_sided, _)| two_sided.clone()).collect();
        }
        Ok(self)
    }

    /// All that is read on both sides of where it is computed, in equations that reduce nothing, each with the equation.
    pub fn read_on_both_sides(&self) -> Vec<(TwoSided, Span)> {
        let mut found: Vec<(TwoSided, Span)> = vec![];
        for space in self.spaces.iter().filter(|space| space.reduction.is_none() && space.strips.is_empty()) {
            for (operand, index) in
                space.operands.iter().flat_map(|operand| space.indices().iter().map(move |i| (operand, i)))
            {
                let asked = TwoSided { tensor: operand.tensor.clone(), index: index.clone() };
                let is_between =
                    asked.distance(self, space, operand).is_some() && asked.side(self, space, operand).is_none();
                if is_between && !found.iter().any(|(known, _)| *known == asked) {
                    found.push((asked, space.span));
                }
            }
        }
        found
    }

    fn cut_at(&mut self, asked: &TwoSided, span: Span) -> Checked<()> {
        let before = self.spaces.len();
        while let Some((position, distance)) = self.next_to_cut(asked) {
            let (space, member) = (self.spaces.remove(position), self.members.remove(position));
            if !space.strips.is_empty() || space.reduction.is_some() {
                return Err(self.uncut(asked, &space, span));
            }
            let pieces = Side::ALL.map(|side| piece(&space, &member, (&asked.index, &distance), side));
            let sizes = Polyhedron::sizes(&self.parameters);
            let has_points = |(piece, _): &(Space, Member)| !piece.domain.set.intersect(&sizes).is_empty();
            for (piece, member) in pieces.into_iter().filter(has_points).rev() {
                self.spaces.insert(position, piece);
                self.members.insert(position, member);
            }
        }
        if self.spaces.len() == before { Err(self.no_reader(asked, span)) } else { Ok(()) }
    }

    /// A space that reads the tensor along the index on several sides of the giver, with how far its points lie from that.
    fn next_to_cut(&self, asked: &TwoSided) -> Option<(usize, Affine)> {
        let spaces = self.spaces.iter().enumerate();
        spaces.filter_map(|(position, space)| Some((position, self.given_at(asked, space)?))).next()
    }

    /// How far a point of a space lies from the giver, where it reads the tensor along the index from both sides.
    fn given_at(&self, asked: &TwoSided, space: &Space) -> Option<Affine> {
        let reads = space.operands.iter().filter(|operand| asked.side(self, space, operand).is_none());
        reads.filter_map(|operand| asked.distance(self, space, operand)).next()
    }

    fn uncut(&self, asked: &TwoSided, space: &Space, span: Span) -> Diagnostics {
        let TwoSided { tensor, index } = asked;
        let what = if space.strips.is_empty() { "without a reduction" } else { "whose indices are in no strips" };
        let name = &space.name;
        let message =
            format!("`{tensor}` streams both ways along `{index}` through equations {what} only, not `{name}`");
        let said = Diagnostic::new(message).label(&self.source, span, "asked for here");
        vec![
            said.label(&space.source, space.span, "this equation")
                .help("leave `both` out, or try `broadcast` or `memory`"),
        ]
    }

    fn no_reader(&self, asked: &TwoSided, span: Span) -> Diagnostics {
        let TwoSided { tensor, index } = asked;
        let message = format!("no equation reads `{tensor}` on both sides along `{index}` of where it is computed");
        let said = Diagnostic::new(message).label(&self.source, span, "asked for here");
        vec![said.help(format!("stream it one way, such as `stream {tensor} along {index}`"))]
    }
}

/// The points of a space on one side of the giver; at the giver's own place the index is no longer one.
fn piece(space: &Space, member: &Member, (index, distance): (&Name, &Affine), side: Side) -> (Space, Member) {
    let named = |mut piece: Space| {
        piece.name = name(&format!("{}.{}", space.name, side.word()));
        piece
    };
    let beyond = match side {
        Side::Below => -distance.clone() - Affine::constant(1),
        Side::Above => distance.clone() - Affine::constant(1),
        Side::At => {
            let place = Affine::variable(index) - distance.clone();
            let image = [(index.clone(), place)].into_iter().collect();
            return (named(at(space, index, &image)), embedded(member, &image));
        }
    };
    let mut piece = named(space.clone());
    piece.domain.set.add(beyond);
    (piece, member.clone())
}

/// The points of a space at which an index has a value over the others.
fn at(space: &Space, index: &Name, image: &BTreeMap<Name, Affine>) -> Space {
    let forms = |forms: &[Affine]| forms.iter().map(|form| form.substitute(image)).collect::<Vec<Affine>>();
    let operand = |operand: &Operand| Operand { access: forms(&operand.access), ..operand.clone() };
    Space {
        domain: Domain {
            indices: space.indices().iter().filter(|other| *other != index).cloned().collect(),
            set: space.domain.set.substitute(image),
        },
        output_access: forms(&space.output_access),
        operands: space.operands.iter().map(operand).collect(),
        body: space.body.substitute(image),
        ..space.clone()
    }
}

fn embedded(member: &Member, image: &BTreeMap<Name, Affine>) -> Member {
    Member { embedding: member.embedding.iter().map(|form| form.substitute(image)).collect(), ..member.clone() }
}
