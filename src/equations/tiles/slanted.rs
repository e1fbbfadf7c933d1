//! Tensors whose tiles need each other in a cycle, such as several time steps of a stencil, laid aslant so that they do not.
//!
//! In: a system, and the sizes of tiles. Out: one of the same values, in which an element lies where its subscripts are moved
//! by multiples of others: `U[t, i]` at `(t, i + t)`. Then every read is of an element that lies no further along any tiled
//! dimension, so boxes of elements can be computed one after the other (loop skewing, as Wolfe's; a box of places is a
//! parallelogram of elements). Tensors that need each other are moved by the same multiples and by constants of their own:
//! `b[t, i]` that reads `a[t, i + 1]` lies one further than `a`.
//!
//! **How far.** The factors are the smallest that do. For factors the constants are the smallest solution of differences
//! (the longest paths from reader to read), which there is unless a cycle of reads goes forward. The subscripts are moved one
//! by one: what one is moved by does not change what another needs. Reads that go back along a subscript that is not divided,
//! and along which none goes forward, are in the order of its steps already and ask for nothing.
//!
//! **The rest of the box.** The places of a slanted tensor are a box too, of which the elements fill a part. All others are
//! zeros that nobody reads, and before the first place of each moved subscript stand as many more as a tile reads back. So
//! all tiles do the same, whether the edge of the elements runs through them or not. Outputs stay slanted in the program:
//! what is handed over is turned back by [`Slant`].

use super::carried::carried;
use super::classes::TileSize;
use super::slant::{Slant, SlantRow};
use super::stack::{groups, longest};
use crate::recurrence::spaces::{coordinate_names, solve};
use crate::recurrence::{Domain, Equation, Expr, RecurrenceSystem, Tensor};
use std::collections::{BTreeMap, BTreeSet};
use systole_base::integer::{Affine, Name, Polyhedron, name};

/// No subscript is moved by more than this in all.
const MOST: i64 = 8;

/// A system with slanted tensors.
pub(super) struct Slanted {
    pub system: RecurrenceSystem,
    pub slants: BTreeMap<Name, Slant>,
    /// For each slanted tensor and dimension how many zeros stand before the first element.
    pub borders: BTreeMap<Name, Vec<i64>>,
    /// The elements of a tile along each dimension of a slanted tensor.
    pub sizes: BTreeMap<Name, Vec<i64>>,
    /// The sizes of tiles, by the names that the equations have now.
    pub wanted: Vec<TileSize>,
}

/// The system with all tensors slanted that can be and have to; `None` where there are none.
pub(super) fn slanted(system: &RecurrenceSystem, wanted: &[TileSize]) -> Option<Slanted> {
    let in_groups: Vec<Name> = groups(system).iter().flatten().map(|tensor| tensor.name.clone()).collect();
    let system = &carried(system, |tensor| in_groups.contains(tensor));
    let mut slanted = Slanted {
        system: system.clone(),
        slants: BTreeMap::new(),
        borders: BTreeMap::new(),
        sizes: BTreeMap::new(),
        wanted: wanted.to_vec(),
    };
    for members in groups(system) {
        if let Some(group) = Group::new(system, members, wanted) {
            group.write(&mut slanted);
        }
    }
    (!slanted.slants.is_empty()).then_some(slanted)
}

/// A read of the group within the group: what the reader's subscripts are more than those of what it reads.
struct Distance {
    reader: usize,
    read: usize,
    apart: Vec<i64>,
}

/// Tensors that need each other, or one that needs itself.
struct Group<'a> {
    system: &'a RecurrenceSystem,
    tensors: Vec<&'a Tensor>,
    /// The elements of a tile along each dimension.
    sizes: Vec<i64>,
    distances: Vec<Distance>,
    /// For each dimension how it is moved.
    moved: Vec<Moved>,
}

/// How one dimension is moved.
#[derive(Default)]
struct Moved {
    factors: Vec<i64>,
    /// For each tensor.
    shifts: Vec<i64>,
    border: i64,
}

impl Moved {
    fn is_moved(&self) -> bool {
        self.factors.iter().chain(&self.shifts).any(|by| *by != 0)
    }

    /// How much further the reader lies than what it reads.
    fn apart(&self, distance: &Distance, dimension: usize) -> i64 {
        let by = self.factors.iter().zip(&distance.apart).map(|(factor, apart)| factor * apart).sum::<i64>();
        distance.apart[dimension] + by + self.shifts[distance.reader] - self.shifts[distance.read]
    }
}

impl<'a> Group<'a> {
    /// The group with the smallest slant; `None` where it needs none or there is none.
    fn new(system: &'a RecurrenceSystem, tensors: Vec<&'a Tensor>, wanted: &[TileSize]) -> Option<Group<'a>> {
        let rank = tensors.first()?.shape.len();
        if tensors.iter().any(|tensor| tensor.shape.len() != rank) {
            return None;
        }
        let mut group = Group { system, tensors, sizes: vec![], distances: vec![], moved: vec![] };
        group.sizes = (0..rank).map(|dimension| group.size(dimension, wanted)).collect();
        group.distances = group.distances()?;
        if !group.is_cyclic() {
            return None;
        }
        group.moved = group.slant()?;
        group.moved.iter().any(Moved::is_moved).then_some(group)
    }

    fn equations(&self) -> impl Iterator<Item = (usize, &'a Equation)> {
        let number = |equation: &'a Equation| Some((self.number(&equation.target)?, equation));
        self.system.equations.iter().filter_map(number)
    }

    fn number(&self, tensor: &Name) -> Option<usize> {
        self.tensors.iter().position(|known| known.name == *tensor)
    }

    fn size(&self, dimension: usize, wanted: &[TileSize]) -> i64 {
        let is_meant = |size: &&TileSize| {
            self.equations().any(|(_, equation)| equation.subscripts[dimension].coefficient(&size.index) != 0)
        };
        wanted.iter().find(is_meant).map_or(1, |size| size.size)
    }

    /// All reads of the group within it; `None` where one is not as far everywhere, or is of a reduction.
    fn distances(&self) -> Option<Vec<Distance>> {
        let mut distances = Some(vec![]);
        for (reader, equation) in self.equations() {
            if reduces(&equation.value) {
                return None;
            }
            equation.value.visit_reads(&equation.domain.set, &mut |tensor, subscripts, _| {
                let Some(read) = self.number(tensor) else { return };
                let apart = |(own, other): (&Affine, &Affine)| {
                    let apart = own.clone() - other.clone();
                    apart.is_constant().then(|| apart.constant_term())
                };
                let apart = equation.subscripts.iter().zip(subscripts).map(apart).collect::<Option<Vec<i64>>>();
                match (apart, &mut distances) {
                    (Some(apart), Some(all)) => all.push(Distance { reader, read, apart }),
                    _ => distances = None,
                }
            });
        }
        distances
    }

    /// How each dimension is moved, by those before it or, where that does not do, by those behind it.
    fn slant(&self) -> Option<Vec<Moved>> {
        let rank = self.sizes.len();
        let natural: Vec<usize> = (0..rank).collect();
        let reversed = natural.iter().rev().copied().collect();
        [natural, reversed].into_iter().find_map(|order: Vec<usize>| {
            let along = |dimension: usize| {
                let before = order.iter().take_while(|other| **other != dimension);
                self.smallest(dimension, &before.copied().collect::<Vec<_>>())
            };
            (0..rank).map(along).collect()
        })
    }

    /// Reads that the steps along a subscript that is not divided do not put in order already.
    fn open(&self) -> impl Iterator<Item = &Distance> {
        let is_step = |dimension: &usize| {
            self.sizes[*dimension] == 1 && self.distances.iter().all(|read| read.apart[*dimension] >= 0)
        };
        let steps: Vec<usize> = (0..self.sizes.len()).filter(is_step).collect();
        self.distances.iter().filter(move |read| steps.iter().all(|step| read.apart[*step] == 0))
    }

    /// Whether boxes of elements can need each other in a cycle: along some dimension a read of a cycle of open reads goes
    /// forward, and not all of them do or stay. Tensors in no such cycle are computed one after the other.
    fn is_cyclic(&self) -> bool {
        let mut reads: BTreeSet<(usize, usize)> = self.open().map(|read| (read.reader, read.read)).collect();
        for through in 0..self.tensors.len() {
            let readers: Vec<usize> =
                reads.iter().filter(|(_, read)| *read == through).map(|(reader, _)| *reader).collect();
            let given: Vec<usize> =
                reads.iter().filter(|(reader, _)| *reader == through).map(|(_, read)| *read).collect();
            reads.extend(readers.iter().flat_map(|reader| given.iter().map(|read| (*reader, *read))));
        }
        let around: Vec<&Distance> = self.open().filter(|read| reads.contains(&(read.read, read.reader))).collect();
        (0..self.sizes.len()).any(|dimension| {
            let mut along = around.iter().map(|read| read.apart[dimension]);
            along.clone().any(|apart| apart < 0) && along.any(|apart| apart > 0)
        })
    }

    /// The smallest factors of these other dimensions, and the constants that go with them.
    fn smallest(&self, dimension: usize, others: &[usize]) -> Option<Moved> {
        let rank = self.sizes.len();
        if self.open().all(|read| read.apart[dimension] <= 0) {
            return Some(Moved { factors: vec![0; rank], shifts: vec![0; self.tensors.len()], border: 0 });
        }
        let mut choices = (0..=MOST).flat_map(|total| compositions(total, others.len()));
        choices.find_map(|chosen| {
            let mut factors = vec![0; rank];
            others.iter().zip(&chosen).for_each(|(other, factor)| factors[*other] = *factor);
            let shifts = self.shifts(dimension, &factors)?;
            let mut moved = Moved { factors, shifts, border: 0 };
            let reach = self.distances.iter().map(|read| moved.apart(read, dimension)).max().unwrap_or(0);
            moved.border = if moved.is_moved() { border(reach, self.sizes[dimension]) } else { 0 };
            Some(moved)
        })
    }

    /// The smallest constants, from 0 on, by which no open read goes forward.
    fn shifts(&self, dimension: usize, factors: &[i64]) -> Option<Vec<i64>> {
        let mut moved = Moved { factors: factors.to_vec(), shifts: vec![0; self.tensors.len()], border: 0 };
        for _ in 0..=self.tensors.len() {
            let mut is_changed = false;
            for read in self.open() {
                let missing = -moved.apart(read, dimension);
                if missing > 0 && read.reader != read.read {
                    moved.shifts[read.reader] += missing;
                    is_changed = true;
                } else if missing > 0 {
                    return None;
                }
            }
            if !is_changed {
                return Some(moved.shifts);
            }
        }
        None
    }

    fn slant_of(&self, tensor: usize) -> Slant {
        let row =
            |moved: &Moved| SlantRow { factors: moved.factors.clone(), shift: moved.shifts[tensor] + moved.border };
        Slant { rows: self.moved.iter().map(row).collect() }
    }

    /// Slants the group's tensors; nothing where their extents differ by sizes, or where subscripts do not name points.
    fn write(&self, slanted: &mut Slanted) -> Option<()> {
        let extents =
            (0..self.sizes.len()).map(|dimension| longest(&self.tensors, dimension)).collect::<Option<Vec<_>>>()?;
        let shape: Vec<Affine> = (0..self.sizes.len()).map(|dimension| self.extent(dimension, &extents)).collect();
        let mut equations = vec![];
        for equation in &slanted.system.equations {
            match self.number(&equation.target) {
                Some(tensor) => equations.push(self.moved_equation(tensor, equation)?),
                None => equations.push(self.with_reads(equation)),
            }
        }
        for tensor in 0..self.tensors.len() {
            equations.extend(self.zeros(tensor, &shape));
        }
        slanted.system.equations = equations;
        for (number, tensor) in self.tensors.iter().enumerate() {
            slanted.slants.insert(tensor.name.clone(), self.slant_of(number));
            slanted.sizes.insert(tensor.name.clone(), self.sizes.clone());
            slanted.borders.insert(tensor.name.clone(), self.moved.iter().map(|moved| moved.border).collect());
            let declared = slanted.system.tensors.iter_mut().filter(|known| known.name == tensor.name);
            declared.for_each(|known| known.shape.clone_from(&shape));
        }
        self.rename_sizes(&mut slanted.wanted);
        Some(())
    }

    /// How long a dimension is that holds the places of all tensors.
    fn extent(&self, dimension: usize, extents: &[Affine]) -> Affine {
        let moved = &self.moved[dimension];
        let by =
            extents.iter().zip(&moved.factors).map(|(extent, factor)| (extent.clone() - Affine::constant(1)) * *factor);
        let shift = moved.border + moved.shifts.iter().copied().max().unwrap_or(0);
        by.fold(extents[dimension].clone() + Affine::constant(shift), |sum, term| sum + term)
    }

    /// Sizes of indices that stand for a subscript of the group, by the name that it has now.
    fn rename_sizes(&self, wanted: &mut [TileSize]) {
        for size in wanted {
            let stands = |(tensor, equation): (usize, &Equation)| {
                let dimension = equation.subscripts.iter().position(|form| form.coefficient(&size.index) != 0)?;
                coordinate_names(self.system, &self.tensors[tensor].name).get(dimension).cloned()
            };
            if let Some(name) = self.equations().find_map(stands) {
                size.index = name;
            }
        }
    }

    /// An equation of the group, over the places of its tensor.
    fn moved_equation(&self, tensor: usize, equation: &Equation) -> Option<Equation> {
        let slant = self.slant_of(tensor);
        let places = self.places();
        let here: Vec<Affine> = places.iter().map(Affine::variable).collect();
        let solution = solve(&equation.subscripts, &equation.domain.indices, &slant.element(&here))?;
        let value = equation.value.redirect(&|read, subscripts| {
            let other = self.number(read)?;
            let apart = equation
                .subscripts
                .iter()
                .zip(subscripts)
                .map(|(own, form)| (own.clone() - form.clone()).constant_term());
            let distance = Distance { reader: tensor, read: other, apart: apart.collect() };
            let place = |(dimension, own): (usize, &Affine)| {
                own.clone() - Affine::constant(self.moved[dimension].apart(&distance, dimension))
            };
            Some((read.clone(), here.iter().enumerate().map(place).collect()))
        });
        let image = solution.image(&equation.domain.set);
        let fixed = fixed(image.equations(), &places);
        let point = solution.point.iter().map(|(index, form)| (index.clone(), form.substitute(&fixed))).collect();
        let value = value.substitute(&point);
        let set = image.intersect(&self.behind_borders(&here));
        Some(self.named(
            tensor,
            Equation { subscripts: here, domain: Domain { indices: places, set }, value, ..equation.clone() },
        ))
    }

    /// Names for places that no equation has.
    fn places(&self) -> Vec<Name> {
        (0..self.sizes.len()).map(|dimension| name(&format!("@{dimension}"))).collect()
    }

    /// An equation over places with the names of the tensor's coordinates.
    fn named(&self, tensor: usize, equation: Equation) -> Equation {
        let names = coordinate_names(self.system, &self.tensors[tensor].name);
        let image: BTreeMap<Name, Affine> = self.places().into_iter().zip(names.iter().map(Affine::variable)).collect();
        Equation {
            subscripts: equation.subscripts.iter().map(|form| form.substitute(&image)).collect(),
            domain: Domain { indices: names, set: equation.domain.set.substitute(&image) },
            value: equation.value.substitute(&image),
            ..equation
        }
    }

    /// Where all elements lie: behind the zeros of moved dimensions.
    fn behind_borders(&self, place: &[Affine]) -> Polyhedron {
        let moved = place.iter().zip(&self.moved).filter(|(_, moved)| moved.border > 0);
        Polyhedron::new(moved.map(|(at, moved)| at.clone() - Affine::constant(moved.border)))
    }

    /// Any other equation, which reads elements of the group where they lie now.
    fn with_reads(&self, equation: &Equation) -> Equation {
        let value = equation
            .value
            .redirect(&|read, subscripts| Some((read.clone(), self.slant_of(self.number(read)?).place(subscripts))));
        Equation { value, ..equation.clone() }
    }

    /// The places of a tensor without elements: each dimension's border, then what lies before and behind the elements along
    /// it, of what the dimensions before have left.
    fn zeros(&self, tensor: usize, shape: &[Affine]) -> Vec<Equation> {
        let places = self.places();
        let here: Vec<Affine> = places.iter().map(Affine::variable).collect();
        let one = Affine::constant(1);
        let inside =
            here.iter().zip(shape).flat_map(|(at, extent)| [at.clone(), extent.clone() - at.clone() - one.clone()]);
        let mut left = Polyhedron::new(inside);
        let borders = self.behind_borders(&here);
        let element = self.slant_of(tensor).element(&here);
        let own = &self.tensors[tensor].shape;
        let along =
            element.iter().zip(own).flat_map(|(at, extent)| [at.clone(), extent.clone() - at.clone() - one.clone()]);
        let kept: Vec<Affine> = borders.constraints().iter().cloned().chain(along).collect();
        let sizes = Polyhedron::sizes(&self.system.parameters);
        let mut zeros = vec![];
        for form in kept {
            let outside = left.intersect(&Polyhedron::new([-form.clone() - one.clone()]));
            if !outside.intersect(&sizes).is_empty() {
                zeros.push(self.named(
                    tensor,
                    Equation {
                        target: self.tensors[tensor].name.clone(),
                        subscripts: here.clone(),
                        domain: Domain { indices: places.clone(), set: outside },
                        value: Expr::Number(0.0),
                        span: self.tensors[tensor].span,
                    },
                ));
            }
            left.add(form);
        }
        zeros
    }
}

/// How many zeros stand before the elements so that the tiles that a tile reads are there: a tile of the border is one element.
fn border(reach: i64, size: i64) -> i64 {
    let tiles = |border: i64| {
        let of_border = reach.min(border);
        (reach + size - 1).div_euclid(size).max(of_border + (reach - of_border).div_euclid(size))
    };
    (1..reach).find(|border| tiles(*border) <= *border).unwrap_or(reach.max(1))
}

/// All ways to write a number as a sum of so many from 0 on, those with more in front first.
fn compositions(total: i64, count: usize) -> Vec<Vec<i64>> {
    match count {
        0 if total == 0 => vec![vec![]],
        0 => vec![],
        _ => {
            let with = |first: i64| {
                compositions(total - first, count - 1).into_iter().map(move |rest| [vec![first], rest].concat())
            };
            (0..=total).rev().flat_map(with).collect()
        }
    }
}

/// The places that are a constant, or a form of sizes, where these forms are zero.
fn fixed<'f>(zero: impl Iterator<Item = &'f Affine>, places: &[Name]) -> BTreeMap<Name, Affine> {
    let mut fixed: BTreeMap<Name, Affine> = BTreeMap::new();
    let zero: Vec<&Affine> = zero.collect();
    for _ in 0..places.len() {
        for form in &zero {
            let form = form.substitute(&fixed);
            let mut own = places.iter().filter(|place| form.coefficient(place) != 0);
            if let (Some(place), None) = (own.next(), own.next())
                && form.coefficient(place).abs() == 1
            {
                let sign = form.coefficient(place);
                fixed.insert(place.clone(), (form - Affine::term(place, sign)) * -sign);
            }
        }
    }
    fixed
}

fn reduces(value: &Expr) -> bool {
    match value {
        Expr::Reduce { .. } => true,
        Expr::Apply(_, arguments) => arguments.iter().any(reduces),
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => false,
    }
}
