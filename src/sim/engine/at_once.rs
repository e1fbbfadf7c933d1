//! Transfers that pass at once, for PEs side by side with wires side by side: every word is visible, every slot free, nobody
//! waits at a far end, and no depth rises.
//!
//! In: a stretch of wires, clocks and registers. Out: all have passed, or nothing has changed, and who is in the way; for
//! those all rules are asked ([`super::transfer`]). Nearly all transfers of an array in step are of this kind. PEs a step
//! apart are as many messages apart, so rings are turned until their oldest messages stand in one row; from then on a
//! transfer is a few plain loops over numbers side by side.

use super::cable::{Cable, RECEIVER, SENDER};
use super::lanes::Lanes;
use super::ports::Stretch;
use super::wires::{Link, Wires};

/// Larger rings are not worth turning.
const MOST_TURNED: u32 = 16;

/// Clocks from here on are left to the rules that look for overflows.
const LATE: u64 = 1 << 62;

/// Whether no time is after the clock beside it, and none is late.
#[inline(always)]
fn is_time(times: &[u64], clocks: &[u64]) -> bool {
    let (mut sign, mut all) = (0, 0);
    // The difference of two numbers below 2^63 has its first bit set where it is negative.
    for (time, clock) in times.iter().zip(clocks) {
        sign |= time | clock.wrapping_sub(*time);
        all |= clock;
    }
    sign >> 63 == 0 && all < LATE
}

/// What the wires of a stretch have in common.
struct Common {
    /// The row of the first wire's next message to be sent, or to be received.
    row: usize,
    /// The others' are in the same row.
    is_one_row: bool,
    /// All hold as many messages as asked for.
    holds: bool,
}

/// Looks at wires, which should hold at least and at most so many messages each.
#[inline(always)]
fn common(cable: &Cable, part: Stretch, (least, most): (u32, u32), counts: &Lanes<u32>) -> Common {
    let first = counts[part.place].wrapping_add(cable.base[part.place]);
    let [sent, received, base, counts] =
        [&cable.sent, &cable.received, &cable.base, counts].map(|lanes| &lanes[part.place..part.place + part.length]);
    let (mut sign, mut apart) = (0, 0);
    for (((sent, received), base), count) in sent.iter().zip(received).zip(base).zip(counts) {
        let held = sent.wrapping_sub(*received);
        sign |= held.wrapping_sub(least) | most.wrapping_sub(held);
        apart |= count.wrapping_add(*base) ^ first;
    }
    Common { row: (first & cable.mask) as usize, is_one_row: apart & cable.mask == 0, holds: sign >> 31 == 0 }
}

/// Turns rings until the next messages of all wires to be received, or to be sent where the receivers are in another region,
/// stand in one row; whether they do.
#[cold]
fn align(cable: &mut Cable, times: &mut [u64], values: &mut [f64], part: Stretch) -> bool {
    if cable.size() > MOST_TURNED {
        return false;
    }
    let counts = if cable.is_outward { cable.sent } else { cable.received };
    let row = cable.row(part.place, counts[part.place]) as u32;
    for lane in part.place..part.place + part.length {
        let turn = row.wrapping_sub(cable.row(lane, counts[lane]) as u32) & cable.mask;
        if turn != 0 {
            turn_ring(cable, times, values, (lane, turn));
        }
    }
    true
}

fn turn_ring(cable: &mut Cable, times: &mut [u64], values: &mut [f64], (lane, turn): (usize, u32)) {
    let slots = (0..cable.size()).map(|row| cable.slot(row as usize, lane));
    let kept: Vec<(u64, f64)> = slots.map(|slot| (times[slot], values[slot])).collect();
    for (row, (time, value)) in (turn..).zip(kept) {
        let slot = cable.slot((row & cable.mask) as usize, lane);
        (times[slot], values[slot]) = (time, value);
    }
    cable.base[lane] = cable.base[lane].wrapping_add(turn);
}

/// Lets all of a stretch receive at once; their words are then in the register. Otherwise the first that cannot, counted from
/// the first of the stretch.
#[inline]
pub(super) fn receive(
    wires: &mut Wires,
    part: Stretch,
    (link, depth): (Link, u32),
    (clock, register): (&Lanes<u64>, &mut Lanes<f64>),
) -> Result<(), usize> {
    let (cable, times, values) = wires.cable(part.cable);
    let clocks = &clock[part.lane..part.lane + part.length];
    let waits = cable.waiting[SENDER] & part.places() != 0;
    let Common { row, is_one_row, holds } = common(cable, part, (1, depth), &cable.received);
    let is_aligned = holds && (is_one_row || align(cable, times, values, part));
    let slots = cable.slots_of(row, part);
    if waits || !is_aligned || link.response >= LATE || !is_time(&times[slots.clone()], clocks) {
        return Err(obstacle(cable, times, part, (SENDER, [1, depth]), clocks));
    }
    times[slots.clone()].iter_mut().zip(clocks).for_each(|(time, clock)| *time = clock.wrapping_add(link.response));
    register[part.lane..part.lane + part.length].copy_from_slice(&values[slots]);
    count(&mut cable.received, part);
    Ok(())
}

/// Lets all of a stretch send at once; otherwise the first that cannot, counted from the first of the stretch.
#[inline]
pub(super) fn send(
    wires: &mut Wires,
    part: Stretch,
    (link, depth): (Link, u32),
    (clock, register): (&Lanes<u64>, &Lanes<f64>),
) -> Result<(), usize> {
    let (cable, times, values) = wires.cable(part.cable);
    let clocks = &clock[part.lane..part.lane + part.length];
    let waits = cable.waiting[RECEIVER] & part.places() != 0;
    let Common { row, is_one_row, holds } = common(cable, part, (0, cable.mask), &cable.sent);
    let is_aligned = holds && (is_one_row || cable.is_outward && align(cable, times, values, part));
    let slots = cable.slots_of(row, part);
    // Where fewer than the depth are held, the last message that would make one more must be gone.
    let last = cable.slots_of(row.wrapping_sub(depth as usize) & cable.mask as usize, part);
    let is_deep = || depth > cable.mask || common(cable, part, (depth, cable.mask), &cable.sent).holds;
    if waits || !is_aligned || link.latency >= LATE || !is_time(&times[slots.clone()], clocks) {
        return Err(obstacle(cable, times, part, (RECEIVER, [0, cable.mask]), clocks));
    }
    if !is_deep() && !is_time(&times[last], clocks) {
        return Err(0);
    }
    times[slots.clone()].iter_mut().zip(clocks).for_each(|(time, clock)| *time = clock.wrapping_add(link.latency));
    values[slots].copy_from_slice(&register[part.lane..part.lane + part.length]);
    count(&mut cable.sent, part);
    Ok(())
}

/// One message more on every wire.
#[inline(always)]
fn count(counts: &mut Lanes<u32>, part: Stretch) {
    counts[part.place..part.place + part.length].iter_mut().for_each(|count| *count = count.wrapping_add(1));
}

/// The first of a stretch, counted from its first, that is not like the first or cannot pass: somebody waits at the far end, it
/// holds too few or too many messages, or the time in its slot is not over.
#[cold]
fn obstacle(
    cable: &Cable,
    times: &[u64],
    part: Stretch,
    (far, [least, most]): (usize, [u32; 2]),
    clocks: &[u64],
) -> usize {
    let counts = if far == SENDER { &cable.received } else { &cable.sent };
    let row = cable.row(part.place, counts[part.place]);
    let passes = |nth: usize| {
        let place = part.place + nth;
        let held = cable.sent[place].wrapping_sub(cable.received[place]);
        cable.waiting[far] >> place & 1 == 0
            && (least..=most).contains(&held)
            && cable.row(place, counts[place]) == row
            && times[cable.slot(row, place)] <= clocks[nth]
    };
    (0..part.length).find(|nth| !passes(*nth)).unwrap_or(0)
}
