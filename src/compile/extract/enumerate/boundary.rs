//! `io boundary` in the search: whether values can enter and leave an array at its edge, at the given sizes.
//!
//! The same reading as the obligation `edge-injection`, which decides it for all sizes: what moves enters through the side it
//! comes from and leaves through the side it goes to; what does not move needs a side of its PE without another PE.

use super::Task;
use crate::cost::Region;
use std::collections::HashSet;
use systole_base::integer::{Matrix, Vector};

/// The PEs of an array.
pub struct Boundary {
    place: Matrix,
    pes: HashSet<Vector>,
}

impl Boundary {
    /// The boundary of the array at this place; `None` where values may enter anywhere.
    pub fn new(task: &Task, place: &Matrix) -> Option<Boundary> {
        if !task.constraint.boundary_io {
            return None;
        }
        let mut pes = HashSet::new();
        task.region.visit(&mut |point| {
            pes.insert(place.apply(point));
        });
        Some(Boundary { place: place.clone(), pes })
    }

    /// Whether an operand can enter at the heads of its lines along a direction, or, without one, everywhere it is used.
    pub fn lets_in(&self, region: &Region, along: Option<&[i64]>) -> bool {
        let back = along.map(|along| along.iter().map(|entry| -entry).collect::<Vector>());
        self.lets_cross(region, back.as_deref())
    }

    /// Whether a result can leave at the ends of its lines along a direction.
    pub fn lets_out(&self, region: &Region, along: &[i64]) -> bool {
        self.lets_cross(region, Some(along))
    }

    /// Looks at every point whose neighbour along `outward` is not in the region.
    fn lets_cross(&self, region: &Region, outward: Option<&[i64]>) -> bool {
        let mut points = HashSet::new();
        region.visit(&mut |point| {
            points.insert(point.to_vec());
        });
        let is_gate = |point: &&Vector| outward.is_none_or(|outward| !points.contains(&sum(point, outward)));
        let way = outward.map(|outward| self.place.apply(outward));
        points.iter().filter(is_gate).all(|point| self.is_open(&self.place.apply(point), way.as_deref()))
    }

    fn is_open(&self, pe: &[i64], way: Option<&[i64]>) -> bool {
        let free = |way: &[i64]| !self.pes.contains(&sum(pe, way));
        match way.filter(|way| way.iter().any(|entry| *entry != 0)) {
            Some(way) => free(way),
            None => pe.is_empty() || unit_steps(pe.len()).iter().any(|step| free(step)),
        }
    }
}

fn sum(a: &[i64], b: &[i64]) -> Vector {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}

fn unit_steps(rank: usize) -> Vec<Vector> {
    let unit = |axis: usize, sign: i64| (0..rank).map(|other| sign * i64::from(other == axis)).collect();
    (0..rank).flat_map(|axis| [unit(axis, 1), unit(axis, -1)]).collect()
}
