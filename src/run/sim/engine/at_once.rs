//! Transfers that pass at once: the word is visible or the slot free, nobody waits at the far end, and no depth rises.
//!
//! In: wires side by side, clocks and registers. Out: those who did not pass so, of whom nothing has changed; for them all rules
//! are asked ([`super::transfer`]). Nearly all transfers of an array in step are of this kind, and most pass together: PEs
//! a step apart are as many messages apart, so rings are turned until their oldest messages stand in one row, and from then
//! on a transfer is a few plain loops over numbers side by side. Where one of them does not pass, each is asked.

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

/// Turns rings until the next messages of this end of all wires stand in one row; whether they do. Receivers turn rings as it
/// suits them, senders only where the receivers are in another region.
#[cold]
fn align(cable: &mut Cable, times: &mut [u64], values: &mut [f64], part: Stretch, end: usize) -> bool {
    if cable.size() > MOST_TURNED {
        return false;
    }
    let row = cable.row(part.place, cable.passed(end)[part.place]) as u32;
    for lane in part.place..part.place + part.length {
        let turn = row.wrapping_sub(cable.row(lane, cable.passed(end)[lane]) as u32) & cable.mask;
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

/// Whether all of a stretch have received at once; their words are then in the register.
#[inline(always)]
fn receive_together(
    (cable, times, values): (&mut Cable, &mut [u64], &mut [f64]),
    part: Stretch,
    (link, depth): (Link, u32),
    (clocks, register): (&[u64], &mut [f64]),
) -> bool {
    let Common { row, is_one_row, holds } = common(cable, part, (1, depth), &cable.received);
    if !holds || !(is_one_row || align(cable, times, values, part, RECEIVER)) {
        return false;
    }
    let slots = cable.slots_of(row, part);
    if !is_time(&times[slots.clone()], clocks) {
        return false;
    }
    times[slots.clone()].iter_mut().zip(clocks).for_each(|(time, clock)| *time = clock.wrapping_add(link.response));
    register.copy_from_slice(&values[slots]);
    count(&mut cable.received, part);
    true
}

/// Whether all of a stretch have sent at once.
#[inline(always)]
fn send_together(
    (cable, times, values): (&mut Cable, &mut [u64], &mut [f64]),
    part: Stretch,
    (link, depth): (Link, u32),
    (clocks, register): (&[u64], &[f64]),
) -> bool {
    let Common { row, is_one_row, holds } = common(cable, part, (0, cable.mask), &cable.sent);
    if !holds || !(is_one_row || cable.is_outward && align(cable, times, values, part, SENDER)) {
        return false;
    }
    let slots = cable.slots_of(row, part);
    // Where fewer than the depth are held, the last message that would make one more must be gone.
    let last = cable.slots_of(row.wrapping_sub(depth as usize) & cable.mask as usize, part);
    let is_deep = || depth > cable.mask || common(cable, part, (depth, cable.mask), &cable.sent).holds;
    if !is_time(&times[slots.clone()], clocks) || !(is_deep() || is_time(&times[last], clocks)) {
        return false;
    }
    times[slots.clone()].iter_mut().zip(clocks).for_each(|(time, clock)| *time = clock.wrapping_add(link.latency));
    values[slots].copy_from_slice(register);
    count(&mut cable.sent, part);
    true
}

/// One message more on every wire.
#[inline(always)]
fn count(counts: &mut Lanes<u32>, part: Stretch) {
    counts[part.place..part.place + part.length].iter_mut().for_each(|count| *count = count.wrapping_add(1));
}

/// Receives the word that is there, where at most `depth` words hold a slot.
#[inline(always)]
fn receive_one(
    (cable, times, values): (&mut Cable, &mut [u64], &[f64]),
    place: usize,
    (response, depth): (u64, u32),
    clock: u64,
) -> Option<f64> {
    let received = cable.received[place];
    // No word at all becomes the largest number.
    if cable.sent[place].wrapping_sub(received).wrapping_sub(1) >= depth {
        return None;
    }
    let slot = cable.slot(cable.row(place, received), place);
    let time = times.get_mut(slot).filter(|time| **time <= clock)?;
    *time = clock.checked_add(response)?;
    cable.received[place] = received.wrapping_add(1);
    values.get(slot).copied()
}

/// Sends a word, where all slots of the ring count.
#[inline(always)]
fn send_one(
    (cable, times, values): (&mut Cable, &mut [u64], &mut [f64]),
    place: usize,
    (latency, depth): (u64, u32),
    (clock, value): (u64, f64),
) -> Option<()> {
    let sent = cable.sent[place];
    let held = sent.wrapping_sub(cable.received[place]);
    let slot = |message: u32| cable.slot(cable.row(place, message), place);
    let is_deep = depth > cable.mask || held >= depth;
    if held > cable.mask || !(is_deep || *times.get(slot(sent.wrapping_sub(depth)))? <= clock) {
        return None;
    }
    let slot = slot(sent);
    let time = times.get_mut(slot).filter(|time| **time <= clock)?;
    *time = clock.checked_add(latency)?;
    *values.get_mut(slot)? = value;
    cable.sent[place] = sent.wrapping_add(1);
    Some(())
}

/// Who of a stretch has not received at once; the others' words are in the register.
pub(super) fn receive(
    wires: &mut Wires,
    part: Stretch,
    (link, depth): (Link, u32),
    (clock, register): (&Lanes<u64>, &mut Lanes<f64>),
) -> u64 {
    let (cable, times, values) = wires.cable(part.cable);
    let waiting = part.lanes_at(cable.waiting[SENDER]);
    part.together_or_each(waiting, |part, is_together| {
        let lanes = part.lane..part.lane + part.length;
        let ends = (&clock[lanes.clone()], &mut register[lanes.clone()]);
        if is_together {
            let passes = link.response < LATE && receive_together((cable, times, values), part, (link, depth), ends);
            return if passes { 0 } else { part.lanes() };
        }
        part.each(|lane, place| {
            let word = receive_one((cable, times, values), place, (link.response, depth), clock[lane]);
            word.map(|word| register[lane] = word).is_some()
        })
    })
}

/// Who of a stretch has not sent at once.
pub(super) fn send(
    wires: &mut Wires,
    part: Stretch,
    (link, depth): (Link, u32),
    (clock, register): (&Lanes<u64>, &Lanes<f64>),
) -> u64 {
    let (cable, times, values) = wires.cable(part.cable);
    let waiting = part.lanes_at(cable.waiting[RECEIVER]);
    part.together_or_each(waiting, |part, is_together| {
        let lanes = part.lane..part.lane + part.length;
        let ends = (&clock[lanes.clone()], &register[lanes.clone()]);
        if is_together {
            let passes = link.latency < LATE && send_together((cable, times, values), part, (link, depth), ends);
            return if passes { 0 } else { part.lanes() };
        }
        part.each(|lane, place| {
            send_one((cable, times, values), place, (link.latency, depth), (clock[lane], register[lane])).is_some()
        })
    })
}
