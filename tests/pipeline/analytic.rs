//! Cycles and PEs that the literature derives by hand, each found by the search.

use super::common::{Kernel, kernel, machine};
use std::collections::HashMap;
use systole::extract::Found;
use systole::integer::{Matrix, dot};
use systole::mapping::candidates::{Bounds, canonical_place};
use systole::network::Network;

const TABLE: &str = include_str!("../oracles/analytic.csv");

/// Rows no linear map reaches: the fewest PEs of a matrix product in 3n - 2 steps need PEs that take over each other's points,
/// which is a fold of the array and no projection.
const OUT_OF_SCOPE: &str = "fewest PEs";

/// The first four columns of a row.
struct Row {
    kernel: String,
    array: String,
    parameter: String,
    value: f64,
}

/// The rows of the kernels that are one space.
fn table() -> Vec<Row> {
    let row = |line: &str| {
        let mut cells = split(line).into_iter();
        let mut next = || cells.next().expect("a cell");
        Row { kernel: next(), array: next(), parameter: next(), value: next().parse().expect("a number") }
    };
    let ours = |row: &Row| {
        ["matmul", "FIR", "polynomial product"].contains(&&*row.kernel) || row.array.starts_with("by definition")
    };
    TABLE.lines().skip(1).map(row).filter(ours).collect()
}

/// Cells of a line; commas inside quotation marks separate nothing.
fn split(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("a cell").push(letter),
        }
    }
    cells
}

/// The whole number after `key=`.
fn after(text: &str, key: &str) -> i64 {
    let rest = &text[text.find(key).expect(key) + key.len()..];
    rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().expect("a number")
}

/// Every design of the kernels at the sizes asked for.
#[derive(Default)]
struct Searches(HashMap<Setting, (Kernel, Vec<Found>)>);

/// A kernel's file and its sizes.
type Setting = (&'static str, Vec<i64>);

impl Searches {
    /// A design with this place, and with this step where it is given.
    fn find(&mut self, file: &'static str, sizes: &[i64], place: &[&[i64]], step: Option<&[i64]>) -> &Found {
        let search = || {
            let kernel = kernel(file);
            let dimension = kernel.space.dimension();
            let bounds = Bounds { ranks: vec![dimension - 1], ..Bounds::for_dimension(dimension) };
            let survey = kernel.survey(&machine(Network::Hex), bounds, &kernel.sizes(sizes)).expect("a survey");
            (kernel, survey.all)
        };
        let (_, all) = self.0.entry((file, sizes.to_vec())).or_insert_with(search);
        let place = Matrix::new(place.iter().map(|row| row.to_vec()).collect(), place[0].len());
        let place = canonical_place(&place);
        let mine = |found: &&Found| {
            canonical_place(&found.parts[0].map.place) == place
                && step.is_none_or(|step| found.parts[0].map.step.rows() == [step])
        };
        all.iter().find(mine).unwrap_or_else(|| panic!("{file} {place:?} {step:?} is not found"))
    }
}

/// The steps between two uses of one PE.
fn pace(found: &Found) -> i64 {
    dot(&found.parts[0].map.place.null_lattice()[0], &found.parts[0].map.step.rows()[0]).abs()
}

fn measure(row: &Row, found: &Found) -> f64 {
    match row.parameter.split(';').next().expect("a part").trim() {
        text if text.starts_with("steps between") => pace(found) as f64,
        text if text.starts_with("steps") => found.cost.cycles as f64,
        text if text.starts_with("PEs") => found.cost.pes as f64,
        text if text.starts_with("part of the cells busy") => 1.0 / pace(found) as f64,
        other => panic!("{other}"),
    }
}

fn design(searches: &mut Searches, row: &Row) -> Vec<Found> {
    let step: Option<&[i64]> = Some(&[1, 1, 1]);
    match &*row.kernel {
        "matmul" => {
            let n = after(&row.parameter, "n=");
            let place: &[&[i64]] = match &row.array {
                array if array.contains("place (i,j)") => &[&[1, 0, 0], &[0, 1, 0]],
                array if array.contains("place (k,j)") => &[&[0, 0, 1], &[0, 1, 0]],
                array if array.contains("place (i-k,j-k)") => &[&[1, 0, -1], &[0, 1, -1]],
                array if array.contains("place (i-j,k)") => &[&[1, -1, 0], &[0, 0, 1]],
                other => panic!("{other}"),
            };
            vec![searches.find("matmul.rec", &[n, n, n], place, step).clone()]
        }
        "FIR" => {
            let sizes = [after(&row.parameter, "N="), after(&row.parameter, "K=")];
            let mut find =
                |place: &[i64], step: Option<&[i64]>| searches.find("fir.rec", &sizes, &[place], step).clone();
            match row.array.split(':').next().expect("a part") {
                "W2" => vec![find(&[0, 1], Some(&[1, -1]))],
                "R2" => vec![find(&[1, 0], Some(&[1, -1]))],
                "W1" => vec![find(&[0, 1], Some(&[2, 1]))],
                "R1" => vec![find(&[1, 0], Some(&[1, 2]))],
                "W1 and R1" => vec![find(&[0, 1], Some(&[2, 1])), find(&[1, 0], Some(&[1, 2]))],
                "weights stay" => vec![find(&[0, 1], None)],
                other => panic!("{other}"),
            }
        }
        "prefix sum" => {
            let n = after(&row.parameter, "n=");
            vec![searches.find("prefix_sum_by_definition.rec", &[n], &[&[1, -1]], Some(&[1, 1])).clone()]
        }
        _ => {
            let n = after(&row.parameter, "n=");
            let mut find =
                |place: &[i64]| searches.find("polynomial_product.rec", &[n, n], &[place], Some(&[2, 1])).clone();
            match &row.array {
                array if array.contains("place i+j") => vec![find(&[1, 1])],
                _ => vec![find(&[1, 0]), find(&[0, 1])],
            }
        }
    }
}

#[test]
fn every_row_of_the_kernels_with_one_space_is_found() {
    let mut searches = Searches::default();
    let (beyond, within): (Vec<Row>, Vec<Row>) =
        table().into_iter().partition(|row| row.parameter.starts_with(OUT_OF_SCOPE));
    assert_eq!((within.len(), beyond.len()), (40, 2));
    for row in within {
        for found in design(&mut searches, &row) {
            assert_eq!(measure(&row, &found), row.value, "{}: {}, {}", row.kernel, row.array, row.parameter);
        }
    }
}
