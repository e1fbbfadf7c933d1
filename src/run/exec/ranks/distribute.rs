//! Inputs on their way from their sources, at rank 0, to the ranks that read them.
//!
//! Every rank asks for its words piece by piece; rank 0 reads a piece, sends it and forgets it, so it holds one at a time
//! beside what its own PEs read. A source that fails is told after all have got their pieces, with numbers that nobody will use.

use super::super::sharing::needs::Needs;
use super::contents::Contents;
use super::local_words::{LocalWords, pieces};
use super::share::Share;
use super::world::World;
use std::ops::Range;
use systole_base::diagnostic::{Checked, Diagnostics};
use systole_program::array::Layout;
use systole_program::array::elements::{PART, Sources};

/// Fills the inputs of all ranks; all ranks call it, with sources on rank 0.
///
/// # Errors
/// On rank 0: those of the sources.
pub fn distribute<W: Contents>(
    world: &World,
    needs: &Needs,
    share: &mut Share<'_, W>,
    sources: Option<&mut Sources<'_>>,
) -> Checked<()> {
    let layouts = &share.plan.code.arrays;
    let mut shelf = sources.map(|sources| Shelf { sources, fault: None });
    if let Some(shelf) = &mut shelf {
        (1..world.size()).for_each(|rank| layouts.iter().for_each(|layout| serve(world, rank, layout, shelf)));
    }
    for ((layout, runs), part) in layouts.iter().zip(&needs.read).zip(&mut share.inputs) {
        match &mut shelf {
            Some(shelf) => take(layout, runs, part, |piece| shelf.read(layout, piece)),
            None => {
                take(layout, runs, part, |piece| ask(world, piece));
                world.send(0, &[]);
            }
        }
    }
    shelf.and_then(|shelf| shelf.fault).map_or(Ok(()), Err)
}

/// The sources, and the first thing that went wrong with one.
struct Shelf<'s, 'a> {
    sources: &'s mut Sources<'a>,
    fault: Option<Diagnostics>,
}

impl Shelf<'_, '_> {
    /// The bits of the elements of these words.
    fn read(&mut self, layout: &Layout, words: &[Range<usize>]) -> Vec<u64> {
        let runs = layout.element_runs(words);
        let size = runs.iter().map(Range::len).sum();
        let mut values = Vec::with_capacity(size);
        if let (None, Some(source)) = (&self.fault, self.sources.get_mut(&layout.name)) {
            self.fault = source.read(&runs, &mut values).err();
        }
        values.resize(size, f64::NAN);
        values.into_iter().map(f64::to_bits).collect()
    }
}

/// Brings words in, piece by piece.
fn take<W: Contents>(
    layout: &Layout,
    runs: &[Range<usize>],
    part: &mut LocalWords<W>,
    mut elements: impl FnMut(&[Range<usize>]) -> Vec<u64>,
) {
    for piece in pieces(layout, runs, PART) {
        part.extend(layout, &piece, &elements(&piece));
    }
}

/// Answers a rank until it asks for no more of an array.
fn serve(world: &World, rank: usize, layout: &Layout, shelf: &mut Shelf<'_, '_>) {
    loop {
        let piece = of_entries(&world.receive(rank));
        if piece.is_empty() {
            return;
        }
        world.send(rank, &shelf.read(layout, &piece));
    }
}

/// Asks rank 0 for the elements of these words.
fn ask(world: &World, piece: &[Range<usize>]) -> Vec<u64> {
    world.send(0, &to_entries(piece));
    world.receive(0)
}

/// Runs as ranks send them.
pub fn to_entries(runs: &[Range<usize>]) -> Vec<u64> {
    runs.iter().flat_map(|run| [run.start as u64, run.end as u64]).collect()
}

/// The runs that another rank sent.
pub fn of_entries(entries: &[u64]) -> Vec<Range<usize>> {
    entries.chunks_exact(2).map(|pair| pair[0] as usize..pair[1] as usize).collect()
}
