//! Each element of each output is stored, and by one `store` or `fill` of one PE: read off the program itself, for all sizes.
//!
//! In: a program, as emitted or as read from a file. Out: two obligations for each output, `element-cover` and `element-apart`, over
//! the sizes and one element's coordinates. They know nothing of equations, maps and proofs: a wrong design and a fault of emission
//! are refuted alike.
//!
//! A `store` runs at points: the coordinates of its PE and the indices of the loops around it, within guards, bounds and conditions.
//! Its subscripts and the equations among these fix the point by the element, so an element is stored there where that point is within
//! them; that is a formula without quantifiers. With gaps, as in `(store (C (* 2 p)) r)`, the point is a quotient, which is a variable
//! of its own. Where they do not fix the point, or are not linear, nothing is stated, and the output is named instead: each run looks.
//!
//! Where PEs run several spaces by turns, a store runs where a remainder is so much: what is divided is then a multiple of a quotient, which
//! is one more coordinate of the point.
//!
//! The bounds of a loop over phases are not linear. They say nothing of a store whose own conditions imply them: those of its phase.

use super::linear::{bounded, follows, formula};
use super::{ArrayDecl, Comparison, Condition, IndexExpr, Instruction, Program};
use crate::obligation::{Formula, Kind, Obligation, Reason};
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Parameters, Polyhedron, name, unused};
use systole_equations::recurrence::Role;
use systole_equations::recurrence::spaces::{Division, solve_by_division};
use systole_equations::tiles::{Axis, TileCount};

/// The obligations of all outputs, and the names of those of which they cannot be stated.
pub fn store_obligations(program: &Program) -> (Vec<Obligation>, Vec<Name>) {
    let (mut stated, mut left) = (vec![], vec![]);
    for (output, stores) in stores_of_outputs(program) {
        match stores {
            Some(stores) => stated.extend(stores.obligations()),
            None => left.push(output.clone()),
        }
    }
    (stated, left)
}

/// The outputs whose obligations cannot be stated.
pub fn outputs_without_obligations(program: &Program) -> Vec<Name> {
    stores_of_outputs(program).filter(|(_, stores)| stores.is_none()).map(|(output, _)| output.clone()).collect()
}

fn stores_of_outputs(program: &Program) -> impl Iterator<Item = (&Name, Option<Stores<'_>>)> {
    let outputs = program.arrays.iter().filter(|array| array.role == Role::Output);
    outputs.map(|array| (&array.name, Stores::of(program, array)))
}

/// Those of an output for whose design there is no program.
pub fn unstated_stores(output: &Name) -> [Obligation; 2] {
    let reason = Reason {
        broken: format!("there is no program that stores `{output}`"),
        blame: format!("has no program that stores {output}"),
        available: "stored        by no program".to_owned(),
        needed: "needed        one store of each element".to_owned(),
        help: "choose another design: without a program it is not proved that each element is stored once".to_owned(),
        moments: vec![],
    };
    [Kind::ElementCover, Kind::ElementApart].map(|kind| Obligation::unstated(kind, output.clone(), reason.clone()))
}

/// A `store` or `fill` with all that decides whether it runs.
#[derive(Clone)]
struct Site {
    /// Coordinates of the PE and loop indices.
    point: Vec<Name>,
    within: Vec<Formula>,
    /// What is divided by what where a remainder is known, with a name for the quotient.
    quotients: Vec<(IndexExpr, Name)>,
    /// Loop bounds that have no linear form.
    bounds: Vec<(Comparison, IndexExpr, IndexExpr)>,
    /// Forms that are 0 at each of its points.
    equations: Vec<Affine>,
    subscripts: Vec<Affine>,
}

/// All stores into one output.
struct Stores<'a> {
    program: &'a Program,
    array: &'a ArrayDecl,
    /// One name for each dimension.
    element: Vec<Name>,
    extents: Vec<Affine>,
    /// For each store that it writes the element.
    written: Vec<Formula>,
    /// What is divided by what in these.
    divisions: Vec<Division>,
}

impl<'a> Stores<'a> {
    fn of(program: &'a Program, array: &'a ArrayDecl) -> Option<Stores<'a>> {
        let extents = extents(program, array)?;
        let mut sites = vec![];
        for class in &program.classes {
            let mut walk = Walk { array: &array.name, sites: &mut sites };
            let mut site = Site {
                point: program.grid.iter().map(|coordinate| coordinate.name.clone()).collect(),
                within: vec![],
                quotients: vec![],
                bounds: vec![],
                equations: vec![],
                subscripts: vec![],
            };
            for coordinate in &program.grid {
                site.add_range(&coordinate.name, &coordinate.first, &coordinate.last);
            }
            class.guard.iter().try_for_each(|condition| site.add(condition))?;
            walk.body(&site, &class.body)?;
        }
        let element = element_names(program, extents.len());
        let mut divisions = vec![];
        let number = |(number, site): (usize, &Site)| site.writes(&element, number, &mut divisions);
        let written = sites.iter().enumerate().map(number).collect::<Option<_>>()?;
        Some(Stores { program, array, extents, written, divisions, element })
    }

    fn obligations(&self) -> [Obligation; 2] {
        let nowhere = self.written.iter().map(|formula| formula.clone().negate()).collect();
        let bounded: Vec<(&Formula, Bounds)> = self.written.iter().map(|one| (one, Bounds::of(one))).collect();
        let before = |at: usize| bounded[..at].iter();
        let pairs = bounded.iter().enumerate().flat_map(|(at, one)| before(at).map(move |other| (other, one)));
        let apart = pairs.filter(|((_, other), (_, one))| !other.excludes(one));
        let twice = apart.map(|((other, _), (one, _))| Formula::All(vec![(*other).clone(), (*one).clone()])).collect();
        [
            self.state(Kind::ElementCover, Formula::All(nowhere), ("is never stored", "by no PE", "a store")),
            self.state(Kind::ElementApart, Formula::Any(twice), ("is stored twice", "by two stores", "one store")),
        ]
    }

    fn state(&self, kind: Kind, broken: Formula, (what, by, needed): (&str, &str, &str)) -> Obligation {
        let parameters = sizes(self.program);
        let known = parameters.sizes();
        let least = known.constraints().iter().cloned().map(Formula::AtLeastZero);
        let shape = self.element.iter().zip(&self.extents).flat_map(|(coordinate, extent)| {
            let at = Affine::variable(coordinate);
            [Formula::AtLeastZero(at.clone()), Formula::less(&at, extent)]
        });
        let divided = self.divisions.iter().map(|Division { quotient, of, by }| {
            let multiple = Affine::term(quotient, *by);
            Formula::All(vec![Formula::at_least(of, &multiple), Formula::less(of, &(multiple + Affine::constant(*by)))])
        });
        let quotients = self.divisions.iter().map(|division| &division.quotient);
        let name = &self.array.name;
        let (one, of) = match self.array.axes.is_empty() {
            true => ("an element", name.clone()),
            false => ("a tile", systole_base::integer::name(&format!("{name} tiles"))),
        };
        let subscripts: Vec<&str> = self.element.iter().map(|coordinate| &**coordinate).collect();
        let element = format!("{name}[{}]", subscripts.join(", "));
        let reason = Reason {
            broken: format!("{one} of `{name}` {what}"),
            blame: format!("has a program in which {one} of {name} {what}"),
            available: format!("stored        {by}   {element}"),
            needed: format!("needed        {needed} of each element"),
            help: "report the kernel: a program that was emitted stores each element once".to_owned(),
            moments: vec![],
        };
        Obligation {
            kind,
            of,
            variables: parameters.iter().chain(&self.element).chain(quotients).cloned().collect(),
            parameters: parameters.len(),
            points: vec![],
            violation: Formula::All(least.chain(shape).chain(divided).chain([broken]).collect()),
            reason,
        }
    }
}

/// Collects the stores into an array.
struct Walk<'a> {
    array: &'a Name,
    sites: &'a mut Vec<Site>,
}

impl Walk<'_> {
    fn body(&mut self, around: &Site, body: &[Instruction]) -> Option<()> {
        body.iter()
            .filter(|instruction| stores(instruction, self.array))
            .try_for_each(|instruction| self.one(around, instruction))
    }

    fn one(&mut self, around: &Site, instruction: &Instruction) -> Option<()> {
        match instruction {
            Instruction::Loop { index, first, last, body } => {
                let mut inside = around.clone();
                inside.point.push(index.clone());
                inside.add_range(index, first, last);
                self.body(&inside, body)
            }
            Instruction::If { conditions, then, otherwise } => {
                let is_there = |body: &[Instruction]| body.iter().any(|inner| stores(inner, self.array));
                let (is_then, is_otherwise) = (is_there(then), is_there(otherwise));
                if is_then {
                    let mut holds = around.clone();
                    conditions.iter().try_for_each(|condition| holds.add(condition))?;
                    self.body(&holds, then)?;
                }
                if is_otherwise {
                    let mut fails = around.clone();
                    let all = conditions.iter().map(formula).collect::<Option<Vec<Formula>>>()?;
                    fails.within.push(Formula::All(all).negate());
                    self.body(&fails, otherwise)?;
                }
                Some(())
            }
            Instruction::Store(_, subscripts, _) | Instruction::Fill(_, subscripts, _) => {
                let forms = subscripts.iter().map(|subscript| around.named(subscript).as_affine());
                let subscripts = forms.collect::<Option<Vec<Affine>>>()?;
                self.sites.push(Site { subscripts, ..around.clone() });
                Some(())
            }
            _ => Some(()),
        }
    }
}

/// Whether an instruction is, or holds, a store into the array.
fn stores(instruction: &Instruction, array: &Name) -> bool {
    match instruction {
        Instruction::Loop { body, .. } => body.iter().any(|inner| stores(inner, array)),
        Instruction::If { then, otherwise, .. } => then.iter().chain(otherwise).any(|inner| stores(inner, array)),
        Instruction::Store(target, ..) | Instruction::Fill(target, ..) => target == array,
        _ => false,
    }
}

impl Site {
    /// `first <= variable <= last`; an equation where both are one.
    fn add_range(&mut self, variable: &Name, first: &IndexExpr, last: &IndexExpr) {
        let (at, first, last) = (IndexExpr::variable(variable), &self.named(first), &self.named(last));
        if let (Some(low), Some(high)) = (IndexExpr::as_affine(first), IndexExpr::as_affine(last))
            && low == high
        {
            self.equations.push(Affine::variable(variable) - low);
        }
        for (comparison, bound) in [(Comparison::AtLeast, first), (Comparison::AtMost, last)] {
            match bounded(comparison, &at, bound) {
                Some(exact) => self.within.push(exact),
                None => self.bounds.push((comparison, at.clone(), bound.clone())),
            }
        }
    }

    fn add(&mut self, condition: &Condition) -> Option<()> {
        if let Some((quotient, of)) = self.exactly_divided(condition) {
            self.point.push(quotient);
            self.equations.push(of);
            return Some(());
        }
        let Condition { comparison, left, right } = condition;
        let condition = &Condition { comparison: *comparison, left: self.named(left), right: self.named(right) };
        if let (Comparison::Equal, Some(left), Some(right)) =
            (condition.comparison, IndexExpr::as_affine(&condition.left), IndexExpr::as_affine(&condition.right))
        {
            self.equations.push(left - right);
        }
        self.within.push(formula(condition)?);
        Some(())
    }

    /// Where a condition says what a remainder is: a new quotient, and what is 0 then. From then on the quotient has a name.
    fn exactly_divided(&mut self, condition: &Condition) -> Option<(Name, Affine)> {
        let (Comparison::Equal, IndexExpr::Modulo(of, by), IndexExpr::Constant(rest)) =
            (condition.comparison, &condition.left, &condition.right)
        else {
            return None;
        };
        let divided = of.as_affine().filter(|_| (0..*by).contains(rest))?;
        let quotient = name(&format!("@quotient.{}", self.quotients.len()));
        self.quotients.push((IndexExpr::Floor(of.clone(), *by), quotient.clone()));
        let whole = divided - Affine::term(&quotient, *by) - Affine::constant(*rest);
        Some((quotient, whole))
    }

    /// An expression with the names of quotients for divisions.
    fn named(&self, expression: &IndexExpr) -> IndexExpr {
        if let Some((_, quotient)) = self.quotients.iter().find(|(division, _)| division == expression) {
            return IndexExpr::variable(quotient);
        }
        let each = |parts: &[IndexExpr]| parts.iter().map(|part| self.named(part)).collect();
        match expression {
            IndexExpr::Sum(parts) => IndexExpr::Sum(each(parts)),
            IndexExpr::Difference(one, other) => {
                IndexExpr::Difference(Box::new(self.named(one)), Box::new(self.named(other)))
            }
            IndexExpr::Product(parts) => IndexExpr::Product(each(parts)),
            IndexExpr::Min(parts) => IndexExpr::Min(each(parts)),
            IndexExpr::Max(parts) => IndexExpr::Max(each(parts)),
            plain => plain.clone(),
        }
    }

    /// That this store writes the element with these coordinates; `None` where the element does not fix the point.
    fn writes(&self, element: &[Name], number: usize, divisions: &mut Vec<Division>) -> Option<Formula> {
        let forms: Vec<Affine> = self.within.iter().flat_map(conjuncts).collect();
        let inside = Polyhedron::new(forms.iter().cloned());
        if !self.bounds.iter().all(|(comparison, at, bound)| follows(&inside, *comparison, at, bound)) {
            return None;
        }
        let as_said = self.writes_by(&self.equations, (element, number), divisions);
        as_said.or_else(|| {
            // An upper bound that is a lower one too, as where a test leaves the last round of a loop.
            let met = forms.iter().filter(|form| !form.is_constant() && inside.implies(&-(*form).clone()));
            self.writes_by(&self.equations.iter().chain(met).cloned().collect::<Vec<_>>(), (element, number), divisions)
        })
    }

    /// [`Site::writes`], with these forms that are 0 at each of its points.
    fn writes_by(
        &self,
        equations: &[Affine],
        (element, number): (&[Name], usize),
        divisions: &mut Vec<Division>,
    ) -> Option<Formula> {
        // A loop index may have the name of a coordinate, so these have names of no program until the loop indices are gone.
        let own: Vec<Name> = (0..element.len()).map(|axis| name(&format!("@{axis}"))).collect();
        let quotient = format!("quotient.{number}.");
        let strips = self.strips(equations, &own, &quotient);
        let numbers = strips.iter().map(|(part, _)| Affine::variable(part));
        let forms: Vec<Affine> = self.subscripts.iter().chain(equations).cloned().chain(numbers).collect();
        let zeros = equations.iter().map(|_| Affine::default());
        let numbered = strips.iter().map(|(_, division)| Affine::variable(&division.quotient));
        let targets: Vec<Affine> = own.iter().map(Affine::variable).chain(zeros).chain(numbered).collect();
        let (solution, mut divided) = solve_by_division(&forms, &self.point, &targets, &quotient)?;
        divided.extend(strips.into_iter().map(|(_, division)| division));
        let there = self.within.iter().map(|formula| substitute(formula, &solution.point));
        let equal = solution.residues.iter().map(|form| Formula::equal(form, &Affine::default()));
        let renamed = own.into_iter().zip(element.iter().map(Affine::variable)).collect();
        divisions.extend(divided.into_iter().map(|one| Division { of: one.of.substitute(&renamed), ..one }));
        Some(substitute(&Formula::All(there.chain(equal).collect()), &renamed))
    }
}

impl Site {
    /// Subscripts that are a strip and a position in it, such as `16 r + p` where p is from 0 to 15: for each what numbers the strip, and
    /// that as a quotient of the element.
    fn strips(&self, equations: &[Affine], element: &[Name], quotient: &str) -> Vec<(Name, Division)> {
        let bounds: Vec<Affine> = self.within.iter().flat_map(conjuncts).collect();
        let is_fixed = |name: &Name| equations.iter().any(|form| form.mentions([name]));
        let of_subscript = |(form, element): (&Affine, &Name)| {
            let mut open = self.point.iter().filter(|name| form.coefficient(name) != 0 && !is_fixed(name));
            let (one, other, more) = (open.next()?, open.next()?, open.next());
            let (position, part) = if form.coefficient(one) == 1 { (one, other) } else { (other, one) };
            let size = form.coefficient(part);
            if more.is_some() || form.coefficient(position) != 1 || size < 2 {
                return None;
            }
            let least = |form: &Affine| (form.clone() - Affine::variable(position)).is_constant();
            let most = |form: &Affine| (form.clone() + Affine::variable(position)).is_constant();
            let low = bounds.iter().filter(|form| least(form)).map(|form| -form.constant_term()).max()?;
            let high = bounds.iter().filter(|form| most(form)).map(Affine::constant_term).min()?;
            let rest = form.clone() - Affine::variable(position) - Affine::term(part, size);
            let is_within = high.checked_sub(low)? < size && !rest.mentions(&self.point);
            let of = Affine::variable(element) - rest - Affine::constant(low);
            let quotient = name(&format!("{quotient}strip.{element}"));
            is_within.then(|| (part.clone(), Division { quotient, of, by: size }))
        };
        self.subscripts.iter().zip(element).filter_map(of_subscript).collect()
    }
}

fn substitute(formula: &Formula, image: &BTreeMap<Name, Affine>) -> Formula {
    let each = |parts: &[Formula]| parts.iter().map(|part| substitute(part, image)).collect();
    match formula {
        Formula::AtLeastZero(form) => Formula::AtLeastZero(form.substitute(image)),
        Formula::All(parts) => Formula::All(each(parts)),
        Formula::Any(parts) => Formula::Any(each(parts)),
        Formula::Not(part) => Formula::Not(Box::new(substitute(part, image))),
    }
}

/// What a formula says of forms without their constants: each is so much at least wherever it holds.
struct Bounds {
    least: BTreeMap<Affine, i64>,
    /// The same with the forms negated, to be looked up in another's.
    negated: Vec<(Affine, i64)>,
}

impl Bounds {
    fn of(formula: &Formula) -> Bounds {
        let mut least: BTreeMap<Affine, i64> = BTreeMap::new();
        let parts = if let Formula::All(parts) = formula { &parts[..] } else { &[] };
        for form in parts.iter().flat_map(conjuncts) {
            let bound = form.constant_term();
            let known = least.entry(form - Affine::constant(bound)).or_insert(-bound);
            *known = (*known).max(-bound);
        }
        let negated = least.iter().map(|(form, bound)| (-form.clone(), *bound)).collect();
        Bounds { least, negated }
    }

    /// Whether a bound of the one is against a bound of the other, so that no point is in both; what is left is the solver's.
    fn excludes(&self, other: &Bounds) -> bool {
        let is_against = |(form, bound): &(Affine, i64)| other.least.get(form).is_some_and(|other| bound + other > 0);
        self.negated.iter().any(is_against)
    }
}

/// The forms that are at least 0 wherever the formula holds, as far as they are written so.
fn conjuncts(formula: &Formula) -> Vec<Affine> {
    match formula {
        Formula::AtLeastZero(form) => vec![form.clone()],
        Formula::All(parts) => parts.iter().flat_map(conjuncts).collect(),
        Formula::Not(part) => match &**part {
            Formula::AtLeastZero(form) => vec![-form.clone() - Affine::constant(1)],
            Formula::All(parts) => match parts.as_slice() {
                [part] => conjuncts(&part.clone().negate()),
                _ => vec![],
            },
            _ => vec![],
        },
        Formula::Any(_) => vec![],
    }
}

/// The sizes, and the numbers of tiles with what is assumed of these; how both depend on each other does not matter here.
fn sizes(program: &Program) -> Parameters {
    let counts = program.tiles.iter().map(|count| (&count.name, &count.parameter, count.size));
    let of_tiles = program.parameters.in_tiles(counts);
    let mut sizes = program.parameters.clone();
    sizes.extend(of_tiles.iter().cloned());
    of_tiles.assumed().iter().for_each(|form| sizes.assume(form.clone()));
    sizes
}

/// How many elements, or tiles, an array has along each dimension.
fn extents(program: &Program, array: &ArrayDecl) -> Option<Vec<Affine>> {
    if let Some(straight) = &array.straight {
        return Some(straight.extents.clone());
    }
    match array.axes.is_empty() {
        true => array.shape.iter().map(IndexExpr::as_affine).collect(),
        false => array.axes.iter().map(|axis| tiles_along(axis, &program.tiles)).collect(),
    }
}

/// [`Axis::tiles`] over the numbers of tiles.
fn tiles_along(axis: &Axis, counts: &[TileCount]) -> Option<Affine> {
    let beside = Affine::constant(axis.before + axis.after + 2 * axis.margin);
    if axis.size == 1 {
        return Some(beside + axis.body.clone());
    }
    let rest = axis.body.constant_term();
    let whole = Affine::constant(rest.div_euclid(axis.size) + i64::from(rest.rem_euclid(axis.size) > 0));
    let count = |parameter: &Name| counts.iter().find(|count| count.parameter == *parameter && count.size == axis.size);
    axis.body
        .terms()
        .try_fold(beside + whole, |sum, (parameter, times)| Some(sum + Affine::term(&count(parameter)?.name, times)))
}

/// Names for an element's coordinates: as in equations, but for a size that has such a name.
fn element_names(program: &Program, rank: usize) -> Vec<Name> {
    let mut taken = sizes(program).to_vec();
    for axis in 0..rank {
        let plain = ["i", "j", "k", "l"].get(axis).map_or_else(|| format!("x{axis}"), |word| (*word).to_owned());
        taken.push(unused(&plain, &taken));
    }
    taken.split_off(taken.len() - rank)
}
