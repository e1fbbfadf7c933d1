//! The elements of a tile, in memory that is used again.
//!
//! A tile is as large as what an allocator takes from the system and gives back at once, so that every new one would be
//! mapped page by page as it is first written: a quarter of a run. What a [`Buffer`] leaves is kept for the next one instead,
//! whichever thread has it. Whoever finds nothing that fits gives something else back first, so there are never more
//! pieces of memory than there have been buffers at a time.

use super::Element;
use super::routine::Few;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

/// Fewer elements than these are left to the allocator, which keeps them itself.
const LEAST: usize = 2048;

/// Memory that the buffers of the process have left.
#[derive(Debug)]
pub struct Left<E>(Mutex<Vec<Vec<E>>>);

impl<E> Left<E> {
    /// Nothing yet.
    pub(super) const fn new() -> Left<E> {
        Left(Mutex::new(vec![]))
    }

    /// Memory for so many elements, whatever it holds.
    fn room(&self, length: usize) -> Vec<E> {
        let fits = |left: &Vec<E>| (length..=2 * length).contains(&left.capacity());
        if length >= LEAST
            && let Ok(mut left) = self.0.lock()
        {
            match left.iter().rposition(fits) {
                Some(found) => return left.swap_remove(found),
                None => drop(left.pop()),
            }
        }
        Vec::with_capacity(length)
    }

    /// Takes memory that is not needed any more.
    fn keep(&self, values: Vec<E>) {
        if values.capacity() >= LEAST
            && let Ok(mut left) = self.0.lock()
        {
            left.push(values);
        }
    }
}

/// Elements, row-major over a box.
#[derive(Debug)]
pub struct Buffer<E: Element = f64> {
    values: Vec<E>,
    /// How long the box is along each dimension; none where nobody has said so.
    lengths: Few<usize>,
}

impl<E: Element> Buffer<E> {
    /// No elements, and room for so many.
    #[must_use]
    pub fn with_room(length: usize) -> Buffer<E> {
        let mut values = E::left().room(length);
        values.clear();
        Buffer::from(values)
    }

    /// So many elements that are to be written before they are read: they hold anything, which shows in debug builds.
    #[must_use]
    pub fn blank(length: usize) -> Buffer<E> {
        if cfg!(debug_assertions) {
            return Buffer::filled(E::NAN, length);
        }
        let mut values = E::left().room(length);
        values.resize(length, E::ZERO);
        Buffer::from(values)
    }

    /// So many elements of the same number.
    #[must_use]
    pub fn filled(value: E, length: usize) -> Buffer<E> {
        let mut buffer = Buffer::with_room(length);
        buffer.values.resize(length, value);
        buffer
    }

    /// Puts elements after those that are there.
    pub fn extend_from_slice(&mut self, values: &[E]) {
        self.values.extend_from_slice(values);
    }

    /// How long the box is along each dimension; empty where nobody has said so.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The same elements, over a box of these lengths.
    #[must_use]
    pub fn over(mut self, lengths: &[usize]) -> Buffer<E> {
        self.lengths = Few::from_slice(lengths);
        self
    }
}

/// By the elements alone.
impl<E: Element> PartialEq for Buffer<E> {
    fn eq(&self, other: &Buffer<E>) -> bool {
        self.values == other.values
    }
}

impl<E: Element> Drop for Buffer<E> {
    fn drop(&mut self) {
        E::left().keep(std::mem::take(&mut self.values));
    }
}

impl<E: Element> Deref for Buffer<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        &self.values
    }
}

impl<E: Element> DerefMut for Buffer<E> {
    fn deref_mut(&mut self) -> &mut [E] {
        &mut self.values
    }
}

impl<E: Element> Clone for Buffer<E> {
    fn clone(&self) -> Buffer<E> {
        Buffer::from(&**self)
    }
}

impl<E: Element> From<&[E]> for Buffer<E> {
    fn from(values: &[E]) -> Buffer<E> {
        let mut buffer = Buffer::with_room(values.len());
        buffer.extend_from_slice(values);
        buffer
    }
}

impl<E: Element> From<Vec<E>> for Buffer<E> {
    fn from(values: Vec<E>) -> Buffer<E> {
        Buffer { values, lengths: Few::new() }
    }
}

/// Room is made for as many as the iterator says at least.
impl<E: Element> FromIterator<E> for Buffer<E> {
    fn from_iter<T: IntoIterator<Item = E>>(values: T) -> Buffer<E> {
        let values = values.into_iter();
        let mut buffer = Buffer::with_room(values.size_hint().0);
        buffer.values.extend(values);
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: usize = 3 * LEAST;

    fn left_by(lengths: &[usize]) -> Left<f64> {
        let left = Left::new();
        lengths.iter().for_each(|length| left.keep(Vec::with_capacity(*length)));
        left
    }

    fn count(left: &Left<f64>) -> usize {
        left.0.lock().unwrap().len()
    }

    #[test]
    fn what_one_leaves_the_next_one_has() {
        let left = left_by(&[]);
        let first = vec![2.0; LENGTH];
        let place = first.as_ptr();
        left.keep(first);
        let second = left.room(LENGTH - 9);
        assert_eq!((second.as_ptr(), count(&left)), (place, 0));
        let third = left.room(LENGTH);
        assert_ne!(third.as_ptr(), second.as_ptr());
    }

    #[test]
    fn what_does_not_fit_is_given_back() {
        for length in [LENGTH + 1, LENGTH, LENGTH / 2, LENGTH / 2 - 1] {
            let left = left_by(&[LENGTH, LENGTH]);
            let fits = (LENGTH / 2..=LENGTH).contains(&length);
            assert_eq!((left.room(length).capacity(), count(&left)), (if fits { LENGTH } else { length }, 1));
        }
        assert_eq!(count(&left_by(&[LEAST - 1, LEAST])), 1);
        let left = left_by(&[LEAST]);
        assert_eq!((left.room(LEAST - 1).capacity(), count(&left)), (LEAST - 1, 1));
    }

    #[test]
    fn buffers_begin_as_they_are_asked_to() {
        assert_eq!((Buffer::<f64>::blank(LENGTH).len(), Buffer::<f32>::with_room(LENGTH).len()), (LENGTH, 0));
        let filled = Buffer::filled(2.0, LENGTH);
        assert!(filled.len() == LENGTH && filled.iter().all(|value| *value == 2.0));
        assert!(filled.clone() == filled && filled.clone().as_ptr() != filled.as_ptr());
    }
}
