//! The elements of a tile, in memory that is used again.
//!
//! A tile is as large as what an allocator takes from the system and gives back at once, so that every new one would be
//! mapped page by page as it is first written: a quarter of a run. What a [`Buffer`] leaves is kept for the next one instead,
//! whichever thread has it. Whoever finds nothing that fits gives something else back first, so no more is held than
//! buffers have ever held together.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

/// Fewer elements than these are left to the allocator, which keeps them itself.
const LEAST: usize = 2048;

/// What buffers have left.
static LEFT: Mutex<Vec<Vec<f64>>> = Mutex::new(vec![]);

/// Elements, row-major over a box.
#[derive(Debug, PartialEq)]
pub struct Buffer(Vec<f64>);

impl Buffer {
    /// No elements, and room for so many.
    #[must_use]
    pub fn with_room(length: usize) -> Buffer {
        let mut values = room(length);
        values.clear();
        Buffer(values)
    }

    /// So many elements that are to be written before they are read: they hold anything, which shows in debug builds.
    #[must_use]
    pub fn blank(length: usize) -> Buffer {
        if cfg!(debug_assertions) {
            return Buffer::filled(f64::NAN, length);
        }
        let mut values = room(length);
        values.resize(length, 0.0);
        Buffer(values)
    }

    /// So many elements of the same number.
    #[must_use]
    pub fn filled(value: f64, length: usize) -> Buffer {
        let mut buffer = Buffer::with_room(length);
        buffer.0.resize(length, value);
        buffer
    }

    /// Puts elements after those that are there.
    pub fn extend_from_slice(&mut self, values: &[f64]) {
        self.0.extend_from_slice(values);
    }
}

/// Memory for so many elements, whatever it holds.
fn room(length: usize) -> Vec<f64> {
    if length < LEAST {
        return Vec::with_capacity(length);
    }
    let fits = |left: &Vec<f64>| (length..=2 * length).contains(&left.capacity());
    let Ok(mut left) = LEFT.lock() else { return Vec::with_capacity(length) };
    match left.iter().rposition(fits) {
        Some(found) => left.swap_remove(found),
        None => {
            left.pop();
            drop(left);
            Vec::with_capacity(length)
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.0.capacity() < LEAST {
            return;
        }
        if let Ok(mut left) = LEFT.lock() {
            left.push(std::mem::take(&mut self.0));
        }
    }
}

impl Deref for Buffer {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        Buffer::from(&**self)
    }
}

impl From<&[f64]> for Buffer {
    fn from(values: &[f64]) -> Buffer {
        let mut buffer = Buffer::with_room(values.len());
        buffer.extend_from_slice(values);
        buffer
    }
}

impl From<Vec<f64>> for Buffer {
    fn from(values: Vec<f64>) -> Buffer {
        Buffer(values)
    }
}

/// Room is made for as many as the iterator says at least.
impl FromIterator<f64> for Buffer {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Buffer {
        let values = values.into_iter();
        let mut buffer = Buffer::with_room(values.size_hint().0);
        buffer.0.extend(values);
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A length that no other test has, since all share what is left.
    const LENGTH: usize = 70_001;

    #[test]
    fn what_a_buffer_leaves_the_next_one_has() {
        let first = Buffer::filled(2.0, LENGTH);
        let place = first.as_ptr();
        drop(first);
        let second = Buffer::from(&vec![3.0; LENGTH - 9][..]);
        assert_eq!(second.as_ptr(), place);
        assert!(second.len() == LENGTH - 9 && second.iter().all(|value| *value == 3.0));
        let third = second.clone();
        assert!(third.as_ptr() != place && third == second);
    }

    #[test]
    fn nothing_more_than_twice_as_large_is_used_and_small_ones_are_not_kept() {
        assert!((2 * LENGTH..=4 * LENGTH).contains(&room(2 * LENGTH).capacity()));
        let few = Buffer::filled(1.0, LEAST - 1);
        drop(few);
        let kept = LEFT.lock().map(|left| left.iter().filter(|left| left.capacity() < LEAST).count());
        assert_eq!(kept.ok(), Some(0));
        assert_eq!((Buffer::blank(LENGTH).len(), Buffer::with_room(LENGTH).len()), (LENGTH, 0));
    }
}
