//! Strips: an index as a pair, `i = 16 (i div 16) + (i mod 16)`.
//!
//! Schedules speak of either half, so a place may be the position in a strip and a round its number. Each half is an index like
//! others, with a name that says what it is. The literature calls this strip-mining, or partitioning where the strips are as long
//! as an axis of the array.

use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, name};

/// An index in strips of one length; the last may be shorter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strip {
    /// The index.
    pub index: Name,
    /// How long a strip is, 1 or more.
    pub size: i64,
}

impl Strip {
    /// Which strip: `i div 16`.
    pub fn number(&self) -> Name {
        name(&format!("{} div {}", self.index, self.size))
    }

    /// Where in the strip: `i mod 16`.
    pub fn position(&self) -> Name {
        name(&format!("{} mod {}", self.index, self.size))
    }

    /// The index over both.
    pub fn value(&self) -> Affine {
        Affine::term(&self.number(), self.size) + Affine::variable(&self.position())
    }

    /// The strip of which a name is a half.
    pub fn of(half: &str) -> Option<Strip> {
        let (index, size) = half.split_once(" mod ").or_else(|| half.split_once(" div "))?;
        Some(Strip { index: name(index), size: size.parse().ok()? })
    }

    /// Whether a name is the number of a strip.
    pub fn is_number(half: &Name) -> bool {
        Strip::of(half).is_some_and(|strip| strip.number() == *half)
    }

    /// A form with each index that is in strips over its halves.
    pub fn expand(strips: &[Strip], form: &Affine) -> Affine {
        form.substitute(&Strip::image(strips))
    }

    /// What each index that is in strips is over its halves.
    pub fn image(strips: &[Strip]) -> BTreeMap<Name, Affine> {
        strips.iter().map(|strip| (strip.index.clone(), strip.value())).collect()
    }

    /// A set over the halves of indices in strips.
    pub fn divide(strips: &[Strip], whole: &Polyhedron) -> Polyhedron {
        let mut set = whole.substitute(&Strip::image(strips));
        for strip in strips {
            // Where an index is 0 or more its strip is, for whole numbers; bounds over fractions do not say so.
            if whole.implies(&Affine::variable(&strip.index)) {
                set.add(Affine::variable(&strip.number()));
            }
            let position = Affine::variable(&strip.position());
            set.add(position.clone());
            set.add(Affine::constant(strip.size - 1) - position);
        }
        set
    }

    /// A direction along each index that is in strips as one along the positions in a strip.
    pub fn within(strips: &[Strip], direction: &Affine) -> Affine {
        let image = strips.iter().map(|strip| (strip.index.clone(), Affine::variable(&strip.position()))).collect();
        direction.substitute(&image)
    }
}
