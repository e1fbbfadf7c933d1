//! The design that a schedule with place and time describes, right or wrong.
//!
//! In: a schedule that fixes the map, and the choices that it leaves. Out: the design nearest to a right one: what moves is in
//! time where that is possible, and on channels that do not grow with the sizes, so that what is refuted is the schedule's.

use crate::driver::flags::setting::Setting;
use crate::driver::kernels::kernel::Kernel;
use systole_base::diagnostic::Checked;
use systole_base::integer::Vector;
use systole_compile::mapping::{Design, MappedSpace, SpaceDesign, SpaceTimeMap, is_in_time};
use systole_compile::rewrite::{Dataflow, Transport};
use systole_equations::recurrence::{Chain, Space};

/// The design; `None` where place or time is open, or there are several spaces.
///
/// # Errors
/// Transports that the rules do not offer.
pub fn design<'a>(kernel: &'a Kernel, setting: &Setting) -> Checked<Option<Design<'a>>> {
    let constraint = &setting.constraint;
    let fixed = (kernel.cut.only_space(), constraint.only_place(), constraint.only_step());
    let (Some(space), Some(place), Some(step)) = fixed else { return Ok(None) };
    let choices = constraint.restrict(&kernel.cut, &setting.choices)?;
    let Some(choices) = choices.first() else { return Ok(None) };
    let map = SpaceTimeMap { place: place.clone(), step: step.clone() };
    let under = Under { space, map: &map, response: setting.machine.links.response };
    let chain = choices.chains.iter().min_by_key(|chain| under.faults_of_chain(chain)).cloned();
    let nearest = |offered: &Vec<Transport>| offered.iter().min_by_key(|choice| under.faults_of(choice)).cloned();
    let transports = choices.transports.iter().map(nearest).collect();
    let (Some(transports), Some(chain)) = (transports, chain) else { return Ok(None) };
    let part = SpaceDesign::unshifted(map, Dataflow { transports, chain });
    let (boundary_io, rooms) = (constraint.boundary_io, constraint.rooms.clone());
    Ok(Some(Design { boundary_io, rooms, ..Design::new(&kernel.cut, vec![part]) }))
}

/// A map, under which single choices are judged.
struct Under<'a> {
    space: &'a Space,
    map: &'a SpaceTimeMap,
    response: i64,
}

impl Under<'_> {
    /// What is wrong with an order of the reduction: a channel that grows, and how many levels are late.
    fn faults_of_chain(&self, chain: &Chain) -> (bool, usize) {
        (!self.is_bounded(&Transport::Feed, chain), self.late(&chain.directions))
    }

    /// What is wrong with a transport: how many streams are late, a channel that grows, and that nothing streams.
    fn faults_of(&self, choice: &Transport) -> (usize, bool, bool) {
        let unreduced = Chain::along(vec![]);
        (self.late(choice.streams()), !self.is_bounded(choice, &unreduced), choice.streams().is_empty())
    }

    fn late(&self, directions: &[Vector]) -> usize {
        directions.iter().filter(|along| !is_in_time(&self.map.delay(along), 1)).count()
    }

    /// Whether all channels have one depth for all sizes.
    fn is_bounded(&self, transport: &Transport, chain: &Chain) -> bool {
        let dataflow = Dataflow { transports: vec![transport.clone()], chain: chain.clone() };
        let alone = MappedSpace { space: self.space, dataflow, map: self.map.clone(), boundary_io: false };
        alone.flows().is_some_and(|flows| flows.iter().all(|flow| flow.depth(self.response).is_some()))
    }
}
