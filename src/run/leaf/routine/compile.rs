//! Leaf and sizes to routine.
//!
//! In: a [`Leaf`] and the values of all parameters, numbers of tiles among them. Out: a [`Routine`]. Refused are extents and
//! forms whose values would not fit 64 bits.

use super::slot_affine::{SlotAffine, Span};
use super::{Access, Cut, Frame, Loop, Node, Operation, Reach, Routine, Set, Way, dependence};
use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::{Affine, Bindings, Bound, Name};
use systole_equations::tiles::{Axis, Leaf, Range, Step, Value, Window};

/// No extent exceeds this.
const LARGEST_EXTENT: i64 = 1 << 28;

/// Prepares a leaf for these sizes.
pub fn compile_leaf(leaf: &Leaf, sizes: &Bindings) -> Checked<Routine> {
    let names: Vec<Name> = leaf.indices.iter().map(|index| index.name.clone()).collect();
    let mut compiler = Compiler { leaf, sizes, names, spans: vec![], accesses: vec![] };
    compiler.routine().map_err(|message| {
        let message = format!("leaf `{}`: {message}", leaf.name);
        vec![Diagnostic::new(message).help("choose smaller sizes")]
    })
}

/// What does not fit, in words.
type Fits<T> = Result<T, String>;

struct Compiler<'a> {
    leaf: &'a Leaf,
    sizes: &'a Bindings,
    /// Those of the indices.
    names: Vec<Name>,
    /// All values that the indices may have in any tile.
    spans: Vec<Span>,
    accesses: Vec<Access>,
}

impl Compiler<'_> {
    fn routine(&mut self) -> Fits<Routine> {
        let leaf = self.leaf;
        let indices: Vec<Cut> =
            leaf.indices.iter().map(|index| self.cut(&index.axis, &index.tile)).collect::<Fits<_>>()?;
        let extent = |cut: &Cut| cut.axis.before + cut.body + cut.axis.after;
        self.spans = indices.iter().map(|cut| (0, extent(cut) - 1)).collect();
        let windows = leaf.windows.iter().map(|window| self.frame(window)).collect::<Fits<_>>()?;
        let result = self.cuts(&leaf.result)?;
        let arguments = leaf.arguments.iter().map(|argument| Ok((argument.window, self.cuts(&argument.tile)?)));
        let arguments = arguments.collect::<Fits<_>>()?;
        let mut body = self.block(&leaf.body)?;
        dependence::choose_ways(&mut body, &self.accesses, &self.spans);
        let mut written = vec![false; leaf.windows.len()];
        visit(&body, &mut |set| written[self.accesses[set.target].window] = true);
        let mut depth = 1;
        visit(&body, &mut |set| depth = depth.max(set.value.len()));
        let mut reads_indices = false;
        let is_index = |operation: &Operation| matches!(operation, Operation::Index(_));
        visit(&body, &mut |set| reads_indices |= set.value.iter().any(is_index));
        let (coordinates, accesses) = (leaf.coordinates.len(), std::mem::take(&mut self.accesses));
        Ok(Routine { coordinates, indices, windows, result, arguments, accesses, written, depth, reads_indices, body })
    }

    fn cuts(&self, tile: &[(Axis, Affine)]) -> Fits<Vec<Cut>> {
        tile.iter().map(|(axis, tile)| self.cut(axis, tile)).collect()
    }

    fn cut(&self, axis: &Axis, tile: &Affine) -> Fits<Cut> {
        let body = self.extent(&axis.body)?;
        let within = |count: i64| (0..=LARGEST_EXTENT).contains(&count);
        let beside = [axis.before, axis.after, axis.margin, axis.size];
        if !beside.into_iter().all(within) || axis.size < 1 {
            return Err("an axis is too long".to_owned());
        }
        let tiles = axis.tiles(self.sizes).unwrap_or(0);
        let tile = SlotAffine::resolve(tile, &self.leaf.coordinates, self.sizes);
        let tile = tile.ok_or_else(|| "the coordinate of a tile does not fit 64 bits".to_owned())?;
        Ok(Cut { axis: axis.clone(), body, tiles, tile })
    }

    fn extent(&self, extent: &Affine) -> Fits<i64> {
        let value = extent.evaluate(self.sizes).filter(|value| (0..=LARGEST_EXTENT).contains(value));
        value.ok_or_else(|| format!("the extent `{extent}` is negative or too large"))
    }

    fn form(&self, form: &Affine) -> Fits<SlotAffine> {
        let resolved = SlotAffine::resolve(form, &self.names, self.sizes).filter(|form| form.is_moderate(&self.spans));
        resolved.ok_or_else(|| format!("values of `{form}` do not fit 64 bits"))
    }

    fn forms(&self, forms: &[Affine]) -> Fits<Vec<SlotAffine>> {
        forms.iter().map(|form| self.form(form)).collect()
    }

    fn frame(&self, window: &Window) -> Fits<Frame> {
        let reach = |range: &Range| {
            let limits = -LARGEST_EXTENT..=LARGEST_EXTENT;
            if !limits.contains(&range.first) || !limits.contains(&range.last) {
                return Err(format!("window `{}` reaches too far", window.tensor));
            }
            let (form, extent) = (self.form(&range.form)?, self.extent(&range.extent)?);
            Ok(Reach { form, first: range.first, last: range.last, extent })
        };
        Ok(Frame { ranges: window.ranges.iter().map(reach).collect::<Fits<_>>()?, operator: window.operator })
    }

    fn block(&mut self, steps: &[Step]) -> Fits<Vec<Node>> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&mut self, step: &Step) -> Fits<Node> {
        Ok(match step {
            Step::Loop { index, falls, lower, upper, body } => Node::Loop(Loop {
                index: *index,
                falls: *falls,
                lower: self.bounds(lower)?,
                upper: self.bounds(upper)?,
                body: self.block(body)?,
                way: Way::Around,
            }),
            Step::If { conditions, then, otherwise } => Node::If {
                conditions: self.forms(conditions)?,
                then: self.block(then)?,
                otherwise: self.block(otherwise)?,
            },
            Step::Set { window, element, value } => {
                let mut operations = vec![];
                self.value(value, &mut operations)?;
                Node::Set(Set { target: self.access(*window, element)?, value: operations })
            }
        })
    }

    fn bounds(&self, bounds: &[Bound]) -> Fits<Vec<(SlotAffine, i64)>> {
        bounds.iter().map(|bound| Ok((self.form(&bound.form)?, bound.coefficient))).collect()
    }

    fn access(&mut self, window: usize, element: &[Affine]) -> Fits<usize> {
        let subscripts = self.forms(element)?;
        self.accesses.push(Access { window, subscripts });
        Ok(self.accesses.len() - 1)
    }

    /// Appends the operations that leave a value on the stack.
    fn value(&mut self, value: &Value, operations: &mut Vec<Operation>) -> Fits<()> {
        match value {
            Value::Number(number) => operations.push(Operation::Number(*number)),
            Value::Index(form) => operations.push(Operation::Index(self.form(form)?)),
            Value::Element(window, element) => operations.push(Operation::Load(self.access(*window, element)?)),
            Value::Apply(function, arguments) => {
                arguments.iter().try_for_each(|argument| self.value(argument, operations))?;
                operations.push(Operation::Apply(*function));
            }
        }
        Ok(())
    }
}

/// Every `Set` of a body.
pub(super) fn visit<'a>(body: &'a [Node], see: &mut impl FnMut(&'a Set)) {
    for node in body {
        match node {
            Node::Loop(repeated) => visit(&repeated.body, see),
            Node::If { then, otherwise, .. } => {
                visit(then, see);
                visit(otherwise, see);
            }
            Node::Set(set) => see(set),
            Node::Known(known) => visit(&known.loops.body, see),
        }
    }
}
