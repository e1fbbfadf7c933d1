//! Names that are compared in one instruction: each text is kept once, for as long as the program runs.
//!
//! A search compares names more often than anything else, so a name has its first eight bytes beside it. Names come from
//! the texts of kernels, programs and machines, so there are as many as somebody has written.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A variable, tensor, kernel or parameter name; ordered as its text.
#[derive(Clone)]
pub struct Name {
    text: &'static str,
    /// The first eight bytes, the first of them the most significant: where these differ they have the order of the texts.
    start: u64,
}

/// A [`Name`] from text.
pub fn name(text: &str) -> Name {
    Name { text: kept(text), start: start(text.as_bytes()) }
}

/// `wanted`, with underscores while it is one of `others`.
pub fn unused<'a>(wanted: &str, others: impl IntoIterator<Item = &'a Name>) -> Name {
    let others: Vec<&Name> = others.into_iter().collect();
    let mut text = wanted.to_owned();
    while others.iter().any(|name| ***name == *text) {
        text.push('_');
    }
    name(&text)
}

/// The one copy of this text.
fn kept(text: &str) -> &'static str {
    static TEXTS: OnceLock<Mutex<HashSet<&'static str>>> = OnceLock::new();
    // Nothing that holds the lock leaves the set half written.
    let mut texts = TEXTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    match texts.get(text) {
        Some(known) => known,
        None => {
            let new: &'static str = Box::leak(text.into());
            texts.insert(new);
            new
        }
    }
}

fn start(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(bytes)
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        std::ptr::eq(self.text, other.text)
    }
}

impl Eq for Name {}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        match self.start.cmp(&other.start) {
            Ordering::Equal if self == other => Ordering::Equal,
            Ordering::Equal => self.text.cmp(other.text),
            apart => apart,
        }
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Name {
    /// As its text, by which tables are asked as well.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        self.text
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self.text
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.text
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        name(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.text, f)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.text, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_have_the_order_of_their_texts(one in "[a-c\0é]{0,10}", other in "[a-c\0é]{0,10}") {
            prop_assert_eq!(name(&one).cmp(&name(&other)), one.cmp(&other));
            prop_assert_eq!(name(&one) == name(&other), one == other);
        }
    }

    #[test]
    fn a_table_of_names_is_asked_by_texts() {
        let table = std::collections::BTreeMap::from([(name("long_name_1"), 1), (name("long_name_2"), 2)]);
        assert_eq!(table.get("long_name_2"), Some(&2));
        assert_eq!(table.get("long_name"), None);
        assert_eq!(std::collections::HashSet::from([name("i")]).get("i"), Some(&name("i")));
    }
}
