//! Random choices from a seed: the same on every machine, and of every kernel by itself.

/// Random numbers, one after the other (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
pub struct Choices(u64);

impl Choices {
    /// Those of one kernel among many.
    pub fn new(seed: u64, number: u64) -> Choices {
        let mut choices = Choices(seed);
        let start = choices.next() ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Choices(start)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, which is at least 1.
    pub fn choose(&mut self, count: usize) -> usize {
        ((self.next() >> 33) % count.max(1) as u64) as usize
    }

    /// Whether something happens that does so many times of a hundred.
    pub fn percent(&mut self, share: usize) -> bool {
        self.choose(100) < share
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.choose(from.len())]
    }

    /// One of these, each as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, from: &[(usize, T)]) -> T {
        let mut left = self.choose(from.iter().map(|(weight, _)| weight).sum());
        for (weight, value) in from {
            if left < *weight {
                return *value;
            }
            left -= weight;
        }
        from[0].1
    }
}
