//! Spaces written by hand, so that the search is tested without the parser, and what the rules are known to offer for them.

use systole::integer::{Affine, Name, Polyhedron, Vector, name};
use systole::recurrence::{Chain, Domain, Function, Operand, Operator, Scalar, Space};
use systole::rewrite::{Choices, Transport};
use systole::span::{Source, Span};

/// A box-shaped space: `reads` are tensors with their subscripts as coefficient rows.
pub fn space(indices: &[&str], reads: &[(&str, &[&[i64]])], output: (&str, &[&[i64]]), reduced: &[&str]) -> Space {
    let names: Vec<Name> = indices.iter().map(|index| name(index)).collect();
    let parameters: Vec<Name> = indices.iter().map(|index| name(&index.to_uppercase())).collect();
    let side = |(index, parameter): (&Name, &Name)| {
        let x = Affine::variable(index);
        [x.clone(), Affine::variable(parameter) - x - Affine::constant(1)]
    };
    let set = Polyhedron::new(names.iter().zip(&parameters).flat_map(side));
    let access = |rows: &[&[i64]]| rows.iter().map(|row| Affine::from_row(&names, row)).collect::<Vec<_>>();
    let operand = |(tensor, rows): &(&str, &[&[i64]])| Operand {
        tensor: name(tensor),
        access: access(rows),
        span: Span::default(),
    };
    let operands: Vec<Operand> = reads.iter().map(operand).collect();
    let factors = (0..operands.len()).map(Scalar::Operand);
    let body = factors.reduce(|a, b| Scalar::Apply(Function::Multiply, vec![a, b])).expect("at least one read");
    Space {
        kernel: name("test"),
        parameters,
        domain: Domain { indices: names.clone(), set },
        output: name(output.0),
        output_access: access(output.1),
        operands,
        body,
        reduction: Some(Operator::Sum),
        reduced: reduced.iter().map(|index| name(index)).collect(),
        shapes: vec![],
        span: Span::default(),
        source: Source::new("test", ""),
    }
}

pub fn matmul() -> Space {
    let reads: [(&str, &[&[i64]]); 2] = [("A", &[&[1, 0, 0], &[0, 0, 1]]), ("B", &[&[0, 0, 1], &[0, 1, 0]])];
    space(&["i", "j", "k"], &reads, ("C", &[&[1, 0, 0], &[0, 1, 0]]), &["k"])
}

pub fn matvec() -> Space {
    let reads: [(&str, &[&[i64]]); 2] = [("A", &[&[1, 0], &[0, 1]]), ("x", &[&[0, 1]])];
    space(&["i", "j"], &reads, ("y", &[&[1, 0]]), &["j"])
}

pub fn fir() -> Space {
    let reads: [(&str, &[&[i64]]); 2] = [("w", &[&[0, 1]]), ("x", &[&[1, 1]])];
    space(&["i", "k"], &reads, ("y", &[&[1, 0]]), &["k"])
}

pub fn polynomial_product() -> Space {
    let reads: [(&str, &[&[i64]]); 2] = [("a", &[&[1, 0]]), ("b", &[&[0, 1]])];
    space(&["i", "j"], &reads, ("c", &[&[1, 1]]), &["i", "j"])
}

/// Both signs of a direction.
pub fn both(direction: &[i64]) -> [Vector; 2] {
    [direction.to_vec(), direction.iter().map(|entry| -entry).collect()]
}

/// What the rules offer where every access has one null direction at most.
pub fn choices(space: &Space, streams_only: bool) -> Choices {
    let offered = |operand: &Operand| {
        let rows = operand.access.iter().map(|form| form.row(space.indices())).collect();
        let null = systole::integer::Matrix::new(rows, space.dimension()).null_lattice();
        let mut offered: Vec<Transport> = null.iter().flat_map(|d| both(d)).map(Transport::Stream).collect();
        if !streams_only {
            offered.extend(null.iter().cloned().map(Transport::Broadcast));
            offered.extend([Transport::Prefetch, Transport::Feed]);
        }
        offered
    };
    let rows = space.output_access.iter().map(|form| form.row(space.indices())).collect();
    let fibre = systole::integer::Matrix::new(rows, space.dimension()).null_lattice();
    let chains = fibre.iter().flat_map(|d| both(d)).map(|d| Chain { directions: vec![d] }).collect();
    Choices { transports: space.operands.iter().map(offered).collect(), chains }
}
