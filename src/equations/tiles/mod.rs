//! Tiles: a system of equations over elements as a system over tiles, of the same form.
//!
//! In: a system, and the sizes of tiles that a schedule gives (`tile i 64`). Out: [`Tiled`]: a system whose indices are tile
//! coordinates, whose sizes are numbers of tiles, and whose functions are [`Leaf`]s, each the recurrence restricted to a tile's
//! box. The stages after this one see an ordinary system, so what they prove for all sizes they prove for all numbers of
//! tiles, ragged ones included. Paper: Cyclotron section 4.4, Figures 6 to 8, where the tiles of a triangular solve are
//! written by hand.
//!
//! **In the order of the files.** Spaces are written in the coordinates of their tensors (`source`). Indices and
//! subscripts that must be divided alike form classes (`classes`): an index and the subscripts in which it stands, and
//! indices that a range compares. Of several sizes in one class the least holds. Each axis is a border, a body, and a
//! border (`axes`), so a row of zeros stays a row of its own, and `H[i - 1, j - 1]` stays a read of neighbours. An
//! element of a border that a cell reads of the tile it writes, such as `D[i - 1, 0]`, is in its own tile. An extent of
//! several sizes, such as `x[2*N + K]`, has the tiles of each; the last of them may have no elements. Sets and
//! subscripts over tiles are never too small (`coarse`): a tile too many has no points. The tiles of a tensor are
//! divided into cells, in all tiles of which the same is done (`cells`, `questions`). Each cell has one equation
//! (`equations`) with its leaf (`statement`, `writer`).
//!
//! **The tile that is written.** If a reduction reads the very tile that is written, the reduction over tiles stops
//! before it, and the leaf adds the last terms (`reductions`). This is how a blocked solve comes out, and the blocked
//! factor of Cholesky: the diagonal tile is an operation of its own. A reduction over an interval, such as
//! `min(k in i..j) (X[i, k] + X[k + 1, j])`, reads that tile at its first terms and at its last; the leaf adds both, and
//! the reduction over tiles has those between.
//!
//! **Five changes of form** come before, each only if the equations cannot be tiled without it. None changes a bit;
//! random kernels hold the changed equations against the given ones.
//!
//! * Tensors that need each other become the *layers* of one (`stack`). A tile then has a piece of each, and a leaf
//!   computes them together. So the blocked factors of LU come out with one sum for L and U (`source` joins sums that
//!   differ in their points only), and the rotations of Givens with what they rotate. In a tile layers follow each
//!   other, so each lies like a matrix. Parts of a leaf that do not need each other have loops of their own (`layers`):
//!   below and beside the diagonal a tile of LU is a triangular solve.
//! * What scatters gathers (`gathered`): `c[i + j]` is summed where it is stored, above and below the diagonal apart.
//! * A reduction index that goes below 0 is counted from 0 (`counted`), since tiles are of elements from 0 on. One whose
//!   range goes along with another index, such as `l in k - N..k`, is counted from the range's beginning.
//! * Inputs whose tiles do not line up with their readers', such as `x[i - k + K - 1]`, have empty tiles around
//!   (`margins`). In which tile an element is depends on remainders of the sizes, and a leaf gets each tile that it may
//!   be.
//!
//! * Tensors whose tiles need each other in a cycle, such as several time steps of a stencil, lie aslant (`slanted`): boxes
//!   of `t` and `i + t` can be computed one after the other. What stays the same along a subscript is handed on along it
//!   before (`carried`). Outputs stay aslant in the program, and are turned back where they are handed over (`slant`).
//!   Their tiles are counted from where the elements of each step begin, if they can be (`straight`).
//!
//! **Refused**, with the reason: tensors whose tiles need each other in a cycle however they are slanted, with the smallest
//! case (also where it is leaves that cannot be written for it); computed tensors whose tiles do not line up with their
//! readers'. The reference evaluates element by element, with tiles in the order of the design (`recurrence::in_order`).

mod axis;

pub use axis::Axis;

mod leaf;

pub use leaf::{Argument, Leaf, LeafIndex, Range, Step, Value, Window};

mod gathered;

mod counted;

mod stack;

mod slant;

pub use slant::{Slant, SlantRow};

mod straight;

pub use straight::Straight;

mod source;

mod classes;

pub use classes::TileSize;

mod carried;

mod slanted;

mod axes;

mod margins;

mod coarse;

mod cells;

mod writer;

mod equations;

mod layers;

mod questions;

mod statement;

mod reductions;

mod tiled;

pub use tiled::{TileCount, Tiled, tile};

mod in_order;

pub use in_order::{TileChain, TileChains, evaluate_tiled};
