//! Random designs at sizes, with what the closed forms and brute force say there.

use crate::brute;
use crate::brute::Table;
use crate::common::{box_points, plus};
use crate::pool::{Sample, samples};
use systole_base::integer::{Bindings, Vector, dot};
use systole_compile::systolize::Stream;

/// A sample at one size, with its table.
pub struct Setting {
    pub sample: &'static Sample,
    pub sizes: Bindings,
    pub table: Table,
}

/// Every sample at several sizes.
pub fn settings() -> impl Iterator<Item = Setting> {
    samples().iter().flat_map(|sample| {
        let most = 6;
        (1..=most).map(move |size| {
            let parameters = sample.space.parameters.iter().enumerate();
            let sizes: Bindings =
                parameters.map(|(at, name)| (name.clone(), (size + 2 * at as i64 - 1) % most + 1)).collect();
            let table = brute::table(&sample.space, &sample.map, &sample.loading, &sizes);
            Setting { sample, sizes, table }
        })
    })
}

impl Setting {
    pub fn processes(&self) -> Vec<Vector> {
        box_points(&self.table.minimum, &self.table.maximum)
    }

    pub fn at(&self, process: &[i64]) -> Bindings {
        self.sample.scheme.bind(&self.sizes, process).expect("sizes")
    }

    pub fn streams(&self) -> impl Iterator<Item = (&'static Stream, &brute::Stream)> {
        self.sample.scheme.streams.iter().zip(&self.table.streams)
    }

    /// Streams whose pipes hold used elements only: where a line of points that is forgotten meets the faces of the space
    /// in whole points.
    pub fn exact_streams(&self) -> impl Iterator<Item = (&'static Stream, &brute::Stream)> {
        self.streams().filter(|(stream, _)| is_exact(self.sample, stream))
    }

    pub fn is_null(&self, process: &Vector) -> bool {
        !self.table.statements.contains_key(process)
    }

    pub fn show(&self) -> String {
        format!("{:?} at {:?}", self.sample.draft, self.sizes)
    }
}

pub fn is_exact(sample: &Sample, stream: &Stream) -> bool {
    let forgotten = if stream.is_stationary() { &sample.scheme.increment } else { &stream.reuse };
    let constraints = sample.space.domain.set.constraints();
    constraints.iter().all(|form| dot(&form.row(sample.space.indices()), forgotten).abs() <= 1)
}

/// Calls `check` for every process of every setting, with its bindings.
pub fn for_processes(check: impl Fn(&Setting, &Vector, &Bindings)) {
    for setting in settings() {
        setting.processes().iter().for_each(|process| check(&setting, process, &setting.at(process)));
    }
}

/// Calls `check` with every pair of points that use one element, the earlier first.
pub fn for_users(check: impl Fn(&Setting, &Stream, &[Vector])) {
    for setting in settings() {
        let points: Vec<&Vector> = setting.table.statements.values().flatten().collect();
        for (stream, _) in setting.streams() {
            let mut users: std::collections::BTreeMap<Vector, Vec<Vector>> = std::collections::BTreeMap::new();
            for point in &points {
                users.entry(stream.index_map.apply(point)).or_default().push((*point).clone());
            }
            for group in users.values_mut() {
                group.sort_by_key(|point| dot(&setting.sample.draft.step, point));
                check(&setting, stream, group);
            }
        }
    }
}

/// By the forms of the scheme.
pub fn has_neighbour(setting: &Setting, process: &[i64], direction: &[i64], sign: i64) -> bool {
    let shift: Vector = direction.iter().map(|entry| entry * sign).collect();
    let forms = setting.sample.scheme.processes.has_neighbour(&shift);
    forms.iter().all(|form| form.evaluate(&setting.at(process)).expect("bound") >= 0)
}

/// The elements of the pipe through a process, by the forms of the scheme.
pub fn contents(stream: &Stream, at: &Bindings) -> Vec<Vector> {
    let Some(first) = stream.first.at(at) else { return vec![] };
    (0..stream.count.at(at).unwrap_or(0)).map(|number| plus(&first, &stream.increment, number)).collect()
}
