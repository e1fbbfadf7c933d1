//! The operands of a scalar function, in place.
//!
//! In: identities of classes. Out: [`Operands`], which reads as a slice. Invariant: places beyond the last operand are all the same, so two
//! lists are equal, and have one hash, exactly when their slices are; one function always has as many, so they sort as slices do.

use egg::{Id, LanguageChildren};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use systole_base::scalar::Function;

/// The most operands that a function takes.
const MOST: usize = 3;

/// The operands of a scalar function; none for a plain name. E-graphs copy nodes all the time, so they lie in the node itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operands {
    count: u8,
    ids: [Id; MOST],
}

impl Operands {
    /// No operands.
    pub fn none() -> Operands {
        Operands { count: 0, ids: [Id::from(0); MOST] }
    }

    /// The operands of a function, as many as it takes.
    pub fn of(function: Function, operands: &[Id]) -> Operands {
        Operands::filled(&operands[..operands.len().min(function.arity())])
    }

    fn filled(operands: &[Id]) -> Operands {
        let mut filled = Operands::none();
        for (place, operand) in filled.ids.iter_mut().zip(operands) {
            *place = *operand;
            filled.count += 1;
        }
        filled
    }
}

impl Hash for Operands {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // How many there are follows from the function beside them.
        self.ids.iter().for_each(|id| id.hash(state));
    }
}

impl Deref for Operands {
    type Target = [Id];

    fn deref(&self) -> &[Id] {
        &self.ids[..usize::from(self.count)]
    }
}

impl LanguageChildren for Operands {
    fn len(&self) -> usize {
        usize::from(self.count)
    }

    fn can_be_length(length: usize) -> bool {
        length <= MOST
    }

    fn from_vec(operands: Vec<Id>) -> Operands {
        Operands::filled(&operands)
    }

    fn as_slice(&self) -> &[Id] {
        self
    }

    fn as_mut_slice(&mut self) -> &mut [Id] {
        &mut self.ids[..usize::from(self.count)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_room_for_its_operands_and_one_more_has_none() {
        let most = Function::ALL.iter().map(|function| function.arity()).max();
        assert_eq!(most, Some(MOST));
        assert!(Operands::can_be_length(MOST) && !Operands::can_be_length(MOST + 1));
    }

    #[test]
    fn operands_read_and_sort_as_the_slices_they_are_made_of() {
        let ids = [7, 2, 9].map(Id::from);
        for count in 0..=MOST {
            let operands = Operands::from_vec(ids[..count].to_vec());
            assert_eq!((&*operands, operands.is_empty()), (&ids[..count], count == 0));
        }
        let [one, other] = [[2, 9], [7, 2]].map(|pair| Operands::from_vec(pair.map(Id::from).to_vec()));
        assert!(one < other && one != other);
    }
}
