//! Brute force over the programs and maps of a form, or of all forms.

use crate::every_map::{Maps, Most};
use crate::waits::{Graph, programs};
use systole::algebra::{Form, Wanted, derive};
use systole::integer::Bindings;
use systole::recurrence::load;
use systole::recurrence::spaces::{SpaceSystem, cut_spaces};
use systole::rewrite::{Choices, Dataflow, Limits, load_rules, saturate};
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
        let choices = saturate(&system, &load_rules(None).unwrap(), &Limits::default()).unwrap().choices();
        Spaces { number, system, choices: choices.unwrap() }
    };
    derivation.forms.iter().enumerate().map(cut).collect()
}

/// The fewest cycles in which any design of these forms runs, and the forms that have one, on an array of so many dimensions.
pub fn least(forms: &[&Spaces], sizes: [&Bindings; 2], dimensions: usize) -> (i64, Vec<usize>) {
    let graphs: Vec<(usize, Vec<[Graph; 2]>)> =
        forms.iter().map(|form| (form.number, graphs(form, sizes, false))).collect();
    let with = |cycles: i64| {
        let most = Most { cycles, pes: usize::MAX, dimensions };
        let is_run = |(_, programs): &&(usize, Vec<[Graph; 2]>)| programs.iter().any(|graphs| runs(graphs, most));
        graphs.iter().filter(is_run).map(|(number, _)| *number).collect()
    };
    (1..).map(|cycles| (cycles, with(cycles))).find(|(_, forms): &(i64, Vec<usize>)| !forms.is_empty()).unwrap()
}

/// What each program of a form has its points wait for, at both sizes.
fn graphs(form: &Spaces, sizes: [&Bindings; 2], are_streamed: bool) -> Vec<[Graph; 2]> {
    let graph = |program: &Vec<Dataflow>| sizes.map(|sizes| Graph::new(&form.system, program, sizes));
    programs(&form.system, &form.choices, are_streamed).iter().map(graph).collect()
}

fn runs(graphs: &[Graph; 2], most: Most) -> bool {
    critical(&graphs[0]) <= most.cycles && Maps::new(graphs.each_ref(), most).are_there()
}

/// For each number of cycles up to `cycles` the fewest words that a form loads in them, where that is fewer than with less time.
pub fn front_of_words(form: &Spaces, sizes: [&Bindings; 2], cycles: i64, dimensions: usize) -> Vec<(i64, usize)> {
    let mut graphs = graphs(form, sizes, true);
    graphs.sort_by_key(|graphs| graphs[0].words);
    let (mut front, mut fewer) = (vec![], usize::MAX);
    for cycles in 1..=cycles {
        let most = Most { cycles, pes: usize::MAX, dimensions };
        let least = graphs.iter().take_while(|graphs| graphs[0].words < fewer).find(|graphs| runs(graphs, most));
        if let Some(graphs) = least {
            fewer = graphs[0].words;
            front.push((cycles, fewer));
        }
    }
    front
}

/// For each number of cycles up to `cycles` the fewest PEs of an array of so many dimensions on which a form runs in them, where that is fewer
/// than with less time.
pub fn front(form: &Spaces, sizes: [&Bindings; 2], cycles: i64, dimensions: usize) -> Vec<(i64, usize)> {
    let graphs = graphs(form, sizes, false);
    let (mut front, mut fewer) = (vec![], usize::MAX);
    for cycles in 1..=cycles {
        let before = fewer;
        for graphs in graphs.iter().filter(|graphs| critical(&graphs[0]) <= cycles) {
            let mut maps = Maps::new(graphs.each_ref(), Most { cycles, pes: usize::MAX, dimensions });
            if fewer > 1 && maps.are_on(fewer - 1) {
                fewer = (1..fewer).find(|pes| maps.are_on(*pes)).unwrap();
            }
        }
        if fewer < before {
            front.push((cycles, fewer));
        }
    }
    front
}

/// The designs that none beats in both costs, fewest cycles first.
pub fn no_worse(mut designs: Vec<(i64, usize)>) -> Vec<(i64, usize)> {
    designs.sort_unstable();
    let mut front: Vec<(i64, usize)> = vec![];
    for (cycles, other) in designs {
        if front.last().is_none_or(|(_, fewest)| other < *fewest) {
            front.push((cycles, other));
        }
    }
    front
}

/// Cycles and another cost of the designs that a search over forms has for those asked for.
pub fn cycles_and(other: &str, found: &serde_json::Value, is_asked: impl Fn(u64) -> bool) -> Vec<(i64, usize)> {
    let front = found["together"]["front"].as_array().unwrap().iter();
    let asked = front.filter(|design| is_asked(design["form"].as_u64().unwrap()));
    asked.map(|design| (design["cycles"].as_i64().unwrap(), design[other].as_u64().unwrap() as usize)).collect()
}

/// The fewest cycles of any program of a form, wherever its points are: operations that wait for one another.
pub fn at_least(form: &Spaces, sizes: &Bindings) -> i64 {
    let all = programs(&form.system, &form.choices, false);
    all.iter().map(|program| critical(&Graph::new(&form.system, program, sizes))).min().unwrap()
}

fn critical(graph: &Graph) -> i64 {
    graph.longest(true).values().max().map_or(0, |most| most + 1)
}
