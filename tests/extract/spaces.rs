//! The kernels that ship, with what the rules that ship offer for them.

use systole_base::span::Source;
use systole_compile::rewrite::{Choices, Limits, Transport, load_rules, saturate};
use systole_equations::recurrence::spaces::SpaceSystem;
use systole_equations::recurrence::{Space, load, one_space};

/// The space of `kernels/NAME.rec`.
pub fn space(kernel: &str) -> Space {
    let path = format!("{}/kernels/{kernel}.rec", env!("SYSTOLE_ROOT"));
    let text = std::fs::read_to_string(&path).expect("a kernel that ships");
    one_space(&load(&Source::new(path, text)).expect("a good kernel")).expect("one space")
}

/// Every choice for a space.
pub fn choices(space: &Space) -> Choices {
    let rules = load_rules(None).expect("rules that ship");
    saturate(&SpaceSystem::of_one(space.clone()), &rules, &Limits::default())
        .expect("saturated")
        .choices()
        .expect("choices")
        .swap_remove(0)
}

/// Streams only.
pub fn streams(space: &Space) -> Choices {
    let mut choices = choices(space);
    for offered in &mut choices.transports {
        offered.retain(|transport| matches!(transport, Transport::Stream(_)));
    }
    choices
}
