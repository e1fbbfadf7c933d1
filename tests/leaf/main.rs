//! Leaf operations on tiles: against loops over whole arrays, and against the terms walked one by one.

mod derived;

mod examples;

mod faces;

mod kept;

mod library;

#[allow(dead_code)]
#[path = "../specials/mod.rs"]
mod specials;

mod naive;

mod rates;

mod order;

mod random;

mod tasks;

mod whole;
