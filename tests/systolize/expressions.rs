//! Evaluates the expressions of the oracle: integers, names, `+ - *`, chained comparisons, `and`, `or`, `not`.

use systole_base::integer::Bindings;

/// The value; comparisons and logic give 1 or 0.
pub fn evaluate(text: &str, at: &Bindings) -> i64 {
    let mut reader = Reader { words: words(text), next: 0, at };
    let value = reader.disjunction();
    assert_eq!(reader.next, reader.words.len(), "`{text}` has a rest");
    value
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let mut characters = text.chars().peekable();
    while let Some(first) = characters.next() {
        let mut word = first.to_string();
        let joins = |next: &char| match first {
            'a'..='z' => next.is_ascii_alphanumeric(),
            '0'..='9' => next.is_ascii_digit(),
            '<' | '>' | '=' | '!' => *next == '=',
            _ => false,
        };
        while let Some(next) = characters.next_if(joins) {
            word.push(next);
        }
        if word != " " {
            words.push(word);
        }
    }
    words
}

struct Reader<'a> {
    words: Vec<String>,
    next: usize,
    at: &'a Bindings,
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.next).is_some_and(|next| next == word);
        self.next += usize::from(found);
        found
    }

    fn disjunction(&mut self) -> i64 {
        let mut value = self.conjunction();
        while self.take("or") {
            value |= self.conjunction();
        }
        value
    }

    fn conjunction(&mut self) -> i64 {
        let mut value = self.negation();
        while self.take("and") {
            value &= self.negation();
        }
        value
    }

    fn negation(&mut self) -> i64 {
        if self.take("not") { 1 - self.negation() } else { self.comparison() }
    }

    fn comparison(&mut self) -> i64 {
        let mut left = self.sum();
        let (mut holds, mut compared) = (true, false);
        while let Some(sign) = ["<=", ">=", "==", "!=", "<", ">"].into_iter().find(|sign| self.take(sign)) {
            let right = self.sum();
            compared = true;
            holds &= match sign {
                "<=" => left <= right,
                ">=" => left >= right,
                "==" => left == right,
                "!=" => left != right,
                "<" => left < right,
                _ => left > right,
            };
            left = right;
        }
        if compared { i64::from(holds) } else { left }
    }

    fn sum(&mut self) -> i64 {
        let mut value = self.product();
        loop {
            match (self.take("+"), self.take("-")) {
                (true, _) => value += self.product(),
                (_, true) => value -= self.product(),
                _ => return value,
            }
        }
    }

    fn product(&mut self) -> i64 {
        let mut value = self.factor();
        while self.take("*") {
            value *= self.factor();
        }
        value
    }

    fn factor(&mut self) -> i64 {
        if self.take("-") {
            return -self.factor();
        }
        if self.take("(") {
            let value = self.disjunction();
            assert!(self.take(")"), "a parenthesis is not closed");
            return value;
        }
        let word = self.words[self.next].clone();
        self.next += 1;
        match word.as_str() {
            "true" => 1,
            "false" => 0,
            _ => word.parse().ok().or_else(|| self.at.get(word.as_str()).copied()).expect("a name or a number"),
        }
    }
}

#[test]
fn expressions_have_values() {
    let at = Bindings::from([(systole_base::integer::name("n"), 3), (systole_base::integer::name("col"), 2)]);
    let cases = [("2*n-col", 4), ("-(n+1)", -4), ("0<=col<=n and not (col==n)", 1), ("col > n or false", 0)];
    for (text, value) in cases {
        assert_eq!(evaluate(text, &at), value, "{text}");
    }
}
