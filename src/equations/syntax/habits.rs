//! What people write who come from another language, and what is written here.
//!
//! In: where the grammar stopped, or the name of a function that is not known. Out: a line of help, where it is known what was meant.

use super::layout::first_word;
use super::tokens::is_word;

/// One stretch of the text and the place in it where the grammar stopped.
struct Stop<'t> {
    before: &'t str,
    rest: &'t str,
    met: &'t str,
}

/// What to write instead of what stands at `start` of the stretch `text`, whose word or sign there is `met`.
pub(super) fn instead_of(text: &str, start: usize, met: &str) -> Option<String> {
    let stop = Stop { before: text[..start].trim_end(), rest: &text[start..], met };
    let habits = [
        Stop::statement,
        Stop::choice,
        Stop::connective,
        Stop::power,
        Stop::update,
        Stop::sign,
        Stop::range_with_equals,
        Stop::range_in_condition,
        Stop::range_as_call,
        Stop::second_steps,
        Stop::reduction,
    ];
    habits.into_iter().find_map(|habit| habit(&stop))
}

impl Stop<'_> {
    /// The words before the stop, each with what follows it.
    fn words(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_start = |position: usize| {
            let inner_before = self.before[..position].ends_with(is_inner);
            !inner_before && self.before[position..].starts_with(is_inner)
        };
        let starts =
            self.before.char_indices().map(|(position, _)| position).filter(move |position| is_start(*position));
        starts.map(|start| {
            let word = first_word(&self.before[start..]);
            (word, self.before[start + word.len()..].trim_start())
        })
    }

    fn has(&self, wanted: &str) -> bool {
        self.words().any(|(word, _)| word == wanted)
    }

    /// How many brackets are open at the stop.
    fn open(&self, bracket: (char, char)) -> bool {
        let count = |wanted: char| self.before.chars().filter(|letter| *letter == wanted).count();
        count(bracket.0) > count(bracket.1)
    }

    fn statement(&self) -> Option<String> {
        ["for", "while", "do", "loop"].contains(&first_word(self.before)).then(|| {
            "there are no loops: an equation such as `y[i] = 2 * x[i]` holds at each `i`, and `sum(k) A[i, k]` adds over `k`"
                .to_owned()
        })
    }

    fn choice(&self) -> Option<String> {
        let is_word_of_it = self.words().any(|(word, next)| word == "if" && !next.starts_with(['[', '=', ',']));
        (is_word_of_it || self.met == "?" || (self.met == "if" && !self.before.is_empty())).then(|| {
            "a choice by a value is `select(x[i] > 0, x[i], 0)`; one by the place is an equation for each case, with `where i < K`"
                .to_owned()
        })
    }

    fn connective(&self) -> Option<String> {
        let is = |word: &str, sign: &str| self.met == word || last_word(self.before) == word || self.met == sign;
        let (both, either) = (is("and", "&"), is("or", "|"));
        if !both && !either {
            return None;
        }
        let help = match (self.has("where"), both) {
            (true, true) => "conditions stand side by side: `where 0 < i, i < j`",
            (true, false) => {
                "where one of two conditions is to hold, write an equation for each, such that no point has both"
            }
            (false, true) => "of two comparisons both hold where their product is 1: `(a < b) * (b < c)`",
            (false, false) => "of two comparisons one holds where the larger is 1: `max(a < b, b < c)`",
        };
        Some(help.to_owned())
    }

    fn power(&self) -> Option<String> {
        let is_double = self.met == "*" && self.before.ends_with('*');
        (is_double || self.met == "^").then(|| "a power is `pow(x, 3)`, and a square `x * x`".to_owned())
    }

    fn update(&self) -> Option<String> {
        let is_update = ["+", "-", "*", "/"].contains(&self.met) && self.rest[1..].starts_with('=');
        is_update.then(|| {
            "an equation says what a result is, not how it changes: `y = sum(i) x[i]`; what is replaced in steps is `inout`"
                .to_owned()
        })
    }

    /// Signs that stand for nothing here.
    fn sign(&self) -> Option<String> {
        let help = match self.met {
            ";" => "an item ends where the next one begins: leave `;` out",
            "[" if self.before.ends_with(']') => "all subscripts stand between two brackets: `A[i, j]`",
            "(" if is_word(self.before) => {
                return Some(format!("subscripts stand in `[` and `]`: `{}[i]`", self.before));
            }
            ":" if self.rest.starts_with(":=") => "an equation has `=`",
            ":" if self.open(('[', ']')) => {
                "an index has a name, on both sides: `y[i] = x[i]`; `where i < K` bounds it"
            }
            ":" => "numbers have no type: a kernel means the same in any; `exec --precision single` has 32 bits",
            "%" => "the rest of a division is `mod`, as in `i mod 2`",
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// `sum(k = 0..K)`; the grammar stops behind the sign, which might have begun a `==`.
    fn range_with_equals(&self) -> Option<String> {
        let before = self.before.strip_suffix('=')?.trim_end();
        let index = last_word(before);
        (self.open(('(', ')')) && is_word(index))
            .then(|| format!("a range stands behind `in`: `{index} in 0..N`, without its end `N`"))
    }

    /// `where t in 1..T`.
    fn range_in_condition(&self) -> Option<String> {
        let index = last_word(self.before);
        if self.met != "in" || !self.has("where") || !is_word(index) {
            return None;
        }
        let range = self.rest[self.met.len()..].lines().next()?.split(',').next()?;
        let (low, high) = range.split_once("..").unwrap_or(("0", "N"));
        Some(format!("a condition is a comparison: `{} <= {index} < {}`", low.trim(), high.trim()))
    }

    /// `k in range(K)`.
    fn range_as_call(&self) -> Option<String> {
        let is_call = self.words().any(|(word, next)| word == "range" && next.starts_with('('));
        (is_call && self.has("in")).then(|| "a range is `0..N`, from its first number to before its end".to_owned())
    }

    /// `inout u[N] over t in 0..T, i in 0..N`.
    fn second_steps(&self) -> Option<String> {
        (last_word(self.before) == "in" && self.has("over")).then(|| {
            "one index has steps: `over t in 0..T`; the others are those of the equations, which hold at each of their points"
                .to_owned()
        })
    }

    /// `mean(i) x[i]`.
    fn reduction(&self) -> Option<String> {
        let told = |word: &str| REDUCTIONS.iter().find(|(foreign, _)| *foreign == word).map(|(_, help)| *help);
        self.words().filter(|(_, next)| next.starts_with('(')).find_map(|(word, _)| told(word)).map(str::to_owned)
    }
}

/// The word that a text ends with.
fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(is_inner).len()..]
}

fn is_inner(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

const MEAN: &str = "a mean is a sum that is divided: `(sum(i) x[i]) / N`";
const PLACE: &str =
    "the place of the largest is two equations: `m = max(i) x[i]` and `p = min(i) select(x[i] == m, i, N)`";

/// Reductions of other languages, and what is written here.
const REDUCTIONS: [(&str, &str); 7] = [
    ("mean", MEAN),
    ("average", MEAN),
    ("avg", MEAN),
    ("product", "the product over an index is `prod(i) x[i]`"),
    ("argmax", PLACE),
    ("argmin", PLACE),
    ("count", "what is counted is a sum of comparisons: `sum(i) (x[i] > 0)`"),
];

/// Functions of other languages, and what is written here.
const FUNCTIONS: [(&str, &str); 24] = [
    ("relu", "max(x, 0)"),
    ("clamp", "min(max(x, low), high)"),
    ("clip", "min(max(x, low), high)"),
    ("square", "x * x"),
    ("sq", "x * x"),
    ("sigmoid", "1 / (1 + exp(-x))"),
    ("logistic", "1 / (1 + exp(-x))"),
    ("softplus", "log(1 + exp(x))"),
    ("rsqrt", "1 / sqrt(x)"),
    ("cbrt", "pow(x, 1 / 3)"),
    ("fabs", "abs(x)"),
    ("ln", "log(x)"),
    ("log2", "log(x) / log(2)"),
    ("log10", "log(x) / log(10)"),
    ("exp2", "pow(2, x)"),
    ("tan", "sin(x) / cos(x)"),
    ("sinh", "(exp(x) - exp(-x)) / 2"),
    ("cosh", "(exp(x) + exp(-x)) / 2"),
    ("fmax", "max(a, b)"),
    ("fmin", "min(a, b)"),
    ("maximum", "max(a, b)"),
    ("minimum", "min(a, b)"),
    ("ifelse", "select(c, a, b)"),
    ("round", "floor(x + 1 / 2)"),
];

/// What to write for a call of a function that other languages have.
pub(crate) fn instead_of_function(word: &str) -> Option<String> {
    let ours = FUNCTIONS.iter().find(|(foreign, _)| *foreign == word).map(|(_, ours)| format!("write `{ours}`"));
    ours.or_else(|| REDUCTIONS.iter().find(|(foreign, _)| *foreign == word).map(|(_, help)| (*help).to_owned()))
}
