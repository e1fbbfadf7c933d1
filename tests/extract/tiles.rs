//! A search is of equations over tiles; those over elements have none.

use systole_base::diagnostic::render;
use systole_base::integer::name;
use systole_base::span::Source;
use systole_compile::extract::Constraint;
use systole_equations::recurrence::spaces::{SpaceSystem, cut_spaces};
use systole_equations::recurrence::{load, one_space};
use systole_equations::tiles::{TileSize, tile};

#[test]
fn a_search_of_equations_over_elements_knows_no_tiles() {
    let text = std::fs::read_to_string(format!("{}/kernels/matmul.rec", env!("SYSTOLE_ROOT"))).expect("a kernel");
    let source = Source::new("matmul.rec", format!("{text}\nschedule blocked\ntile i 4\n"));
    let system = load(&source).expect("a kernel");
    let schedule = system.schedule("blocked").expect("a schedule");
    let alone =
        Constraint::from_schedule(&SpaceSystem::of_one(one_space(&system).expect("a space")), schedule).map(|_| ());
    let cut = Constraint::from_schedule(&cut_spaces(&system).expect("spaces"), schedule).map(|_| ());
    for refused in [alone, cut] {
        let message = render(&refused.expect_err("no tiles"), false);
        assert!(message.contains("a search knows no tiles") && message.contains("tile i 4"), "{message}");
    }
    let sizes = [TileSize { index: name("i"), size: 4, span: None }];
    let tiled = tile(&system, &sizes).expect("tiles").system;
    let schedule = tiled.schedule("blocked").expect("a schedule");
    assert!(Constraint::from_schedule(&SpaceSystem::of_one(one_space(&tiled).expect("a space")), schedule).is_ok());
}
