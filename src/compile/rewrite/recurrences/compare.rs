//! Where the recurrences of a text are other ones than those of a design.
//!
//! The lines that both have, in their order, are found as the longest such list. What stands between two of them is held against each
//! other in its order: a line that is another one, then lines that are missing, or too many.

use super::reader::LocatedStatement;
use super::statement::Statement;
use systole_base::span::Span;

/// A line that is not what it should be.
#[derive(Clone, Debug)]
pub enum Difference {
    /// It is another one.
    Other {
        /// What the text says.
        read: LocatedStatement,
        /// What should stand there.
        wanted: Statement,
    },
    /// It is not there.
    Missing {
        /// The line of the text behind which it belongs; none where it belongs before all others.
        behind: Option<Span>,
        /// What should stand there.
        wanted: Statement,
    },
    /// It should not be there.
    Surplus {
        /// What the text says.
        read: LocatedStatement,
    },
}

/// All differences, in the order of the text.
pub fn compare_recurrences(read: &[LocatedStatement], wanted: &[Statement]) -> Vec<Difference> {
    let mut differences = vec![];
    let (mut reads, mut wants) = (0, 0);
    for (read_at, wanted_at) in common(read, wanted).into_iter().chain([(read.len(), wanted.len())]) {
        while reads < read_at && wants < wanted_at {
            differences.push(Difference::Other { read: read[reads].clone(), wanted: wanted[wants].clone() });
            (reads, wants) = (reads + 1, wants + 1);
        }
        let surplus = read[reads..read_at].iter();
        differences.extend(surplus.map(|line| Difference::Surplus { read: line.clone() }));
        let behind = read_at.checked_sub(1).map(|before| read[before].span);
        let missing = wanted[wants..wanted_at].iter();
        differences.extend(missing.map(|line| Difference::Missing { behind, wanted: line.clone() }));
        (reads, wants) = (read_at + 1, wanted_at + 1);
    }
    differences
}

/// Where there are more pairs of lines than this, only those at the beginning are found in common.
const PAIRS: usize = 4_000_000;

/// The longest list of lines that both have in their order, as positions in each.
fn common(read: &[LocatedStatement], wanted: &[Statement]) -> Vec<(usize, usize)> {
    let width = wanted.len() + 1;
    if read.len().saturating_mul(width) > PAIRS {
        let same = read.iter().zip(wanted).take_while(|(read, wanted)| read.line == **wanted).count();
        return (0..same).map(|at| (at, at)).collect();
    }
    // How many lines are common from these positions on.
    let mut lengths = vec![0usize; (read.len() + 1) * width];
    for (row, line) in read.iter().enumerate().rev() {
        for (column, other) in wanted.iter().enumerate().rev() {
            let here = row * width + column;
            lengths[here] = match line.line == *other {
                true => lengths[here + width + 1] + 1,
                false => lengths[here + width].max(lengths[here + 1]),
            };
        }
    }
    let (mut row, mut column, mut pairs) = (0, 0, vec![]);
    while row < read.len() && column < wanted.len() {
        let here = row * width + column;
        if read[row].line == wanted[column] {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if lengths[here + width] >= lengths[here + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}
