//! Scalar functions: their names, their arguments, and what they give.

use super::Real;

macro_rules! functions {
    ($($variant:ident $word:literal $arity:literal $doc:literal $arguments:pat => $value:expr;)*) => {
        /// A scalar function of IEEE 754. Comparisons give 1 for true and 0 for false; with what is not a number only `ne` is true.
        /// `select(c, a, b)` is `b` where `c` is 0 or -0, else `a`, also where `c` is not a number. What this gives is what every
        /// back end computes: the same bits, and what is not a number in the same places, with any sign and payload.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function {
            $(#[doc = $doc] $variant,)*
            /// What is done with one tile: the leaf of this number (`tiles`).
            Leaf(u16),
        }

        impl Function {
            /// All functions.
            pub const ALL: &'static [Function] = &[$(Function::$variant),*];

            /// The word for it in prefix text: kernels (`sqrt(x)`), rules and programs (`(sqrt x)`).
            pub fn keyword(self) -> &'static str {
                match self { $(Function::$variant => $word,)* Function::Leaf(_) => "call" }
            }

            /// How many arguments it takes; a leaf takes as many as it says, and 0 is given.
            pub fn arity(self) -> usize {
                match self { $(Function::$variant => $arity,)* Function::Leaf(_) => 0 }
            }

            /// Its value; the slice must be as long as [`Function::arity`] says.
            pub fn apply(self, arguments: &[f64]) -> f64 {
                match (self, arguments) {
                    $((Function::$variant, $arguments) => $value,)*
                    _ => f64::NAN,
                }
            }
        }
    };
}

functions! {
    Add "add" 2 "`a + b`" [a, b] => a + b;
    Subtract "sub" 2 "`a - b`" [a, b] => a - b;
    Multiply "mul" 2 "`a * b`" [a, b] => a * b;
    Divide "div" 2 "`a / b`" [a, b] => a / b;
    Negate "neg" 1 "`-a`" [a] => -a;
    Maximum "max" 2 "the larger; what is not a number stays so, and -0 is less than 0" [a, b] => a.larger(*b);
    Minimum "min" 2 "the smaller; what is not a number stays so, and -0 is less than 0" [a, b] => a.smaller(*b);
    Absolute "abs" 1 "absolute value" [a] => a.abs();
    SquareRoot "sqrt" 1 "square root" [a] => a.sqrt();
    Exponential "exp" 1 "natural exponential" [a] => a.exp();
    Logarithm "log" 1 "natural logarithm" [a] => a.ln();
    Power "pow" 2 "`a` to the power `b`" [a, b] => a.powf(*b);
    Reciprocal "recip" 1 "`1 / a`" [a] => 1.0 / a;
    Tangent "tanh" 1 "hyperbolic tangent" [a] => a.tanh();
    Sine "sin" 1 "sine" [a] => a.sin();
    Cosine "cos" 1 "cosine" [a] => a.cos();
    Angle "atan2" 2 "the angle of the point `(b, a)`, from `-pi` to `pi`" [a, b] => a.atan2(*b);
    Floor "floor" 1 "the greatest whole number that is not more" [a] => a.floor();
    Ceiling "ceil" 1 "the least whole number that is not less" [a] => a.ceil();
    Sign "sign" 1 "-1, 0 or 1; what is not a number stays so" [a] => sign(*a);
    Less "lt" 2 "`a < b`" [a, b] => f64::from(a < b);
    LessEqual "le" 2 "`a <= b`" [a, b] => f64::from(a <= b);
    Equal "eq" 2 "`a == b`" [a, b] => f64::from(a == b);
    NotEqual "ne" 2 "`a != b`" [a, b] => f64::from(a != b);
    Select "select" 3 "`select(c, a, b)`" [c, a, b] => if *c == 0.0 { *b } else { *a };
}

fn sign(value: f64) -> f64 {
    if value == 0.0 || value.is_nan() { value.abs() } else { value.signum() }
}

impl Function {
    /// The function that `word` names.
    pub fn from_keyword(word: &str) -> Option<Function> {
        Function::ALL.iter().copied().find(|function| function.keyword() == word)
    }
}
