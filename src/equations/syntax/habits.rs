//! What people write who come from another language, and what is written here.
//!
//! In: where the grammar stopped, or the name of a function that is not known. Out: a line of help, where it is known what was meant. A
//! kernel whose error is another one must get none: each habit looks at what stands around the place.

use super::ast::Half;
use super::layout::{after_bracket, first_word, within_bracket};
use super::tokens::{REDUCTIONS, is_inner, is_word};
use systole_base::scalar::Function;

/// One stretch of the text, up to the place where the grammar stopped and from there on.
struct Stop<'t> {
    before: &'t str,
    rest: &'t str,
    met: &'t str,
}

/// What to write instead of what stands at `start` of the stretch `text`, whose word or sign there is `met`.
pub(super) fn instead_of(text: &str, start: usize, met: &str) -> Option<String> {
    let stop = Stop { before: text[..start].trim_end(), rest: &text[start..], met };
    let habits = [
        Stop::size_in_a_quotient,
        Stop::comment,
        Stop::statement,
        Stop::generator,
        Stop::choice,
        Stop::connective,
        Stop::absolute,
        Stop::power,
        Stop::update,
        Stop::comparison,
        Stop::subscripts,
        Stop::colon,
        Stop::member,
        Stop::negation,
        Stop::sign,
        Stop::range_with_equals,
        Stop::range_in_condition,
        Stop::range_as_call,
        Stop::second_steps,
        Stop::reduction,
        Stop::operator,
    ];
    habits.into_iter().find_map(|habit| habit(&stop))
}

impl Stop<'_> {
    /// The bracket that is open at the stop, the word before it, and what it holds up to the stop.
    fn bracket(&self) -> Option<(char, &str, &str)> {
        let mut closed = 0;
        for (place, letter) in self.before.char_indices().rev() {
            match letter {
                ')' | ']' => closed += 1,
                '(' | '[' if closed == 0 => {
                    return Some((letter, last_word(&self.before[..place]), &self.before[place + 1..]));
                }
                '(' | '[' => closed -= 1,
                _ => {}
            }
        }
        None
    }

    fn is_within(&self, bracket: char) -> bool {
        self.bracket().is_some_and(|(open, ..)| open == bracket)
    }

    /// What stands before the stop within its bracket.
    fn within(&self) -> &str {
        self.bracket().map_or(self.before, |(.., within)| within)
    }

    /// Whether the stop is within the brackets of a reduction.
    fn is_in_reduction(&self) -> bool {
        self.bracket().is_some_and(|(_, word, _)| is_reduction(word))
    }

    /// Whether it is among the conditions behind `where`.
    fn is_in_conditions(&self) -> bool {
        words(self.within()).any(|(word, _)| word == "where")
    }

    /// Whether an affine form stands here: a subscript, an extent, a condition.
    fn is_in_form(&self) -> bool {
        self.is_within('[') || self.is_in_conditions()
    }

    /// `x mod N`.
    fn size_in_a_quotient(&self) -> Option<String> {
        let half = Half::ALL.into_iter().find(|(_, word)| self.before.ends_with(&format!(" {word}")))?.1;
        is_word(self.met).then(|| {
            let instead = "where a subscript wraps around, write an equation for the border: `u[0] = .. x[N - 1] ..`";
            format!("`{half}` takes a number, such as 2: divided by a size a subscript is not affine; {instead}")
        })
    }

    fn comment(&self) -> Option<String> {
        let is_second = |sign: &str| self.met == sign && self.before.ends_with('/');
        let begins =
            self.before.is_empty() && (self.met == "%" || self.rest.starts_with("//") || self.rest.starts_with("/*"));
        match (begins || is_second("*"), is_second("/")) {
            (true, _) => Some("a comment begins with `#`".to_owned()),
            (_, true) => Some("a comment begins with `#`; the quotient of an index is `i div 2`".to_owned()),
            _ => None,
        }
    }

    fn statement(&self) -> Option<String> {
        let word = first_word(self.before);
        let next = self.before[word.len()..].trim_start();
        let is_statement = ["for", "while", "do", "loop"].contains(&word) && !next.starts_with(['[', '=']);
        is_statement.then(|| {
            "there are no loops: an equation such as `y[i] = 2 * x[i]` holds at each `i`, and `sum(k) A[i, k]` adds over `k`"
                .to_owned()
        })
    }

    /// `sum(A[i, k] for k in range(K))`.
    fn generator(&self) -> Option<String> {
        let (_, word, within) = self.bracket()?;
        let is_generator = self.met == "for" || words(within).any(|(word, _)| word == "for");
        (is_generator && is_reduction(word)).then(|| format!("what is bound comes first: `{word}(k in 0..K) A[i, k]`"))
    }

    fn choice(&self) -> Option<String> {
        let is_if = |(word, next): (&str, &str)| word == "if" && !next.starts_with(['[', '=', ',']);
        let is_choice =
            words(self.before).any(is_if) || self.met == "?" || (self.met == "if" && !self.before.is_empty());
        (is_choice || self.rest.starts_with("where(")).then(|| {
            "a choice by a value is `select(x[i] > 0, x[i], 0)`; one by the place is an equation for each case, with `where i < K`"
                .to_owned()
        })
    }

    fn connective(&self) -> Option<String> {
        let is =
            |word: &str, sign: &str| self.met == word || last_word(self.before) == word || self.rest.starts_with(sign);
        let (both, either) = (is("and", "&"), is("or", "||"));
        if !both && !either {
            return None;
        }
        let help = match (self.is_in_conditions(), both, self.is_in_reduction()) {
            (true, true, _) => "conditions stand side by side: `where 0 < i, i < j`",
            (true, false, false) => {
                "where one of two conditions is to hold, write an equation for each, such that no point has both"
            }
            (true, false, true) => {
                "where one of two conditions is to hold, write a reduction for each, such that no point has both"
            }
            (false, true, _) => "of two comparisons both hold where their product is 1: `(a < b) * (b < c)`",
            (false, false, _) => "of two comparisons one holds where the larger is 1: `max(a < b, b < c)`",
        };
        Some(help.to_owned())
    }

    /// `|x|`, or `sum(i | i > 2)`.
    fn absolute(&self) -> Option<String> {
        if self.met != "|" {
            return None;
        }
        match self.before.ends_with(['=', '+', '-', '*', '/', '(', ',']) {
            true => Some("the absolute value is `abs(x)`".to_owned()),
            false if self.is_in_reduction() => {
                Some("a condition stands behind `where`: `sum(i where i > 2) x[i]`".to_owned())
            }
            false => None,
        }
    }

    fn power(&self) -> Option<String> {
        let is_double = self.met == "*" && self.before.ends_with('*');
        let help = match self.is_in_form() {
            true => {
                "extents, subscripts and conditions are sums of indices and sizes, each times a number: declare a size for a power"
            }
            false => "a power is `pow(x, 3)`, and a square `x * x`",
        };
        (is_double || self.met == "^").then(|| help.to_owned())
    }

    fn update(&self) -> Option<String> {
        let is_update = ["+", "-", "*", "/"].contains(&self.met) && self.rest[1..].starts_with('=');
        is_update.then(|| {
            "an equation says what a result is, not how it changes: `y = sum(i) x[i]`; what is replaced in steps is `inout`"
                .to_owned()
        })
    }

    fn comparison(&self) -> Option<String> {
        let ours = match self.met {
            "≤" => "<=",
            "≥" => ">=",
            "≠" => "!=",
            ">" if self.before.ends_with('<') => "!=",
            "=" if self.before.ends_with("!=") => "!=",
            // The grammar stops behind a sign that might have begun a `==`.
            _ if self.before.ends_with('=') && self.is_in_conditions() => "==",
            _ => return None,
        };
        Some(format!("this comparison is written `{ours}`"))
    }

    /// `y(i) = x(i)`, `A[i][j]`.
    fn subscripts(&self) -> Option<String> {
        let defines = || after_bracket(self.rest).trim_start().starts_with('=');
        match self.met {
            "[" if self.before.ends_with(']') => {
                Some("all subscripts stand between two brackets: `A[i, j]`".to_owned())
            }
            "(" if is_word(self.before) && defines() => {
                Some(format!("subscripts stand in `[` and `]`: `{}[{}]`", self.before, within_bracket(self.rest)))
            }
            _ => None,
        }
    }

    fn colon(&self) -> Option<String> {
        let is_declared =
            ["in", "out", "inout", "local"].contains(&first_word(self.before)) && self.bracket().is_none();
        let is_range = self.is_within('(') && words(self.within()).any(|(word, _)| word == "in");
        let help = match self.met {
            ":" if self.rest.starts_with(":=") => "an equation has `=`",
            ":" if self.is_within('[') => "an index has a name, on both sides: `y[i] = x[i]`; `where i < K` bounds it",
            ":" if is_range => "a range is written `0..N`: from its first number to before its end",
            ":" if is_declared => {
                "numbers have no type: a kernel means the same in any; `exec --precision single` has 32 bits"
            }
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// `A.T`, `np.sum(x)`.
    fn member(&self) -> Option<String> {
        let member = first_word(self.rest.strip_prefix('.')?);
        if !is_word(last_word(self.before)) || !is_word(member) {
            return None;
        }
        let behind = &self.rest[1 + member.len()..];
        if !behind.starts_with('(') {
            return match member {
                "T" => Some("a transpose has its subscripts the other way round: `A[j, i]`".to_owned()),
                "pi" => Some("constants have no prefix: `pi`".to_owned()),
                "inf" => Some("what is infinite is `infinity`".to_owned()),
                _ => None,
            };
        }
        let has_one_argument = !within_bracket(behind).contains(',');
        match is_reduction(member) && has_one_argument {
            true => Some(format!("a reduction names its index: `{member}(k in 0..N) x[k]`")),
            false => instead_of_function(member).or_else(|| {
                let is_ours = Function::from_keyword(member).is_some();
                is_ours.then(|| format!("functions have no prefix: `{member}(..)`"))
            }),
        }
    }

    /// `where not i < j`, `!(..)`, `~=`.
    fn negation(&self) -> Option<String> {
        let is_unequal = self.rest.starts_with("~=");
        let begins = self.before.ends_with(['=', '+', '-', '*', '/', '(', ',']) || last_word(self.before) == "where";
        let is_negation = last_word(self.before) == "not" || (begins && ["!", "~"].contains(&self.met));
        match (is_unequal, is_negation, self.is_in_conditions()) {
            (true, ..) => Some("this comparison is written `!=`".to_owned()),
            (_, true, true) => {
                Some("the opposite of a comparison is another one: `i >= j` in place of not `i < j`".to_owned())
            }
            (_, true, false) => Some("the opposite of a comparison is `1 - (a < b)`".to_owned()),
            _ => None,
        }
    }

    /// Signs that stand for nothing here.
    fn sign(&self) -> Option<String> {
        let help = match self.met {
            ";" if self.bracket().is_some() => "what is listed has `,` between",
            ";" => "an item ends where the next one begins: leave `;` out",
            "%" if self.before.ends_with(']') => "the rest of a value is `x - 2 * floor(x / 2)`",
            "%" => "the rest of an index is `mod`, as in `i mod 2`",
            "@" => "a product of matrices is `sum(k) A[i, k] * B[k, j]`",
            "=" if self.before.ends_with("..") => "a range ends before its end: `0..N + 1` has N in it",
            _ => return None,
        };
        Some(help.to_owned())
    }

    /// `sum(k = 0..K)`; the grammar stops behind the sign, which might have begun a `==`.
    fn range_with_equals(&self) -> Option<String> {
        if !self.is_in_reduction() {
            return None;
        }
        let last = self.within().rsplit(',').next()?;
        let index = last.strip_suffix('=')?.trim();
        let range = self.rest.split(')').next()?;
        let range = read_range(range).map_or("0..N".to_owned(), |(low, high)| format!("{low}..{high}"));
        is_word(index).then(|| {
            format!("a range stands behind `in`: `{index} in {range}`, from its first number to before its end")
        })
    }

    /// `where t in 1..T`.
    fn range_in_condition(&self) -> Option<String> {
        let index = last_word(self.before);
        if self.met != "in" || !self.is_in_conditions() || !is_word(index) {
            return None;
        }
        let range = self.rest[self.met.len()..].lines().next()?.split(',').next()?;
        Some(match read_range(range) {
            Some((low, high)) => format!("a condition is a comparison: `{low} <= {index} < {high}`"),
            None => format!("a condition is a comparison, such as `0 <= {index} < N`"),
        })
    }

    /// `k in range(K)`.
    fn range_as_call(&self) -> Option<String> {
        let is_call = words(self.within()).any(|(word, next)| word == "in" && next.starts_with("range("));
        is_call.then(|| "a range is `0..N`, from its first number to before its end".to_owned())
    }

    /// `inout u[N] over t in 0..T, i in 0..N`.
    fn second_steps(&self) -> Option<String> {
        let (_, steps) = self.before.rsplit_once("over ")?;
        (last_word(self.before) == "in" && self.bracket().is_none() && steps.contains(',')).then(|| {
            "one index has steps: `over t in 0..T`; the others are those of the equations, which hold at each of their points"
                .to_owned()
        })
    }

    /// `mean(i) x[i]`.
    fn reduction(&self) -> Option<String> {
        let is_one = |next: &str| after_bracket(next).trim_start().starts_with(|letter| is_inner(&letter));
        words(self.before).filter(|(_, next)| next.starts_with('(') && is_one(next)).find_map(|(word, _)| told(word))
    }

    /// `2x[i]`: the second operand was read as the left side of an equation.
    fn operator(&self) -> Option<String> {
        let unsubscripted = match self.before.strip_suffix(']') {
            Some(open) => &open[..open.rfind('[')?],
            None => self.before,
        };
        let name = last_word(unsubscripted).trim_start_matches(|letter: char| letter.is_ascii_digit());
        let first = unsubscripted[..unsubscripted.len() - name.len()].trim_end();
        let is_operand =
            first.ends_with(|letter| is_inner(&letter) || [')', ']'].contains(&letter)) && first.contains('=');
        let ends_too_early = self.rest.is_empty() && is_word(name) && !is_word(last_word(first));
        (is_operand && ends_too_early)
            .then(|| format!("an operator is missing before `{}`", &self.before[unsubscripted.len() - name.len()..]))
    }
}

/// The two ends of a range, where each is a sum of names and numbers.
fn read_range(text: &str) -> Option<(&str, &str)> {
    let (low, high) = text.split_once("..")?;
    let is_sum = |end: &str| {
        let is_part = |letter: char| is_inner(&letter) || " +-*".contains(letter);
        let is_single = !words(end).any(|(_, next)| next.starts_with(|letter| is_inner(&letter)));
        !end.trim().is_empty() && end.chars().all(is_part) && is_single
    };
    (is_sum(low) && is_sum(high)).then(|| (low.trim(), high.trim()))
}

/// The words of a text, each with what follows it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let starts = text.char_indices().map(|(place, _)| place).filter(|place| {
        text[*place..].starts_with(|letter| is_inner(&letter)) && !text[..*place].ends_with(|letter| is_inner(&letter))
    });
    starts.map(|start| {
        let word = first_word(&text[start..]);
        (word, text[start + word.len()..].trim_start())
    })
}

/// The word that a text ends with, where it ends with one.
fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(|letter| is_inner(&letter)).len()..]
}

fn is_reduction(word: &str) -> bool {
    REDUCTIONS.iter().any(|(reduction, _)| *reduction == word)
}

const MEAN: &str = "a mean is a sum that is divided: `(sum(i) x[i]) / N`";
const LARGEST: &str = "the largest is `max(i) x[i]`, the smallest `min(i) x[i]`; of two `max(a, b)`";
const PLACE: &str =
    "the place of the largest is two equations: `m = max(i) x[i]` and `p = min(i) select(x[i] == m, i, N)`";

/// Reductions of other languages, and what is written here.
const FOREIGN_REDUCTIONS: [(&str, &str); 12] = [
    ("mean", MEAN),
    ("average", MEAN),
    ("avg", MEAN),
    ("product", "the product over an index is `prod(i) x[i]`"),
    ("maximum", LARGEST),
    ("minimum", LARGEST),
    ("argmax", PLACE),
    ("argmin", PLACE),
    ("count", "what is counted is a sum of comparisons: `sum(i) (x[i] > 0)`"),
    ("any", "whether one holds is the largest comparison: `max(i) (x[i] > 0)`"),
    ("all", "whether all hold is the smallest comparison: `min(i) (x[i] > 0)`"),
    ("total", "a sum over an index is `sum(i) x[i]`"),
];

/// Functions of other languages, and what is written here.
const FOREIGN_FUNCTIONS: [(&str, &str); 30] = [
    ("relu", "`max(x, 0)`"),
    ("clamp", "`min(max(x, low), high)`"),
    ("clip", "`min(max(x, low), high)`"),
    ("square", "`x * x`"),
    ("sqr", "`x * x`"),
    ("sq", "`x * x`"),
    ("power", "`pow(a, b)`"),
    ("sigmoid", "`1 / (1 + exp(-x))`"),
    ("logistic", "`1 / (1 + exp(-x))`"),
    ("softplus", "`log(1 + exp(x))`"),
    ("rsqrt", "`1 / sqrt(x)`"),
    ("fabs", "`abs(x)`"),
    ("sgn", "`sign(x)`"),
    ("ln", "`log(x)`"),
    ("log2", "`log(x) / log(2)`"),
    ("log10", "`log(x) / log(10)`"),
    ("exp2", "`pow(2, x)`"),
    ("tan", "`sin(x) / cos(x)`"),
    ("sinh", "`(exp(x) - exp(-x)) / 2`"),
    ("cosh", "`(exp(x) + exp(-x)) / 2`"),
    ("fma", "`a * b + c`"),
    ("fmax", "`max(a, b)`, which is no number where one of them is none"),
    ("fmin", "`min(a, b)`, which is no number where one of them is none"),
    ("if", "`select(c, a, b)`"),
    ("ifelse", "`select(c, a, b)`"),
    ("not", "`1 - (a < b)`"),
    ("int", "`floor(x)`, of what is not negative"),
    ("mod", "`a - b * floor(a / b)`; of an index `i mod 2`"),
    ("fmod", "`a - b * floor(a / b)`, of what is not negative"),
    ("round", "`floor(x + 0.5)`, where halves go up"),
];

/// What to write for a call of a function that other languages have.
pub(crate) fn instead_of_function(word: &str) -> Option<String> {
    let ours = FOREIGN_FUNCTIONS.iter().find(|(foreign, _)| *foreign == word).map(|(_, ours)| format!("write {ours}"));
    ours.or_else(|| told(word))
}

fn told(word: &str) -> Option<String> {
    FOREIGN_REDUCTIONS.iter().find(|(foreign, _)| *foreign == word).map(|(_, help)| (*help).to_owned())
}

/// The word of ours that an item of another language begins with.
pub(super) fn first_word_instead_of(word: &str) -> Option<&'static str> {
    FIRST_WORDS.iter().find(|(foreign, _)| *foreign == word).map(|(_, ours)| *ours)
}

const FIRST_WORDS: [(&str, &str); 8] = [
    ("input", "in"),
    ("inputs", "in"),
    ("output", "out"),
    ("outputs", "out"),
    ("temp", "local"),
    ("tmp", "local"),
    ("def", "function"),
    ("func", "function"),
];
