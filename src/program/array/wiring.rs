//! Which PEs the channels and buses of a program join, for given sizes.
//!
//! In: a program and its code. Out: one [`Wire`] for each pair of PEs that a channel joins, and for each PE the wire at
//! each of its ports and the bus line at each of its taps. A port whose far end does not exist, or whose class there does
//! not use the channel, leads [`NOWHERE`]; using it is an error of the program.

use super::code::{Code, Port};
use super::index::floor_division;
use super::{Bus, Joins, Program};
use std::collections::BTreeMap;

/// The wire of a port without a far end.
pub const NOWHERE: usize = usize::MAX;

/// One instance of a channel. PEs are positions in [`Code::pes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The channel's position in the program.
    pub channel: usize,
    /// Who sends.
    pub sender: usize,
    /// Who receives.
    pub receiver: usize,
}

/// The joints of all PEs.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// All instances of channels, those of one channel side by side, in the order of their senders.
    pub wires: Vec<Wire>,
    /// The bus of each line of PEs that some tap lies on.
    pub lines: Vec<usize>,
    ports: Vec<usize>,
    first_port: Vec<usize>,
    taps: Vec<usize>,
    first_tap: Vec<usize>,
}

impl Wiring {
    /// Joins the PEs of `code`, which is `program` compiled.
    pub fn of(program: &Program, code: &Code) -> Wiring {
        let (ports, first_port) = blank(code, |class| code.classes[class].ports.len());
        let (taps, first_tap) = blank(code, |class| code.classes[class].taps.len());
        let mut wiring = Wiring { wires: vec![], lines: vec![], ports, first_port, taps, first_tap };
        wiring.join_channels(program, code);
        wiring.join_buses(program, code);
        wiring
    }

    /// The wire at each port of a PE, in the order of its class.
    pub fn ports(&self, pe: usize) -> &[usize] {
        &self.ports[self.first_port[pe]..self.first_port[pe + 1]]
    }

    /// The bus line at each tap of a PE, in the order of its class.
    pub fn taps(&self, pe: usize) -> &[usize] {
        &self.taps[self.first_tap[pe]..self.first_tap[pe + 1]]
    }

    fn join_channels(&mut self, program: &Program, code: &Code) {
        let mut at_position = vec![NOWHERE; code.grid.volume()];
        code.pes.iter().enumerate().for_each(|(pe, placed)| at_position[placed.position] = pe);
        for (channel, declared) in program.channels.iter().enumerate() {
            let [sending, receiving] = [true, false].map(|sends| find_ports(code, Port { channel, sends }));
            for (sender, placed) in code.pes.iter().enumerate() {
                let Some(port) = sending[placed.class] else { continue };
                let Some(receiver) = far_end(code, &at_position, placed.position, &declared.offset) else { continue };
                if let Some(far) = receiving[code.pes[receiver].class] {
                    self.ports[self.first_port[sender] + port] = self.wires.len();
                    self.ports[self.first_port[receiver] + far] = self.wires.len();
                    self.wires.push(Wire { channel, sender, receiver });
                }
            }
        }
    }

    fn join_buses(&mut self, program: &Program, code: &Code) {
        let mut known: BTreeMap<(usize, Vec<i64>), usize> = BTreeMap::new();
        for (pe, placed) in code.pes.iter().enumerate() {
            for (tap, bus) in code.classes[placed.class].taps.iter().enumerate() {
                let key = line_key(&program.buses[*bus], code.grid.point(placed.position));
                let lines = &mut self.lines;
                let line = *known.entry((*bus, key)).or_insert_with(|| {
                    lines.push(*bus);
                    lines.len() - 1
                });
                self.taps[self.first_tap[pe] + tap] = line;
            }
        }
    }
}

/// Room for a number of entries of each PE, and where each PE's entries begin.
fn blank(code: &Code, count: impl Fn(usize) -> usize) -> (Vec<usize>, Vec<usize>) {
    let mut first = vec![0];
    let mut total = 0;
    for pe in &code.pes {
        total += count(pe.class);
        first.push(total);
    }
    (vec![NOWHERE; total], first)
}

fn far_end(code: &Code, at_position: &[usize], position: usize, offset: &[i64]) -> Option<usize> {
    let pe = at_position[code.grid.position_at(position, offset)?];
    (pe != NOWHERE).then_some(pe)
}

/// For each class its port of this kind.
fn find_ports(code: &Code, wanted: Port) -> Vec<Option<usize>> {
    code.classes.iter().map(|class| class.ports.iter().position(|port| *port == wanted)).collect()
}

/// The point of a line that stands for all of it: `p - floor(p_a / d_a) * d`, `a` the first non-zero entry of `d`. None stands for all
/// PEs where these are joined.
fn line_key(bus: &Bus, point: Vec<i64>) -> Vec<i64> {
    let Joins::Line(direction) = &bus.joins else { return vec![] };
    let leading = direction.iter().zip(&point).find(|(entry, _)| **entry != 0);
    let Some((step, entry)) = leading else { return point };
    // The key is the same for the direction and its opposite, so the divisor may be made positive.
    let rounds = floor_division(*entry, step.saturating_abs()).unwrap_or(0).saturating_mul(step.signum());
    let shift = |direction: &i64| rounds.saturating_mul(*direction);
    point.iter().zip(direction).map(|(entry, direction)| entry.saturating_sub(shift(direction))).collect()
}
