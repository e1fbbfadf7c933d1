//! The equations behind one e-graph: its spaces, and which reductions stand inside which expressions.
//!
//! In: one [`Space`], or a [`SpaceSystem`]. Out: [`Equations`]. Invariant: a tensor that the cut into spaces has named is
//! read through [`Equations::inner`] only; in terms the reduction itself stands where it is read. Paper: Cyclotron sections
//! 4.4 and 8 (OuterSend).

use std::collections::BTreeSet;
use systole_base::integer::Name;
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Operand, Role, Space};

/// Spaces that are lowered together.
#[derive(Clone, Debug)]
pub struct Equations {
    /// The spaces, in the order of the system.
    pub spaces: Vec<Space>,
    /// Tensors that the user gives.
    pub inputs: BTreeSet<Name>,
    /// Tensors of which some elements are known by a closed form.
    pub known: BTreeSet<Name>,
    /// Tensors that the cut into spaces has named: each is the value of a reduction inside an expression.
    pub inner: BTreeSet<Name>,
}

impl Equations {
    /// One space, whose operands are all given unless it writes them itself.
    pub fn of_space(space: &Space) -> Equations {
        let tensors = space.operands.iter().map(|operand| operand.tensor.clone());
        Equations {
            spaces: vec![space.clone()],
            inputs: tensors.filter(|tensor| *tensor != space.output).collect(),
            known: BTreeSet::new(),
            inner: BTreeSet::new(),
        }
    }

    /// All spaces of a system.
    pub fn of_system(system: &SpaceSystem) -> Equations {
        if let Some(space) = system.only_space() {
            return Equations::of_space(space);
        }
        let inputs = system.tensors.iter().filter(|tensor| tensor.role == Role::Input);
        let declared = |name: &Name| system.tensors.iter().any(|tensor| tensor.name == *name);
        let outputs = system.spaces.iter().map(|space| space.output.clone());
        Equations {
            spaces: system.spaces.clone(),
            inputs: inputs.map(|tensor| tensor.name.clone()).collect(),
            known: system.known.iter().map(|known| known.tensor.clone()).collect(),
            inner: outputs.filter(|output| !declared(output)).collect(),
        }
    }

    /// The space of the reduction that `operand` stands for, if it stands for one.
    pub fn inner(&self, operand: &Operand) -> Option<&Space> {
        let named = self.inner.contains(&operand.tensor);
        self.spaces.iter().find(|space| named && space.output == operand.tensor)
    }

    /// Whether a space is the whole of an equation, not a reduction inside one.
    pub fn is_whole(&self, space: &Space) -> bool {
        !self.inner.contains(&space.output)
    }
}
