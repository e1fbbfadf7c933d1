//! Random tilings of the kernels that ship: the values of the elements one by one, or a refusal.
//!
//! `SYSTOLE_TILINGS=1000` looks at more of them, and prints how often each reason to refuse was given.

use super::meaning::inputs;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use systole_base::integer::{Bindings, Name};
use systole_base::span::Source;
use systole_equations::recurrence::{Expr, RecurrenceSystem, evaluate, load};
use systole_equations::tiles::{TileChains, TileSize, evaluate_tiled, tile};

/// Numbers that are the same at each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn side(&mut self, last: usize) -> i64 {
        self.below(last) as i64 + 1
    }
}

/// The kernels of these folders that are equations.
fn kernels() -> Vec<RecurrenceSystem> {
    let mut paths: Vec<_> = ["kernels", "kernels/naive", "kernels/polybench"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(Path::new(env!("SYSTOLE_ROOT")).join(folder)).expect("a folder"))
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "rec"))
        .collect();
    paths.sort();
    let text = |path: &Path| std::fs::read_to_string(path).expect("a kernel");
    paths.iter().map(|path| load(&Source::new("kernel.rec", text(path))).expect("equations")).collect()
}

fn indices(system: &RecurrenceSystem) -> Vec<Name> {
    let mut all: Vec<Name> = system.equations.iter().flat_map(|equation| equation.domain.indices.clone()).collect();
    system.equations.iter().for_each(|equation| reduced(&equation.value, &mut all));
    all.sort();
    all.dedup();
    all
}

fn reduced(value: &Expr, all: &mut Vec<Name>) {
    match value {
        Expr::Reduce { index, body, .. } => {
            all.push(index.clone());
            reduced(body, all);
        }
        Expr::Apply(_, arguments) => arguments.iter().for_each(|argument| reduced(argument, all)),
        Expr::Number(_) | Expr::Index(_) | Expr::Read { .. } => {}
    }
}

/// The first words of a refusal, without names.
fn reason(message: &str) -> String {
    let mut quoted = message.split('`').enumerate().map(|(at, text)| if at % 2 == 1 { "_" } else { text });
    let plain: String = quoted.by_ref().collect();
    plain.chars().map(|one| if one.is_ascii_digit() { '#' } else { one }).collect()
}

#[test]
fn a_tiling_has_the_values_of_the_elements_or_is_refused() {
    let asked = std::env::var("SYSTOLE_TILINGS").ok().and_then(|text| text.parse().ok());
    let (kernels, mut random, mut reasons) = (kernels(), Random(20_260), BTreeMap::<String, Vec<String>>::new());
    for _ in 0..asked.unwrap_or(30) {
        let system = &kernels[random.below(kernels.len())];
        let (all, alike) = (indices(system), random.side(5));
        let is_alike = random.below(2) == 0;
        let wanted: Vec<TileSize> = all
            .iter()
            .map(|index| {
                let size = if is_alike { alike } else { random.side(5) };
                TileSize { index: index.clone(), size, span: None }
            })
            .collect();
        let sides: Vec<String> = wanted.iter().map(|size| format!("{}={}", size.index, size.size)).collect();
        let shown = format!("{} --tile {}", system.name, sides.join(","));
        let tiled = match tile(system, &wanted) {
            Ok(tiled) => tiled,
            Err(refused) => {
                reasons.entry(reason(&refused[0].to_string())).or_default().push(shown);
                continue;
            }
        };
        let sizes: Bindings = system.parameters.iter().map(|parameter| (parameter.clone(), random.side(6))).collect();
        if system.parameters.broken_at(&sizes).is_some() {
            continue;
        }
        let inputs = inputs(system, &sizes);
        let (Ok(found), Ok(wanted)) =
            (evaluate_tiled(&tiled, &TileChains::new(), &sizes, &inputs), evaluate(system, &sizes, &inputs))
        else {
            panic!("{shown} has no values at {sizes:?}");
        };
        for (name, values) in &wanted {
            for (element, value) in values.indexed_iter() {
                let other = found[name][&element];
                let near = (value - other).abs() <= 1e-9 * value.abs().max(1.0) || value.to_bits() == other.to_bits();
                assert!(near, "{shown} at {sizes:?}: {name} {element:?} is {other} for {value}");
            }
        }
    }
    if asked.is_some() {
        for (reason, cases) in &reasons {
            writeln!(std::io::stdout(), "{:>5}  {reason}: {}", cases.len(), cases[0]).expect("printed");
        }
    }
}
