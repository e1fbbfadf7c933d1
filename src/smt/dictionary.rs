//! The simplex method in whole numbers.
//!
//! In: rows over variables that are 0 or more, and goals. Out: the least value of the first goal, of the second among the
//! solutions that are left, and so on, over the rationals; or that there is no solution. A dictionary writes each basic
//! variable as a sum of the others, all over one denominator; pivots divide without remainder (Bareiss, Sylvester's identity
//! and multistep integer-preserving Gaussian elimination, 1968). A goal is written so when its turn comes. A row may be added to a
//! dictionary that is solved, which then needs few pivots. The variable that promises most is taken; after many pivots the one of the smallest
//! number where there is a choice, so no basis comes twice for ever (Bland, New finite pivoting rules for the simplex method, 1977).

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
}

/// A number for each basic variable, times the denominator, and what it loses or gains with the variables beside.
#[derive(Clone)]
pub(super) struct Dictionary {
    /// One line for each basic variable: the constant, and a factor for each variable beside.
    lines: Vec<Vec<i64>>,
    denominator: i64,
    basic: Vec<usize>,
    beside: Vec<usize>,
    pivots: usize,
}

impl Dictionary {
    /// `rows` over the variables `0..count`, constant first. Row `r` is a variable of its own with number `count + r`, which is 0
    /// or more.
    pub fn new(count: usize, rows: Vec<Vec<i64>>) -> Dictionary {
        let basic = (count..count + rows.len()).collect();
        Dictionary { lines: rows, denominator: 1, basic, beside: (0..count).collect(), pivots: 0 }
    }

    /// The same with one more row; `None` where a number does not fit.
    pub fn with(&self, row: &[i64]) -> Option<Dictionary> {
        let mut longer = Dictionary { pivots: 0, ..self.clone() };
        longer.lines.push(self.written(row)?);
        longer.basic.push(self.basic.len() + self.beside.len());
        Some(longer)
    }

    /// A sum over the first variables, constant first, as a line of the dictionary.
    fn written(&self, sum: &[i64]) -> Option<Vec<i64>> {
        let mut line = vec![0; self.beside.len() + 1];
        line[0] = sum[0].checked_mul(self.denominator)?;
        let factor = |variable: usize| sum.get(variable + 1).copied().unwrap_or(0);
        for (column, variable) in self.beside.iter().enumerate() {
            line[column + 1] = factor(*variable).checked_mul(self.denominator)?;
        }
        for (variable, known) in self.basic.iter().zip(&self.lines) {
            let times = factor(*variable);
            if times != 0 {
                line.iter_mut().zip(known).try_for_each(|(entry, other)| {
                    *entry = other.checked_mul(times)?.checked_add(*entry)?;
                    Some(())
                })?;
            }
        }
        Some(line)
    }

    /// Makes all variables 0 or more, then the goals least in their order. `None` where a number does not fit, a goal has
    /// no least value, or it takes too long.
    pub fn solve(&mut self, goals: &[Vec<i64>]) -> Option<Ending> {
        if !self.make_feasible()? {
            return Some(Ending::Empty);
        }
        let mut fixed = vec![false; self.beside.len()];
        for goal in goals {
            self.lines.push(self.written(goal)?);
            self.minimise(&fixed)?;
            // Whoever moves a variable that adds to this goal makes it worse.
            let line = self.lines.pop()?;
            fixed.iter_mut().zip(&line[1..]).for_each(|(fixed, factor)| *fixed |= *factor > 0);
        }
        Some(Ending::Least)
    }

    /// What all numbers are multiplied by.
    pub fn denominator(&self) -> i64 {
        self.denominator
    }

    /// The values of the variables `0..count`, times the denominator.
    pub fn values(&self, count: usize) -> Vec<i64> {
        let mut values = vec![0; count];
        for (variable, line) in self.basic.iter().zip(&self.lines) {
            if let Some(value) = values.get_mut(*variable) {
                *value = line[0];
            }
        }
        values
    }

    /// The dual simplex method without a goal; whether there is a solution.
    fn make_feasible(&mut self) -> Option<bool> {
        loop {
            let negative = (0..self.basic.len()).filter(|row| self.lines[*row][0] < 0);
            let Some(row) = negative.min_by_key(|row| self.rank(self.lines[*row][0], self.basic[*row])) else {
                return Some(true);
            };
            let raises = (0..self.beside.len()).filter(|column| self.lines[row][column + 1] > 0);
            let Some(column) = raises.min_by_key(|column| self.beside[*column]) else { return Some(false) };
            self.pivot(row, column)?;
        }
    }

    /// The primal simplex method for the goal in the last line; variables that are `fixed` stay 0.
    fn minimise(&mut self, fixed: &[bool]) -> Option<()> {
        loop {
            let goal = &self.lines[self.basic.len()];
            let lowers = (0..self.beside.len()).filter(|column| !fixed[*column] && goal[column + 1] < 0);
            let Some(column) = lowers.min_by_key(|column| self.rank(goal[column + 1], self.beside[*column])) else {
                return Some(());
            };
            let row = self.first_to_vanish(column)?;
            self.pivot(row, column)?;
        }
    }

    /// Which of several is taken, the least: at first by what it promises, then by its number.
    fn rank(&self, promise: i64, variable: usize) -> (i64, usize) {
        (if self.pivots < MOST_GREEDY { promise } else { 0 }, variable)
    }

    /// The basic variable that is 0 first where the variable of this column grows.
    fn first_to_vanish(&self, column: usize) -> Option<usize> {
        let falls = (0..self.basic.len()).filter(|row| self.lines[*row][column + 1] < 0);
        falls.min_by(|one, other| {
            let at = |row: usize| (i128::from(self.lines[row][0]), -i128::from(self.lines[row][column + 1]));
            let ((value, fall), (others, falls)) = (at(*one), at(*other));
            (value * falls).cmp(&(others * fall)).then(self.basic[*one].cmp(&self.basic[*other]))
        })
    }

    /// Exchanges the basic variable of a row for that of a column.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        self.pivots += 1;
        if self.pivots > MOST_PIVOTS {
            return None;
        }
        let at = column + 1;
        let mut line = std::mem::take(&mut self.lines[row]);
        let entry = line[at];
        for other in self.lines.iter_mut().filter(|other| !other.is_empty()) {
            exchange(other, &line, at, self.denominator)?;
        }
        let sign = entry.signum();
        line[at] = -self.denominator;
        line.iter_mut().for_each(|factor| *factor *= -sign);
        self.denominator = entry * sign;
        self.lines[row] = line;
        std::mem::swap(&mut self.basic[row], &mut self.beside[column]);
        Some(())
    }
}

/// Replaces the variable at `at` in a line by what `through` says of it.
fn exchange(line: &mut [i64], through: &[i64], at: usize, denominator: i64) -> Option<()> {
    let (scale, factor) = (through[at].checked_abs()?, line[at].checked_mul(through[at].signum())?);
    // Where the denominator stays, so does what `through` does not mention.
    let stays = scale == denominator;
    if !(stays && factor == 0) {
        for (value, other) in line.iter_mut().zip(through).filter(|(_, other)| !stays || **other != 0) {
            if *value != 0 || *other != 0 {
                *value = combined((scale, *value), (factor, *other), denominator)?;
            }
        }
    }
    line[at] = factor;
    Some(())
}

/// One product less the other, over the denominator, which divides it.
fn combined((scale, value): (i64, i64), (factor, other): (i64, i64), denominator: i64) -> Option<i64> {
    let short = || scale.checked_mul(value)?.checked_sub(factor.checked_mul(other)?);
    let quotient = match short() {
        Some(difference) => difference / denominator,
        None => {
            let difference = i128::from(scale) * i128::from(value) - i128::from(factor) * i128::from(other);
            i64::try_from(difference / i128::from(denominator)).ok()?
        }
    };
    Some(quotient).filter(|quotient| *quotient != i64::MIN)
}
