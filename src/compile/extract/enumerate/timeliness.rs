//! Which choices are in time under a step. Most maps fail here, and choices ask the same of a step again and again, so what is asked is
//! numbered once a place and found out once a map.
//!
//! In: the choices of a place, a step. Out: whether each is in time, and a tensor that no choice moves in time.

use super::priced::Priced;
use systole_base::integer::{Matrix, Name};

/// How what is asked of a step stands under it; a choice stands as the latest of its levels does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lateness {
    InTime,
    /// In time where rows of a vector time are long enough.
    InLongRows,
    Late,
}

/// A choice that the machine can build at a place.
pub struct Built {
    /// Its streams, or the levels of a chain.
    pub levels: Vec<Priced>,
    /// What each asks of a step, by number.
    asked: Vec<usize>,
}

/// All that choices at a place ask of a step, each once.
#[derive(Default)]
pub struct Asked(Vec<Priced>);

impl Asked {
    /// A choice, with what its levels ask.
    pub fn number(&mut self, levels: Vec<Priced>) -> Built {
        let asked = levels.iter().map(|level| {
            let number = self.0.iter().position(|known| known.asks_as(level));
            number.unwrap_or_else(|| {
                self.0.push(level.clone());
                self.0.len() - 1
            })
        });
        Built { asked: asked.collect(), levels }
    }
}

/// What was found out of one step after the other.
pub struct Timeliness<'a> {
    asked: &'a Asked,
    /// The result and the operands, each with its choices.
    tensors: Vec<(&'a Name, &'a [Option<Built>])>,
    step: Option<&'a Matrix>,
    known: Vec<Option<Lateness>>,
}

/// A tensor that no choice moves in time.
pub struct Late<'a> {
    /// The first.
    pub tensor: &'a Name,
    /// With long rows each has a choice that is in time.
    pub is_in_long_rows: bool,
}

impl<'a> Timeliness<'a> {
    /// For tensors whose choices ask these things.
    pub fn new(asked: &'a Asked, tensors: Vec<(&'a Name, &'a [Option<Built>])>) -> Timeliness<'a> {
        Timeliness { asked, tensors, step: None, known: vec![None; asked.0.len()] }
    }

    /// Goes on to another step.
    pub fn begin(&mut self, step: &'a Matrix) {
        self.step = Some(step);
        self.known.fill(None);
    }

    /// Whether a choice is in time.
    pub fn is_in_time(&mut self, choice: &Built) -> bool {
        choice.asked.iter().all(|asked| self.of(*asked) == Lateness::InTime)
    }

    /// A tensor that no choice moves in time, whatever its storage.
    pub fn late(&mut self) -> Option<Late<'a>> {
        let mut late = None;
        for number in 0..self.tensors.len() {
            let (tensor, choices) = self.tensors[number];
            match self.best(choices) {
                Lateness::InTime => {}
                Lateness::InLongRows => {
                    late.get_or_insert(tensor);
                }
                Lateness::Late => return Some(Late { tensor: late.unwrap_or(tensor), is_in_long_rows: false }),
            }
        }
        late.map(|tensor| Late { tensor, is_in_long_rows: true })
    }

    /// How the best of some choices stands.
    fn best(&mut self, choices: &[Option<Built>]) -> Lateness {
        let mut best = Lateness::Late;
        for choice in choices.iter().flatten() {
            let mut worst = Lateness::InTime;
            for asked in &choice.asked {
                worst = worst.max(self.of(*asked));
                if worst >= best {
                    break;
                }
            }
            best = best.min(worst);
            if best == Lateness::InTime {
                break;
            }
        }
        best
    }

    fn of(&mut self, asked: usize) -> Lateness {
        if let Some(known) = self.known[asked] {
            return known;
        }
        let level = &self.asked.0[asked];
        let found = match self.step {
            Some(step) if level.is_in_time(step) => Lateness::InTime,
            Some(step) if level.is_in_long_rows(step) => Lateness::InLongRows,
            _ => Lateness::Late,
        };
        self.known[asked] = Some(found);
        found
    }
}
