//! What the PEs, wires and lines of a run are called.

use systole_base::integer::Name;
use systole_program::array::{Code, Layout, Program, Wiring, show_point};

/// A PE's coordinates and class.
#[derive(Clone, Debug)]
pub(super) struct PeName {
    pub point: Vec<i64>,
    pub class: Name,
}

/// The channel of a wire and the PEs at its ends.
#[derive(Clone, Debug)]
pub(super) struct WireName {
    pub channel: Name,
    pub sender: usize,
    pub receiver: usize,
}

/// The bus of a line and the first PE on it.
#[derive(Clone, Debug)]
pub(super) struct LineName {
    pub bus: Name,
    pub first: usize,
}

/// All names of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub pes: Vec<PeName>,
    pub wires: Vec<WireName>,
    pub lines: Vec<LineName>,
    pub arrays: Vec<Layout>,
}

impl Plan {
    /// The names in `program`, of which `code` and `wiring` were made.
    pub fn of(program: &Program, code: &Code, wiring: &Wiring) -> Plan {
        let pes = code.pes.iter().map(|placed| PeName {
            point: code.grid.point(placed.position),
            class: code.classes[placed.class].name.clone(),
        });
        let wires = wiring.wires.iter().map(|wire| WireName {
            channel: program.channels[wire.channel].name.clone(),
            sender: wire.sender,
            receiver: wire.receiver,
        });
        let mut lines: Vec<LineName> =
            wiring.lines.iter().map(|bus| LineName { bus: program.buses[*bus].name.clone(), first: 0 }).collect();
        for pe in (0..code.pes.len()).rev() {
            wiring.taps(pe).iter().for_each(|line| lines[*line].first = pe);
        }
        Plan { pes: pes.collect(), wires: wires.collect(), lines, arrays: code.arrays.clone() }
    }

    /// The coordinates of a PE: `(1, 2)`.
    pub fn point(&self, pe: usize) -> String {
        show_point(&self.pes[pe].point)
    }

    /// A wire: `A_east (1, 0) to (1, 1)`.
    pub fn wire(&self, wire: usize) -> String {
        let WireName { channel, sender, receiver } = &self.wires[wire];
        format!("{channel} {} to {}", self.point(*sender), self.point(*receiver))
    }

    /// A line: `B_column from (0, 1)`.
    pub fn line(&self, line: usize) -> String {
        let LineName { bus, first } = &self.lines[line];
        format!("{bus} from {}", self.point(*first))
    }
}
