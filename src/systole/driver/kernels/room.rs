//! Programs that a machine's PEs have no room for.

use systole_base::diagnostic::{Checked, Diagnostic};
use systole_base::integer::Bindings;
use systole_base::machine::Machine;
use systole_base::refusal::Refusal;
use systole_program::array::{Program, demands};

/// Refuses a program that needs more registers, or more words of a PE's own memory, than the machine has.
pub fn check(program: &Program, sizes: &Bindings, machine: &Machine) -> Checked<()> {
    if machine.registers.is_none() && machine.words.is_none() {
        return Ok(());
    }
    let mut problems = vec![];
    for demand in demands(program, sizes)? {
        let needs = [
            (demand.registers, machine.registers, "registers", "give the kernel fewer operands, or let them be loaded"),
            (
                demand.words,
                machine.words,
                "words of local memory",
                "smaller sizes, or a schedule that keeps or prefetches less",
            ),
        ];
        for (count, room, what, help) in needs {
            let Some(room) = room.filter(|room| count > *room) else { continue };
            let message =
                format!("class `{}` needs {count} {what}, and `{}` has {room} a PE", demand.class, machine.name);
            let said = Diagnostic::new(message).note(format!("such as PE {:?}", demand.pe)).help(help);
            let takes = vec![format!("{count} {what} a PE")];
            problems.push(said.of_refusal(Refusal::Machine { machine: machine.name.clone(), takes }));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
