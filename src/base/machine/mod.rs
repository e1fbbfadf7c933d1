//! Machine files (`machines/*.toml`): the array a design is held against.
//!
//! In: the text of a file. Out: a [`Machine`], of which every key has a default, or all that is wrong with the text. What a
//! file can say stands in one table ([`keys`]), from which it is read, refused and documented.

mod bandwidth;

pub use bandwidth::Bandwidth;

mod buses;

pub use buses::Buses;

mod cluster;

pub use cluster::{Cluster, LIBRARIES, OTHER, TASKS, library};

mod energy;

pub use energy::Energy;

mod key;

pub use key::{Key, Slot, keys};

mod rate;

pub use rate::{Rate, Warmth};

mod reader;

mod times;

pub use times::{OperationTime, Times};

mod work;

pub use work::{Operations, Work};

mod writer;

use crate::diagnostic::{Checked, MessageCode, about};
use crate::network::Links;
use crate::span::Source;
use key::TIMES;
use std::path::Path;
use std::sync::Arc;

/// A machine. Every key of its file has a default; unknown keys are refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// What messages call it.
    pub name: String,
    /// Network and link timing.
    pub links: Links,
    /// The most PEs along each axis; `None` for an array as large as the design wants.
    pub extent: Option<Vec<u64>>,
    /// Slots of every channel, in place of the proved depth; `None` for the proved depth.
    pub capacity: Option<u64>,
    /// How many words a link takes in a cycle; `None` for as many as are sent.
    pub bandwidth: Option<Bandwidth>,
    /// Wires that bring a word to many PEs.
    pub buses: Buses,
    /// Registers of a PE; `None` for as many as a program names.
    pub registers: Option<u64>,
    /// Words of a PE's own memory; `None` for as many as a program prefetches.
    pub words: Option<u64>,
    /// How long the work of a PE takes.
    pub times: Times,
    /// What a run takes.
    pub energy: Energy,
    /// How long what programs do takes on threads or ranks of MPI.
    pub cluster: Cluster,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            name: "ideal".to_owned(),
            links: Links::default(),
            extent: None,
            capacity: None,
            bandwidth: None,
            buses: Buses::default(),
            registers: None,
            words: None,
            times: Times::default(),
            energy: Energy::default(),
            cluster: Cluster::default(),
        }
    }
}

impl Machine {
    /// Reads a machine file.
    ///
    /// # Errors
    /// Every unknown section or key with the nearest known one, and every value of the wrong type or out of range.
    pub fn parse(source: &Arc<Source>) -> Checked<Machine> {
        Machine::default().named_by(source)
    }

    /// The machine of a file that says what is other than here.
    ///
    /// # Errors
    /// As for [`Machine::parse`].
    pub fn named_by(self, source: &Arc<Source>) -> Checked<Machine> {
        Machine { name: stem(&source.name), ..self }.with(source)
    }

    /// The machine with the keys of a text like that of a machine file.
    ///
    /// # Errors
    /// As for [`Machine::parse`].
    pub fn with(mut self, source: &Arc<Source>) -> Checked<Machine> {
        about(MessageCode::MachineFile, reader::read(source, &mut self))?;
        self.links.memory = self.times.load_latency.saturating_add(1);
        Ok(self)
    }

    /// What a machine file says of these sections.
    pub fn written(&self, sections: &[&str]) -> String {
        writer::write(self, sections)
    }

    /// All keys that cycles or energy depend on, with their sections, such as `link.latency` or `operation.mul.latency`.
    pub fn keys() -> Vec<String> {
        let parts = |key: &Key| match key.slot {
            Slot::Time(_) => TIMES.map(|(part, _)| format!("{}.{}.{part}", key.section, key.name)).to_vec(),
            _ => vec![format!("{}.{}", key.section, key.name)],
        };
        let is_of_cluster = |key: &&Key| matches!(key.slot, Slot::Seconds(_) | Slot::Rate(_) | Slot::Shares(_));
        keys().iter().filter(|key| !is_of_cluster(key)).flat_map(parts).collect()
    }

    /// Whether an array with so many PEs along each axis fits, in one orientation or another.
    pub fn has_room(&self, mut sides: Vec<u64>) -> bool {
        let Some(mut room) = self.extent.clone() else { return true };
        sides.sort_unstable_by(|a, b| b.cmp(a));
        room.sort_unstable_by(|a, b| b.cmp(a));
        sides.len() <= room.len() && sides.iter().zip(&room).all(|(side, room)| side <= room)
    }
}

/// The name of a machine whose file has this path.
pub fn stem(path: &str) -> String {
    Path::new(path).file_stem().map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
