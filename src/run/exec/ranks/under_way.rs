//! Tiles on their way from one rank to another, each a message of its own.
//!
//! In: the elements where they are, of whichever precision. Out: the same elements where they will be. Nobody copies them in between.

use super::world::{World, number};
use crate::leaf::{Buffer, Element, Enclosed};
use mpi::request::{LocalScope, Request};
use mpi::traits::{Communicator, Destination, Equivalence, Source};
use std::sync::Arc;
use systole_base::scalar::Precision;

/// Sends of tiles that have begun; `'b` is how long these last.
#[derive(Default)]
pub struct Tiles<'b, 's> {
    doubles: Vec<Request<'b, [f64], &'s LocalScope<'b>>>,
    singles: Vec<Request<'b, [f32], &'s LocalScope<'b>>>,
}

impl<'b, 's> Tiles<'b, 's> {
    /// Begins to send tiles to a rank, in their order.
    pub fn begin(&mut self, scope: &'s LocalScope<'b>, world: &World, to: usize, tiles: &'b [Enclosed]) {
        let far = world.tiles().process_at_rank(number(to));
        for tile in tiles {
            match tile {
                Enclosed::Double(values) => self.doubles.push(far.immediate_send(scope, &values[..])),
                Enclosed::Single(values) => self.singles.push(far.immediate_send(scope, &values[..])),
            }
        }
    }

    /// Forgets the sends that are completed; whether all are.
    pub fn test(&mut self) -> bool {
        self.doubles = self.doubles.drain(..).filter_map(|request| request.test().err()).collect();
        self.singles = self.singles.drain(..).filter_map(|request| request.test().err()).collect();
        self.doubles.is_empty() && self.singles.is_empty()
    }
}

/// The next tile that a rank has sent, of so many elements.
pub fn receive(world: &World, from: usize, precision: Precision, size: usize) -> Enclosed {
    match precision {
        Precision::Double => receive_elements::<f64>(world, from, size),
        Precision::Single => receive_elements::<f32>(world, from, size),
    }
}

fn receive_elements<E: Element + Equivalence>(world: &World, from: usize, size: usize) -> Enclosed {
    let mut values = Buffer::<E>::blank(size);
    world.tiles().process_at_rank(number(from)).receive_into(&mut values[..]);
    E::enclose(Arc::new(values))
}
