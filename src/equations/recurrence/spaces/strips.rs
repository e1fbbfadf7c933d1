//! Spaces whose indices are in strips.
//!
//! In: the spaces of a kernel, and which indices are divided: `i = 16 (i div 16) + (i mod 16)`. Out: the same points with two
//! coordinates for each such index. That is one to one, and the last strip may be short, so sets stay polyhedra and elements
//! stay where they are in their tensors. A read of a computed element is divided by what it means for the strip and the
//! position: `x[i - 1]` is the position before, or the last position of the strip before. Where that hangs on an index that is
//! not divided, strip and position are quotient and rest of it. A space that reduces over an index of such a name runs over the
//! whole of it: its lines would end on two faces, one for whole strips and one for the last.

use super::{Division, Family, Member, Origin, Source, SpaceSystem};
use crate::recurrence::{Domain, Operand, Space, Strip};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics};
use systole_base::integer::{Affine, Name, Polyhedron, unused};
use systole_base::span::Span;

/// A read is divided into no more cases than this.
const MOST_CASES: i64 = 64;

impl SpaceSystem {
    /// The system with these indices in strips, wherever an index of such a name occurs and is not reduced over.
    ///
    /// # Errors
    /// An index that is reduced over wherever it occurs; axes along which a strip and a position cannot be told.
    pub fn in_strips(&self, strips: &[(Strip, Span)]) -> Checked<SpaceSystem> {
        if strips.is_empty() {
            return Ok(self.clone());
        }
        let opened = Cutting { system: self, strips }.opened();
        let cutting = Cutting { system: &opened, strips };
        cutting.check_reductions()?;
        let spaces: Vec<Space> = opened.spaces.iter().map(|space| cutting.space(space)).collect();
        let families = (0..self.families.len()).map(|family| cutting.family(family)).collect::<Checked<Vec<_>>>()?;
        let members = (0..spaces.len()).map(|space| cutting.member(space)).collect::<Checked<Vec<_>>>()?;
        let sources = (0..spaces.len()).map(|reader| cutting.sources(reader, &spaces)).collect::<Checked<Vec<_>>>()?;
        Ok(SpaceSystem { spaces, families, members, sources, ..self.clone() })
    }

    /// The operands, by their spaces, that read in one strip what is computed in another: that has to get from the end of an axis to its
    /// beginning.
    pub fn handed_between_strips(&self) -> Vec<(usize, usize)> {
        let crosses = |source: &Source| {
            let Origin::Space { space, element } = &source.origin else { return false };
            let giver = &self.spaces[*space];
            let numbers: Vec<Affine> = giver.strips.iter().map(|strip| Affine::variable(&strip.number())).collect();
            let mut read = giver.element().into_iter().zip(element).filter(|(written, _)| numbers.contains(written));
            !source.quotients.is_empty() || read.any(|(_, number)| number.constant_term() != 0)
        };
        let spaces = self.sources.iter().enumerate();
        let operands = spaces.flat_map(|(space, operands)| {
            operands.iter().enumerate().map(move |(operand, sources)| ((space, operand), sources))
        });
        operands.filter(|(_, sources)| sources.iter().any(crosses)).map(|(read, _)| read).collect()
    }

    /// The strips of all spaces, each once.
    pub fn strips(&self) -> Vec<Strip> {
        let mut all: Vec<Strip> = self.spaces.iter().flat_map(|space| space.strips.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }
}

impl Space {
    /// Which element a point writes, with the strip and the position in place of a subscript in strips.
    pub fn element(&self) -> Vec<Affine> {
        self.in_halves(&self.output_access)
    }

    /// Subscripts, with the strip and the position in place of each that is an index in strips.
    pub fn in_halves(&self, subscripts: &[Affine]) -> Vec<Affine> {
        let halves = |form: &Affine| match self.strips.iter().find(|strip| strip.value() == *form) {
            Some(strip) => vec![Affine::variable(&strip.number()), Affine::variable(&strip.position())],
            None => vec![form.clone()],
        };
        subscripts.iter().flat_map(halves).collect()
    }
}

struct Cutting<'a> {
    system: &'a SpaceSystem,
    strips: &'a [(Strip, Span)],
}

impl Cutting<'_> {
    fn of(&self, index: &Name) -> Option<&Strip> {
        self.strips.iter().map(|(strip, _)| strip).find(|strip| strip.index == *index)
    }

    /// The strips of a space: an index that it reduces over is whole.
    fn among(&self, space: &Space) -> Vec<Strip> {
        let indices = space.indices().iter().filter(|index| !space.reduced.contains(index));
        indices.filter_map(|index| self.of(index).cloned()).collect()
    }

    /// Something divides each index.
    fn check_reductions(&self) -> Checked<()> {
        let reduced = |(strip, span): &(Strip, Span)| {
            let spaces = || self.system.spaces.iter();
            if spaces().any(|space| self.among(space).contains(strip)) {
                return None;
            }
            let space = spaces().find(|space| space.reduced.contains(&strip.index))?;
            let message = format!("`{}` cannot be divided into strips: it is reduced over", strip.index);
            let message = Diagnostic::new(message).label(&self.system.source, *span, "divided here");
            let message = message.label(&space.source, space.span, "this reduction");
            Some(message.help("divide an index of the result, and leave the reduction to the time of a PE"))
        };
        let problems: Diagnostics = self.strips.iter().filter_map(reduced).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// The same system, in which every space has an index along each axis that is divided, also where it lies at one place of it.
    fn opened(&self) -> SpaceSystem {
        let mut opened = self.system.clone();
        for (number, member) in self.system.members.iter().enumerate() {
            for axis in 0..member.embedding.len() {
                let form = &member.embedding[axis];
                let space = &opened.spaces[number];
                let is_one_place = !form.is_constant() && !form.mentions(space.indices());
                let index = self.index_of(member.family, axis).filter(|_| is_one_place);
                if let Some(index) = index.filter(|index| !space.indices().contains(index)) {
                    open(&mut opened, (number, axis), &index, form);
                }
            }
        }
        opened
    }

    /// The index that is divided along an axis of a family, if one is.
    fn index_of(&self, family: usize, axis: usize) -> Option<Name> {
        let mut members = self.members(family);
        members
            .find_map(|(space, member)| {
                let strips = self.among(&self.system.spaces[space]);
                strips.into_iter().find(|strip| member.embedding[axis] == Affine::variable(&strip.index))
            })
            .map(|strip| strip.index)
    }

    fn space(&self, space: &Space) -> Space {
        let strips = self.among(space);
        let halves = |index: &Name| match strips.iter().find(|strip| strip.index == *index) {
            Some(strip) => vec![strip.number(), strip.position()],
            None => vec![index.clone()],
        };
        let forms = |forms: &[Affine]| forms.iter().map(|form| Strip::expand(&strips, form)).collect::<Vec<_>>();
        let operand = |operand: &Operand| Operand { access: forms(&operand.access), ..operand.clone() };
        Space {
            domain: Domain {
                indices: space.indices().iter().flat_map(halves).collect(),
                set: Strip::divide(&strips, &space.domain.set).irredundant(&Polyhedron::sizes(&space.parameters)),
            },
            output_access: forms(&space.output_access),
            operands: space.operands.iter().map(operand).collect(),
            body: space.body.substitute(&Strip::image(&strips)),
            strips: space.strips.iter().cloned().chain(strips).collect(),
            ..space.clone()
        }
    }

    /// The strips of the coordinates of a family: an index of a name among them is one in all its spaces, or a number.
    fn strips_of(&self, family: usize) -> Checked<Vec<Option<Strip>>> {
        let names = &self.system.families[family].indices;
        (0..names.len()).map(|axis| self.strip_of(family, axis)).collect()
    }

    fn strip_of(&self, family: usize, axis: usize) -> Checked<Option<Strip>> {
        let mut size: Option<(i64, Name)> = None;
        let members = || self.members(family);
        for (space, member) in members() {
            let strips = self.among(&self.system.spaces[space]);
            let form = &member.embedding[axis];
            let Some(strip) = strips.iter().find(|strip| form.mentions([&strip.index])) else { continue };
            if *form != Affine::variable(&strip.index) {
                return Err(self.unclear(&strip.index, space, form));
            }
            size.get_or_insert((strip.size, strip.index.clone()));
        }
        let Some((size, first)) = size else { return Ok(None) };
        for (space, member) in members() {
            let form = &member.embedding[axis];
            let strips = self.among(&self.system.spaces[space]);
            let is_alike = strips.iter().any(|strip| strip.size == size && *form == Affine::variable(&strip.index));
            if !is_alike && !form.is_constant() {
                return Err(self.unclear(&first, space, form));
            }
        }
        Ok(Some(Strip { index: self.system.families[family].indices[axis].clone(), size }))
    }

    fn members(&self, family: usize) -> impl Iterator<Item = (usize, &Member)> {
        self.system.members.iter().enumerate().filter(move |(_, member)| member.family == family)
    }

    fn family(&self, family: usize) -> Checked<Family> {
        let strips = self.strips_of(family)?;
        let Family { name, indices } = &self.system.families[family];
        let halves = indices.iter().zip(&strips).flat_map(|(index, strip)| match strip {
            Some(strip) => vec![strip.number(), strip.position()],
            None => vec![index.clone()],
        });
        Ok(Family { name: name.clone(), indices: halves.collect() })
    }

    fn member(&self, space: usize) -> Checked<Member> {
        let member = &self.system.members[space];
        let strips = self.strips_of(member.family)?;
        let mine = self.among(&self.system.spaces[space]);
        let halves = |(form, strip): (&Affine, &Option<Strip>)| match strip {
            None => vec![form.clone()],
            Some(Strip { size, .. }) if form.is_constant() => {
                let value = form.constant_term();
                [value.div_euclid(*size), value.rem_euclid(*size)].map(Affine::constant).into()
            }
            Some(_) => {
                let strip = mine.iter().find(|strip| *form == Affine::variable(&strip.index));
                strip.map_or(vec![], |strip| {
                    [strip.number(), strip.position()].map(|half| Affine::variable(&half)).into()
                })
            }
        };
        let embedding = member.embedding.iter().zip(&strips).flat_map(halves).collect();
        Ok(Member { family: member.family, embedding })
    }

    fn sources(&self, reader: usize, spaces: &[Space]) -> Checked<Vec<Vec<Source>>> {
        let strips = self.among(&self.system.spaces[reader]);
        let operands = self.system.sources[reader].iter().enumerate();
        let of_operand = |(operand, sources): (usize, &Vec<Source>)| {
            let cases = sources.iter().map(|source| self.cases(source, (reader, operand), (&strips, spaces)));
            cases.collect::<Checked<Vec<_>>>().map(|cases| cases.concat())
        };
        operands.map(of_operand).collect()
    }

    /// A source as one for each way in which strips and positions of what is read hang together with those of the reader.
    fn cases(
        &self,
        source: &Source,
        (reader, operand): (usize, usize),
        (strips, spaces): (&[Strip], &[Space]),
    ) -> Checked<Vec<Source>> {
        let set = Strip::divide(strips, &source.set);
        let Origin::Space { space, element } = &source.origin else {
            let Origin::Known(value) = &source.origin else { return Ok(vec![]) };
            let origin = Origin::Known(value.substitute(&Strip::image(strips)));
            return Ok(vec![Source { set, origin, quotients: vec![] }]);
        };
        let giver = &self.system.spaces[*space];
        let mut cases: Vec<(Polyhedron, Vec<Affine>)> = vec![(set, vec![])];
        let mut quotients: Vec<Division> = source.quotients.iter().map(|known| in_halves(known, strips)).collect();
        let divided = self.among(giver);
        for (form, written) in element.iter().zip(giver.element()) {
            let (form, written) = (Strip::expand(strips, form), Strip::expand(&divided, &written));
            let Some(strip) = divided.iter().find(|strip| written.mentions([&strip.position()])) else {
                cases.iter_mut().for_each(|(_, element)| element.push(form.clone()));
                continue;
            };
            if strip.value() != written {
                return Err(self.unread(strip, (reader, operand), *space));
            }
            let Some(split) = split(&form, strip.size, strips) else {
                let number = Division::by_strips(&form, strip.size, &spaces[reader]);
                let halves = [Affine::variable(&number.quotient), number.rest()];
                cases.iter_mut().for_each(|(_, element)| element.extend(halves.clone()));
                quotients.push(number);
                continue;
            };
            let with = |(set, element): &(Polyhedron, Vec<Affine>)| {
                let (set, element) = (set.clone(), element.clone());
                split.iter().map(move |half| {
                    let mut set = set.clone();
                    half.conditions.iter().for_each(|condition| set.add(condition.clone()));
                    (set, element.iter().cloned().chain([half.number.clone(), half.position.clone()]).collect())
                })
            };
            cases = cases.iter().flat_map(with).collect();
        }
        let sizes = Polyhedron::sizes(&self.system.parameters);
        let has_points = |(set, _): &(Polyhedron, Vec<Affine>)| !set.intersect(&sizes).is_empty();
        let source = |(set, element)| Source {
            set,
            origin: Origin::Space { space: *space, element },
            quotients: quotients.clone(),
        };
        Ok(cases.into_iter().filter(has_points).map(source).collect())
    }

    fn unclear(&self, index: &Name, space: usize, form: &Affine) -> Diagnostics {
        let space = &self.system.spaces[space];
        let message = format!("`{index}` cannot be divided into strips: `{}` lies at `{form}` along it", space.name);
        vec![
            Diagnostic::new(message)
                .label(&self.system.source, self.span(index), "divided here")
                .label(&space.source, space.span, "this equation")
                .help("divide all indices of one axis alike, and let each be a subscript by itself"),
        ]
    }

    fn unread(&self, strip: &Strip, (reader, operand): (usize, usize), giver: usize) -> Diagnostics {
        let (reader, giver) = (&self.system.spaces[reader], &self.system.spaces[giver]);
        let operand = &reader.operands[operand];
        let message = format!(
            "`{}` cannot be divided into strips: which strip of `{}` is read has no closed form",
            strip.index, operand.tensor
        );
        vec![
            Diagnostic::new(message)
                .label(&self.system.source, self.span(&strip.index), "divided here")
                .label(&reader.source, operand.span, "read here")
                .label(&giver.source, giver.span, "computed here")
                .help("divide the indices of this read into strips of the same length too"),
        ]
    }

    fn span(&self, index: &Name) -> Span {
        let found = self.strips.iter().find(|(strip, _)| strip.index == *index);
        found.map_or(self.system.spaces[0].span, |(_, span)| *span)
    }
}

/// Gives a space one index more, for the place at which it lies along an axis: `C[k, N - 1, j]` is `C[k, i, j] where i = N - 1` then. What it
/// reads beside that place is told by the index too: `N - 2` is `i - 1`.
fn open(system: &mut SpaceSystem, (number, axis): (usize, usize), index: &Name, form: &Affine) {
    let (space, sources) = (&mut system.spaces[number], &mut system.sources[number]);
    let beside = Affine::variable(index) - form.clone();
    let zero = Polyhedron::new([beside.clone(), beside.clone() * -1]);
    // Indices that are reduced over stand behind all others.
    let before = space.domain.indices.iter().position(|other| space.reduced.contains(other));
    space.domain.indices.insert(before.unwrap_or(space.domain.indices.len()), index.clone());
    space.domain.set = space.domain.set.intersect(&zero);
    // The axes of a family are those of its tensor, and others behind them.
    let written = space.output_access.get_mut(axis).filter(|access| *access == form);
    written.into_iter().for_each(|access| *access = Affine::variable(index));
    system.members[number].embedding[axis] = Affine::variable(index);
    let parameter = space.parameters.iter().find(|name| form.coefficient(name).abs() == 1);
    let image = parameter.map(|name| (name.clone(), Affine::variable(name) + beside * form.coefficient(name)));
    let image = image.into_iter().collect();
    for (operand, sources) in space.operands.iter_mut().zip(sources) {
        for source in sources.iter_mut() {
            source.set = source.set.intersect(&zero);
            if let Origin::Space { element, .. } = &mut source.origin {
                element.iter_mut().for_each(|form| *form = form.substitute(&image));
            }
        }
        if !sources.is_empty() {
            operand.access.iter_mut().for_each(|form| *form = form.substitute(&image));
        }
    }
}

impl Division {
    /// The strip that a form lies in, where that is told by dividing it.
    pub(super) fn by_strips(form: &Affine, size: i64, reader: &Space) -> Division {
        let index = form.terms().next().filter(|(name, _)| *form == Affine::variable(name)).map(|(name, _)| name);
        let wanted = index.map_or_else(|| format!("({form}) div {size}"), |index| format!("{index} div {size}"));
        let quotient = unused(&wanted, reader.indices().iter().chain(&reader.parameters));
        Division { quotient, of: form.clone(), by: size }
    }
}

/// The same quotient of an index that is in strips.
fn in_halves(division: &Division, strips: &[Strip]) -> Division {
    Division { of: Strip::expand(strips, &division.of), ..division.clone() }
}

/// One way in which a form is in strips.
struct Half {
    conditions: [Affine; 2],
    number: Affine,
    position: Affine,
}

/// A form as strip and position, in all ways that the positions of `strips` leave; `None` where it hangs on anything else.
fn split(form: &Affine, size: i64, strips: &[Strip]) -> Option<Vec<Half>> {
    let (mut number, mut position) = (Affine::default(), Affine::constant(form.constant_term()));
    let (mut low, mut high) = (form.constant_term(), form.constant_term());
    for (name, coefficient) in form.terms() {
        if coefficient % size == 0 {
            number = number + Affine::term(name, coefficient / size);
            continue;
        }
        let strip = strips.iter().find(|strip| strip.position() == *name)?;
        let reach = coefficient.checked_mul(strip.size - 1)?;
        (low, high) = (low.checked_add(reach.min(0))?, high.checked_add(reach.max(0))?);
        position = position + Affine::term(name, coefficient);
    }
    let (first, last) = (low.div_euclid(size), high.div_euclid(size));
    if last - first >= MOST_CASES {
        return None;
    }
    let half = |by: i64| {
        let position = position.clone() - Affine::constant(by * size);
        let conditions = [position.clone(), Affine::constant(size - 1) - position.clone()];
        Half { conditions, number: number.clone() + Affine::constant(by), position }
    };
    Some((first..=last).map(half).collect())
}
