//! Reads leaves, axes and numbers of tiles.
//!
//! Steps are numbered from 0 in the order of the text, bodies included, and the place of each is noted under its number.

use super::reader::{Read, Reader};
use super::s_expression::SExpression;
use super::validate::Place;
use super::{Comparison, IndexExpr, TileCount};
use systole_base::integer::{Affine, Bound, Name, name};
use systole_base::scalar::Function;
use systole_equations::recurrence::Operator;
use systole_equations::tiles::{
    Argument, Axis, Leaf, LeafIndex, Range, Slant, SlantRow, Step, Straight, Value, Window,
};

const WORDS: [&str; 5] = ["index", "window", "gives", "takes", "body"];

const STEPS: [&str; 4] = ["loop", "loop-down", "if", "set"];

const USAGE: &str =
    "`(leaf NAME (coordinates I ..) (index ..) .. (window ..) .. (gives ..) (takes ..) .. (body STEP ..))`";

impl Reader {
    /// `(>= N 2)` or `(<= K N)` as a form that is at least 0.
    pub fn linear_condition(&self, form: &SExpression) -> Read<Affine> {
        let condition = self.condition(form)?;
        let (left, right) = match condition.comparison {
            Comparison::AtLeast => (&condition.left, &condition.right),
            Comparison::AtMost => (&condition.right, &condition.left),
            Comparison::Equal => return self.expected(form, "`>=` or `<=`"),
        };
        let difference = linear(left).zip(linear(right)).and_then(|(left, right)| left.combine(1, &right, -1));
        difference.map_or_else(|| self.expected(form, "a comparison of linear forms"), Ok)
    }

    /// `(tiles N_by_4 N 4)`, without its first word.
    pub fn tile_count(&self, form: &SExpression, rest: &[SExpression]) -> Read<TileCount> {
        let [title, parameter, size] = self.exactly(form, rest, "(tiles NAME PARAMETER SIZE)")?;
        Ok(TileCount {
            name: self.name(title, "the name of a number of tiles")?,
            parameter: self.name(parameter, "the name of a parameter")?,
            size: self.integer(size)?,
        })
    }

    /// `(axes (0 M 4 0) ..)`.
    pub fn axes(&self, form: &SExpression) -> Read<Vec<Axis>> {
        let axes = self.call_of(form, "axes", "`(axes (BEFORE BODY SIZE AFTER [MARGIN]) ..)`")?;
        self.each(axes, Reader::axis)
    }

    /// `(slant (0 0 0) (2 0 1))`.
    pub fn slant(&self, form: &SExpression) -> Read<Slant> {
        let rows = self.call_of(form, "slant", "`(slant (FACTOR .. SHIFT) ..)`")?;
        Ok(Slant { rows: self.each(rows, Reader::slant_row)? })
    }

    /// `(straight ((0 0 0) (+ T_by_8 1)) ((1 0 -1) (+ N_by_8 2)))`.
    pub fn straight(&self, form: &SExpression) -> Read<Straight> {
        let rows = self.call_of(form, "straight", "`(straight ((FACTOR .. SHIFT) EXTENT) ..)`")?;
        let rows = self.each(rows, |reader, form| {
            let [row, extent] = reader.list(form, "a row such as `((1 0 -1) (+ N_by_8 2))`")? else {
                return reader.expected(form, "`((FACTOR .. SHIFT) EXTENT)`");
            };
            Ok((reader.slant_row(row)?, reader.affine(extent)?))
        })?;
        let (rows, extents) = rows.into_iter().unzip();
        Ok(Straight { places: Slant { rows }, extents })
    }

    fn slant_row(&self, form: &SExpression) -> Read<SlantRow> {
        let numbers = self.each(self.list(form, "a list such as `(2 0 1)`")?, Reader::integer)?;
        match numbers.split_last() {
            Some((shift, factors)) => Ok(SlantRow { factors: factors.to_vec(), shift: *shift }),
            None => self.expected(form, "a list such as `(2 0 1)`"),
        }
    }

    fn axis(&self, form: &SExpression) -> Read<Axis> {
        let [before, body, size, after, margin @ ..] = self.list(form, "an axis such as `(0 N 4 0)`")? else {
            return self.expected(form, "`(BEFORE BODY SIZE AFTER [MARGIN])`");
        };
        let margin = match margin {
            [] => 0,
            [margin] => self.integer(margin)?,
            _ => return self.expected(form, "`(BEFORE BODY SIZE AFTER [MARGIN])`"),
        };
        let [before, size, after] = [self.integer(before)?, self.integer(size)?, self.integer(after)?];
        Ok(Axis { before, body: self.affine(body)?, size, after, margin })
    }

    /// A linear form.
    fn affine(&self, form: &SExpression) -> Read<Affine> {
        let expression = self.index(form)?;
        linear(&expression).map_or_else(|| self.expected(form, "a linear form with numbers below 2^60"), Ok)
    }

    fn affines(&self, forms: &[SExpression]) -> Read<Vec<Affine>> {
        self.each(forms, Reader::affine)
    }

    /// `((0 M 4 0) i)`.
    fn tile(&self, form: &SExpression) -> Read<(Axis, Affine)> {
        match self.list(form, "a tile along an axis such as `((0 N 4 0) i)`")? {
            [axis, tile] => Ok((self.axis(axis)?, self.affine(tile)?)),
            _ => self.expected(form, "`(AXIS TILE)`"),
        }
    }

    fn window(&self, form: &SExpression, rest: &[SExpression]) -> Read<Window> {
        let usage = "`(window TENSOR (operator OPERATOR) (ranges (FORM FIRST LAST EXTENT) ..))`";
        let (tensor, operator, ranges) = match rest {
            [tensor, ranges] => (tensor, None, ranges),
            [tensor, operator, ranges] => (tensor, Some(self.operator(operator)?), ranges),
            _ => return self.expected(form, usage),
        };
        let ranges = self.call_of(ranges, "ranges", usage)?;
        let tensor = self.name(tensor, "the name of a tensor")?;
        Ok(Window { tensor, ranges: self.each(ranges, Reader::range)?, operator })
    }

    fn operator(&self, form: &SExpression) -> Read<Operator> {
        let known: Vec<&str> = Operator::ALL.iter().map(|(_, word)| *word).collect();
        match self.call_of(form, "operator", "`(operator OPERATOR)`")? {
            [word] => match word.atom().and_then(Operator::from_keyword) {
                Some(operator) => Ok(operator),
                None => self.unknown(word, "an operator", &known),
            },
            _ => self.expected(form, "one operator"),
        }
    }

    fn range(&self, form: &SExpression) -> Read<Range> {
        let [subscript, first, last, extent] = self.list(form, "a range such as `(i -1 0 N)`")? else {
            return self.expected(form, "`(FORM FIRST LAST EXTENT)`");
        };
        let (first, last) = (self.integer(first)?, self.integer(last)?);
        Ok(Range { form: self.affine(subscript)?, first, last, extent: self.affine(extent)? })
    }

    fn number_of_window(&self, form: &SExpression) -> Read<usize> {
        let number = form.atom().and_then(|word| word.parse().ok());
        number.map_or_else(|| self.expected(form, "the number of a window"), Ok)
    }
}

/// The linear form that an expression is, if it is one.
pub(super) fn linear(expression: &IndexExpr) -> Option<Affine> {
    let sum = |sum: Affine, part: &IndexExpr, factor| sum.combine(1, &linear(part)?, factor);
    match expression {
        IndexExpr::Constant(value) => Affine::default().combine(1, &Affine::constant(*value), 1),
        IndexExpr::Variable(name) => Some(Affine::variable(name)),
        IndexExpr::Sum(parts) => parts.iter().try_fold(Affine::default(), |total, part| sum(total, part, 1)),
        IndexExpr::Difference(a, b) => sum(linear(a)?, b, -1),
        IndexExpr::Product(parts) => parts.iter().try_fold(Affine::constant(1), |product, part| {
            let part = linear(part)?;
            match product.is_constant() {
                true => Affine::default().combine(1, &part, product.constant_term()),
                false if part.is_constant() => Affine::default().combine(1, &product, part.constant_term()),
                false => None,
            }
        }),
        _ => None,
    }
}

/// Reads the leaf with the position `number`.
pub(super) struct LeafReader<'a> {
    reader: &'a mut Reader,
    number: usize,
    next: usize,
    leaf: Leaf,
}

impl<'a> LeafReader<'a> {
    pub fn new(reader: &'a mut Reader, number: usize) -> LeafReader<'a> {
        let leaf = Leaf {
            name: name(""),
            coordinates: vec![],
            indices: vec![],
            windows: vec![],
            result: vec![],
            arguments: vec![],
            body: vec![],
        };
        LeafReader { reader, number, next: 0, leaf }
    }

    /// The leaf, without its first word.
    pub fn read(mut self, form: &SExpression, rest: &[SExpression]) -> Read<Leaf> {
        let [title, coordinates, parts @ ..] = rest else { return self.reader.expected(form, USAGE) };
        self.leaf.name = self.reader.name(title, "the name of a leaf")?;
        let coordinates = self.reader.call_of(coordinates, "coordinates", USAGE)?;
        self.leaf.coordinates =
            self.reader.each(coordinates, |reader, form| reader.name(form, "the name of a coordinate"))?;
        parts.iter().try_for_each(|part| self.part(part))?;
        Ok(self.leaf)
    }

    fn part(&mut self, form: &SExpression) -> Read<()> {
        let (word, rest) = self.reader.call(form, USAGE)?;
        match word {
            "index" => {
                let [title, axis, tile] = self.reader.exactly(form, rest, "(index NAME AXIS TILE)")?;
                let name = self.reader.name(title, "the name of an index")?;
                let (axis, tile) = (self.reader.axis(axis)?, self.reader.affine(tile)?);
                self.leaf.indices.push(LeafIndex { name, axis, tile });
            }
            "window" => self.leaf.windows.push(self.reader.window(form, rest)?),
            "gives" => self.leaf.result.extend(self.reader.each(rest, Reader::tile)?),
            "takes" => {
                let [window, tile @ ..] = rest else { return self.reader.expected(form, "`(takes WINDOW TILE ..)`") };
                let window = self.reader.number_of_window(window)?;
                self.leaf.arguments.push(Argument { window, tile: self.reader.each(tile, Reader::tile)? });
            }
            "body" => {
                let steps = self.steps(rest)?;
                self.leaf.body.extend(steps);
            }
            _ => return self.reader.unknown(form, "a part of a leaf", &WORDS),
        }
        Ok(())
    }

    fn steps(&mut self, forms: &[SExpression]) -> Read<Vec<Step>> {
        forms.iter().map(|form| self.step(form)).collect()
    }

    fn step(&mut self, form: &SExpression) -> Read<Step> {
        self.reader.places.insert(Place::Step(self.number, self.next), form.span);
        self.next += 1;
        let (word, rest) = self.reader.call(form, "a step such as `(set (0 i) (1 i))`")?;
        match word {
            "loop" | "loop-down" => self.repetition(form, word == "loop-down", rest),
            "if" => self.choice(form, rest),
            "set" => {
                let [element, value] = self.reader.exactly(form, rest, "(set (WINDOW SUBSCRIPT ..) VALUE)")?;
                let (window, element) = self.element(element)?;
                Ok(Step::Set { window, element, value: self.value(value)? })
            }
            _ => self.reader.unknown(form, "a step of a leaf", &STEPS),
        }
    }

    fn repetition(&mut self, form: &SExpression, falls: bool, rest: &[SExpression]) -> Read<Step> {
        let usage =
            "`(loop INDEX (from FORM ..) (to FORM ..) STEP ..)`, or `loop-down` from the last element to the first";
        let [title, lower, upper, body @ ..] = rest else { return self.reader.expected(form, usage) };
        let lower = self.reader.call_of(lower, "from", usage)?;
        let upper = self.reader.call_of(upper, "to", usage)?;
        let index = self.index(title)?;
        let lower = lower.iter().map(|form| self.bound(form, true)).collect::<Read<_>>()?;
        let upper = upper.iter().map(|form| self.bound(form, false)).collect::<Read<_>>()?;
        Ok(Step::Loop { index, falls, lower, upper, body: self.steps(body)? })
    }

    fn index(&self, form: &SExpression) -> Read<usize> {
        let wanted: Name = self.reader.name(form, "the name of an index")?;
        let position = self.leaf.indices.iter().position(|index| index.name == wanted);
        let known: Vec<&str> = self.leaf.indices.iter().map(|index| &*index.name).collect();
        position.map_or_else(|| self.reader.unknown(form, "an index of this leaf", &known), Ok)
    }

    /// `(ceil FORM N)` from below, `(floor FORM N)` from above, or a form.
    fn bound(&self, form: &SExpression, is_lower: bool) -> Read<Bound> {
        let (inner, coefficient) = match self.reader.index(form)? {
            IndexExpr::Ceil(part, divisor) if is_lower => (*part, divisor),
            IndexExpr::Floor(part, divisor) if !is_lower => (*part, divisor),
            other => (other, 1),
        };
        match linear(&inner) {
            Some(form) => Ok(Bound { form, coefficient }),
            None => self.reader.expected(form, "a bound: a linear form, rounded up below or down above"),
        }
    }

    fn choice(&mut self, form: &SExpression, rest: &[SExpression]) -> Read<Step> {
        let usage = "(if (CONDITION ..) (do STEP ..) (do STEP ..))";
        let [conditions, then, otherwise] = self.reader.exactly(form, rest, usage)?;
        let conditions = self.reader.list(conditions, "a list of conditions")?;
        let conditions = conditions.iter().map(|form| self.reader.linear_condition(form)).collect::<Read<_>>()?;
        Ok(Step::If { conditions, then: self.side(then)?, otherwise: self.side(otherwise)? })
    }

    fn side(&mut self, form: &SExpression) -> Read<Vec<Step>> {
        let steps = self.reader.call_of(form, "do", "`(do STEP ..)`")?;
        self.steps(steps)
    }

    /// The form that is at least 0 where the condition holds.
    fn element(&self, form: &SExpression) -> Read<(usize, Vec<Affine>)> {
        match self.reader.list(form, "an element such as `(1 i k)`")? {
            [window, subscripts @ ..] => Ok((self.reader.number_of_window(window)?, self.reader.affines(subscripts)?)),
            [] => self.reader.expected(form, "an element such as `(1 i k)`"),
        }
    }

    fn value(&self, form: &SExpression) -> Read<Value> {
        if let Some(word) = form.atom() {
            let number = word.parse().ok();
            return number.map_or_else(|| self.reader.expected(form, "a number or a list"), |n| Ok(Value::Number(n)));
        }
        let (word, rest) = self.reader.call(form, "a value such as `(mul (1 i) (2 i))`")?;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return self.element(form).map(|(window, element)| Value::Element(window, element));
        }
        if word == "index" {
            let [index] = self.reader.exactly(form, rest, "(index FORM)")?;
            return Ok(Value::Index(self.reader.affine(index)?));
        }
        let function: Function = self.reader.function(form, word, rest, &["index"])?;
        Ok(Value::Apply(function, rest.iter().map(|form| self.value(form)).collect::<Read<_>>()?))
    }
}
