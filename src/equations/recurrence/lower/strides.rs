//! Equations that replace every second element: `u[2*i + 1] = ..`, or `u[i] = .. where i mod 2 == 1`.
//!
//! In: the equations of what is replaced together. Out: each as parts. In a part every subscript of a tensor, on the left and where it is read, has one
//! remainder by the stride of its place. So which equation has written an element that is read follows from inequalities.

use super::Lowering;
use super::replace::{CASE_LIMIT, Placed, TOO_MANY_CASES};
use crate::recurrence::Equation;
use crate::recurrence::division::Division;
use std::collections::BTreeMap;
use systole_base::integer::{Affine, Name, Polyhedron, lcm};

/// By how much the subscripts in each place of a tensor grow.
pub(super) type Strides = BTreeMap<(Name, usize), i64>;

/// A part of an equation: it differs from the others in its points.
#[derive(Clone)]
pub(super) struct Strided {
    pub(super) equation: Equation,
    /// The indices as they are written, but for that of the steps; of an equation that replaces nothing that one.
    pub(super) order: Vec<Affine>,
}

impl Lowering<'_> {
    /// The parts of each equation, and the strides.
    pub(super) fn in_strides(&mut self, own: Vec<Placed>) -> Option<(Vec<Vec<Strided>>, Strides)> {
        let mut parts: Vec<Vec<Strided>> = own.into_iter().map(|(_, equation)| vec![self.whole(equation)]).collect();
        loop {
            let strides = self.strides_of(parts.iter().flatten())?;
            // What is read by strides may be replaced by them then.
            let mut is_divided = false;
            for of_one in &mut parts {
                let mut all = vec![];
                for part in of_one.drain(..) {
                    let division = self.division(&part, &strides)?;
                    is_divided |= !division.is_empty();
                    all.extend(self.parts(&part, &division)?);
                }
                if all.len() > CASE_LIMIT {
                    return self.refuse_sources(&all[0].equation, TOO_MANY_CASES);
                }
                *of_one = all;
            }
            if !is_divided {
                return Some((parts, strides));
            }
        }
    }

    /// The parts of an equation that reads what is replaced, and replaces nothing.
    pub(super) fn read_by_strides(&mut self, whole: &Strided, strides: &Strides) -> Option<Vec<Strided>> {
        let division = self.division_of_reads(&whole.equation, &whole.equation.domain.indices, strides);
        self.parts(whole, &division)
    }

    /// The parts of an equation of all elements of a tensor; `first` is the place of the first subscript that has a stride.
    pub(super) fn by_strides(
        &mut self,
        whole: Equation,
        (strides, tensor): (&Strides, &Name),
        first: usize,
    ) -> Option<Vec<Equation>> {
        let mut division = Division::default();
        for (axis, form) in whole.subscripts[first..].iter().enumerate() {
            division.settle(form, stride(strides, tensor, axis), &whole.domain.indices)?;
        }
        let parts = self.parts(&Strided { equation: whole, order: vec![] }, &division)?;
        Some(parts.into_iter().map(|part| part.equation).collect())
    }

    /// An equation with its indices as they are written.
    fn whole(&self, equation: Equation) -> Strided {
        let is_it = |(known, _): &&(Equation, Vec<Affine>)| {
            known.span == equation.span
                && known.subscripts == equation.subscripts
                && known.domain.set == equation.domain.set
        };
        let indices = || equation.domain.indices.iter().map(Affine::variable).collect();
        let order = self.written.iter().find(is_it).map_or_else(indices, |(_, order)| order.clone());
        Strided { order: order[1..].to_vec(), equation }
    }

    fn strides_of<'p>(&mut self, parts: impl Iterator<Item = &'p Strided>) -> Option<Strides> {
        let mut strides = Strides::new();
        for Strided { equation, .. } in parts {
            let own = &equation.domain.indices[1..];
            for (axis, form) in equation.subscripts.iter().enumerate() {
                let content = Affine::from_row(own, &form.row(own)).content().max(1);
                let known = strides.entry((equation.target.clone(), axis)).or_insert(1);
                *known = lcm(*known, content).unwrap_or(i64::MAX);
            }
            let of_tensor = strides.iter().filter(|((tensor, _), _)| *tensor == equation.target);
            let parts = of_tensor.fold(1i64, |parts, (_, stride)| parts.saturating_mul(*stride));
            if parts > CASE_LIMIT as i64 {
                return self.refuse_sources(equation, TOO_MANY_CASES);
            }
        }
        Some(strides)
    }

    /// How an equation is divided for what it replaces and for what it reads. Its steps come one after the other and are not divided.
    fn division(&self, part: &Strided, strides: &Strides) -> Option<Division> {
        let equation = &part.equation;
        let own = &equation.domain.indices[1..];
        let mut division = self.division_of_reads(equation, own, strides);
        for (axis, form) in equation.subscripts.iter().enumerate() {
            // What has no remainder is refused where it matters.
            let _ = division.settle(form, stride(strides, &equation.target, axis), own);
        }
        Some(division)
    }

    /// How an equation is divided for what it reads, as far as its own indices and sizes decide that.
    fn division_of_reads(&self, equation: &Equation, own: &[Name], strides: &Strides) -> Division {
        let mut division = Division::default();
        let is_known = |name: &Name| equation.domain.indices.contains(name) || self.parameters.contains(name);
        equation.value.visit_reads(&Polyhedron::default(), &mut |tensor, subscripts, _| {
            for (axis, form) in
                subscripts.iter().enumerate().filter(|(_, form)| form.terms().all(|(name, _)| is_known(name)))
            {
                let _ = division.settle(form, stride(strides, tensor, axis), own);
            }
        });
        division
    }

    /// The parts of an equation that have points.
    fn parts(&mut self, whole: &Strided, division: &Division) -> Option<Vec<Strided>> {
        let Some(images) = division.images() else {
            return self.refuse_sources(&whole.equation, TOO_MANY_CASES);
        };
        let at = |image: &BTreeMap<Name, Affine>| Strided {
            equation: whole.equation.at(image),
            order: whole.order.iter().map(|form| form.substitute(image)).collect(),
        };
        let sizes = Polyhedron::sizes(&self.parameters);
        let mut parts: Vec<Strided> = images.iter().map(at).collect();
        if parts.len() > 1 {
            parts.retain(|part| !part.equation.domain.set.intersect(&sizes).is_empty());
        }
        Some(parts)
    }
}

fn stride(strides: &Strides, tensor: &Name, axis: usize) -> i64 {
    strides.get(&(tensor.clone(), axis)).copied().unwrap_or(1)
}
