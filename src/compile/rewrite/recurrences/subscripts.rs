//! Reads what recurrences say over indices and sizes: forms, points, subscripts, conditions.

use super::cursor::{Cursor, Read};
use super::statement::{Condition, Element, Instance};
use systole_base::integer::{Affine, Name, name};

impl Cursor<'_> {
    /// A linear form: `K+i-1`, `2*i`, `16*(i div 16)`.
    pub fn form(&mut self) -> Read<Affine> {
        let mut form = Affine::default();
        let mut sign = if self.takes("-") { -1 } else { 1 };
        loop {
            let place = self.clone();
            let term = self.term()?;
            let Some(sum) = form.combine(1, &term, sign) else {
                return Err(place.wrong(1, "a number of this form is too large", "added here"));
            };
            form = sum;
            sign = match (self.takes("+"), self.takes("-")) {
                (true, false) => 1,
                (false, true) => -1,
                (true, true) => return self.expected("an index, a size or a number"),
                (false, false) => return Ok(form),
            };
        }
    }

    /// `2`, `i`, or `2*i`.
    fn term(&mut self) -> Read<Affine> {
        if !self.rest().starts_with(|letter: char| letter.is_ascii_digit()) {
            return Ok(Affine::variable(&self.variable()?));
        }
        let times = self.integer("a number")?;
        if self.takes("*") { Ok(Affine::term(&self.variable()?, times)) } else { Ok(Affine::constant(times)) }
    }

    /// An index or a size; half of an index that is in strips may stand in brackets, `(i mod 16)`, and so may the strip that a form
    /// lies in, `((N+i) div 2)`.
    fn variable(&mut self) -> Read<Name> {
        if self.takes("(") { self.deeper(Cursor::strip_of_form) } else { self.index() }
    }

    /// What stands between brackets as a variable, with the second of them.
    fn strip_of_form(&mut self) -> Read<Name> {
        if self.rest().starts_with('(') {
            let variable = self.variable()?;
            self.sign(")")?;
            return Ok(variable);
        }
        let form = self.form()?;
        self.sign(")")?;
        if self.takes_words("div") {
            return Ok(name(&format!("({form}) div {}", self.integer("the length of a strip")?)));
        }
        match form.as_variable() {
            Some(variable) => Ok(variable.clone()),
            None => self.expected("`div`"),
        }
    }

    /// An index, half of one, or a size.
    fn index(&mut self) -> Read<Name> {
        let mut index = self.name("an index, a size or a number")?;
        for half in ["mod", "div"] {
            if self.takes_words(half) {
                index = name(&format!("{index} {half} {}", self.integer("the length of a strip")?));
            }
        }
        Ok(index)
    }

    /// Forms with commas between them, up to the sign that closes them.
    fn forms(&mut self, close: &str) -> Read<Vec<Affine>> {
        let mut forms = vec![];
        if self.takes(close) {
            return Ok(forms);
        }
        loop {
            forms.push(self.form()?);
            if self.takes(close) {
                return Ok(forms);
            }
            if !self.takes(",") {
                return self.expected(&format!("`,` or `{close}`"));
            }
        }
    }

    /// `(i,j-1)_x`
    pub fn instance(&mut self) -> Read<Instance> {
        self.sign("(")?;
        let point = self.forms(")")?;
        self.sign("_")?;
        Ok(Instance { point, variable: self.dotted("the name of a variable")? })
    }

    /// `A[i,k]`, or `alpha`.
    pub fn element(&mut self) -> Read<Element> {
        let tensor = self.dotted("the name of a tensor")?;
        let subscripts = if self.takes("[") { self.forms("]")? } else { vec![] };
        Ok(Element { tensor, subscripts })
    }

    /// `i - 1 >= 0`, or `i < 3`.
    pub fn condition(&mut self) -> Read<Condition> {
        let form = self.form()?;
        if self.takes(">=") {
            let zero = self.clone();
            return match self.integer("`0`")? {
                0 => Ok(Condition::NotNegative(form)),
                _ => zero.expected("`0`"),
            };
        }
        if self.takes("<") {
            return Ok(Condition::Below(form, self.integer("a number")?));
        }
        self.expected("`>= 0` or `<`")
    }
}
