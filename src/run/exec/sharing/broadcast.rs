//! How a word that is driven on a bus gets to all workers of its line.
//!
//! In: the workers of a line, and who has a PE that drives. Out: for each worker those to whom it hands the word on. Workers have
//! places on the line, counted from the one that drives, in rising order and round; whatever the shape, each but the first is handed
//! the word once. Paper: Cyclotron section 9.2 has SUMMA's broadcasts as sends and receives; these are the shapes that collectives have.
//!
//! These are messages between two workers, not MPI's own collectives. Those would have to begin in one order on all
//! ranks of a line, and which PE drives next is not known there before the word comes; and they go on only while a rank
//! is in MPI, as messages do.

/// Who hands a word on to whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Broadcast {
    /// Who drives it sends it to all others.
    Star,
    /// Who has it hands it on in each round, so those who have it are twice as many after each: a binomial tree.
    #[default]
    Tree,
    /// Each hands it on to the next. The first word takes longest, and nobody sends a word twice.
    Chain,
}

impl Broadcast {
    /// All of them.
    pub const ALL: [Broadcast; 3] = [Broadcast::Star, Broadcast::Tree, Broadcast::Chain];

    /// As flags and files name it.
    pub fn keyword(self) -> &'static str {
        match self {
            Broadcast::Star => "star",
            Broadcast::Tree => "tree",
            Broadcast::Chain => "chain",
        }
    }

    /// To which of a line's workers, in rising order, one of them hands on a word that `root` drives; who is to hand it on to
    /// most others comes first.
    pub fn next(self, workers: &[usize], root: usize, own: usize) -> Vec<usize> {
        let (count, at) = (workers.len(), |worker: usize| workers.partition_point(|other| *other < worker));
        let first = at(root);
        let place = (at(own) + count - first) % count;
        self.next_places(place, count).into_iter().map(|place| workers[(first + place) % count]).collect()
    }

    /// The same for places on a line of so many workers, of which the first drives.
    fn next_places(self, place: usize, count: usize) -> Vec<usize> {
        match self {
            Broadcast::Star if place == 0 => (1..count).collect(),
            Broadcast::Star => vec![],
            Broadcast::Tree => {
                let steps = (0..usize::BITS).map(|round| 1 << round).skip_while(|step| *step <= place);
                steps.map(|step| place + step).take_while(|next| *next < count).collect()
            }
            Broadcast::Chain => (place + 1..count).take(1).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many hand a word on, one after the other, before each worker has it.
    fn hops(shape: Broadcast, workers: &[usize], root: usize) -> Vec<(usize, usize)> {
        let mut heard = vec![(root, 0)];
        let mut done = 0;
        while let Some((own, hops)) = heard.get(done).copied() {
            heard.extend(shape.next(workers, root, own).into_iter().map(|next| (next, hops + 1)));
            done += 1;
        }
        heard
    }

    #[test]
    fn each_worker_is_handed_a_word_once_whoever_drives() {
        for (shape, count) in Broadcast::ALL.into_iter().flat_map(|shape| (1..40).map(move |count| (shape, count))) {
            let workers: Vec<usize> = (0..count).map(|place| 3 * place + 1).collect();
            for root in &workers {
                let mut heard: Vec<usize> =
                    hops(shape, &workers, *root).into_iter().map(|(worker, _)| worker).collect();
                heard.sort_unstable();
                assert_eq!(heard, workers, "{shape:?} from {root}");
            }
        }
    }

    #[test]
    fn a_tree_has_as_many_rounds_as_twos_make_the_line() {
        for count in 1..70usize {
            let workers: Vec<usize> = (0..count).collect();
            let rounds = count.next_power_of_two().trailing_zeros() as usize;
            let longest = |shape| hops(shape, &workers, count / 2).iter().map(|(_, hops)| *hops).max();
            let most = |shape: Broadcast| workers.iter().map(|own| shape.next(&workers, 0, *own).len()).max();
            assert_eq!((most(Broadcast::Tree), longest(Broadcast::Chain)), (Some(rounds), Some(count - 1)));
            assert!(longest(Broadcast::Tree) <= Some(rounds), "{count}");
            assert_eq!((most(Broadcast::Star), most(Broadcast::Chain)), (Some(count - 1), Some(1.min(count - 1))));
        }
    }

    #[test]
    fn who_hands_on_to_most_comes_first() {
        let workers: Vec<usize> = (0..11).collect();
        assert_eq!(Broadcast::Tree.next(&workers, 3, 3), [4, 5, 7, 0]);
        assert_eq!(Broadcast::Tree.next(&workers, 3, 4), [6, 8, 1]);
        assert_eq!(Broadcast::Chain.next(&workers, 3, 10), [0]);
        assert!(Broadcast::Chain.next(&workers, 3, 2).is_empty());
        assert!(Broadcast::Star.next(&workers, 3, 4).is_empty());
    }
}
