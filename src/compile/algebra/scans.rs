//! Recurrences that laws of reductions lead to, as equations.
//!
//! In: a goal that is computed by going along an axis: a reduction from its last term, a sum over a range that grows, a sum over a window
//! that slides. Out: its equations: one for where it starts, one for each further step at distance one.

use super::goals::{Combination, ComponentReduction, GoalId, Value};
use super::text::{Image, Place, Texts, access, applied, conditions};
use crate::rewrite::{Id, Monoid, RecExpr, Symbol, Term};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;

/// Equations that start somewhere along an index and go on by one.
pub(super) struct Scan {
    pub lines: Vec<String>,
}

impl Texts<'_> {
    fn ends(&self, index: &Name) -> Option<(Affine, Affine)> {
        self.frame.ends(Symbol::from(&**index))
    }

    /// The equations of a sum over a range that grows with `with`.
    pub fn running(&self, goal: GoalId, place: &Place) -> Option<Scan> {
        let (Value::Running { operator, index, with }, [child], _) = self.way(goal)? else { return None };
        let ((first, _), (low, high)) = (self.ends(with)?, self.ends(index)?);
        let at_first = Image::from([(with.clone(), first.clone())]);
        let start = match high.substitute(&at_first) == low {
            true => self.value(*child, &Image::from([(index.clone(), low)]))?,
            false => {
                format!("{}({}) {}", operator.keyword(), self.range(index, &at_first)?, self.value(*child, &at_first)?)
            }
        };
        let before = access(&place.tensor, &place.subscripts, &step(with, -1));
        let next = self.value(*child, &Image::from([(index.clone(), high)]))?;
        let further = combined(*operator, &before, &next)?;
        Some(self.scan(place, (with, &first), &start, &further))
    }

    /// The equations of a sum over a window that slides along an index.
    pub fn sliding(&self, goal: GoalId, place: &Place) -> Option<Scan> {
        let (Value::Sliding { index, along }, [child], _) = self.way(goal)? else { return None };
        let ((first, _), (low, high)) = (self.ends(along)?, self.ends(index)?);
        let at_first = Image::from([(along.clone(), first.clone())]);
        let start = format!("sum({}) {}", self.range(index, &at_first)?, self.value(*child, &at_first)?);
        let before = access(&place.tensor, &place.subscripts, &step(along, -1));
        let enters = self.value(*child, &Image::from([(index.clone(), high)]))?;
        let mut leaving = step(along, -1);
        leaving.insert(index.clone(), low);
        let leaves = self.value(*child, &leaving)?;
        Some(self.scan(place, (along, &first), &start, &format!("(({before} + {enters}) - {leaves})")))
    }

    /// The equations of a sum of which one half is the other.
    pub fn mirrored(&self, goal: GoalId, place: &Place) -> Option<Scan> {
        let (Value::Mirrored { index, one, other }, [first, second], _) = self.way(goal)? else { return None };
        let image = Image::new();
        let product = applied(Function::Multiply, &[self.value(*first, &image)?, self.value(*second, &image)?])?;
        let exchanged = Image::from([(one.clone(), Affine::variable(other)), (other.clone(), Affine::variable(one))]);
        let target = |image: &Image| access(&place.tensor, &place.subscripts, image);
        let sum = format!("sum({}) {product}", self.range(index, &image)?);
        let lines = vec![
            format!("{} = {sum} where {other} <= {one}", target(&image)),
            format!("{} = {} where {one} < {other}", target(&image), target(&exchanged)),
        ];
        Some(Scan { lines })
    }

    fn scan(&self, place: &Place, (along, first): (&Name, &Affine), start: &str, further: &str) -> Scan {
        let at_first = Image::from([(along.clone(), first.clone())]);
        let target = |image: &Image| access(&place.tensor, &place.subscripts, image);
        let known = Polyhedron::default();
        let later = Affine::variable(along) - first.clone() - Affine::constant(1);
        let lines = vec![
            format!("{} = {start}", target(&at_first)),
            format!("{} = {further}{}", target(&Image::new()), conditions(&Polyhedron::new([later]), &known)),
        ];
        Scan { lines }
    }

    /// The equations of a component that is reduced from its last term; the place has the index as its last subscript.
    pub fn backward(&self, goal: GoalId, place: &Place, monoid: &Monoid) -> Option<Scan> {
        let (Value::Fold(fold), children, beside) = self.way(goal)? else { return None };
        let ComponentReduction { operator: Combination::Declared(_, component), index, .. } = fold else { return None };
        let (low, high) = self.ends(index)?;
        let own = fold.arguments.iter().position(|argument| argument == component)?;
        let at_last = Image::from([(index.clone(), high.clone())]);
        let mut names: BTreeMap<&str, String> = BTreeMap::new();
        // An infinite neutral tuple speaks of masks, and a mask at the end changes nothing.
        let start = if monoid.neutral.iter().all(|number| number.is_finite()) {
            self.value(*children.get(own)?, &at_last)?
        } else {
            for (argument, child) in fold.arguments.iter().zip(children) {
                names.insert(&monoid.left[*argument], self.value(*child, &at_last)?);
            }
            for (name, number) in monoid.right.iter().zip(&monoid.neutral) {
                names.insert(name, super::text::number_text(*number));
            }
            scalar(&monoid.values[*component], &names)?
        };
        for (argument, child) in fold.arguments.iter().zip(children) {
            names.insert(&monoid.left[*argument], self.value(*child, &Image::new())?);
        }
        let state = |place: &Place| access(&place.tensor, &place.subscripts, &step(index, 1));
        names.insert(&monoid.right[*component], state(place));
        for (other, goal) in fold.beside.iter().zip(beside) {
            names.insert(&monoid.right[*other], state(&self.stored(*goal, index)?));
        }
        let further = scalar(&monoid.values[*component], &names)?;
        let within = [Affine::variable(index) - low, high - Affine::variable(index) - Affine::constant(1)];
        let lines = vec![
            format!("{} = {start}", access(&place.tensor, &place.subscripts, &at_last)),
            format!(
                "{} = {further}{}",
                access(&place.tensor, &place.subscripts, &Image::new()),
                conditions(&Polyhedron::new(within), &Polyhedron::new([Affine::variable(index)]))
            ),
        ];
        Some(Scan { lines })
    }

    /// Where all steps of a backward component are: its place with the index itself as the last subscript.
    fn stored(&self, goal: GoalId, index: &Name) -> Option<Place> {
        let mut place = self.places.get(&self.resolved(goal))?.clone();
        *place.subscripts.last_mut()? = Affine::variable(index);
        Some(place)
    }
}

fn step(index: &Name, by: i64) -> Image {
    Image::from([(index.clone(), Affine::variable(index) + Affine::constant(by))])
}

/// Two values combined by a built-in operator.
pub(super) fn combined(operator: Operator, left: &str, right: &str) -> Option<String> {
    applied(operator.function(), &[left.to_owned(), right.to_owned()])
}

/// The value of a monoid's component, with texts for its names.
pub(super) fn scalar(value: &RecExpr<Term>, names: &BTreeMap<&str, String>) -> Option<String> {
    scalar_at(value, value.root(), names)
}

fn scalar_at(value: &RecExpr<Term>, id: Id, names: &BTreeMap<&str, String>) -> Option<String> {
    match &value[id] {
        Term::Number(number) => Some(super::text::number_text(number.value())),
        Term::Other(word, children) if children.is_empty() => names.get(word.as_str()).cloned(),
        Term::Other(word, children) => {
            let arguments: Vec<String> =
                children.iter().map(|child| scalar_at(value, *child, names)).collect::<Option<_>>()?;
            applied(Function::from_keyword(word.as_str())?, &arguments)
        }
        _ => None,
    }
}
