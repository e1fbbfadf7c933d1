//! Names of programs as names of C.
//!
//! A program's names have letters of all languages, dots, dashes and primes, and may be words of C. Those that are seen in one place of the C
//! text are given out by one [`Scope`], which gives no name twice and none that stands for something else there.

use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::Name;

/// Words of C, of its library, and of the files that stand beside each kernel.
const RESERVED: &str = "auto break case char const continue default do double else enum extern float for goto if inline int long register \
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false main NULL NAN INFINITY \
EOF errno stdin stdout stderr acos asin atan atan2 ceil cos cosh exp fabs floor fmod frexp ldexp log log10 modf pow sin sinh sqrt tan \
tanh j0 j1 jn y0 y1 yn gamma abs index free malloc calloc exit printf puts sum_of word run pe self sizes threads onto result status times \
least greatest smaller larger floor_div ceil_div remainder_of sign_of select_of volume_of tile box span view axis grid pes class crew worker \
channel channels bus point key IS_WELL BAD_ARGUMENT BAD_SIZE NO_MEMORY NO_THREAD DEADLOCK WAITS ENDED FAILED linux unix first last lane numbers windows main workers tiles scalar npy command collect mpi_ranks rank comm links buses first_row agree are_same rows_new rows_gather rows_scatter";

/// Names that are given out.
#[derive(Clone, Debug)]
pub(super) struct Scope(BTreeSet<String>);

impl Scope {
    /// None yet.
    pub fn new() -> Scope {
        Scope(RESERVED.split_whitespace().map(str::to_owned).collect())
    }

    /// A name like this one that was not given out.
    pub fn give(&mut self, wanted: &str) -> String {
        self.give_with(wanted, &[])
    }

    /// The same, where the name with each of these endings is free too.
    pub fn give_with(&mut self, wanted: &str, endings: &[&str]) -> String {
        let wanted = plain(wanted);
        let candidates = std::iter::once(wanted.clone()).chain((2..).map(|number| format!("{wanted}_{number}")));
        let all = |name: &String| -> Vec<String> {
            std::iter::once(name.clone()).chain(endings.iter().map(|ending| format!("{name}{ending}"))).collect()
        };
        let free = candidates.into_iter().find(|name| all(name).iter().all(|name| !self.0.contains(name)));
        let name = free.unwrap_or(wanted);
        self.0.extend(all(&name));
        name
    }

    /// Names for all of these.
    pub fn give_all<'n>(&mut self, names: impl IntoIterator<Item = &'n Name>) -> BTreeMap<Name, String> {
        let mut given = BTreeMap::new();
        for name in names {
            if !given.contains_key(name) {
                given.insert(name.clone(), self.give(name));
            }
        }
        given
    }
}

/// Letters, digits and underscores, the first no digit. Names that begin with underscores are the compiler's.
pub(super) fn plain(name: &str) -> String {
    let letter = |c: char| match c {
        _ if c.is_ascii_alphanumeric() => c.to_string(),
        '_' | '.' | '-' => "_".to_owned(),
        '\'' => "_prime".to_owned(),
        _ => format!("u{:x}", u32::from(c)),
    };
    let text: String = name.chars().map(letter).collect();
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) { text } else { format!("a{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_given_twice() {
        let mut scope = Scope::new();
        let given: Vec<String> = ["x.y", "x-y", "x_y", "int", "_", "ß", "A'"].map(|name| scope.give(name)).into();
        assert_eq!(given, ["x_y", "x_y_2", "x_y_3", "int_2", "a_", "udf", "A_prime"].map(str::to_owned));
        assert_eq!(scope.give_with("A", &["_prime"]), "A_2");
    }
}
