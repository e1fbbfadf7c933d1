//! How one dimension of a tensor, or one index, is divided into tiles.

use systole_base::integer::{Affine, Bindings};

/// Elements `0..before + body + after` in tiles: each of the `before` first and the `after` last is a tile of its own, the
/// `body` between them is cut into tiles of `size` elements, the last of which may be ragged. So an equation over tiles has
/// the form of the equation over elements, with the number of the body's tiles in place of its extent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axis {
    /// How many elements stand before the body.
    pub before: i64,
    /// How many elements the body has, over the parameters.
    pub body: Affine,
    /// How many of them a tile holds, at least 1.
    pub size: i64,
    /// How many elements stand after the body.
    pub after: i64,
    /// How many empty tiles stand before and after all others, for those who read `x[i - k]` tile by tile and may reach beyond
    /// the first and the last.
    pub margin: i64,
}

impl Axis {
    /// The number of elements, over the parameters.
    pub fn extent(&self) -> Affine {
        self.body.clone() + Affine::constant(self.before + self.after)
    }

    /// Whether it is one tile, whatever the sizes.
    pub fn is_whole(&self) -> bool {
        self.body == Affine::constant(self.size) && [self.before, self.after, self.margin] == [0; 3]
    }

    /// The first and last element of a tile, where `body` is the value of [`Axis::body`]. The last is less than the first
    /// where the tile is empty, as all tiles outside are.
    pub fn span(&self, tile: i64, body: i64) -> (i64, i64) {
        let tile = tile - self.margin;
        let (inner, tiles) = (tile - self.before, self.tiles_over(body));
        let extent = self.before + body + self.after;
        let (first, last) = match inner {
            _ if tile < 0 => (0, -1),
            _ if inner < 0 => (tile, tile),
            _ if inner < tiles => {
                (self.before + inner * self.size, self.before + ((inner + 1) * self.size).min(body) - 1)
            }
            _ => (self.before + body + inner - tiles, self.before + body + inner - tiles),
        };
        if first < extent { (first, last) } else { (extent, extent - 1) }
    }

    /// How many tiles there are; `None` where a parameter has no value. Where the body is a sum of parameters these are the
    /// tiles of each, which may be more than there are elements for: the last are empty then.
    pub fn tiles(&self, sizes: &Bindings) -> Option<i64> {
        let beside = self.before + self.after + 2 * self.margin;
        if self.size == 1 || self.body.is_constant() || self.body.as_variable().is_some() {
            return Some(beside + self.tiles_over(self.body.evaluate(sizes)?));
        }
        let of = |(parameter, times): (_, i64)| sizes.get(parameter).map(|size| times * self.tiles_over(*size));
        Some(beside + self.tiles_over(self.body.constant_term()) + self.body.terms().map(of).sum::<Option<i64>>()?)
    }

    fn tiles_over(&self, elements: i64) -> i64 {
        tiles_over(elements, self.size)
    }
}

/// How many tiles of so many elements cover so many elements.
pub(super) fn tiles_over(elements: i64, size: i64) -> i64 {
    elements.div_euclid(size) + i64::from(elements.rem_euclid(size) > 0)
}
