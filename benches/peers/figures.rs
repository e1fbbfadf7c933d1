//! Figures of runs: what the two sides print, medians, and ratios of runs that stood side by side.
//!
//! In: the lines of `peer`, the object of `systole exec --json`. Out: seconds, as [`Sample`]s, and tables of them. The first run of
//! a process warms up and does not count.

use serde_json::Value;

/// One process: some runs after the one that warmed up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Seconds of each run.
    pub wall: Vec<f64>,
    /// Processor seconds of each run, of all ranks together.
    pub cpu: Vec<f64>,
    /// Of the result of the last run; none where it was not computed here.
    pub residual: Option<f64>,
}

impl Sample {
    /// The sample, where its residual is that of a right result: relative to the norms of the operands it is far less than the unit of
    /// rounding, since errors of rounding add up like steps of a random walk. One wrong element of millions makes it a million times that.
    ///
    /// # Errors
    /// A result that is wrong, or none.
    pub fn checked(self, name: &str) -> Result<Sample, String> {
        match self.residual {
            Some(residual) if residual <= f64::EPSILON => Ok(self),
            Some(residual) => Err(format!("the result of {name} is wrong: its residual is {residual:.1e}")),
            None => Err(format!("{name} has told no residual")),
        }
    }
}

/// What `peer` has written; `None` where a line is missing or has something else than numbers.
pub fn of_peer(text: &str) -> Option<Sample> {
    let numbers =
        |line: &str| line.split_whitespace().skip(1).map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>();
    let mut sample = Sample::default();
    for line in text.lines().filter(|line| line.starts_with("time ")).skip(1) {
        let [wall, cpu] = numbers(line)?[..] else { return None };
        sample.wall.push(wall);
        sample.cpu.push(cpu);
    }
    let residual = text.lines().find(|line| line.starts_with("residual "))?;
    sample.residual = numbers(residual)?.first().copied();
    (!sample.wall.is_empty()).then_some(sample)
}

/// What `systole exec --json --repeat N` has written, without a residual.
pub fn of_exec(text: &str) -> Option<Sample> {
    let object: Value = serde_json::from_str(text).ok()?;
    let runs = object["runs"].as_array()?.get(1..)?;
    let all = |key: &str| runs.iter().map(|run| run[key].as_f64()).collect::<Option<Vec<f64>>>();
    let sample = Sample { wall: all("seconds")?, cpu: all("processor")?, residual: None };
    (!sample.wall.is_empty()).then_some(sample)
}

/// The middle of some numbers, or of the two in the middle; `None` of none.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (below, above) = (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some(f64::midpoint(*below, *above))
}

/// The least and the greatest.
pub fn spread(numbers: &[f64]) -> [f64; 2] {
    [numbers.iter().copied().fold(f64::INFINITY, f64::min), numbers.iter().copied().fold(0.0, f64::max)]
}

/// How many times as long the second side took as the first, round by round.
pub fn ratios(first: &[Sample], second: &[Sample]) -> Vec<f64> {
    let pairs = first.iter().zip(second);
    pairs.filter_map(|(first, second)| Some(median(&second.wall)? / median(&first.wall)?)).collect()
}

/// A line of the table: seconds with their spread, GFLOP/s, processor seconds, and how busy the ranks' cores were with them.
pub fn line(name: &str, samples: &[Sample], flops: f64, ranks: usize) -> String {
    let all = |of: fn(&Sample) -> &Vec<f64>| samples.iter().flat_map(of).copied().collect::<Vec<f64>>();
    let (wall, cpu) = (all(|sample| &sample.wall), all(|sample| &sample.cpu));
    let (Some(seconds), Some(worked)) = (median(&wall), median(&cpu)) else { return format!("  {name}: no figures") };
    let [least, most] = spread(&wall);
    let residual = samples.iter().filter_map(|sample| sample.residual).fold(0.0, f64::max);
    format!(
        "  {name:<44} {seconds:8.4} [{least:.4} {most:.4}] s {:7.1} GFLOP/s {worked:8.4} s CPU {:4.0}% busy  residual {residual:.1e}",
        flops / seconds / 1e9,
        100.0 * worked / seconds / ranks as f64,
    )
}
