//! A system of spaces as text, as `systole check` prints it.

use super::{Origin, Source, SpaceSystem};
use crate::recurrence::{Operand, Space};
use std::fmt;
use systole_base::integer::{Affine, Polyhedron};

impl fmt::Display for SpaceSystem {
    /// One line a space, and below it one line for each set on which an operand has one source.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, space) in self.spaces.iter().enumerate() {
            let domain = set(&space.domain.set);
            let role = space.reduction.map_or("pointwise".to_owned(), |operator| operator.keyword().to_owned());
            writeln!(f, "space {} ({}): {role} over {domain}", space.name, space.indices().join(", "))?;
            for (operand, sources) in space.operands.iter().zip(&self.sources[position]) {
                sources.iter().try_for_each(|source| writeln!(f, "  {}", self.source(space, operand, source)))?;
            }
        }
        Ok(())
    }
}

impl SpaceSystem {
    fn source(&self, space: &Space, operand: &Operand, source: &Source) -> String {
        let element = format!("{}[{}]", operand.tensor, list(&operand.access));
        let whole = source.set == space.domain.set;
        let mut extra = source.set.constraints().iter().filter(|form| !space.domain.set.constraints().contains(form));
        let open: Vec<String> = extra.by_ref().map(|form| format!("{form} >= 0")).collect();
        let places = if whole || open.is_empty() { String::new() } else { format!(" where {}", open.join(", ")) };
        match &source.origin {
            Origin::Space { space, .. } => format!("{element} from {}{places}", self.spaces[*space].name),
            Origin::Known(_) => format!("{element} is known{places}"),
        }
    }
}

fn list(forms: &[Affine]) -> String {
    forms.iter().map(Affine::to_string).collect::<Vec<String>>().join(", ")
}

fn set(set: &Polyhedron) -> String {
    let forms: Vec<String> = set.constraints().iter().map(|form| format!("{form} >= 0")).collect();
    forms.join(", ")
}
