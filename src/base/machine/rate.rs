//! How fast a task is done, by the side of a tile and by where its tiles are.

/// Two numbers of the same thing, since it depends on where tiles are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Warmth {
    /// Of tiles that come out of memory.
    pub cold: f64,
    /// Of tiles in the cache.
    pub warm: f64,
}

impl From<f64> for Warmth {
    /// The same wherever tiles are.
    fn from(number: f64) -> Warmth {
        Warmth { cold: number, warm: number }
    }
}

impl Warmth {
    /// Something of both.
    pub fn map(self, of: impl Fn(f64) -> f64) -> Warmth {
        Warmth { cold: of(self.cold), warm: of(self.warm) }
    }

    /// The seconds of a call of which this share of its tiles comes out of memory. Where cold is measured shorter than warm, that is
    /// chance.
    pub fn seconds(self, share: f64) -> f64 {
        self.warm + share * (self.cold - self.warm).max(0.0)
    }

    /// As a machine file writes it: one number where both are the same, else the cold one first.
    fn shown(self) -> String {
        let Warmth { cold, warm } = self;
        if cold == warm { format!("{cold:?}") } else { format!("[{cold:?}, {warm:?}]") }
    }
}

/// How fast a task is done, in 10^9 applications of scalar functions a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Rate {
    /// Not known.
    #[default]
    Unknown,
    /// The same for all tiles.
    Constant(f64),
    /// Sides of tiles with the rates of these, in rising order.
    BySide(Vec<(u64, Warmth)>),
}

impl Rate {
    /// The rates at a side: between two sides of the table on the line through them, beyond its ends as at the end.
    pub fn at(&self, side: f64) -> Option<Warmth> {
        match self {
            Rate::Unknown => None,
            Rate::Constant(rate) => Some(Warmth::from(*rate)),
            Rate::BySide(table) => {
                let of = |part: fn(&Warmth) -> f64| at(table, side, part);
                Some(Warmth { cold: of(|rate| rate.cold)?, warm: of(|rate| rate.warm)? })
            }
        }
    }

    /// As a machine file writes it; `None` where it is not known.
    pub fn shown(&self) -> Option<String> {
        match self {
            Rate::Unknown => None,
            Rate::Constant(rate) => Some(format!("{rate:?}")),
            Rate::BySide(table) => Some(shown(table, |rate| rate.shown())),
        }
    }
}

/// The number of a table with rising keys: between two keys on the line through their numbers, beyond the ends as at the end; `None`
/// of a table without entries.
pub fn at<T>(table: &[(u64, T)], key: f64, of: impl Fn(&T) -> f64) -> Option<f64> {
    let above = table.iter().position(|(known, _)| *known as f64 >= key);
    match above {
        None => table.last().map(|(_, last)| of(last)),
        Some(0) => table.first().map(|(_, first)| of(first)),
        Some(above) => {
            let [(low, before), (high, after)] = [&table[above - 1], &table[above]];
            let share = (key - *low as f64) / (high - low) as f64;
            Some(of(before) + (of(after) - of(before)) * share)
        }
    }
}

/// A table as a machine file writes it.
pub fn shown<T>(table: &[(u64, T)], of: impl Fn(&T) -> String) -> String {
    let entries: Vec<String> = table.iter().map(|(key, entry)| format!("{key} = {}", of(entry))).collect();
    format!("{{ {} }}", entries.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_lies_on_the_line_between_two_sides_and_stays_beyond_the_ends() {
        let both = |cold: f64| Warmth { cold, warm: 10.0 * cold };
        let rate = Rate::BySide(vec![(10, both(1.0)), (20, both(3.0)), (40, both(4.0))]);
        let found = [1.0, 10.0, 15.0, 20.0, 30.0, 40.0, 1e9].map(|side| rate.at(side));
        assert_eq!(found, [1.0, 1.0, 2.0, 3.0, 3.5, 4.0, 4.0].map(|cold| Some(both(cold))));
        assert_eq!((Rate::Constant(2.5).at(7.0), Rate::Unknown.at(7.0)), (Some(Warmth::from(2.5)), None));
    }

    #[test]
    fn a_call_lies_between_warm_and_cold_by_the_share_of_cold_tiles() {
        let call = Warmth { cold: 5.0, warm: 1.0 };
        assert_eq!([0.0, 0.25, 1.0].map(|share| call.seconds(share)), [1.0, 2.0, 5.0]);
        let chance = Warmth { cold: 1.0, warm: 5.0 };
        assert_eq!([0.0, 0.25, 1.0].map(|share| chance.seconds(share)), [5.0, 5.0, 5.0]);
    }
}
