//! What all ranks did when, brought to rank 0: some entries for each moment, of which a rank keeps a bounded number.

use super::super::trace::{Activity, Lane, Moment};
use super::world::World;

/// How many entries a moment takes: what it is, two numbers that go with it, and its time.
const ENTRIES: usize = 5;

const TURNS: u64 = 0;

const LEAF: u64 = 1;

const WAIT: u64 = 2;

const SEND: u64 = 3;

const DELIVER: u64 = 4;

const POST: u64 = 5;

/// The lanes of all ranks, on rank 0; empty elsewhere. All ranks call it.
pub fn gather(world: &World, mine: &Lane) -> Vec<Lane> {
    world.gather(&pack(mine)).iter().filter_map(|entries| unpack(entries)).collect()
}

fn pack(lane: &Lane) -> Vec<u64> {
    let mut entries = vec![lane.left_out, lane.waited, lane.sent, lane.received];
    for Moment { activity, from, to } in &lane.moments {
        let (kind, first, second) = match *activity {
            Activity::Turns => (TURNS, 0, 0),
            Activity::Leaf { operation, pe } => (LEAF, operation, pe),
            Activity::Wait => (WAIT, 0, 0),
            Activity::Send { to, size } => (SEND, to, size),
            Activity::Deliver { size } => (DELIVER, size, 0),
            Activity::Post { receives } => (POST, receives, 0),
        };
        entries.extend([kind, first as u64, second as u64, *from, *to]);
    }
    entries
}

fn unpack(entries: &[u64]) -> Option<Lane> {
    let ([left_out, waited, sent, received], rest) = entries.split_first_chunk()?;
    let moments = rest.as_chunks::<ENTRIES>().0.iter().map(moment).collect::<Option<_>>()?;
    Some(Lane { moments, left_out: *left_out, waited: *waited, sent: *sent, received: *received })
}

fn moment(entries: &[u64; ENTRIES]) -> Option<Moment> {
    let [kind, first, second, from, to] = *entries;
    let (first, second) = (first as usize, second as usize);
    let activity = match kind {
        TURNS => Activity::Turns,
        LEAF => Activity::Leaf { operation: first, pe: second },
        WAIT => Activity::Wait,
        SEND => Activity::Send { to: first, size: second },
        DELIVER => Activity::Deliver { size: first },
        POST => Activity::Post { receives: first },
        _ => return None,
    };
    Some(Moment { activity, from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_as_it_was() {
        let activities = [
            Activity::Turns,
            Activity::Leaf { operation: 3, pe: 9 },
            Activity::Wait,
            Activity::Send { to: 1, size: 448 },
            Activity::Deliver { size: 7 },
            Activity::Post { receives: 32 },
        ];
        let moments = (0..).zip(activities).map(|(from, activity)| Moment { activity, from, to: from + 5 }).collect();
        let lane = Lane { moments, left_out: 1, waited: 2, sent: 3, received: 4 };
        assert_eq!(unpack(&pack(&lane)), Some(lane.clone()));
        assert_eq!(unpack(&[1, 2, 3, 4, 99, 0, 0, 0, 0]), None);
    }
}
