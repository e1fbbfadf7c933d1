//! How far the search goes, and what it left out on the way.
//!
//! Limits count, they never time, so what is left out is the same in every run. What is left out is told with the result:
//! the front is exact for all that was looked at.

/// How far the search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// So many maps are looked at. Of one space, where there are more, those with plain places and compact times; where steps are
    /// solved for, what that takes is counted in maps.
    pub budget: u64,
    /// The placements of all families looked at under one `place` line.
    pub placements: usize,
    /// The dataflows of computed values looked at under one placement.
    pub dataflows: usize,
    /// The choices of streams of inputs for which steps are asked for under one dataflow.
    pub asked: usize,
    /// With more spaces than this only places along the axes are looked at, unless a schedule gives another.
    pub spaces: usize,
    /// With more spaces than this arrays in rounds are looked at only where plain times lead to no design, however values move, unless a
    /// schedule says so; with 0 none is, and none stores what it computes for others or for later.
    pub rounds: usize,
    /// The most PEs of a design's array that are folded onto one; with 1 nothing is folded.
    pub fold: i64,
    /// With more dataflows than this over all placements a system is searched part by part.
    pub wholly: u64,
    /// Part by part the search goes on with so many designs of the parts so far under each objective.
    pub beam: usize,
    /// And looks at so many places of the next part beside each of them.
    pub next: usize,
    /// Part by part a stage may take so much even where the budget is used up: there is always an answer.
    pub stage: u64,
    /// Whether a solver is asked for steps that take many branches.
    pub asks: bool,
    /// Whether steps that are not decided for all spaces together are solved for one connected component at a time; they need not be the
    /// shortest then.
    pub by_components: bool,
    /// Whether smaller budgets are searched with first (`Limits::deepening`).
    pub deepens: bool,
    /// The budget that was asked for, and how many shares it has, where this one is a share of it.
    pub share_of: Option<(u64, u64)>,
}

/// The budget where nothing is said: seconds.
const USUAL: u64 = 6_000_000;

/// The budget that is searched with first. It takes a twentieth of the time and often finds what larger ones, which go on from other
/// designs, do not.
const LEAST: u64 = USUAL / 64;

/// Solving for the steps of a dataflow takes about as long as looking at so many maps of one space.
pub(super) const MAPS_OF_A_DATAFLOW: u64 = 1000;

impl Limits {
    /// Those of the budget that there is where nothing is said.
    pub fn usual() -> Limits {
        Limits::of_budget(USUAL)
    }

    /// Those of a budget.
    pub fn of_budget(budget: u64) -> Limits {
        Limits { deepens: true, ..Limits::default().as_far_as(budget) }
    }

    /// The limits of the searches that a budget pays for, one after the other (iterative deepening): those of the least budget, those of the
    /// usual one, then those of as much again with a wider beam, and so on. So a budget below the usual one counts as the least and one above
    /// it is rounded up, and each finds what smaller ones find.
    pub fn deepening(self) -> Vec<Limits> {
        // Without a limit all is looked at, whatever is found on the way.
        if !self.deepens || self.budget == u64::MAX {
            return vec![self];
        }
        let (asked, shares) = self.share_of.unwrap_or((self.budget, 1));
        let share = |budget: u64| (budget / shares).max(1);
        // There is another answer than that of the least budget: larger ones, or one PE that runs everything in order.
        let mut all = vec![Limits { stage: self.stage / (USUAL / LEAST), ..self.as_far_as(share(LEAST)) }];
        if asked >= USUAL {
            all.push(self.as_far_as(share(USUAL)));
        }
        let mut sum = USUAL;
        while sum < asked {
            let twice = sum.saturating_mul(2);
            all.push(Limits { budget: share(sum), ..self.as_far_as(share(twice)) });
            sum = twice;
        }
        all
    }

    /// The budget of this search, or the one of which it has a share.
    pub fn asked_for(self) -> u64 {
        self.share_of.map_or(self.budget, |(asked, _)| asked)
    }

    /// A budget that looks further than the one that was asked for.
    pub fn larger_budget(self) -> u64 {
        let asked = self.asked_for();
        if asked < USUAL { USUAL } else { asked.saturating_mul(2) }
    }

    /// One share of so many. Smaller budgets, which are searched with first, are shared as well.
    pub fn share(self, of: u64) -> Limits {
        if of <= 1 {
            return self;
        }
        let budget = if self.budget == u64::MAX { u64::MAX } else { (self.budget / of).max(1) };
        let (asked, shares) = self.share_of.unwrap_or((self.budget, 1));
        Limits { share_of: Some((asked, shares.saturating_mul(of))), ..self.as_far_as(budget) }
    }

    /// The share of one of so many ways to divide a kernel. There are other answers than that of one way, and no room for a question to the
    /// solver, which takes as long as looking at 60,000 maps, unless a share is a whole budget.
    pub fn share_of_a_way(self, ways: u64) -> Limits {
        let share = self.share(ways);
        Limits { stage: self.stage / ways.max(1), asks: ways <= 1 || share.budget >= USUAL, ..share }
    }

    /// The same within another budget.
    fn as_far_as(self, budget: u64) -> Limits {
        let usual = Limits::default();
        // A wider beam has more designs to go on with, which only a larger budget pays for.
        let times = usize::try_from(budget / USUAL).unwrap_or(usize::MAX).max(1);
        let (beam, next) = (usual.beam.saturating_mul(times), usual.next.saturating_mul(times));
        Limits { budget, wholly: budget / MAPS_OF_A_DATAFLOW, beam, next, ..self }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            budget: USUAL,
            placements: 50_000,
            dataflows: 4096,
            asked: 64,
            spaces: 5,
            rounds: 6,
            fold: 1,
            wholly: 50_000,
            beam: 6,
            next: 48,
            stage: USUAL / 60,
            asks: true,
            by_components: false,
            deepens: false,
            share_of: None,
        }
    }
}

/// Where a space could have more places and rounds than this, its places are along the axes.
pub const MOST_FREE: u128 = 100_000;

/// What was not looked at for being beyond a limit; all zero where the search is complete within its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Maps of one space beyond the budget, at most.
    pub maps: u64,
    /// Placements of several spaces beyond the budget.
    pub placements: u64,
    /// `place` lines that are not along the axes.
    pub slanted: u64,
    /// `place` lines with more placements than were looked at; how many more is not known.
    pub crowded: u64,
    /// `place` lines whose placements were not all listed, where there were too many to look at all.
    pub unlisted: u64,
    /// Dataflows, over all placements.
    pub dataflows: u64,
    /// Dataflows whose spaces meet on PEs, and could have been beside each other in more ways than were looked at.
    pub beside: u64,
    /// Dataflows with more ways to stream their inputs, each with steps of its own, than were looked at.
    pub streams: u64,
    /// Designs of some of the spaces, each with steps, that the search did not go on with.
    pub partial: u64,
}

impl LeftOut {
    /// Whether nothing was.
    pub fn is_nothing(self) -> bool {
        self == LeftOut::default()
    }

    /// What either left out.
    pub fn join(self, other: LeftOut) -> LeftOut {
        LeftOut {
            maps: self.maps.saturating_add(other.maps),
            placements: self.placements.saturating_add(other.placements),
            slanted: self.slanted.saturating_add(other.slanted),
            crowded: self.crowded.saturating_add(other.crowded),
            unlisted: self.unlisted.saturating_add(other.unlisted),
            dataflows: self.dataflows.saturating_add(other.dataflows),
            beside: self.beside.saturating_add(other.beside),
            streams: self.streams.saturating_add(other.streams),
            partial: self.partial.saturating_add(other.partial),
        }
    }
}
