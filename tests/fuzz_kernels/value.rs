//! Numbers with how far another order of summation may be off.
//!
//! A number that is the same in every order has an `off` of 0 and is compared bit for bit. Sums and products of numbers that are not
//! whole, or are large, are rounded differently in another order: their `off` bounds the difference, and each function carries it on
//! (Higham, Accuracy and stability of numerical algorithms, 2002, chapters 3 and 4). Where a difference may become anything (a
//! comparison of two numbers that are as good as equal, an overflow) it is infinite, and nothing is compared.
//!
//! Specials need no exception. A sum with a NaN, or with both infinities, is NaN in every order, and with one infinity it is that one,
//! since what remains is finite; a product likewise. So an order decides only by overflow, which counts as anything.

#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub value: f64,
    pub off: f64,
}

/// Beyond this an intermediate result in another order might overflow.
const LARGE: f64 = 1e290;

/// Whole numbers up to this are added and multiplied without rounding.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Half a unit in the last place, relative.
const ROUNDING: f64 = f64::EPSILON;

impl Number {
    pub fn exact(value: f64) -> Number {
        Number { value, off: 0.0 }
    }

    fn anything(value: f64) -> Number {
        Number { value, off: f64::INFINITY }
    }

    /// A value that is off by so much and a rounding, or by anything where that means nothing.
    fn near(value: f64, off: f64) -> Number {
        let off = off * (1.0 + 8.0 * ROUNDING) + 2.0 * ROUNDING * value.abs();
        if value.is_finite() && value.abs() < LARGE && off.is_finite() {
            Number { value, off }
        } else {
            Number::anything(value)
        }
    }

    fn is_exact_nan(&self) -> bool {
        self.value.is_nan() && self.off == 0.0
    }

    fn may_be_zero(&self) -> bool {
        self.value.abs() <= self.off
    }

    /// Whether a run that may sum in another order may have this value here.
    pub fn allows(&self, value: f64) -> bool {
        match self.off {
            0.0 => same(self.value, value),
            off => off == f64::INFINITY || (self.value - value).abs() <= 2.0 * off,
        }
    }
}

/// The same bits, or neither is a number: which NaN it is means nothing.
pub fn same(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan())
}

/// The larger one as IEEE 754-2019 has it in `maximum`: NaN if either is, and -0 below 0.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        if a.is_sign_positive() { a } else { b }
    } else if a > b {
        a
    } else {
        b
    }
}

/// The smaller one, as `minimum` of IEEE 754-2019.
pub fn minimum(a: f64, b: f64) -> f64 {
    -maximum(-a, -b)
}

/// A function of the language, by its word.
fn plain(word: &str, x: &[f64]) -> f64 {
    let truth = f64::from;
    match word {
        "add" => x[0] + x[1],
        "sub" => x[0] - x[1],
        "mul" => x[0] * x[1],
        "div" => x[0] / x[1],
        "neg" => -x[0],
        "max" => maximum(x[0], x[1]),
        "min" => minimum(x[0], x[1]),
        "abs" => x[0].abs(),
        "sqrt" => x[0].sqrt(),
        "exp" => x[0].exp(),
        "log" => x[0].ln(),
        "pow" => x[0].powf(x[1]),
        "recip" => 1.0 / x[0],
        "tanh" => x[0].tanh(),
        "sin" => x[0].sin(),
        "cos" => x[0].cos(),
        "atan2" => x[0].atan2(x[1]),
        "floor" => x[0].floor(),
        "ceil" => x[0].ceil(),
        "sign" if x[0] > 0.0 => 1.0,
        "sign" if x[0] < 0.0 => -1.0,
        "sign" => x[0] + 0.0,
        "lt" => truth(x[0] < x[1]),
        "le" => truth(x[0] <= x[1]),
        "eq" => truth(x[0] == x[1]),
        "ne" => truth(x[0] != x[1]),
        "select" => x[if x[0] == 0.0 { 2 } else { 1 }],
        _ => unreachable!("no function of the generator: {word}"),
    }
}

/// A function of numbers, each of which may be off.
pub fn apply(word: &str, x: &[Number]) -> Number {
    let value = plain(word, &x.iter().map(|number| number.value).collect::<Vec<_>>());
    if x.iter().all(|number| number.off == 0.0) {
        return Number::exact(value);
    }
    match word {
        "select" => select(x),
        "lt" | "le" | "eq" | "ne" => compare(value, x),
        "pow" => Number::anything(value),
        _ if x.iter().any(Number::is_exact_nan) => Number::exact(f64::NAN),
        _ if x.iter().any(|number| number.off == f64::INFINITY) => Number::anything(value),
        "add" | "sub" | "max" | "min" | "neg" | "abs" if !value.is_finite() => Number::exact(value),
        _ => Number::near(value, carried(word, x, value)),
    }
}

fn select(x: &[Number]) -> Number {
    let (condition, branch) = (x[0], x[if x[0].value == 0.0 { 2 } else { 1 }]);
    let is_decided = condition.off == 0.0 || (condition.off.is_finite() && !condition.may_be_zero());
    if is_decided { branch } else { Number::anything(branch.value) }
}

fn compare(value: f64, x: &[Number]) -> Number {
    let apart = (x[0].value - x[1].value).abs();
    let is_decided = x.iter().any(Number::is_exact_nan) || apart > x[0].off + x[1].off;
    if is_decided { Number::exact(value) } else { Number::anything(value) }
}

/// How far the result is off, of arguments that are off by finite amounts; NaN or infinite where that has no bound.
fn carried(word: &str, x: &[Number], value: f64) -> f64 {
    let (a, b) = (x[0], x.get(1).copied().unwrap_or(Number::exact(1.0)));
    match word {
        "add" | "sub" => a.off + b.off,
        "mul" => a.value.abs() * b.off + b.value.abs() * a.off + a.off * b.off,
        "div" | "recip" => {
            let (above, below) = if word == "div" { (a, b) } else { (Number::exact(1.0), a) };
            if below.may_be_zero() {
                return f64::INFINITY;
            }
            (above.off + value.abs() * below.off) / (below.value.abs() - below.off)
        }
        "max" | "min" => a.off.max(b.off),
        "neg" | "abs" | "tanh" | "sin" | "cos" => a.off,
        "sqrt" if a.value > a.off => a.off / (a.value - a.off).sqrt(),
        "log" if a.value > a.off => a.off / (a.value - a.off),
        "exp" => value * a.off.exp_m1(),
        _ => f64::INFINITY,
    }
}

/// The terms of a reduction in ascending order, from the first; without any it is what changes nothing.
pub fn reduce(word: &str, terms: &[Number]) -> Number {
    let (function, neutral) = match word {
        "sum" => ("add", 0.0),
        "prod" => ("mul", 1.0),
        "max" => ("max", f64::NEG_INFINITY),
        "min" => ("min", f64::INFINITY),
        _ => unreachable!("no operator of the generator: {word}"),
    };
    let values: Vec<f64> = terms.iter().map(|term| term.value).collect();
    let Some(value) = values.iter().copied().reduce(|a, b| plain(function, &[a, b])) else {
        return Number::exact(neutral);
    };
    if terms.len() == 1 {
        return terms[0];
    }
    if terms.iter().any(Number::is_exact_nan) {
        return Number::exact(f64::NAN);
    }
    if terms.iter().any(|term| term.off == f64::INFINITY) {
        return Number::anything(value);
    }
    match word {
        "sum" => sum(terms, value),
        "prod" => product(terms, value),
        _ => Number { value, off: terms.iter().fold(0.0, |most, term| most.max(term.off)) },
    }
}

fn sum(terms: &[Number], value: f64) -> Number {
    let finite = terms.iter().map(|term| term.value.abs()).filter(|value| value.is_finite());
    let (size, off): (f64, f64) = (finite.sum(), terms.iter().map(|term| term.off).sum());
    // Multiples of 1/1024 are whole numbers of another unit.
    let is_whole = |term: &Number| term.value.is_finite() && (term.value * 1024.0).fract() == 0.0 && term.off == 0.0;
    if size > LARGE {
        Number::anything(value)
    } else if terms.iter().any(|term| !term.value.is_finite()) || (terms.iter().all(is_whole) && size * 1024.0 <= WHOLE)
    {
        Number::exact(value)
    } else {
        Number::near(value, off + 2.0 * terms.len() as f64 * ROUNDING * (size + off))
    }
}

fn product(terms: &[Number], value: f64) -> Number {
    let sized = |size: fn(&Number) -> f64| terms.iter().map(size).product::<f64>();
    let (most, least) = (sized(|term| finite(term).max(1.0)), sized(|term| smallest(term).min(1.0)));
    let is_whole = |term: &Number| term.value.is_finite() && term.value.fract() == 0.0 && term.off == 0.0;
    let is_special = terms.iter().any(|term| !term.value.is_finite());
    if most > LARGE || least < 1.0 / LARGE || (is_special && terms.iter().any(|term| term.off > 0.0)) {
        Number::anything(value)
    } else if is_special || (terms.iter().all(is_whole) && most <= WHOLE) {
        Number::exact(value)
    } else {
        let (size, whole) = (sized(|term| term.value.abs()), sized(|term| term.value.abs() + term.off));
        Number::near(value, whole - size + 2.0 * terms.len() as f64 * ROUNDING * whole)
    }
}

/// A magnitude, 1 for what is not finite.
fn finite(term: &Number) -> f64 {
    if term.value.is_finite() { term.value.abs() + term.off } else { 1.0 }
}

/// A magnitude, 1 for what is not finite or 0.
fn smallest(term: &Number) -> f64 {
    if term.value.is_finite() && term.value != 0.0 { term.value.abs() } else { 1.0 }
}

/// Two tuples combined by a declared reduction (`DECLARED` in `kernel.rs`).
pub fn combine(word: &str, left: [Number; 2], right: [Number; 2]) -> [Number; 2] {
    let ([p, q], [u, v]) = (left, right);
    match word {
        "plus" => [apply("add", &[p, u]), apply("add", &[q, v])],
        "span" => [apply("max", &[p, u]), apply("min", &[q, v])],
        "chain" => [apply("mul", &[p, u]), apply("add", &[apply("mul", &[q, u]), v])],
        "later" => {
            let last = apply("select", &[apply("lt", &[u, p]), q, apply("max", &[q, v])]);
            [apply("max", &[p, u]), apply("select", &[apply("lt", &[p, u]), v, last])]
        }
        _ => unreachable!("no declared reduction of the generator: {word}"),
    }
}

/// The tuple that a declared reduction gives of no terms.
pub fn neutral(word: &str) -> [Number; 2] {
    let pair = match word {
        "plus" => [0.0, 0.0],
        "span" => [f64::NEG_INFINITY, f64::INFINITY],
        "chain" => [1.0, 0.0],
        _ => [f64::NEG_INFINITY, f64::NEG_INFINITY],
    };
    pair.map(Number::exact)
}
