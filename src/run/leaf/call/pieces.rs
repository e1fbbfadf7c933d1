//! Calls that are nothing but products of a library.
//!
//! In: a call. Out: its [`Piece`]s: where the matrices of each product lie. That follows from its boxes, so it is found out when the call
//! is prepared, and nothing is left for calls like it but to ask the library. Most calls of a run are such: updates of tiles.

use super::place::Spot;
use super::product::Remaining;
use super::run::Run;
use crate::leaf::Element;
use crate::leaf::library::Library;
use crate::leaf::recognised::{Kind, Product};
use crate::leaf::routine::Node;

/// A call of more pieces takes so long that finding them out again is nothing.
const MOST: usize = 64;

/// A product, and which part of its result it adds to.
#[derive(Clone, Debug)]
pub struct Piece {
    part: Remaining,
    factor: f64,
    /// Of the result and of the two factors.
    spots: [Spot; 3],
}

impl<'a, E: Element> Run<'a, E> {
    /// The pieces that a body comes to; `None` where there is anything else to be done, or to be copied, or they are many.
    pub fn pieces_of(&mut self, body: &'a [Node]) -> Option<Vec<Piece>> {
        let (mut pieces, mut is_all) = (vec![], true);
        for node in body {
            let Node::Known(known) = node else { return None };
            let Kind::Product(product) = &known.kind else { return None };
            let see = &mut |run: &mut Run<'a, E>, part| {
                let piece = run.piece(product, part).filter(|_| pieces.len() < MOST);
                is_all &= piece.is_some();
                pieces.extend(piece);
                Ok(true)
            };
            self.cut(product, &known.loops, see).ok()?;
        }
        is_all.then_some(pieces)
    }

    fn piece(&self, product: &Product, part: Remaining) -> Option<Piece> {
        let [c, a, b] = product.matrices().map(|(access, indices)| self.spot(access, indices));
        (part != Remaining::Other).then_some(Piece { part, factor: product.factor, spots: [c?, a?, b?] })
    }

    /// Has the library do all pieces of a call.
    pub fn multiply_all(&mut self, pieces: &[Piece], library: &dyn Library<E>) {
        for Piece { part, factor, spots: [c, a, b] } in pieces {
            self.add(*c, (*part, E::rounded(*factor)), |run| Some([run.at(a), run.at(b)]), library);
        }
    }
}
