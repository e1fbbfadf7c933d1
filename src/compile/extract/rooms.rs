//! Rooms for a machine whose PEs have few words for what they keep.
//!
//! In: a design in which each element that is kept has a word of its own. Out: for each tensor the fewest words along each
//! dimension, the outermost first, with which no word is kept over too early, as the solver proves for all sizes. What a schedule
//! says of a dimension stays.

use crate::mapping::{Design, Rooms};
use crate::rewrite::Transport;
use crate::smt::{Verdict, settle};
use crate::timing::room_obligations;
use std::time::Duration;
use systole_base::diagnostic::Checked;
use systole_base::integer::Name;
use systole_base::network::Links;
use systole_equations::recurrence::Tensor;

/// More words along a dimension are not tried.
const MOST_WORDS: i64 = 8;

/// The rooms, each proved within so much time.
///
/// # Errors
/// As for [`Design::handoffs`].
pub fn least_rooms(design: &Design, links: &Links, limit: Duration) -> Checked<Rooms> {
    let mut least = design.clone();
    for tensor in design.system.tensors.iter().filter(|tensor| is_kept(design, &tensor.name)) {
        fold(&mut least, tensor, links, limit)?;
    }
    Ok(least.rooms)
}

/// Whether PEs keep a tensor, or partial results of it.
fn is_kept(design: &Design, tensor: &Name) -> bool {
    let mut parts = design.system.spaces.iter().zip(&design.parts);
    design.reads_by(&Transport::Local, tensor)
        || parts.any(|(space, part)| space.output == *tensor && part.dataflow.chain.is_kept)
}

/// Gives a tensor the fewest words that are proved to be enough, one dimension after the other.
fn fold(design: &mut Design, tensor: &Tensor, links: &Links, limit: Duration) -> Checked<()> {
    let mut words = design.rooms.of(&tensor.name).map_or_else(|| vec![None; tensor.shape.len()], <[_]>::to_vec);
    for dimension in 0..words.len() {
        if words[dimension].is_some() {
            continue;
        }
        for fewer in 1..=MOST_WORDS {
            words[dimension] = Some(fewer);
            design.rooms.set(&tensor.name, words.clone());
            if is_enough(design, &tensor.name, links, limit)? {
                break;
            }
            words[dimension] = None;
        }
        design.rooms.set(&tensor.name, words.clone());
    }
    Ok(())
}

/// Whether the room of a tensor is proved.
fn is_enough(design: &Design, tensor: &Name, links: &Links, limit: Duration) -> Checked<bool> {
    let owed = room_obligations(design, links)?;
    let mut owed = owed.iter().filter(|obligation| obligation.of == *tensor);
    Ok(owed.all(|obligation| settle(obligation, limit) == Verdict::Proved))
}
