//! The fewest of some things that are refused together.
//!
//! In: how many there are, and a question whether some of them are refused. Out: the positions of a set that is refused and is not
//! without any one of them. Things are left out from the last on, so a set leans on the first.

/// A smallest set of positions below `count` that is refused. All of them together are. Where more may be refused than less, or less than
/// more, it is gone over until nothing more can be left out.
pub fn fewest_refused(count: usize, mut is_refused: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..count).collect();
    loop {
        let before = kept.len();
        for left_out in kept.clone().into_iter().rev() {
            let rest: Vec<usize> = kept.iter().copied().filter(|one| *one != left_out).collect();
            if is_refused(&rest) {
                kept = rest;
            }
        }
        if kept.len() == before {
            return kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fewest_refused;

    #[test]
    fn a_set_is_refused_and_no_part_of_it_is() {
        let both = |some: &[usize]| some.contains(&1) && some.contains(&3);
        assert_eq!(fewest_refused(5, both), [1, 3]);
        assert_eq!(fewest_refused(5, |some| some.contains(&2)), [2]);
        assert_eq!(fewest_refused(3, |some| some.len() == 3), [0, 1, 2], "the twin: nothing can be left out");
        assert_eq!(fewest_refused(3, |_| true), Vec::<usize>::new());
    }

    #[test]
    fn what_can_be_left_out_later_is() {
        // Without 0 nothing is refused while 2 is there, and all is once it is gone.
        let refused = |some: &[usize]| some.contains(&0) || !some.contains(&2);
        assert_eq!(fewest_refused(3, refused), Vec::<usize>::new());
    }
}
