//! When a run on ranks is over: a token that goes round and counts.
//!
//! A token goes from rank 0 through all ranks and back. A rank lets it go on only when none of its PEs can go on and
//! nothing waits to be sent, and adds how many packets it has sent and received so far. Let two tours follow each other:
//! when the packets received by the first are as many as those sent by the second, nothing was under way between them and no
//! rank has done anything since, so nobody can go on. Paper: Mattern, Algorithms for distributed termination detection, 1987,
//! the four-counter method.

/// What the token has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token {
    pub sent: u64,
    pub received: u64,
}

/// What a rank does about the token while it has nothing else to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Sends it to the next rank.
    Pass(Token),
    /// Nothing: the token is elsewhere.
    Wait,
    /// Ends the run.
    End,
}

/// The token as one rank sees it.
#[derive(Clone, Debug)]
pub struct Tour {
    is_first: bool,
    /// The token, while it is here.
    here: Option<Token>,
    /// At rank 0: the packets received, as the last tour counted them.
    before: Option<u64>,
    is_over: bool,
}

impl Tour {
    /// Before the first tour, which begins and ends at rank 0; a rank that is alone needs none.
    pub fn new(rank: usize, size: usize) -> Tour {
        let is_first = rank == 0;
        Tour { is_first, here: is_first.then(Token::default), before: None, is_over: size == 1 }
    }

    /// The token comes in; at rank 0 a tour is over, and the next begins.
    pub fn arrive(&mut self, token: Token) {
        self.here = Some(if self.is_first { Token::default() } else { token });
        if self.is_first {
            self.is_over = self.before == Some(token.sent);
            self.before = Some(token.received);
        }
    }

    /// What to do at a rank that has nothing else to do, with the packets that it has sent and received so far.
    pub fn idle(&mut self, sent: u64, received: u64) -> Next {
        if self.is_over {
            return Next::End;
        }
        match self.here.take() {
            Some(token) => Next::Pass(Token { sent: token.sent + sent, received: token.received + received }),
            None => Next::Wait,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks; the counts are those at which each lets the token go on.
    fn tour(first: &mut Tour, second: &mut Tour, counts: [(u64, u64); 2]) -> Next {
        let Next::Pass(token) = first.idle(counts[0].0, counts[0].1) else { panic!("rank 0 has the token") };
        assert_eq!(first.idle(0, 0), Next::Wait);
        second.arrive(token);
        let Next::Pass(token) = second.idle(counts[1].0, counts[1].1) else { panic!("rank 1 has the token") };
        first.arrive(token);
        first.idle(9, 9)
    }

    #[test]
    fn two_tours_that_count_alike_end_the_run_and_one_does_not() {
        let (mut first, mut second) = (Tour::new(0, 2), Tour::new(1, 2));
        assert!(matches!(tour(&mut first, &mut second, [(3, 2), (2, 3)]), Next::Pass(_)));
        let (mut first, mut second) = (Tour::new(0, 2), Tour::new(1, 2));
        first.before = Some(5);
        assert_eq!(tour(&mut first, &mut second, [(3, 2), (2, 3)]), Next::End);
    }

    /// A packet that passes behind the token's back is in the sums of one tour on one side only.
    #[test]
    fn a_packet_under_way_keeps_the_run_open() {
        let (mut first, mut second) = (Tour::new(0, 2), Tour::new(1, 2));
        first.before = Some(4);
        assert!(matches!(tour(&mut first, &mut second, [(3, 2), (2, 2)]), Next::Pass(_)));
    }

    #[test]
    fn a_rank_that_is_alone_ends_at_once() {
        assert_eq!(Tour::new(0, 1).idle(0, 0), Next::End);
    }
}
