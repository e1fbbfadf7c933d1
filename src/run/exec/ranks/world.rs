//! All ranks together: how many there are, long messages between two of them, and ending together.

use super::super::host;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Root, Source};
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, counted};

/// A message has so many 64-bit entries at most, so that their number fits what MPI counts with.
const LONGEST: usize = 1 << 20;

/// Some rank could not go on. Rank 0 has the messages; they have been said, or are to be said, there alone.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// The messages, on rank 0. Those of another rank come without the lines of source that they point at.
    pub diagnostics: Diagnostics,
    /// Whether the command line is what is wrong, on every rank.
    pub is_usage: bool,
}

/// The ranks of a run, from its start to its end.
pub struct World {
    /// For everything but packets.
    talk: SimpleCommunicator,
    /// For packets alone, so that nothing else is taken for one.
    packets: SimpleCommunicator,
    /// For the tiles of packets.
    tiles: SimpleCommunicator,
    /// MPI ends when this is dropped, so it is dropped last.
    _universe: Universe,
}

/// MPI waits for all ranks before it ends, and the others wait for this one: where it has panicked, which has been said, all are ended.
impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.talk.abort(1);
        }
    }
}

impl World {
    /// Joins the other ranks.
    ///
    /// # Errors
    /// Where MPI does not start.
    pub fn start() -> Checked<World> {
        let Some(universe) = mpi::initialize() else {
            return Diagnostic::new("MPI does not start, or was started before in this process").alone();
        };
        let talk = universe.world().duplicate();
        let packets = universe.world().duplicate();
        let tiles = universe.world().duplicate();
        Ok(World { talk, packets, tiles, _universe: universe })
    }

    /// Refuses a world that is not the one that was meant.
    ///
    /// # Errors
    /// Another number of ranks than `expected`; processes that were started together, but each of which is alone, since
    /// their launcher is of another MPI than this program.
    pub fn check(&self, expected: Option<usize>) -> Result<(), Stopped> {
        self.check_alone()?;
        match expected.filter(|expected| *expected != self.size()) {
            Some(expected) => Err(told(self.is_first(), self.wrong_count(expected))),
            None => Ok(()),
        }
    }

    /// Waits for all ranks. The launcher ends the others once one has ended with an error, so nobody ends before rank 0 has
    /// said and written everything.
    pub fn wait_for_all(&self) {
        self.talk.barrier();
    }

    /// Refuses a world of one rank where a launcher started several processes.
    fn check_alone(&self) -> Result<(), Stopped> {
        match host::started_together() {
            Some((count, Some(rank))) if count > 1 && self.size() == 1 => {
                let message =
                    format!("{count} processes were started together, but MPI shows each of them itself alone");
                let library = mpi::environment::library_version().unwrap_or_default();
                let library = library.lines().next().unwrap_or_default().trim_end_matches('\0').to_owned();
                let fault = Diagnostic::new(message).note(format!("this program uses {library}"));
                Err(told(rank == 0, fault.help("start it with the `mpirun` of that MPI")))
            }
            _ => Ok(()),
        }
    }

    fn wrong_count(&self, expected: usize) -> Diagnostic {
        let [wanted, there] = [expected, self.size()].map(|count| counted(count, "rank"));
        Diagnostic::usage(format!("{wanted} wanted, but MPI has {there}"))
            .help(format!("write `mpirun -n {expected} systole exec ..`, or leave out `--ranks`"))
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> usize {
        usize::try_from(self.talk.rank()).unwrap_or(0)
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        usize::try_from(self.talk.size()).unwrap_or(1)
    }

    /// Whether this is rank 0, which reads, writes and speaks.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// The communicator of packets.
    pub(super) fn packets(&self) -> &SimpleCommunicator {
        &self.packets
    }

    /// The communicator of the tiles of packets.
    pub(super) fn tiles(&self) -> &SimpleCommunicator {
        &self.tiles
    }

    /// Goes on where all ranks can; all ranks call it at the same place.
    ///
    /// # Errors
    /// Where some rank cannot: the message of the first of them, on rank 0.
    pub fn settle<T>(&self, mine: Checked<T>) -> Result<T, Stopped> {
        let mut all = vec![0u8; self.size()];
        self.talk.all_gather_into(&failure(&mine), &mut all[..]);
        let Some((first, failed)) = all.into_iter().enumerate().find(|(_, failed)| *failed != 0) else {
            return mine.map_err(|faults| told_all(self.is_first(), &faults));
        };
        let mut diagnostics = mine.err().filter(|_| self.rank() == first).unwrap_or_default();
        if first != 0 && self.rank() == first {
            self.send(0, &to_entries(written(&diagnostics).as_bytes()));
            diagnostics.clear();
        }
        if first != 0 && self.is_first() {
            diagnostics = read(&from_entries(&self.receive(first)));
        }
        Err(Stopped { diagnostics, is_usage: failed == MISUSED })
    }

    /// The text of rank 0, on every rank.
    pub fn share_text(&self, mine: &str) -> String {
        let mut entries = to_entries(mine.as_bytes());
        let mut length = entries.len() as u64;
        self.talk.process_at_rank(0).broadcast_into(&mut length);
        entries.resize(usize::try_from(length).unwrap_or(0), 0);
        for part in entries.chunks_mut(LONGEST) {
            self.talk.process_at_rank(0).broadcast_into(part);
        }
        from_entries(&entries)
    }

    /// The number of rank 0, on every rank.
    pub fn share_number<N: Equivalence>(&self, mut mine: N) -> N {
        self.talk.process_at_rank(0).broadcast_into(&mut mine);
        mine
    }

    /// What each rank has, on rank 0 in the order of the ranks; nothing elsewhere. All ranks call it.
    pub(super) fn gather(&self, mine: &[u64]) -> Vec<Vec<u64>> {
        if !self.is_first() {
            self.send(0, mine);
            return vec![];
        }
        std::iter::once(mine.to_vec()).chain((1..self.size()).map(|rank| self.receive(rank))).collect()
    }

    /// The sums over all ranks, entry by entry, on every rank; all ranks call it with as many entries.
    pub(super) fn add_up(&self, mine: &[u64]) -> Vec<u64> {
        let mut sums = vec![0; mine.len()];
        for (part, sums) in mine.chunks(LONGEST).zip(sums.chunks_mut(LONGEST)) {
            self.talk.all_reduce_into(part, sums, SystemOperation::sum());
        }
        sums
    }

    /// How many ranks, at least 1, share this rank's machine; all ranks call it.
    pub fn neighbours(&self) -> u64 {
        u64::try_from(self.talk.split_shared(self.talk.rank()).size()).unwrap_or(1).max(1)
    }

    /// Sends any number of entries to a rank, which must receive them.
    pub(super) fn send(&self, to: usize, entries: &[u64]) {
        let to = self.talk.process_at_rank(number(to));
        to.send(&(entries.len() as u64));
        entries.chunks(LONGEST).for_each(|part| to.send(part));
    }

    /// What another rank sent.
    pub(super) fn receive(&self, from: usize) -> Vec<u64> {
        let from = self.talk.process_at_rank(number(from));
        let (length, _) = from.receive::<u64>();
        let mut entries = vec![0; usize::try_from(length).unwrap_or(0)];
        entries.chunks_mut(LONGEST).for_each(|part| _ = from.receive_into(part));
        entries
    }
}

/// A rank as MPI counts.
pub(super) fn number(rank: usize) -> i32 {
    i32::try_from(rank).unwrap_or(0)
}

fn told(speaks: bool, fault: Diagnostic) -> Stopped {
    told_all(speaks, &vec![fault])
}

fn told_all(speaks: bool, faults: &Diagnostics) -> Stopped {
    let is_usage = faults.iter().any(Diagnostic::is_usage);
    Stopped { diagnostics: if speaks { faults.clone() } else { vec![] }, is_usage }
}

/// Between messages, and between the parts of one, on the way from rank to rank: characters that no message has.
const BETWEEN: &str = "\u{1e}";
const WITHIN: &str = "\u{1f}";

/// Messages as text: of each its first line, its help or nothing, its notes.
fn written(faults: &[Diagnostic]) -> String {
    let one = |fault: &Diagnostic| {
        let head = [fault.message(), fault.help_text().unwrap_or_default()];
        let parts = head.into_iter().chain(fault.notes().iter().map(String::as_str));
        parts.collect::<Vec<_>>().join(WITHIN)
    };
    faults.iter().map(one).collect::<Vec<_>>().join(BETWEEN)
}

fn read(text: &str) -> Diagnostics {
    let one = |text: &str| {
        let mut parts = text.split(WITHIN);
        let fault = Diagnostic::new(parts.next().unwrap_or_default());
        let help = parts.next().filter(|help| !help.is_empty());
        let fault = help.into_iter().fold(fault, Diagnostic::help);
        parts.fold(fault, Diagnostic::note)
    };
    text.split(BETWEEN).map(one).collect()
}

/// What a rank tells the others where the command line is what is wrong.
const MISUSED: u8 = 2;

/// What a rank tells the others: that it can go on, that it cannot, or why not.
fn failure<T>(mine: &Checked<T>) -> u8 {
    match mine {
        Ok(_) => 0,
        Err(faults) if faults.iter().any(Diagnostic::is_usage) => MISUSED,
        Err(_) => 1,
    }
}

/// Bytes as entries, their number first.
fn to_entries(bytes: &[u8]) -> Vec<u64> {
    let part = |part: &[u8]| part.iter().rev().fold(0, |entry, byte| entry << 8 | u64::from(*byte));
    std::iter::once(bytes.len() as u64).chain(bytes.chunks(8).map(part)).collect()
}

fn from_entries(entries: &[u64]) -> String {
    let Some((length, entries)) = entries.split_first() else { return String::new() };
    let bytes = entries.iter().flat_map(|entry| entry.to_le_bytes());
    let bytes: Vec<u8> = bytes.take(usize::try_from(*length).unwrap_or(0)).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
