//! What must hold of a run without clocks, whose PEs are distributed to workers.
//!
//! In: a design, the depth of its channels where it is not the one that is needed, and how PEs and arrays are distributed, which a schedule
//! or flags say. Out: the obligations beside those of the design itself: nobody waits for ever, each element is computed once, each PE
//! has one worker and each word one home; and a program that says it. In which order tiles are computed is said as well, and needs no proof.

use crate::driver::kernels::kernel::Kernel;
use crate::driver::kernels::searched::{Claims, Searched};
use std::time::Duration;
use systole_base::cancel::Token;
use systole_base::diagnostic::Checked;
use systole_base::integer::{Name, name};
use systole_compile::mapping::Design;
use systole_compile::smt;
use systole_compile::smt::{Discharged, Verdict};
use systole_compile::timing::element_obligations;
use systole_equations::recurrence::{Directive, Distribution, LeafOrder, RecurrenceSystem, Role, Schedule, Tensor};
use systole_program::array::{Program, store_obligations, unstated_stores};
use systole_program::obligation::Obligation;
use systole_run::exec::owner_obligations;

/// How PEs and the words of arrays are distributed, and in which order workers compute tiles.
#[derive(Clone, Debug, Default)]
pub struct Distributions {
    /// PEs; in blocks where nothing is said.
    fold: Option<Distribution>,
    /// The words of arrays; each is with who loads or stores it where nothing is said.
    layouts: Vec<(Name, Distribution)>,
    /// Tiles.
    order: Option<LeafOrder>,
}

impl Distributions {
    /// What a schedule says.
    pub fn of(schedule: &Schedule) -> Distributions {
        let mut distributions = Distributions::default();
        for (directive, _) in &schedule.directives {
            match directive {
                Directive::Fold(distribution) => distributions.fold = Some(*distribution),
                Directive::Layout(tensor, distribution) => distributions.layouts.push((tensor.clone(), *distribution)),
                Directive::Order(order) => distributions.order = Some(*order),
                _ => {}
            }
        }
        distributions
    }

    /// What flags say, and else this; a flag for a layout is for all arrays.
    pub fn unless(
        &self,
        fold: Option<Distribution>,
        layout: Option<Distribution>,
        system: &RecurrenceSystem,
    ) -> Distributions {
        let arrays = system.tensors.iter().filter(|tensor| tensor.role != Role::Local);
        let laid_out = |layout| arrays.map(|tensor| (tensor.name.clone(), layout)).collect();
        let layouts = layout.map_or_else(|| self.layouts.clone(), laid_out);
        Distributions { fold: fold.or(self.fold), layouts, order: self.order }
    }

    /// The same with another order, where one is given.
    pub fn in_order(self, order: Option<LeafOrder>) -> Distributions {
        Distributions { order: order.or(self.order), ..self }
    }

    /// Whether nothing is distributed.
    pub fn is_empty(&self) -> bool {
        self.fold.is_none() && self.layouts.is_empty()
    }

    /// Whether anything is distributed in blocks.
    pub fn has_blocks(&self) -> bool {
        self.fold.unwrap_or_default() == Distribution::Block || self.words().contains(&Distribution::Block)
    }

    /// Writes it into a program.
    pub fn write(&self, program: &mut Program) {
        program.fold = self.fold;
        program.order = self.order;
        for array in &mut program.arrays {
            let found = self.layouts.iter().find(|(tensor, _)| *tensor == array.name);
            array.layout = found.map(|(_, layout)| *layout);
        }
    }

    fn words(&self) -> Vec<Distribution> {
        self.layouts.iter().map(|(_, layout)| *layout).collect()
    }
}

/// What a design owes.
pub struct Owed {
    /// What a solver can be asked.
    pub stated: Vec<Obligation>,
    /// The tensors of which it cannot be stated that each element is computed and stored once: each run looks.
    pub gaps: Vec<Name>,
    /// What is owed as well and is not stated, with the reason.
    unstated: Vec<(Obligation, String)>,
    /// Who may end the proofs.
    token: Token,
}

impl Owed {
    /// All of it, each answered within so many milliseconds; what is not stated is unknown.
    pub fn discharge(&self, limit: u64) -> Vec<Discharged> {
        let mut proofs = smt::discharge_until(&self.stated, Duration::from_millis(limit), &self.token);
        proofs.extend(self.unstated.iter().map(|(obligation, why)| Discharged {
            obligation: obligation.clone(),
            verdict: Verdict::Unknown(why.clone()),
            milliseconds: 0.0,
        }));
        proofs
    }
}

/// The obligations of a design and of what its program stores, and where PEs or arrays are distributed those of a run.
///
/// # Errors
/// As for [`run_obligations`].
pub fn all_obligations(
    searched: &Searched,
    design: &Design,
    claims: Claims,
    distributions: &Distributions,
) -> Checked<Owed> {
    let stated = searched.obligations(design, claims)?;
    let mut owed = with_stores(stated, searched.program(design), searched.kernel.system());
    owed.token = searched.setting.end.token.clone();
    if !distributions.is_empty() {
        let (of_run, left) = run_obligations(searched, design, claims.depth, distributions)?;
        owed.stated.extend(of_run);
        owed.gaps.extend(left);
    }
    Ok(owed)
}

/// With what a program stores. Where there is none, for a design that is wrong or outside of what programs express, that is owed all the
/// same, and not stated.
fn with_stores(mut stated: Vec<Obligation>, program: Checked<Program>, system: &RecurrenceSystem) -> Owed {
    let (gaps, unstated) = match program {
        Ok(program) => {
            let (of_stores, gaps) = store_obligations(&program);
            stated.extend(of_stores);
            (gaps, vec![])
        }
        Err(why) => {
            let why =
                why.first().map_or_else(|| "no program can be written".to_owned(), |why| why.message().to_owned());
            let outputs = system.tensors_with(Role::Output);
            let of_output = |output: &Tensor| unstated_stores(&output.name).map(|one| (one, why.clone()));
            (vec![], outputs.flat_map(of_output).collect())
        }
    };
    Owed { stated, gaps, unstated, token: Token::default() }
}

/// The obligations of a run; and the tensors of which it cannot be stated that each element is computed once. What the program stores is
/// no part of it.
///
/// # Errors
/// A design whose program has no such obligations.
pub fn run_obligations(
    searched: &Searched,
    design: &Design,
    depth: Option<u64>,
    distributions: &Distributions,
) -> Checked<(Vec<Obligation>, Vec<Name>)> {
    let mut obligations = searched.no_deadlock(design, depth)?;
    let (once, gaps) = computed_once(searched.kernel);
    obligations.extend(once);
    obligations.extend(owner_obligations(distributions.fold.unwrap_or_default(), &distributions.words()));
    Ok((obligations, gaps))
}

/// That each element, and each tile, which no store speaks of is computed once: those of local tensors, and those that tiles hold.
fn computed_once(kernel: &Kernel) -> (Vec<Obligation>, Vec<Name>) {
    let (searched, given) = (kernel.system(), &kernel.origin.system);
    let is_local =
        |system: &RecurrenceSystem, of: &Name| system.tensor(of).is_some_and(|tensor| tensor.role == Role::Local);
    let (mut local, mut gaps) = element_obligations(searched);
    local.retain(|one| is_local(searched, &one.of));
    gaps.retain(|of| is_local(searched, of));
    if kernel.origin.tiled().is_none() {
        return (local, gaps);
    }
    let of_tiles = |one: Obligation| Obligation { of: name(&format!("{} tiles", one.of)), ..one };
    let (elements, gaps) = element_obligations(given);
    (elements.into_iter().chain(local.into_iter().map(of_tiles)).collect(), gaps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use systole_base::diagnostic::Diagnostic;
    use systole_base::span::Source;
    use systole_equations::recurrence;

    /// A claim that all is proved has what a program stores, or says that it has not.
    #[test]
    fn without_a_program_what_it_stores_is_unknown() {
        let text = "kernel copied(N)\nin A[N]\nout X[N], Y[N]\nX[i] = A[i]\nY[i] = A[i]\n";
        let system = recurrence::load(&Source::new("copied.rec", text)).unwrap();
        let none = Err(vec![Diagnostic::new("two points of a PE share a time")]);
        let owed = with_stores(vec![], none, &system);
        assert!(owed.stated.is_empty() && owed.gaps.is_empty());
        let proofs = owed.discharge(1000);
        let said: Vec<(&str, &str)> =
            proofs.iter().map(|proof| (proof.obligation.kind.keyword(), &*proof.obligation.of)).collect();
        assert_eq!(
            said,
            [("element-cover", "X"), ("element-apart", "X"), ("element-cover", "Y"), ("element-apart", "Y")]
        );
        for proof in &proofs {
            assert_eq!(proof.verdict, Verdict::Unknown("two points of a PE share a time".to_owned()));
            let asked = smt::discharge_all(std::slice::from_ref(&proof.obligation), Duration::from_secs(10));
            assert!(asked.iter().all(|asked| asked.verdict != Verdict::Proved), "no solver proves what is not stated");
        }
    }
}
