//! What is suggested in place of another language's function is accepted; and a kernel whose error is another one is not told of habits.

use std::collections::BTreeSet;
use systole_base::span::Source;
use systole_equations::recurrence::load;

/// The first error of a kernel: its message and its help.
fn first_error(text: &str) -> (String, String) {
    let errors = load(&Source::new("habit.rec", text)).map(|_| ()).expect_err(text);
    let said = systole_base::diagnostic::render(&errors[..1], false);
    let help = said.split_once("help:").map(|(_, help)| help.split_whitespace().collect::<Vec<_>>().join(" "));
    (errors[0].message().to_owned(), help.unwrap_or_default())
}

fn kernel(value: &str) -> String {
    format!("kernel habit(N)\nin x[N], a, b, c, low, high\nout y[N]\ny[i] = {value}\n")
}

#[test]
fn what_is_written_in_place_of_a_function_is_accepted() {
    let words = [
        "relu", "clamp", "clip", "square", "sqr", "sq", "power", "sigmoid", "logistic", "softplus", "rsqrt", "fabs",
        "sgn", "ln", "log2", "log10", "exp2", "tan", "sinh", "cosh", "fma", "fmax", "fmin", "if", "ifelse", "not",
        "int", "mod", "fmod", "round", "mean", "average", "avg", "product", "maximum", "minimum", "count", "any",
        "all", "total",
    ];
    for word in words {
        let (message, help) = first_error(&kernel(&format!("{word}(a)")));
        assert_eq!(message, format!("unknown function `{word}`"));
        let code = help.split('`').nth(1).unwrap_or_else(|| panic!("{word}: {help}"));
        // A single `x` stands for any element.
        let is_element = !code.contains("x[");
        let code = if is_element {
            code.replace("x ", "x[i] ").replace("x)", "x[i])").replace("x,", "x[i],")
        } else {
            code.to_owned()
        };
        let code = if is_element && code.ends_with('x') { code + "[i]" } else { code };
        // A reduction over `i` is of no element.
        let ours =
            if code.contains("(i)") { kernel(&code).replace("y[N]", "y").replace("y[i]", "y") } else { kernel(&code) };
        let loaded = load(&Source::new("ours.rec", ours));
        assert!(loaded.is_ok(), "{word}: {code}: {}", loaded.err().unwrap()[0].message());
    }
}

#[test]
fn what_is_written_in_place_of_syntax_is_accepted() {
    for (faulty, said, ours) in [
        ("x[i] ** 2", "pow(x, 3)", "pow(x[i], 3)"),
        ("if x[i] > 0 then x[i] else 0", "select(x[i] > 0, x[i], 0)", "select(x[i] > 0, x[i], 0)"),
        ("sum(k = 0..N) x[k]", "k in 0..N", "sum(k in 0..N) x[k]"),
        ("sum(x[k] for k in range(N))", "sum(k in 0..K) A[i, k]", "sum(k in 0..N) x[k]"),
        ("(x[i] < a) and (a < b)", "(a < b) * (b < c)", "(x[i] < a) * (a < b)"),
        ("max(x[i], a, b)", "max(max(x[i], a), b)", "max(max(x[i], a), b)"),
        ("x[i] where i in 1..N", "1 <= i < N", "x[i] where 1 <= i < N"),
        ("x[i] where 0 < i and i < N", "where 0 < i, i < j", "x[i] where 0 < i, i < N"),
        ("x[i - 1]", "(x[i - 1] else 0)", "(x[i - 1] else 0)"),
        ("np.sum(x)", "sum(k in 0..N) x[k]", "sum(k in 0..N) x[k]"),
        ("np.sqrt(x[i])", "sqrt(..)", "sqrt(x[i])"),
        ("np.maximum(x[i], a)", "max(a, b)", "max(x[i], a)"),
        ("torch.relu(x[i])", "max(x, 0)", "max(x[i], 0)"),
        ("np.pi * x[i]", "pi", "pi * x[i]"),
        ("x[i] where i !== 0", "!=", "x[i] where i != 0"),
        ("not (x[i] < a)", "1 - (a < b)", "1 - (x[i] < a)"),
        ("!(x[i] < a)", "1 - (a < b)", "1 - (x[i] < a)"),
        ("x[i] where not i < 1", "i >= j", "x[i] where i >= 1"),
        ("x[i] where i ~= 0", "!=", "x[i] where i != 0"),
    ] {
        let (_, help) = first_error(&kernel(faulty));
        assert!(help.contains(&format!("`{said}`")), "{faulty}: {help}");
        let rest = if ours.contains("where") { "y[0] = 0\n" } else { "" };
        let loaded = load(&Source::new("ours.rec", kernel(ours) + rest));
        assert!(loaded.is_ok(), "{ours}: {}", loaded.err().unwrap()[0].message());
    }
}

/// Each with a word or sign of a habit, and an error that has nothing to do with it.
#[test]
fn an_error_of_another_kind_is_not_told_of_habits() {
    let texts = [
        "y[i] = loop[i] + * 2",
        "loop[i] = x[i] + * 2",
        "y[i] = mean(a, (b",
        "y[i] = sum(k where k < i) x[k] + * 2",
        "y[i] = x[i] else else 0",
        "y[i] = clamp(x[i], low = 0)",
        "schedule s: place (i)",
        "y[i] = x[i] : i > 0",
        "y[i] = x[i] . b",
        "y[i] = x[i] + not",
        "y[i] = x[i] ~ a",
        "y[i] = a.bar(b)",
    ];
    let told: BTreeSet<&str> =
        ["loops", "a mean", "range stands", "no type", "side by side", "select(", "prefix", "the opposite"].into();
    for text in texts {
        let (_, help) = first_error(&format!("kernel other(N)\nin x[N], a, b, low\nout y[N], loop[N]\n{text}\n"));
        assert!(told.iter().all(|words| !help.contains(words)), "{text}: {help}");
    }
}

/// A blank of another kind than ours is named, not passed over.
#[test]
fn a_blank_that_is_none_of_ours_is_named() {
    let (message, _) = first_error(&kernel("x[i]\u{a0}where i < 3"));
    assert_eq!(message, "unexpected `\u{a0}`");
}
