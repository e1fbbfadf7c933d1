//! What is found out once for all threads of a search.
//!
//! In: a key, and how to find out what belongs to it. Out: what was found for it before, or is found now, while others go on.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// What is known, by what decides it.
#[derive(Debug)]
pub struct Memo<K, V>(Mutex<FxHashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// What is known of a key, or else is found now.
    pub fn of(&self, key: K, find: impl FnOnce(&K) -> V) -> V {
        self.first_of(key, find).0
    }

    /// The same, and whether it is the first with its key: of several threads that find it at one time one has the first.
    pub fn first_of(&self, key: K, find: impl FnOnce(&K) -> V) -> (V, bool) {
        if let Some(value) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return (value.clone(), false);
        }
        let value = find(&key);
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value.clone());
        (value, before.is_none())
    }
}
