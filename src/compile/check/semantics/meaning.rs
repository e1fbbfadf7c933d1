//! What a term says, taken apart once so that it can be looked at in every point.
//!
//! In: a term, and the space that it is a field on. Out: a [`Meaning`], or why it has none. It is read off the table at
//! [`Term`] and shares nothing with the rules, the analysis, or the registry.

use super::texts::{AffineRow, forms};
use super::world::{Heads, World};
use crate::rewrite::rules::Monoid;
use crate::rewrite::terms::Term;
use egg::{Id, RecExpr};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;

/// A set of points around a point.
#[derive(Clone, Debug)]
pub(in crate::check) enum Around {
    /// Its line along a direction.
    Line(Vec<i64>),
    /// All points that differ in these indices only, the last one fastest.
    Differing(Vec<usize>),
    /// All points that differ in the first index only, from the one on that the value of the second says.
    Turned(usize, usize),
    /// All points with the same subscripts.
    Fibre(Vec<AffineRow>),
}

/// A field.
#[derive(Clone, Debug)]
pub(in crate::check) enum Meaning {
    Number(f64),
    Form(AffineRow),
    Element(String, Vec<AffineRow>),
    /// What the equation of a tensor says of an element.
    Defined(String, Vec<AffineRow>),
    /// The value where an index is that of a form.
    At(usize, AffineRow, Box<Meaning>),
    /// Undefined off the face.
    OnFace(Heads, Box<Local>),
    /// At the point of another space that works on the element; the neutral value where none does.
    Given(usize, Operator, Vec<AffineRow>, Box<Meaning>),
    Combine(Operator, Box<[Meaning; 2]>),
    Neutral(Operator),
    If(Box<[Meaning; 3]>),
    Apply(Function, Vec<Meaning>),
    Call(Box<[Meaning; 2]>),
    /// A component of a reduction by a declared monoid, over these points in their order.
    Part(usize, Box<TupleReduction>),
}

/// A reduction of tuples.
#[derive(Clone, Debug)]
pub(in crate::check) struct TupleReduction {
    pub face: Heads,
    pub monoid: Monoid,
    pub index: Around,
    pub components: Vec<Meaning>,
}

/// A field on a face.
#[derive(Clone, Debug)]
pub(in crate::check) enum Local {
    Itself(Meaning),
    /// Undefined where the forms change among these points.
    Steady(Vec<AffineRow>, Vec<Around>, Meaning),
    /// The value at the head of the line.
    AtHead(Vec<i64>, Meaning),
    /// The value at the end of the line.
    AtEnd(Vec<i64>, Meaning),
    /// Undefined but at heads.
    OnlyAtHead(Vec<i64>, Meaning),
    /// The value at the point before; undefined at heads.
    Before(Vec<i64>, Meaning),
    /// 1 at heads, 0 elsewhere.
    IsHead(Vec<i64>),
    /// Combined over sets of points, which all have to be the same set.
    Over(Operator, Vec<Around>, Meaning),
    /// Combined from the head up to the point.
    UpTo(Operator, Vec<i64>, Meaning),
}

/// Why a term has no meaning.
pub(super) type Nonsense = String;

/// What is read, or why there is nothing.
pub(super) type Read<T> = Result<T, Nonsense>;

/// What `term` says on the space with this position.
pub(in crate::check) fn meaning(world: &World, term: &RecExpr<Term>, space: usize) -> Read<Meaning> {
    Reader { world, term, space }.field(term.root())
}

/// What the components of `term` say there; the only one where it is a value.
pub(in crate::check) fn meanings(world: &World, term: &RecExpr<Term>, space: usize) -> Read<Vec<Meaning>> {
    let reader = Reader { world, term, space };
    reader.components(term.root(), reader.width(term.root()))
}

impl Meaning {
    /// The sets of points that a list of directions on a space stands for, with the face that it is on.
    pub fn list(world: &World, term: &RecExpr<Term>, space: usize) -> Read<(Heads, Vec<Around>)> {
        let reader = Reader { world, term, space };
        let face = match &term[term.root()] {
            Term::Nulls([face, _]) | Term::Signs([face, _]) | Term::Axes(face) => reader.face(*face)?,
            _ => Heads::whole(space),
        };
        Ok((face, reader.list(term.root())?))
    }

    /// The direction that a term on a space stands for.
    pub fn direction(world: &World, term: &RecExpr<Term>, space: usize) -> Read<Vec<i64>> {
        Reader { world, term, space }.direction(term.root())
    }
}

/// Reads terms on a space.
pub(super) struct Reader<'a> {
    pub world: &'a World,
    pub term: &'a RecExpr<Term>,
    pub space: usize,
}

impl Reader<'_> {
    fn text(&self, id: Id) -> String {
        self.term[id].to_string()
    }

    fn whole(&self, id: Id) -> Read<usize> {
        let name = self.text(id);
        self.world.position(&name).ok_or_else(|| format!("`{name}` is no space here"))
    }

    /// The space that a child names; it has to be the one that the term is on.
    fn face(&self, id: Id) -> Read<Heads> {
        if let Term::Heads([space, along]) = &self.term[id] {
            let mut face = self.face(*space)?;
            face.heads.push(self.direction(*along)?);
            return Ok(face);
        }
        match self.whole(id)? {
            space if space == self.space => Ok(Heads::whole(space)),
            _ => Err(format!("a field on `{}` stands where one on `{}` does", self.text(id), self.space_name())),
        }
    }

    fn space_name(&self) -> &str {
        &self.world.space(self.space).name
    }

    pub(super) fn forms(&self, id: Id) -> Read<Vec<AffineRow>> {
        let text = self.text(id);
        let read = forms(&text, self.world.indices(self.space), &self.world.sizes);
        read.ok_or_else(|| format!("`{text}` says nothing on `{}`", self.space_name()))
    }

    pub(super) fn form(&self, id: Id) -> Read<AffineRow> {
        self.forms(id)?.into_iter().next().ok_or_else(|| format!("`{}` has no form", self.text(id)))
    }

    pub(super) fn direction(&self, id: Id) -> Read<Vec<i64>> {
        match &self.term[id] {
            Term::Offset([space, tensor, access]) => self.offset(*space, *tensor, *access),
            _ => Ok(self.form(id)?.row),
        }
    }

    /// The step back to the point that writes what is read here, the same at all points.
    fn offset(&self, space: Id, tensor: Id, access: Id) -> Read<Vec<i64>> {
        self.face(space)?;
        let (own, read) = (self.world.output(self.space), self.forms(access)?);
        let dimension = self.world.indices(self.space).len();
        let linear = own.len() == read.len() && own.iter().zip(&read).all(|(a, b)| a.row == b.row);
        let is_own = *self.world.space(self.space).output == *self.text(tensor);
        let digits = |rank: usize| (0..dimension).map(move |place| (rank / 7_usize.pow(place as u32)) as i64 % 7 - 3);
        let small = (0..7_usize.pow(dimension as u32)).map(|rank| digits(rank).collect::<Vec<i64>>());
        let back = |vector: &[i64]| vector.iter().map(|entry| -entry).collect::<Vec<i64>>();
        let leads = |vector: &Vec<i64>| own.iter().zip(&read).all(|(a, b)| a.at(&back(vector)) == b.constant);
        let found = small.into_iter().find(|vector| linear && is_own && leads(vector));
        found.ok_or_else(|| "no point at a constant distance writes what is read".to_owned())
    }

    fn operator(&self, id: Id) -> Read<Operator> {
        let text = self.text(id);
        Operator::from_keyword(&text).ok_or_else(|| format!("`{text}` is no operator"))
    }

    /// The sets of points that a list of directions stands for, and the list's own space where it names one.
    pub(super) fn list(&self, id: Id) -> Read<Vec<Around>> {
        match &self.term[id] {
            Term::End => Ok(vec![]),
            Term::Dir([along, rest]) => {
                let mut sets = vec![Around::Line(self.direction(*along)?)];
                sets.extend(self.list(*rest)?);
                Ok(sets)
            }
            Term::Nulls([space, access]) => {
                self.face(*space)?;
                Ok(vec![Around::Fibre(self.forms(*access)?)])
            }
            Term::Signs([space, index]) => {
                self.face(*space)?;
                Ok(vec![self.differing(*index)?])
            }
            Term::Axes(space) => {
                let next = self.world.next_axis(&self.face(*space)?);
                Ok(next.map(Around::Line).into_iter().collect())
            }
            _ => Err(format!("`{}` is no list of directions", self.text(id))),
        }
    }

    fn differing(&self, index: Id) -> Read<Around> {
        match &self.term[index] {
            Term::Both([outer, inner]) => match (self.differing(*outer)?, self.differing(*inner)?) {
                (Around::Differing(outer), Around::Differing(inner)) => Ok(Around::Differing([outer, inner].concat())),
                _ => Err("what is turned stands in no pair of indices".to_owned()),
            },
            Term::Turned([index, first]) => Ok(Around::Turned(self.place(*index)?, self.place(*first)?)),
            _ => Ok(Around::Differing(vec![self.place(index)?])),
        }
    }

    /// The position of an index.
    fn place(&self, index: Id) -> Read<usize> {
        let name = self.text(index);
        let position = self.world.indices(self.space).iter().position(|known| **known == *name);
        position.ok_or_else(|| format!("`{name}` is no index of `{}`", self.space_name()))
    }

    /// A field on the space that a child names.
    pub(super) fn on(&self, space: Id, local: Local) -> Read<Meaning> {
        Ok(Meaning::OnFace(self.face(space)?, Box::new(local)))
    }

    pub(super) fn element(&self, tensor: Id, access: Id) -> Read<Meaning> {
        Ok(Meaning::Element(self.text(tensor), self.forms(access)?))
    }

    /// The field of another space at the point that gives the element.
    pub(super) fn given(&self, [space, operator, access, value]: [Id; 4]) -> Read<Meaning> {
        let giver = self.whole(space)?;
        let there = Reader { world: self.world, term: self.term, space: giver };
        let value = Box::new(there.field(value)?);
        Ok(Meaning::Given(giver, self.operator(operator)?, self.forms(access)?, value))
    }

    fn fields<const N: usize>(&self, ids: [Id; N]) -> Read<Box<[Meaning; N]>> {
        let all = ids.iter().map(|id| self.field(*id)).collect::<Read<Vec<Meaning>>>()?;
        <[Meaning; N]>::try_from(all).map(Box::new).map_err(|_| "parts are missing".to_owned())
    }

    pub(super) fn field(&self, id: Id) -> Read<Meaning> {
        match &self.term[id] {
            Term::Number(literal) => Ok(Meaning::Number(literal.value())),
            Term::At([tensor, access]) => self.element(*tensor, *access),
            Term::Defined([tensor, access]) => match self.text(*tensor) {
                known if self.world.is_defined(&known) => Ok(Meaning::Defined(known, self.forms(*access)?)),
                other => Err(format!("`{other}` has no equation here")),
            },
            Term::Pick([space, index, form, value]) => {
                let picked = Meaning::At(self.place(*index)?, self.form(*form)?, Box::new(self.field(*value)?));
                self.on(*space, Local::Itself(picked))
            }
            Term::Where([space, operator, index, condition, value]) => {
                let neutral = Meaning::Neutral(self.operator(*operator)?);
                let term = Meaning::If(Box::new([self.field(*condition)?, self.field(*value)?, neutral]));
                self.on(*space, Local::Over(self.operator(*operator)?, vec![self.differing(*index)?], term))
            }
            Term::Index(access) => Ok(Meaning::Form(self.form(*access)?)),
            Term::Sched([_, _, value]) => self.field(*value),
            Term::Inner(children) => self.given(*children),
            Term::Combine([operator, one, other]) => {
                Ok(Meaning::Combine(self.operator(*operator)?, self.fields([*one, *other])?))
            }
            Term::Neutral(operator) => Ok(Meaning::Neutral(self.operator(*operator)?)),
            Term::Ite(children) => Ok(Meaning::If(self.fields(*children)?)),
            // Any function will do that tells leaves, arguments and their order apart.
            Term::Call(children) => Ok(Meaning::Call(self.fields(*children)?)),
            Term::Leaf(name) => Ok(Meaning::Number(self.text(*name).bytes().map(f64::from).sum())),
            Term::Other(word, children) => match Function::from_keyword(word.as_str()) {
                Some(function) if !children.is_empty() => {
                    let parts = children.iter().map(|child| self.field(*child)).collect::<Read<_>>()?;
                    Ok(Meaning::Apply(function, parts))
                }
                _ => Err(format!("`{word}` is no value")),
            },
            Term::Part([component, tuple]) => self.part(*component, *tuple),
            Term::Mirrored([space, value]) => self.on(*space, Local::Itself(self.field(*value)?)),
            Term::Count(_) | Term::Running(_) | Term::Sliding(_) | Term::Paired(_) => self.reduction(id),
            Term::Reduce(_) | Term::Accum(_) | Term::Red(_) | Term::Acc(_) | Term::Last(_) => self.reduction(id),
            Term::Read(_) | Term::Const(_) | Term::Stream(_) | Term::Bcast(_) => self.reading(id),
            _ => self.transport(id),
        }
    }

    fn reduction(&self, id: Id) -> Read<Meaning> {
        let over = |space: Id, operator: Id, sets: Vec<Around>, value: Id| {
            self.on(space, Local::Over(self.operator(operator)?, sets, self.field(value)?))
        };
        match &self.term[id] {
            Term::Count([space, index]) => {
                self.on(*space, Local::Over(Operator::Sum, vec![self.differing(*index)?], Meaning::Number(1.0)))
            }
            Term::Sliding([space, index, value]) => {
                self.on(*space, Local::Over(Operator::Sum, vec![self.differing(*index)?], self.field(*value)?))
            }
            Term::Reduce([_, operator, ..]) | Term::Paired([_, operator, ..])
                if Operator::from_keyword(&self.text(*operator)).is_none() =>
            {
                match self.folded(id)? {
                    TupleReduction { monoid, .. } if monoid.width() > 1 => Err(format!("`{}` is a tuple", monoid.name)),
                    folded => Ok(Meaning::Part(0, Box::new(folded))),
                }
            }
            Term::Reduce([space, operator, index, value])
            | Term::Running([space, operator, index, value])
            | Term::Paired([space, operator, index, value]) => {
                over(*space, *operator, vec![self.differing(*index)?], *value)
            }
            Term::Accum([space, operator, access, value]) => {
                over(*space, *operator, vec![Around::Fibre(self.forms(*access)?)], *value)
            }
            Term::Red([space, operator, list, value]) => over(*space, *operator, self.list(*list)?, *value),
            Term::Acc([space, operator, along, value]) => {
                let along = self.direction(*along)?;
                self.on(*space, Local::UpTo(self.operator(*operator)?, along, self.field(*value)?))
            }
            Term::Last([space, along, value]) => {
                self.on(*space, Local::AtEnd(self.direction(*along)?, self.field(*value)?))
            }
            _ => Err(format!("`{}` is no reduction", self.text(id))),
        }
    }

    /// A component of a reduction of tuples.
    fn part(&self, component: Id, tuple: Id) -> Read<Meaning> {
        let Term::Number(component) = &self.term[component] else { return Err("no component".to_owned()) };
        Ok(Meaning::Part(component.value() as usize, Box::new(self.folded(tuple)?)))
    }

    /// A reduction of tuples.
    fn folded(&self, tuple: Id) -> Read<TupleReduction> {
        let (Term::Reduce([space, operator, index, value]) | Term::Paired([space, operator, index, value])) =
            &self.term[tuple]
        else {
            return Err(format!("`{}` is no reduction of tuples", self.text(tuple)));
        };
        let monoid = self.monoid(*operator)?;
        let components = self.components(*value, monoid.width())?;
        Ok(TupleReduction { face: self.face(*space)?, monoid, index: self.differing(*index)?, components })
    }

    fn monoid(&self, operator: Id) -> Read<Monoid> {
        let name = self.text(operator);
        let declared = self.world.context.monoids.iter().find(|monoid| monoid.name == name);
        declared.cloned().ok_or_else(|| format!("no monoid `{name}` is declared"))
    }

    /// How many components a term has.
    fn width(&self, id: Id) -> usize {
        match &self.term[id] {
            Term::Pair([_, rest]) => 1 + self.width(*rest),
            Term::Reduce([_, operator, ..]) | Term::Paired([_, operator, ..]) => {
                self.monoid(*operator).map_or(1, |monoid| monoid.width())
            }
            _ => 1,
        }
    }

    fn components(&self, tuple: Id, width: usize) -> Read<Vec<Meaning>> {
        match &self.term[tuple] {
            _ if width == 1 => Ok(vec![self.field(tuple)?]),
            Term::Pair([first, rest]) => {
                let mut all = vec![self.field(*first)?];
                all.extend(self.components(*rest, width - 1)?);
                Ok(all)
            }
            _ if self.width(tuple) == width => {
                let folded = self.folded(tuple)?;
                Ok((0..width).map(|component| Meaning::Part(component, Box::new(folded.clone()))).collect())
            }
            node => Err(format!("`{node}` is no tuple")),
        }
    }
}
