//! What is looked after between sweeps: how many instructions a run may take, the room of its tiles, and the profile of
//! cycles in which PEs are busy.

use super::Stop;
use super::block::Block;
use super::profile::{Fullest, MANY_PAGES, Profile};
use super::region::{Region, Shared};
use super::tiles::Tiles;
use std::ops::DerefMut;

/// The books of a run.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub fullest: Fullest,
    pub most_instructions: u64,
}

impl Ledger {
    /// Whether a region has reason to have the books looked after, before others have one.
    pub fn is_due(shared: &Shared<'_>, region: &Region) -> bool {
        let is_crowded = shared.tiles.as_ref().is_some_and(Tiles::is_crowded);
        region.around.profile.pages() > MANY_PAGES || is_crowded || shared.token.is_cancelled()
    }

    /// Between sweeps: whether the run is to end, the budget, and the room that the tiles and the profile take.
    pub fn check(&mut self, shared: &Shared<'_>, regions: &mut [impl DerefMut<Target = Region>]) -> Result<(), Stop> {
        if shared.token.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let instructions: u64 = regions.iter().map(|region| region.around.tally.instructions).sum();
        if instructions > self.most_instructions {
            return Err(Stop::Budget(self.most_instructions));
        }
        if let Some(tiles) = shared.tiles.as_ref().filter(|tiles| tiles.is_crowded()) {
            tiles.keep(regions.iter().flat_map(|region| region.words())).map_err(Stop::Memory)?;
        }
        if regions.iter().any(|region| region.around.profile.pages() > MANY_PAGES) {
            let earliest = regions.iter().flat_map(|region| &region.blocks).filter_map(Block::earliest).min();
            self.fold(regions, earliest);
        }
        Ok(())
    }

    /// Closes the books on the cycles before `watermark`, or on all.
    pub fn fold(&mut self, regions: &mut [impl DerefMut<Target = Region>], watermark: Option<u64>) {
        for region in regions.iter_mut() {
            let Region { blocks, around, .. } = &mut **region;
            blocks.iter_mut().for_each(|block| block.close_spans(&mut around.profile));
        }
        let mut profiles: Vec<&mut Profile> = regions.iter_mut().map(|region| &mut region.around.profile).collect();
        self.fullest.fold(&mut profiles, watermark);
    }
}
