//! Where the PEs of a run are cut into regions.
//!
//! In: how much there is to do on each PE, in row-major order of the grid, and where rows of the array begin. Out: the first
//! PEs of regions of about equal work. A cut is at the beginning of a row where one is near, so that PEs side by side, whose
//! wires lie side by side, stay in one region.

/// For the sake of whole rows a region may have more or less than its share by this part of it.
const MOST_UNEVEN: u64 = 16;

/// The PEs to be cut.
pub(super) struct Sheet<W, R> {
    pub pes: usize,
    /// How much there is to do on a PE, in any unit.
    pub work: W,
    /// Whether a row of the array begins with a PE.
    pub begins_row: R,
}

impl<W: Fn(usize) -> u64, R: Fn(usize) -> bool> Sheet<W, R> {
    /// The first PEs of so many regions, in ascending order; fewer where there are no more to be had.
    pub fn firsts(&self, count: usize) -> Vec<usize> {
        let mut firsts = vec![0];
        if count > 1 && self.pes > 0 {
            let (rows, total) = self.rows();
            let share = total / count as u64;
            let cuts = (1..count as u64).map(|region| self.cut(&rows, region * total / count as u64, share));
            firsts.extend(cuts);
            firsts.dedup();
        }
        firsts
    }

    /// The first PE of each row with the work before it, and the work of all.
    fn rows(&self) -> (Vec<(usize, u64)>, u64) {
        let (mut rows, mut before) = (vec![], 0);
        for pe in 0..self.pes {
            if pe == 0 || (self.begins_row)(pe) {
                rows.push((pe, before));
            }
            before += (self.work)(pe);
        }
        (rows, before)
    }

    /// The PE before which there is about so much work.
    fn cut(&self, rows: &[(usize, u64)], goal: u64, share: u64) -> usize {
        let next = rows.partition_point(|(_, before)| *before <= goal);
        let near = rows[next.saturating_sub(1)..].iter().take(2);
        match near.map(|(pe, before)| (before.abs_diff(goal), *pe)).min() {
            Some((away, pe)) if away <= share / MOST_UNEVEN => pe,
            _ => self.cut_row(rows[next.saturating_sub(1)], goal),
        }
    }

    fn cut_row(&self, (first, before): (usize, u64), goal: u64) -> usize {
        let done = (first..self.pes).scan(before, |done, pe| {
            *done += (self.work)(pe);
            Some(*done)
        });
        first + done.take_while(|done| *done <= goal).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of rows of so many PEs, of which those of the first row do a tenth.
    fn firsts(rows: usize, columns: usize, count: usize) -> Vec<usize> {
        let work = |pe| if pe < columns { 1 } else { 10 };
        Sheet { pes: rows * columns, work, begins_row: |pe| pe % columns == 0 }.firsts(count)
    }

    #[test]
    fn regions_are_whole_rows_of_equal_work() {
        assert_eq!(firsts(65, 65, 1), [0]);
        // Of 641 units the first region has 321 and not 311.
        assert_eq!(firsts(65, 65, 2), [0, 33 * 65]);
        assert_eq!(firsts(66, 65, 2), [0, 33 * 65]);
        assert_eq!(firsts(1000, 7, 4).iter().map(|first| first % 7).sum::<usize>(), 0);
    }

    /// The second of two rows has nearly all there is to do; and a single row is no two regions.
    #[test]
    fn a_row_that_is_too_long_is_cut() {
        assert_eq!(firsts(2, 100, 2), [0, 145]);
        let even = Sheet { pes: 60, work: |_| 1, begins_row: |_| false };
        assert_eq!(even.firsts(4), [0, 15, 30, 45]);
    }

    #[test]
    fn there_are_no_more_regions_than_pes() {
        let even = |pes| Sheet { pes, work: |_| 3, begins_row: |_| true };
        assert_eq!(even(3).firsts(7), [0, 1, 2]);
        assert_eq!(even(0).firsts(7), [0]);
    }
}
