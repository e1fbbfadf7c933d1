//! Numbers that are special to IEEE 754: what is none, infinities, both zeros, and denormals, among plain ones.

use ndarray::{ArrayD, IxDyn};
use systole_base::integer::{Affine, Bindings};
use systole_equations::recurrence::{RecurrenceSystem, Role, Tensors};

const TINY: f64 = f64::from_bits(1);

/// The special numbers in turn, each kind of filling with its own. Where there is what is not a number, little else is left of a sum, so
/// zeros and denormals have a filling of their own, and infinities too.
const KINDS: [&[f64]; 4] = [
    &[0.0, -0.0, -0.0, -0.0, TINY, -TINY, 1e-40, -1e-310],
    &[f64::INFINITY, 0.0, -0.0, 2.5, -1.25, f64::NEG_INFINITY],
    &[f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, TINY, -1e-40],
    &[-0.0],
];

/// How many fillings there are that differ in kind.
pub const FILLINGS: u64 = KINDS.len() as u64;

/// A number that looks random, always the same for its place.
fn mixed(seed: u64, place: usize) -> u64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(place as u64 + 1);
    for _ in 0..3 {
        state = (state ^ (state >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    state ^ (state >> 32)
}

/// An array with special numbers at random places: of a filling's kind, at a half of the places or at few.
pub fn special(filling: u64, tensor: usize, shape: &[usize]) -> ArrayD<f64> {
    let kind = KINDS[(filling % FILLINGS) as usize];
    let size: usize = shape.iter().product();
    let one_in = if filling % FILLINGS == 2 { 9 } else { 2 };
    let value = |place: usize| {
        let bits = mixed(filling * 31 + tensor as u64, place);
        match bits % one_in {
            0 => kind[(bits >> 8) as usize % kind.len()],
            _ => [-0.0, 1.0, -2.5, 0.75, 0.0, -0.125][(bits >> 20) as usize % 6],
        }
    };
    ArrayD::from_shape_vec(IxDyn(shape), (0..size).map(value).collect()).expect("the shape fits")
}

/// Inputs of a system at these sizes, all of one filling.
pub fn special_inputs(system: &RecurrenceSystem, sizes: &Bindings, filling: u64) -> Tensors {
    let inputs = system.tensors.iter().filter(|tensor| tensor.role == Role::Input);
    let filled = inputs.enumerate().map(|(number, tensor)| {
        let extent = |side: &Affine| side.evaluate(sizes).expect("a size") as usize;
        let shape: Vec<usize> = tensor.shape.iter().map(extent).collect();
        (tensor.name.clone(), special(filling, number, &shape))
    });
    filled.collect()
}
