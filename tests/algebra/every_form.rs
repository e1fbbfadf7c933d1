//! Brute force over the programs and maps of a form, or of all forms.

use crate::every_map::Maps;
use crate::waits::{Graph, programs};
use systole::algebra::{Form, Wanted, derive};
use systole::integer::Bindings;
use systole::recurrence::load;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces};
use systole::rewrite::{Choices, Limits, load_rules, saturate_system};
use systole::span::Source;

/// A form as spaces.
pub struct Spaces {
    pub number: usize,
    pub system: SpaceSystem,
    pub choices: Vec<Choices>,
}

/// All forms of a kernel.
pub fn forms(kernel: &str, sizes: &Bindings) -> Vec<Spaces> {
    let naive = load(&Source::new("naive.rec", kernel)).unwrap();
    let wanted = Wanted { sizes, limits: Limits::of(30, 2000), all: Some(64) };
    let derivation = derive(&naive, &crate::common::algebra(), &wanted).unwrap();
    assert!(derivation.is_whole);
    let cut = |(number, form): (usize, &Form)| {
        let system = cut_spaces(&load(&Source::new("form.rec", form.text.clone())).unwrap()).unwrap();
        let choices = saturate_system(&system, &load_rules(None).unwrap(), &Limits::default()).unwrap().choices();
        Spaces { number, system, choices: choices.unwrap() }
    };
    derivation.forms.iter().enumerate().map(cut).collect()
}

/// The fewest cycles in which any design of these forms runs, and the forms that have one, on a line of PEs or on a single one.
pub fn least(forms: &[&Spaces], sizes: [&Bindings; 2], is_line: bool) -> (i64, Vec<usize>) {
    let runs_in = |form: &Spaces, cycles: i64| {
        programs(&form.system, &form.choices).iter().any(|program| {
            let graphs = sizes.map(|sizes| Graph::new(&form.system, program, sizes));
            critical(&graphs[0]) <= cycles && Maps::new(graphs.each_ref(), cycles, is_line).are_there()
        })
    };
    let with = |cycles: i64| forms.iter().filter(|form| runs_in(form, cycles)).map(|form| form.number).collect();
    (1..).map(|cycles| (cycles, with(cycles))).find(|(_, forms): &(i64, Vec<usize>)| !forms.is_empty()).unwrap()
}

/// The fewest cycles of any program of a form, wherever its points are: operations that wait for one another.
pub fn at_least(form: &Spaces, sizes: &Bindings) -> i64 {
    let all = programs(&form.system, &form.choices);
    all.iter().map(|program| critical(&Graph::new(&form.system, program, sizes))).min().unwrap()
}

fn critical(graph: &Graph) -> i64 {
    graph.longest(true).values().max().map_or(0, |most| most + 1)
}
