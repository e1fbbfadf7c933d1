//! Each PE has one worker, each word of a layout one home, and each worker one number, as obligations for arrays of any size.
//!
//! In: how the PEs of an axis, or the words of one, are distributed. Out: [`Obligation`]s over a symbolic number of these. The share of a
//! worker begins `stride` PEs after that of the worker before, and the shares of the next round `period` after those of this one.
//!
//! PEs distributed in turn have shares whose length is a number, so all of it is linear for a symbolic number of workers: what is stated
//! of a round that begins at any PE holds of all rounds, of which the first begins at 0 and each where the one before ends. Blocks are
//! as long as PEs divided by workers, and products of the two are not linear: so for each number of workers up to
//! [`MOST_WORKERS`] there is a case, and so there is for workers along the last axis of a grid, which are numbered row by row.
//!
//! Nothing else depends on owners. That no fold waits for ever is proved of the design, once for all owners: `no-deadlock`
//! (`timing/no_deadlock.rs`) says that every wait is for something earlier; and whoever runs which PE, there is one history (the law
//! at the top of the crate's `exec`).

use systole_base::integer::{Affine, Name, name};
use systole_equations::recurrence::Distribution;
use systole_program::obligation::{Formula, Kind, Obligation, Reason};

/// The most workers for which there is a case, where what is proved is linear for each number of workers alone.
pub const MOST_WORKERS: i64 = 16;

/// What is distributed: the word for one, and for all of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Things {
    one: &'static str,
    all: &'static str,
}

impl Things {
    /// The PEs of a program.
    pub const PES: Things = Things { one: "PE", all: "PEs" };

    /// The words of an array: elements, or tiles.
    pub const WORDS: Things = Things { one: "word", all: "words" };
}

/// How the PEs, or the words, of one axis are shared out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// What is shared.
    pub things: Things,
    /// How the distribution is called.
    pub title: String,
    /// How many PEs a share has.
    pub length: Affine,
    /// How many PEs there are from the begin of a share to that of the next.
    pub stride: Affine,
    /// How many there are from a round to the next; none where there is one round.
    pub period: Option<Affine>,
    /// What is divided by the workers, rounded up, for the length of a block.
    pub divided: Affine,
}

fn variable(text: &str) -> Affine {
    Affine::variable(&name(text))
}

fn number(value: i64) -> Affine {
    Affine::constant(value)
}

/// How many PEs a block has.
const BLOCK: &str = "block";

impl Shares {
    /// The shares of a distribution.
    pub fn of(things: Things, distribution: Distribution) -> Shares {
        let divided = variable(things.all);
        let in_turn = |title: String, length: usize| {
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            let (block, period) = (number(length), variable("workers") * length);
            Shares {
                things,
                title,
                length: block.clone(),
                stride: block,
                period: Some(period),
                divided: divided.clone(),
            }
        };
        match distribution {
            Distribution::Cyclic => in_turn("cyclic".to_owned(), 1),
            Distribution::BlockCyclic(length) => in_turn(format!("block-cyclic:{length}"), length),
            Distribution::Block => {
                let (title, block) = ("block".to_owned(), variable(BLOCK));
                Shares { things, title, length: block.clone(), stride: block, period: None, divided: divided.clone() }
            }
        }
    }

    /// A PE lies in the share of a worker, in the round that begins at `begin`; the worker is a number where strides are not.
    pub fn has(&self, (worker, begin): (&Affine, &Affine), pe: &Affine) -> Formula {
        let first = begin.clone() + self.times_stride(worker);
        Formula::All(vec![Formula::at_least(pe, &first), Formula::less(pe, &(first + self.length.clone()))])
    }

    /// Every PE is in the share of some worker, and none in two.
    pub fn obligations(&self) -> Vec<Obligation> {
        let (uncovered, twice) = match &self.period {
            Some(period) => (self.in_no_turn(period), self.in_two_turns(period)),
            None => {
                (self.each_count(|count| self.in_no_block(count)), self.each_count(|count| self.in_two_blocks(count)))
            }
        };
        let cover = self.state(Kind::OwnerCover, uncovered, "in no share", "at least one");
        vec![cover, self.state(Kind::OwnerApart, twice, "in two shares", "at most one")]
    }

    /// The PE, or the word, of which it is stated.
    fn one(&self) -> Affine {
        variable(self.things.one)
    }

    fn times_stride(&self, worker: &Affine) -> Affine {
        match worker.is_constant() {
            true => self.stride.clone() * worker.constant_term(),
            false => worker.clone() * self.stride.constant_term(),
        }
    }

    /// For some number of workers in the list.
    fn each_count(&self, broken: impl Fn(i64) -> Formula) -> Formula {
        let case = |count: i64| {
            let so_many = Formula::equal(&variable("workers"), &number(count));
            Formula::All(vec![so_many, self.is_divided(count), broken(count)])
        };
        Formula::Any((1..=MOST_WORKERS).map(case).collect())
    }

    /// A block has as many PEs as there are, divided by so many workers and rounded up.
    fn is_divided(&self, workers: i64) -> Formula {
        let blocks = variable(BLOCK) * workers;
        let least = Formula::at_least(&blocks, &self.divided);
        Formula::All(vec![least, Formula::less(&blocks, &(self.divided.clone() + number(workers)))])
    }

    fn in_no_block(&self, count: i64) -> Formula {
        let has = |worker: i64| self.has((&number(worker), &number(0)), &self.one()).negate();
        Formula::All((0..count).map(has).collect())
    }

    fn in_two_blocks(&self, count: i64) -> Formula {
        let has = |worker: i64| self.has((&number(worker), &number(0)), &self.one());
        let pairs = (0..count).flat_map(|one| (0..one).map(move |other| [other, one]));
        let both = pairs.map(|[one, other]| {
            let they = [
                Formula::equal(&variable("worker"), &number(one)),
                Formula::equal(&variable("worker'"), &number(other)),
            ];
            Formula::All(they.into_iter().chain([has(one), has(other)]).collect())
        });
        Formula::Any(both.collect())
    }

    /// A PE of a round lies `worker` strides and a rest behind the begin, and there is no such worker, or the rest is too long.
    fn in_no_turn(&self, period: &Affine) -> Formula {
        let [pe, worker, begin] = [self.things.one, "worker", "begin"].map(variable);
        let first = begin.clone() + self.times_stride(&worker);
        Formula::All(vec![
            Formula::AtLeastZero(begin.clone()),
            Formula::at_least(&pe, &begin),
            Formula::less(&pe, &(begin.clone() + period.clone())),
            Formula::at_least(&pe, &first),
            Formula::less(&pe, &(first + self.stride.clone())),
            Formula::All(vec![is_worker(&worker), self.has((&worker, &begin), &pe)]).negate(),
        ])
    }

    /// Two workers of a round have one PE, or two of different rounds.
    fn in_two_turns(&self, period: &Affine) -> Formula {
        let [pe, worker, begin, other, later] = [self.things.one, "worker", "begin", "worker'", "begin'"].map(variable);
        let within = Formula::All(vec![Formula::equal(&later, &begin), Formula::less(&worker, &other)]);
        let across = Formula::at_least(&later, &(begin.clone() + period.clone()));
        Formula::All(vec![
            Formula::AtLeastZero(begin.clone()),
            is_worker(&worker),
            is_worker(&other),
            Formula::Any(vec![within, across]),
            self.has((&worker, &begin), &pe),
            self.has((&other, &later), &pe),
        ])
    }

    fn state(&self, kind: Kind, violation: Formula, broken: &str, needed: &str) -> Obligation {
        let ([length, stride], Things { one, all }) = ([&self.length, &self.stride], self.things);
        let rounds = self.period.as_ref().map_or("once".to_owned(), |period| format!("anew after {period}"));
        let reason = Reason {
            broken: format!("a {one} is {broken}"),
            blame: format!("distributes {all} {}", self.title),
            available: format!(
                "distributed     {length} {all} to each worker, {stride} after those of the one before, {rounds}"
            ),
            needed: format!("needed        {needed} share for each {one}"),
            help: "let each share begin where the one before ends".to_owned(),
            moments: vec![],
        };
        let inside = [Formula::AtLeastZero(self.one()), Formula::less(&self.one(), &variable(all))];
        let others: &[&str] = match (&self.period, kind) {
            (None, Kind::OwnerCover) => &[one, BLOCK],
            (None, _) => &[one, BLOCK, "worker", "worker'"],
            (Some(_), Kind::OwnerCover) => &[one, "worker", "begin"],
            (Some(_), _) => &[one, "worker", "worker'", "begin", "begin'"],
        };
        let parts = inside.into_iter().chain([violation]).collect();
        stated((kind, all), (&["workers", all], others), parts, reason)
    }
}

/// `0 <= worker < workers`.
fn is_worker(worker: &Affine) -> Formula {
    Formula::All(vec![Formula::AtLeastZero(worker.clone()), Formula::less(worker, &variable("workers"))])
}

/// Workers in a grid are numbered row by row, `row` numbers apart for so many in a row: each has a number of its own, below
/// the number of all. Rows may themselves be numbered so, which makes it hold of grids with more axes.
pub fn numbering_obligation(row: impl Fn(i64) -> i64) -> Obligation {
    let numbered = |marks: &str, count: i64| {
        let [along, within] = ["row", "column"].map(|what| variable(&format!("{what}{marks}")));
        let inside = [
            Formula::AtLeastZero(along.clone()),
            Formula::less(&along, &variable("rows")),
            Formula::AtLeastZero(within.clone()),
            Formula::less(&within, &number(count)),
        ];
        (Formula::All(inside.to_vec()), along.clone() * row(count) + within.clone(), [along, within])
    };
    let case = |count: i64| {
        let ((inside, number_of, one), (too, number_too, other)) = (numbered("", count), numbered("'", count));
        let beyond = Formula::at_least(&number_of, &(variable("rows") * count));
        let same = Formula::All(vec![too, Formula::before(&one, &other), Formula::equal(&number_of, &number_too)]);
        Formula::All(vec![
            Formula::equal(&variable("columns"), &number(count)),
            inside,
            Formula::Any(vec![beyond, same]),
        ])
    };
    let reason = Reason {
        broken: "two workers of a grid have one number, or one has none of those that there are".to_owned(),
        blame: "numbers the workers of a grid".to_owned(),
        available: "numbered      row by row".to_owned(),
        needed: "needed        a number for each, below the number of all".to_owned(),
        help: "let rows be as far apart as they are long".to_owned(),
        moments: vec![],
    };
    let others = ["row", "column", "row'", "column'"];
    let broken = Formula::Any((1..=MOST_WORKERS).map(case).collect());
    stated((Kind::OwnerNumber, "workers"), (&["rows", "columns"], &others), vec![broken], reason)
}

/// An obligation over these sizes, each at least 1, and other variables.
fn stated(
    (kind, of): (Kind, &str),
    (sizes, others): (&[&str], &[&str]),
    violation: Vec<Formula>,
    reason: Reason,
) -> Obligation {
    let positive = sizes.iter().map(|size| Formula::at_least(&variable(size), &number(1)));
    Obligation {
        kind,
        of: name(of),
        variables: sizes.iter().chain(others).map(|text| name(text)).collect::<Vec<Name>>(),
        parameters: sizes.len(),
        points: vec![],
        violation: Formula::All(positive.chain(violation).collect()),
        reason,
    }
}

/// All that is to be proved of the workers that PEs are distributed to, and that words are where there is a layout. Homes stand along the
/// axes of an array as workers do along those of the PEs, so they are numbered alike.
pub fn owner_obligations(distribution: Distribution, layouts: &[Distribution]) -> Vec<Obligation> {
    let mut obligations = Shares::of(Things::PES, distribution).obligations();
    let is_first = |(position, layout): &(usize, &Distribution)| !layouts[..*position].contains(layout);
    for (_, layout) in layouts.iter().enumerate().filter(is_first) {
        obligations.extend(Shares::of(Things::WORDS, *layout).obligations());
    }
    obligations.push(numbering_obligation(|columns| columns));
    obligations
}
