//! Random terms for the variables of a rule: directions and lists as the folding nodes give them, expressions and fields.
//!
//! In: a world, a space, a sort. Out: the text of a term. For laws over the reals only functions that are defined everywhere are
//! used, since a variable stands for real numbers there; what a rule itself divides by is the rule's affair.

use super::random::Random;
use super::sorts::Sort;
use crate::check::semantics::{Heads, Palette, World};
use crate::rewrite::registry::{access_text, direction_text, null_directions};
use crate::rewrite::terms::{AccessText, DirectionText};
use egg::Symbol;
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;

/// How random terms are made.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct Terms {
    /// What literals are like.
    pub palette: Palette,
    /// Whether every value has to be a real number.
    pub reals: bool,
}

/// Functions that give a real number for all real numbers, and are not too steep.
const TOTAL: [Function; 11] = [
    Function::Add,
    Function::Subtract,
    Function::Multiply,
    Function::Negate,
    Function::Maximum,
    Function::Minimum,
    Function::Absolute,
    Function::Less,
    Function::LessEqual,
    Function::Equal,
    Function::Select,
];

impl Terms {
    /// A space as it is written.
    pub fn face(&self, world: &World, face: &Heads) -> String {
        let space = world.space(face.space);
        let whole = space.name.to_string();
        face.heads.iter().fold(whole, |of, along| format!("(heads {of} {})", direction_text(space, along)))
    }

    fn vectors(&self, world: &World, space: usize) -> Vec<Vec<i64>> {
        let space = world.space(space);
        let unit = |axis: usize| (0..space.dimension()).map(|place| i64::from(place == axis)).collect::<Vec<i64>>();
        let signs = (0..space.dimension()).map(unit).flat_map(|unit| [unit.iter().map(|entry| -entry).collect(), unit]);
        let accesses = space.operands.iter().map(|operand| &operand.access).chain([&space.output_access]);
        let mut all: Vec<Vec<i64>> = signs.chain(accesses.flat_map(|access| null_directions(space, access))).collect();
        all.sort();
        all.dedup();
        all
    }

    /// A direction that the space knows.
    pub fn any_direction(&self, world: &World, space: usize, random: &mut Random) -> Option<Vec<i64>> {
        random.pick(&self.vectors(world, space)).cloned()
    }

    /// All directions that the space knows.
    pub fn directions(&self, world: &World, space: usize) -> Vec<String> {
        let vectors = self.vectors(world, space);
        vectors.iter().map(|vector| direction_text(world.space(space), vector).to_string()).collect()
    }

    /// The directions along which an access is tried, as the registry lists them.
    pub fn reuses(&self, world: &World, face: &Heads, access: &str) -> Vec<String> {
        let (name, heads) = registered(world, face);
        let nulls = world.context.nulls(name, &heads, AccessText(Symbol::from(access)));
        let axes = world.context.axes(name, &heads).filter(|_| access == "[]");
        let all = nulls.into_iter().chain(axes).flatten();
        all.map(|direction| direction.to_string()).collect()
    }

    /// A folding node and the list that it becomes.
    pub fn list(
        &self,
        world: &World,
        face: &Heads,
        sort: Sort,
        access: Option<&str>,
        random: &mut Random,
    ) -> Option<(String, Vec<String>)> {
        let here = self.face(world, face);
        let (name, heads) = registered(world, face);
        let texts = |list: &[DirectionText]| list.iter().map(DirectionText::to_string).collect::<Vec<String>>();
        if sort != Sort::Lines {
            let access = access?;
            if access == "[]" && random.once_in(2) {
                return Some((format!("(axes {here})"), texts(&world.context.axes(name, &heads)?)));
            }
            let list = world.context.nulls(name, &heads, AccessText(Symbol::from(access)))?;
            return Some((format!("(nulls {here} {access})"), texts(&list)));
        }
        let space = world.space(face.space);
        let output = access_text(&space.output_access);
        match world.context.nulls(name, &[], output).filter(|list| list.len() == 2) {
            Some(list) if random.once_in(2) => Some((format!("(nulls {here} {output})"), texts(&list))),
            _ => {
                let index = random.pick(space.indices())?;
                let list = world.context.signs(name, Symbol::from(&**index))?;
                Some((format!("(signs {here} {index})"), texts(list)))
            }
        }
    }

    /// A term of this sort on this space, `depth` operators deep.
    pub fn random(&self, world: &World, face: &Heads, sort: Sort, depth: usize, random: &mut Random) -> Option<String> {
        match sort {
            Sort::Number => Some(self.number(random)),
            Sort::Expression => self.expression(world, face.space, depth, random),
            Sort::Field => self.field(world, face, depth, random),
            Sort::Message => {
                let along = random.pick(&self.directions(world, face.space))?.clone();
                let field = self.field(world, face, depth, random)?;
                Some(format!("(send {} {along} {field})", self.face(world, face)))
            }
            _ => None,
        }
    }

    fn number(&self, random: &mut Random) -> String {
        let value = match random.below(4) {
            0 if self.palette != Palette::Nonzero && self.palette != Palette::Positive => 0.0,
            1 => 1.0,
            _ => self.palette.number(random.next()),
        };
        if value.is_finite() { value.to_string() } else { "2".to_owned() }
    }

    fn function(&self, random: &mut Random) -> Option<Function> {
        let all = if self.reals { &TOTAL[..] } else { Function::ALL };
        random.pick(all).copied()
    }

    fn expression(&self, world: &World, place: usize, depth: usize, random: &mut Random) -> Option<String> {
        let space = world.space(place);
        let deeper = |random: &mut Random| self.expression(world, place, depth - 1, random);
        let operator = Operator::ALL[random.below(4)].1;
        match random.below(if depth == 0 { 6 } else { 12 }) {
            0 => Some(self.number(random)),
            1 if !matches!(self.palette, Palette::Nonzero | Palette::Positive) => {
                let form = random.pick(space.indices())?;
                Some(format!("(index [{form}])"))
            }
            1..=5 => {
                let operand = random.pick(&space.operands)?;
                Some(format!("(at {} {})", operand.tensor, access_text(&operand.access)))
            }
            6..=9 => self.applied(random, deeper),
            10 if !space.reduced.is_empty() => {
                let index = random.pick(&space.reduced)?.clone();
                Some(format!("(reduce {} {operator} {index} {})", space.name, deeper(random)?))
            }
            _ => deeper(random),
        }
    }

    fn applied(&self, random: &mut Random, mut part: impl FnMut(&mut Random) -> Option<String>) -> Option<String> {
        let function = self.function(random)?;
        let parts: Option<Vec<String>> = (0..function.arity()).map(|_| part(random)).collect();
        Some(format!("({} {})", function.keyword(), parts?.join(" ")))
    }

    fn field(&self, world: &World, face: &Heads, depth: usize, random: &mut Random) -> Option<String> {
        let here = self.face(world, face);
        let space = world.space(face.space);
        let deeper = |random: &mut Random| self.field(world, face, depth - 1, random);
        let along = random.pick(&self.directions(world, face.space))?.clone();
        match random.below(if depth == 0 { 6 } else { 13 }) {
            0 => Some(self.number(random)),
            1..=5 if !face.heads.is_empty() || random.once_in(5) => {
                let operand = random.pick(&space.operands)?;
                let access = access_text(&operand.access).to_string();
                Some(format!("(read {here} {} {access} (nulls {here} {access}))", operand.tensor))
            }
            1..=5 => Some(format!("(in {here} {})", self.expression(world, face.space, depth.min(1), random)?)),
            6..=8 => self.applied(random, deeper),
            9 => Some(format!("(fby {here} {along} {})", deeper(random)?)),
            10 => Some(format!("(acc {here} {} {along} {})", Operator::ALL[random.below(4)].1, deeper(random)?)),
            11 if !self.reals => Some(format!("(shift {here} {along} {})", deeper(random)?)),
            _ => Some(format!("(last {here} {along} {})", deeper(random)?)),
        }
    }
}

/// A face as the registry knows it.
fn registered(world: &World, face: &Heads) -> (Symbol, Vec<DirectionText>) {
    let space = world.space(face.space);
    (Symbol::from(&*space.name), face.heads.iter().map(|along| direction_text(space, along)).collect())
}
