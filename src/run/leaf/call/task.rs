//! Tasks of a library, run on the windows of a call.

use super::place::{Operand, Spot};
use super::run::Run;
use super::window::Elements;
use crate::leaf::library::{Layout, Library, Matrix, Rest, Square, both_factors, is_finite, is_lower_finite};
use crate::leaf::recognised::{Assignment, Position, Task};
use crate::leaf::{Buffer, Element};
use systole_program::array::Trouble;

impl<'a, E: Element> Run<'a, E> {
    /// Has the library do a task. False where its matrices do not lie like such, it cannot, or not all is finite: then the nest's
    /// loops must run, which compute every element of the result anew.
    pub(super) fn task(&mut self, assignment: &'a Assignment, library: &dyn Library<E>) -> Result<bool, Trouble> {
        let Assignment { task, alike, resets, result, .. } = assignment;
        let places = self.spot(result.access, [Some(result.row), result.column]);
        let Some(Spot { window, base, layout }) = places.filter(|_| self.agree(alike)) else { return Ok(false) };
        if layout.reach() == 0 {
            return Ok(true);
        }
        let upper = assignment.upper.and_then(|upper| self.spot(upper.access, [Some(upper.row), upper.column]));
        if assignment.upper.is_some() != upper.is_some() {
            return Ok(false);
        }
        let wanted = [assignment.sums, assignment.given, assignment.triangle];
        let reads = |position: &Position| self.links[position.access].window == window;
        let is_written = assignment.sums.is_some() || *task == Task::Invert;
        let is_blank =
            is_written && resets.is_empty() && self.is_blank(window, layout) && !wanted.iter().flatten().any(reads);
        if !is_blank {
            self.fill();
        }
        self.block(resets)?;
        let mut target = std::mem::replace(&mut self.windows[window], Elements::Shared(&[]));
        let read = wanted.map(|position| position.and_then(|position| self.read(position)));
        let are_there = wanted.iter().zip(&read).all(|(wanted, read)| wanted.is_some() == read.is_some());
        let read_there = read.each_ref().map(|read| read.as_ref().map(Operand::matrix));
        let values = target.values_mut();
        let done = are_there
            && match upper {
                Some(upper) => factor_both(values, [(base, layout), (upper.base, upper.layout)], read_there, library),
                None => perform(*task, Square { values: &mut values[base..], layout }, read_there, library),
            };
        drop(read);
        self.windows[window] = target;
        if done {
            self.blank = self.blank.filter(|_| !is_blank);
            self.work.serve(task.service(), applications(*task, layout));
        } else if are_there {
            self.work.hand_back(task.service());
        }
        Ok(done)
    }

    /// What a task would ask of a library, 0 for nothing to do; `None` where loops must do it.
    pub fn applied(&self, assignment: &Assignment) -> Option<u64> {
        let Assignment { task, alike, result, sums, given, triangle, upper, .. } = assignment;
        let Spot { layout, .. } = self.spot(result.access, [Some(result.row), result.column])?;
        let is_there = |position: &Position| self.is_matrix(position.access, [Some(position.row), position.column]);
        let is_spot = |position: &Position| self.spot(position.access, [Some(position.row), position.column]).is_some();
        let can = self.agree(alike)
            && [sums, given, triangle].into_iter().flatten().all(is_there)
            && upper.iter().all(is_spot);
        can.then(|| if layout.reach() == 0 { 0 } else { applications(*task, layout) })
    }

    /// Whether the indices of each pair run over the same elements.
    fn agree(&self, alike: &[(usize, usize)]) -> bool {
        alike.iter().all(|(a, b)| self.spans[*a] == self.spans[*b])
    }

    fn read(&self, position: Position) -> Option<Operand<'_, E>> {
        self.operand(position.access, [Some(position.row), position.column])
    }
}

/// Does a task with its sums, what is given, and its triangle; whether the library could, and all is finite. Each element of the result is
/// what was in its place by what is not 0, and more: where that is not finite, the result is not either, and need not be asked before.
fn perform<E: Element>(
    task: Task,
    x: Square<'_, E>,
    [sums, given, triangle]: [Option<Matrix<'_, E>>; 3],
    library: &dyn Library<E>,
) -> bool {
    let Square { values, layout } = x;
    let is_unit = task == Task::Solve { is_unit: true };
    if triangle.is_some_and(|triangle| !is_lower_finite(triangle, !is_unit)) {
        return false;
    }
    sums.map(|sums| Rest { given, sums }).iter().for_each(|rest| rest.write(values, layout));
    match (task, triangle) {
        (Task::Solve { is_unit }, Some(triangle)) => {
            library.solve(triangle, is_unit, values, layout);
            return is_finite(Matrix { values, layout });
        }
        (Task::Factor, _) => {
            let done = library.factor(Square { values: &mut *values, layout });
            let is_sound = |at: usize| values[layout.address(at, at)] > E::ZERO;
            if !done || !(0..layout.rows).all(is_sound) {
                return false;
            }
        }
        (Task::Invert, Some(triangle)) => {
            if !library.invert(triangle, Square { values: &mut *values, layout }) {
                return false;
            }
        }
        _ => return false,
    }
    let is_done = is_lower_finite(Matrix { values, layout }, true);
    clear_above(values, layout);
    is_done
}

/// Factors what is left of a square without pivoting, into the lower triangle of one matrix and the upper one of another.
fn factor_both<E: Element>(
    values: &mut [E],
    [(below, lower), (above, upper)]: [(usize, Layout); 2],
    [sums, given, _]: [Option<Matrix<'_, E>>; 3],
    library: &dyn Library<E>,
) -> bool {
    let Some(sums) = sums else { return false };
    let n = lower.rows;
    let layout = Layout { rows: n, columns: n, by_rows: true, step: n };
    let mut square = Buffer::<E>::blank(n * n);
    Rest { given, sums }.write(&mut square, layout);
    both_factors(library, Square { values: &mut square, layout });
    if !is_finite(Matrix { values: &square, layout }) {
        return false;
    }
    for (row, line) in square.chunks_exact(n).enumerate() {
        line[..row].iter().enumerate().for_each(|(column, entry)| values[below + lower.address(row, column)] = *entry);
        let rest = line.iter().enumerate().skip(row);
        rest.for_each(|(column, entry)| values[above + upper.address(row, column)] = *entry);
    }
    true
}

fn clear_above<E: Element>(values: &mut [E], layout: Layout) {
    for line in 0..layout.rows {
        let (from, to) = if layout.by_rows { (line + 1, layout.columns) } else { (0, line) };
        values[line * layout.step..][from..to].fill(E::ZERO);
    }
}

/// How many functions the loops of a task apply: the definitions say so, for a result of these sizes.
fn applications(task: Task, layout: Layout) -> u64 {
    let (n, columns) = (layout.rows as u64, layout.columns as u64);
    // Below the diagonal, for each element two a term and two for the rest: sums over i < n of i (i + 1).
    let below = n.saturating_sub(1) * n * (n + 1) / 3;
    match task {
        Task::Solve { is_unit } => columns * n * (n + if is_unit { 0 } else { 1 }),
        Task::Factor => below + n * (n + 1),
        // On and above the diagonal two a term and one for the rest, below two a term and two: sums of (n - i) (2 i + 1), of (n - 1 - j) (2 j + 2).
        Task::FactorBoth => n * (n + 1) * (2 * n + 1) / 6 + below,
        Task::Invert => below + n * n,
    }
}
