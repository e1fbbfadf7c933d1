//! The simplex method in whole numbers.
//!
//! In: rows over variables that are 0 or more, and goals. Out: the least value of the first goal, of the second among the
//! solutions that are left, and so on, over the rationals; that there is no solution; or that a goal falls without end. A dictionary writes each basic
//! variable as a sum of the others, all over one denominator; pivots divide without remainder (Bareiss, Sylvester's identity
//! and multistep integer-preserving Gaussian elimination, 1968). A goal is written so when its turn comes, and stays. So where a row is added to a
//! dictionary that is solved, or a right side moves, the goals are as small as they can be all the while that the rows are mended: the dual
//! simplex method (Lemke, The dual method of solving the linear programming problem, 1954), which then needs few pivots. The variable that
//! promises most is taken; after many pivots the one of the smallest number where there is a choice, so no basis comes twice for ever (Bland,
//! New finite pivoting rules for the simplex method, 1977).

use super::number::Number;
use super::sparse::Terms;
use std::cmp::Ordering;

/// More pivots than this are not made.
const MOST_PIVOTS: usize = 1_000;

/// After so many pivots the variable of the smallest number is taken.
const MOST_GREEDY: usize = 300;

/// What a dictionary was brought to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The goals are as small as they can be.
    Least,
    /// No values satisfy all rows.
    Empty,
    /// A goal falls without end; the dictionary is not to be used again.
    Endless,
}

/// A constant and multiples of variables; those of a variable that comes more than once are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub constant: i64,
    pub terms: Terms,
}

/// Lines of one length, one after the other: each node of branch and bound has a copy, which is one piece.
#[derive(Clone)]
struct Lines<N> {
    width: usize,
    numbers: Vec<N>,
}

impl<N: Number> Lines<N> {
    fn new(width: usize) -> Lines<N> {
        Lines { width, numbers: vec![] }
    }

    fn push(&mut self, line: &[N]) {
        self.numbers.extend_from_slice(line);
    }

    fn count(&self) -> usize {
        self.numbers.len() / self.width
    }

    fn line(&self, row: usize) -> &[N] {
        &self.numbers[row * self.width..(row + 1) * self.width]
    }

    fn line_mut(&mut self, row: usize) -> &mut [N] {
        &mut self.numbers[row * self.width..(row + 1) * self.width]
    }

    fn iter(&self) -> impl Iterator<Item = &[N]> {
        self.numbers.chunks_exact(self.width)
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut [N]> {
        self.numbers.chunks_exact_mut(self.width)
    }
}

/// A number for each basic variable, times the denominator, and what it loses or gains with the variables beside.
#[derive(Clone)]
pub(super) struct Dictionary<N> {
    /// One line for each basic variable: the constant, and a factor for each variable beside.
    lines: Lines<N>,
    /// One line for each goal that was needed, the first before all others; none before the first solution.
    goals: Lines<N>,
    denominator: N,
    basic: Vec<usize>,
    beside: Vec<usize>,
    pivots: usize,
}

impl<N: Number> Dictionary<N> {
    /// `rows` over the variables `0..count`. Row `r` is a variable of its own with number `count + r`, which is 0 or more.
    pub fn new(count: usize, rows: &[Sum]) -> Dictionary<N> {
        let basic = (count..count + rows.len()).collect();
        let mut lines = Lines { numbers: vec![N::zero(); rows.len() * (count + 1)], ..Lines::new(count + 1) };
        for (line, row) in lines.iter_mut().zip(rows) {
            line[0] = N::of(row.constant);
            row.terms.iter().for_each(|(variable, factor)| line[variable + 1] = line[variable + 1] + N::of(*factor));
        }
        Dictionary {
            lines,
            goals: Lines::new(count + 1),
            denominator: N::one(),
            basic,
            beside: (0..count).collect(),
            pivots: 0,
        }
    }

    /// The same with one more row; `None` where a number does not fit.
    pub fn with(&self, row: &Sum) -> Option<Dictionary<N>> {
        let numbers = [&self.lines.numbers[..], &self.written(row)?].concat();
        let basic = [&self.basic[..], &[self.basic.len() + self.beside.len()]].concat();
        let (goals, beside) = (self.goals.clone(), self.beside.clone());
        Some(Dictionary { lines: Lines { numbers, ..self.lines }, goals, basic, beside, ..*self })
    }

    /// Adds to the constant of the row that is this variable; `None` where a number does not fit.
    pub fn raise(&mut self, variable: usize, by: i64) -> Option<()> {
        let by = N::of(by);
        if let Some(row) = self.basic.iter().position(|basic| *basic == variable) {
            let constant = &mut self.lines.line_mut(row)[0];
            *constant = by.checked_mul(&self.denominator)?.checked_add(constant)?;
            return Some(());
        }
        let column = 1 + self.beside.iter().position(|beside| *beside == variable)?;
        self.lines.iter_mut().chain(self.goals.iter_mut()).try_for_each(|line| {
            line[0] = by.checked_neg()?.checked_mul(&line[column])?.checked_add(&line[0])?;
            Some(())
        })
    }

    /// A sum as a line of the dictionary.
    fn written(&self, sum: &Sum) -> Option<Vec<N>> {
        let mut line = vec![N::zero(); self.beside.len() + 1];
        line[0] = N::of(sum.constant).checked_mul(&self.denominator)?;
        for (variable, factor) in &sum.terms {
            let factor = N::of(*factor);
            if let Some(column) = self.beside.iter().position(|beside| beside == variable) {
                line[column + 1] = factor.checked_mul(&self.denominator)?.checked_add(&line[column + 1])?;
                continue;
            }
            let row = self.basic.iter().position(|basic| basic == variable)?;
            line.iter_mut().zip(self.lines.line(row)).try_for_each(|(entry, other)| {
                *entry = other.checked_mul(&factor)?.checked_add(entry)?;
                Some(())
            })?;
        }
        Some(line)
    }

    /// Makes all variables 0 or more and the goals least in their order; they are the same each time. No further goal is looked at once
    /// one solution only is left. `None` where a number does not fit, or it takes too long.
    pub fn solve(&mut self, goals: &[Sum]) -> Option<Ending> {
        self.pivots = 0;
        if !self.make_feasible()? {
            return Some(Ending::Empty);
        }
        let mut fixed = vec![false; self.beside.len()];
        self.goals.iter().for_each(|goal| fix(&mut fixed, goal));
        for goal in &goals[self.goals.count()..] {
            if fixed.iter().all(|fixed| *fixed) {
                break;
            }
            let line = self.written(goal)?;
            self.goals.push(&line);
            if !self.minimise(&fixed)? {
                return Some(Ending::Endless);
            }
            // Only variables that are not fixed have been exchanged: in the goals before they have the factor 0.
            fix(&mut fixed, self.goals.line(self.goals.count() - 1));
        }
        Some(Ending::Least)
    }

    /// How many numbers the last solution wrote, with those of the dictionary that it began with.
    pub fn work(&self) -> u64 {
        ((1 + self.pivots) * (self.lines.numbers.len() + self.goals.numbers.len())) as u64
    }

    /// What all numbers are multiplied by.
    pub fn denominator(&self) -> N {
        self.denominator
    }

    /// The values of the variables `0..count`, times the denominator.
    pub fn values(&self, count: usize) -> Vec<N> {
        let mut values = vec![N::zero(); count];
        for (variable, line) in self.basic.iter().zip(self.lines.iter()) {
            if let Some(value) = values.get_mut(*variable) {
                *value = line[0];
            }
        }
        values
    }

    /// The value of each goal that was needed, times the denominator.
    pub fn scores(&self) -> impl Iterator<Item = N> {
        self.goals.iter().map(|line| line[0])
    }

    /// The dual simplex method: the goals that there are stay least; whether there is a solution.
    fn make_feasible(&mut self) -> Option<bool> {
        loop {
            let negative = (0..self.basic.len()).filter(|row| self.lines.line(*row)[0].is_negative());
            let Some(row) = negative.min_by_key(|row| self.rank(self.lines.line(*row)[0], self.basic[*row])) else {
                return Some(true);
            };
            let raises = (0..self.beside.len()).filter(|column| self.lines.line(row)[column + 1].is_positive());
            let Some(column) = raises.min_by(|one, other| self.price(row, *one, *other)) else { return Some(false) };
            self.pivot(row, column)?;
        }
    }

    /// Which of two columns raises a row at less cost, by the goals in their order.
    fn price(&self, row: usize, one: usize, other: usize) -> Ordering {
        let line = self.lines.line(row);
        let by = |goal: &[N]| {
            let product = |one: usize, other: usize| goal[one + 1].product(line[other + 1]);
            product(one, other).cmp(&product(other, one))
        };
        let first = self.goals.iter().map(by).find(|order| order.is_ne());
        first.unwrap_or(Ordering::Equal).then(self.beside[one].cmp(&self.beside[other]))
    }

    /// The primal simplex method for the last goal; whoever moves a variable that adds to one before makes it worse. Whether the goal
    /// has a least value.
    fn minimise(&mut self, fixed: &[bool]) -> Option<bool> {
        let Some(last) = self.goals.count().checked_sub(1) else { return Some(true) };
        loop {
            let goal = self.goals.line(last);
            let lowers = (0..self.beside.len()).filter(|column| !fixed[*column] && goal[column + 1].is_negative());
            let Some(column) = lowers.min_by_key(|column| self.rank(goal[column + 1], self.beside[*column])) else {
                return Some(true);
            };
            let Some(row) = self.first_to_vanish(column) else { return Some(false) };
            self.pivot(row, column)?;
        }
    }

    /// Which of several is taken, the least: at first by what it promises, then by its number.
    fn rank(&self, promise: N, variable: usize) -> (N, usize) {
        (if self.pivots < MOST_GREEDY { promise } else { N::zero() }, variable)
    }

    /// The basic variable that is 0 first where the variable of this column grows; `None` where it may grow without end.
    fn first_to_vanish(&self, column: usize) -> Option<usize> {
        let falls = (0..self.basic.len()).filter(|row| self.lines.line(*row)[column + 1].is_negative());
        falls.min_by(|one, other| {
            // By its value over its fall, which is less than 0.
            let product =
                |value: usize, fall: usize| self.lines.line(value)[0].product(self.lines.line(fall)[column + 1]);
            product(*other, *one).cmp(&product(*one, *other)).then(self.basic[*one].cmp(&self.basic[*other]))
        })
    }

    /// Exchanges the basic variable of a row for that of a column.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        self.pivots += 1;
        if self.pivots > MOST_PIVOTS {
            return None;
        }
        let at = column + 1;
        let mut line = self.lines.line(row).to_vec();
        let entry = line[at];
        let mentioned: Vec<usize> = (0..line.len()).filter(|position| !line[*position].is_zero()).collect();
        let others = self.lines.iter_mut().enumerate().filter(|(number, _)| *number != row).map(|(_, other)| other);
        for other in others.chain(self.goals.iter_mut()) {
            exchange(other, (&line, &mentioned), at, self.denominator)?;
        }
        let sign = entry.signum();
        line[at] = -self.denominator;
        line.iter_mut().for_each(|factor| *factor = *factor * -sign);
        self.denominator = entry * sign;
        self.lines.line_mut(row).copy_from_slice(&line);
        std::mem::swap(&mut self.basic[row], &mut self.beside[column]);
        Some(())
    }
}

/// Says of each variable beside that a goal is worse as soon as it is more than 0, where that is so.
fn fix<N: Number>(fixed: &mut [bool], goal: &[N]) {
    fixed.iter_mut().zip(&goal[1..]).for_each(|(fixed, factor)| *fixed |= factor.is_positive());
}

/// Replaces the variable at `at` in a line by what `through` says of it, which mentions what stands at these positions.
fn exchange<N: Number>(
    line: &mut [N],
    (through, mentioned): (&[N], &[usize]),
    at: usize,
    denominator: N,
) -> Option<()> {
    let entry = through[at];
    let (scale, factor) = (magnitude(entry)?, line[at].checked_mul(&entry.signum())?);
    // Where the denominator stays, so does what `through` does not mention.
    if scale != denominator {
        for (value, other) in line.iter_mut().zip(through).filter(|(value, other)| !value.is_zero() || !other.is_zero())
        {
            *value = combined((scale, *value), (factor, *other), denominator)?;
        }
    } else if !factor.is_zero() {
        for position in mentioned {
            line[*position] = combined((scale, line[*position]), (factor, through[*position]), denominator)?;
        }
    }
    line[at] = factor;
    Some(())
}

/// What is left without the sign; `None` of the least number, which has no opposite.
fn magnitude<N: Number>(number: N) -> Option<N> {
    if number.is_negative() { number.checked_neg() } else { Some(number) }
}

/// One product less the other, over the denominator, which divides it.
fn combined<N: Number>((scale, value): (N, N), (factor, other): (N, N), denominator: N) -> Option<N> {
    let short = || scale.checked_mul(&value)?.checked_sub(&factor.checked_mul(&other)?);
    let quotient = match short() {
        Some(difference) if denominator.is_one() => difference,
        Some(difference) => difference / denominator,
        None => N::narrowed((scale.product(value) - factor.product(other)) / denominator.widened())?,
    };
    Some(quotient).filter(|quotient| *quotient != N::min_value())
}
