//! What must hold of a run without clocks, whose PEs are dealt out to workers.
//!
//! In: a design, the depth of its channels where it is not the one that is needed, a dealing, and a layout where there is one. Out: the
//! obligations beside those of the design itself: nobody waits for ever, each element is computed once, each PE has one worker and each
//! word one home.

use crate::diagnostic::Checked;
use crate::driver::kernels::kernel::Kernel;
use crate::driver::pipeline::Searched;
use crate::exec::{Dealing, owner_obligations};
use crate::integer::{Name, name};
use crate::timing::{Obligation, element_obligations};

/// The obligations of a run; and the tensors of which it cannot be stated that each element is computed once.
///
/// # Errors
/// A design whose program has no such obligations.
pub fn run_obligations<K: Kernel>(
    searched: &Searched<K>,
    design: &K::Design<'_>,
    depth: Option<u64>,
    (dealing, layout): (Dealing, Option<Dealing>),
) -> Checked<(Vec<Obligation>, Vec<Name>)> {
    let mut obligations = K::no_deadlock(searched, design, depth)?;
    let (once, gaps) = element_obligations(&searched.kernel.origin().system);
    obligations.extend(once);
    obligations.extend(tile_obligations(searched.kernel));
    obligations.extend(owner_obligations(dealing, layout));
    Ok((obligations, gaps))
}

/// That each tile is computed once, where tiles are what is computed.
fn tile_obligations<K: Kernel>(kernel: &K) -> Vec<Obligation> {
    if kernel.origin().tiled().is_none() {
        return vec![];
    }
    let (once, _) = element_obligations(kernel.system());
    let of_tiles = |one: Obligation| Obligation { of: name(&format!("{} tiles", one.of)), ..one };
    once.into_iter().map(of_tiles).collect()
}
