//! The generators of a polyhedron: corners and directions instead of inequalities.
//!
//! In: a polyhedron and the order of its variables, parameters among them. Out: the extreme rays of its homogenised cone
//! as shortest integer vectors, one entry for each variable and the scale last: `(x, h)` with `h > 0` is the corner
//! `x / h`, with `h = 0` the direction `x`. Law (Minkowski and Weyl): `c . x + b >= 0` at every rational point of the set
//! if and only if `c . x + b * h >= 0` at every generator. So a condition on infinitely many points, all sizes among
//! them, becomes finitely many. The method is Motzkin's double description in Chernikova's form, exact in 128 bits.
//! Motzkin, Raiffa, Thompson and Thrall, The double description method, 1953; Fukuda and Prodon, Double description
//! method revisited, 1996, for when two rays are adjacent.

use super::{Affine, Name, Polyhedron, Vector};

/// No step of the method may hold more rays than this.
const MOST_RAYS: usize = 2000;

/// No number of the method may be larger than this, so that a sign can always be turned.
const LARGEST: u128 = 1 << 120;

/// The constraints that a ray makes zero, one bit each.
type Zeros = u128;

/// The generators of `set` over `variables`, sorted; none where no rational point lies in the set.
///
/// A line is two opposite directions. `None` where the set mentions another variable, has more than 127 constraints, or
/// its generators are too many or do not fit 64 bits.
pub fn generators(set: &Polyhedron, variables: &[Name]) -> Option<Vec<Vector>> {
    let known = set.variables().iter().all(|variable| variables.contains(variable));
    let rows = homogenised(set, variables);
    if !known || rows.len() >= Zeros::BITS as usize {
        return None;
    }
    let mut cone = Cone::whole(variables.len() + 1);
    for (number, row) in rows.iter().enumerate() {
        cone.cut(row, 1 << number)?;
    }
    cone.generators()
}

/// The constraints as rows over the variables and the scale. The scale itself is not negative; equations stand first, as
/// each takes a dimension away.
fn homogenised(set: &Polyhedron, variables: &[Name]) -> Vec<Vec<i128>> {
    let row = |form: &Affine| -> Vec<i128> {
        let entries = form.row(variables).into_iter().chain([form.constant_term()]);
        entries.map(i128::from).collect()
    };
    let scale = (0..=variables.len()).map(|column| i128::from(column == variables.len())).collect();
    let equations = set.equations().map(row);
    let all = set.constraints().iter().map(row);
    let mut rows: Vec<Vec<i128>> = vec![scale];
    for row in equations.chain(all) {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

/// An extreme ray of the cone, up to its lines.
#[derive(Clone)]
struct Ray {
    entries: Vec<i128>,
    zeros: Zeros,
}

/// The cone of the constraints seen so far: sums of multiples of lines and of non-negative multiples of rays.
struct Cone {
    lines: Vec<Vec<i128>>,
    rays: Vec<Ray>,
    /// The constraints seen so far.
    seen: Zeros,
}

impl Cone {
    /// All of space.
    fn whole(dimension: usize) -> Cone {
        let unit = |row: usize| (0..dimension).map(|column| i128::from(row == column)).collect();
        Cone { lines: (0..dimension).map(unit).collect(), rays: vec![], seen: 0 }
    }

    /// Adds the constraint `row . x >= 0`, which has the number `bit`.
    fn cut(&mut self, row: &[i128], bit: Zeros) -> Option<()> {
        let crossing = self.lines.iter().position(|line| product(row, line) != Some(0));
        match crossing {
            Some(position) => self.cut_line(row, bit, position)?,
            None => self.cut_rays(row, bit)?,
        }
        self.seen |= bit;
        (self.rays.len() <= MOST_RAYS).then_some(())
    }

    /// A line that leaves the half space becomes a ray; everything else slides along it onto the face.
    fn cut_line(&mut self, row: &[i128], bit: Zeros, position: usize) -> Option<()> {
        let mut line = self.lines.remove(position);
        let mut height = product(row, &line)?;
        if height < 0 {
            line.iter_mut().for_each(|entry| *entry = -*entry);
            height = -height;
        }
        for other in &mut self.lines {
            *other = combine(height, other, -product(row, other)?, &line)?;
        }
        for ray in &mut self.rays {
            ray.entries = combine(height, &ray.entries, -product(row, &ray.entries)?, &line)?;
            ray.zeros |= bit;
        }
        self.rays.push(Ray { entries: line, zeros: self.seen });
        Some(())
    }

    /// Rays outside the half space go; each edge from a ray inside to one outside leaves a ray where it meets the face.
    fn cut_rays(&mut self, row: &[i128], bit: Zeros) -> Option<()> {
        let heights: Vec<i128> = self.rays.iter().map(|ray| product(row, &ray.entries)).collect::<Option<_>>()?;
        let side = |sign: i128| (0..heights.len()).filter(|at| heights[*at].signum() == sign).collect::<Vec<usize>>();
        let (inside, on, outside) = (side(1), side(0), side(-1));
        let mut kept: Vec<Ray> = inside.iter().map(|at| self.rays[*at].clone()).collect();
        kept.extend(on.iter().map(|at| Ray { zeros: self.rays[*at].zeros | bit, ..self.rays[*at].clone() }));
        let pairs = inside.iter().flat_map(|above| outside.iter().map(move |below| (*above, *below)));
        for (above, below) in pairs.filter(|(above, below)| self.adjacent(*above, *below)) {
            let (up, down) = (&self.rays[above], &self.rays[below]);
            let entries = combine(-heights[below], &up.entries, heights[above], &down.entries)?;
            kept.push(Ray { entries, zeros: up.zeros & down.zeros | bit });
            if kept.len() > MOST_RAYS {
                return None;
            }
        }
        self.rays = kept;
        Some(())
    }

    /// Whether two rays span a face of dimension two: no third ray lies on all constraints that both lie on.
    fn adjacent(&self, one: usize, two: usize) -> bool {
        let common = self.rays[one].zeros & self.rays[two].zeros;
        let mut others = self.rays.iter().enumerate().filter(|(at, _)| *at != one && *at != two);
        others.all(|(_, ray)| ray.zeros & common != common)
    }

    /// Lines as two directions each, then rays, in 64 bits; nothing where there is no corner.
    fn generators(&self) -> Option<Vec<Vector>> {
        let is_corner = |ray: &Ray| ray.entries.last().is_some_and(|scale| *scale > 0);
        if !self.rays.iter().any(is_corner) {
            return Some(vec![]);
        }
        let narrow = |vector: &[i128], sign: i128| -> Option<Vector> {
            vector.iter().map(|entry| i64::try_from(sign * entry).ok()).collect()
        };
        let lines = self.lines.iter().flat_map(|line| [narrow(line, 1), narrow(line, -1)]);
        let rays = self.rays.iter().map(|ray| narrow(&ray.entries, 1));
        let mut all: Vec<Vector> = lines.chain(rays).collect::<Option<_>>()?;
        all.sort();
        Some(all)
    }
}

fn product(a: &[i128], b: &[i128]) -> Option<i128> {
    let sum = a.iter().zip(b).try_fold(0i128, |sum, (x, y)| sum.checked_add(x.checked_mul(*y)?));
    sum.filter(|sum| sum.unsigned_abs() <= LARGEST)
}

/// `p * a + q * b`, divided by its content.
fn combine(p: i128, a: &[i128], q: i128, b: &[i128]) -> Option<Vec<i128>> {
    let mix = |(x, y): (&i128, &i128)| p.checked_mul(*x)?.checked_add(q.checked_mul(*y)?);
    let sum: Vec<i128> = a.iter().zip(b).map(mix).collect::<Option<_>>()?;
    let content = sum.iter().fold(0u128, |divisor, entry| common_divisor(divisor, entry.unsigned_abs())).max(1);
    let content = i128::try_from(content).ok()?;
    let fits = |entry: &i128| entry.unsigned_abs() <= LARGEST;
    Some(sum.into_iter().map(|entry| entry / content).collect::<Vec<i128>>()).filter(|sum| sum.iter().all(fits))
}

/// The greatest common divisor.
fn common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
