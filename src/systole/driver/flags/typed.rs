//! Flags as they are typed once more, for the commands that are printed to go on with.
//!
//! In: the flags of a command. Out: words for a shell, each quoted where it has to be. Flags with the values that they have anyway are left
//! out. Invariant: what is printed runs as it stands.

use crate::driver::flags::arguments::{SoughtArguments, SpaceArguments};
use crate::driver::flags::cluster_arguments::TuneArguments;
use crate::driver::flags::limit_arguments::LimitArguments;
use std::fmt::Display;
use std::path::Path;
use systole_base::integer::Name;

/// The words of a command.
#[derive(Clone, Debug, Default)]
pub struct Typed(Vec<String>);

impl Typed {
    /// A command of `systole`.
    pub fn command(name: &str) -> Typed {
        Typed(vec!["systole".to_owned(), name.to_owned()])
    }

    /// With a word that is no flag.
    pub fn word(mut self, word: impl Display) -> Typed {
        self.0.push(quoted(&word.to_string()));
        self
    }

    /// With a file; one that begins as a flag does is said to be in this folder.
    pub fn file(self, path: impl Display) -> Typed {
        let path = path.to_string();
        if path.starts_with('-') { self.word(format!("./{path}")) } else { self.word(path) }
    }

    /// With a flag, where it has a value.
    pub fn flag(self, name: &str, value: Option<impl Display>) -> Typed {
        match value {
            Some(value) => self.word(name).word(value),
            None => self,
        }
    }

    /// With a flag and a path.
    pub fn path(self, name: &str, value: Option<&Path>) -> Typed {
        self.flag(name, value.map(Path::display))
    }

    /// With a flag and its list; without both where that is empty.
    pub fn list<T: Display>(self, name: &str, values: &[T]) -> Typed {
        let values: Vec<String> = values.iter().map(T::to_string).filter(|value| !value.is_empty()).collect();
        self.flag(name, Some(values.join(",")).filter(|list| !list.is_empty()))
    }

    /// With as large a size for each of these parameters; without the flag where there are none.
    pub fn sizes<'n>(self, parameters: impl IntoIterator<Item = &'n Name>, size: i64) -> Typed {
        let sizes: Vec<String> = parameters.into_iter().map(|parameter| format!("{parameter}={size}")).collect();
        self.list("--size", &sizes)
    }

    /// With a flag that has another value than it has anyway.
    pub fn unless<T: Display + PartialEq>(self, name: &str, value: T, usual: &T) -> Typed {
        self.flag(name, Some(value).filter(|value| value != usual))
    }

    /// With a kernel, and what the search for its designs looks at.
    pub fn sought(self, sought: &SoughtArguments) -> Typed {
        let SoughtArguments { kernel, limits, space } = sought;
        let LimitArguments { nodes, rounds } = *limits;
        let typed = self.file(&kernel.kernel).path("--rules", kernel.rules.as_deref());
        typed.flag("--nodes", nodes).flag("--rounds", rounds).space(space)
    }

    fn space(self, space: &SpaceArguments) -> Typed {
        let forms = if space.forms { self.word("--forms") } else { self };
        let typed = if space.exact { forms.word("--exact") } else { forms };
        typed
            .flag("--schedule", space.schedule.as_deref())
            .list("--size", &space.size)
            .path("--machine", space.machine.as_deref())
            .flag("--network", space.network.as_deref())
            .flag("--latency", space.latency)
            .flag("--cell", space.cell.as_deref())
            .unless("--objective", space.objective.as_str(), &"systolic")
            .list("--rank", &space.rank)
            .unless("--bound", space.bound, &1)
            .unless("--steps", space.steps.as_str(), &"-2..2")
            .list("--tile", &space.tile)
            .list("--split", &space.coordinates.split)
            .list("--rotate", &space.coordinates.rotate)
            .unless("--fold", space.fold, &1)
            .flag("--budget", space.budget)
            .flag("--seconds", space.time.seconds)
            .list("--transports", &space.transports)
            .unless("--reuse", space.reuse.as_str(), &"both")
            .flag("--threads", space.threads)
    }

    /// With a kernel, what may be chosen for it, and how.
    pub fn tuned(self, arguments: &TuneArguments) -> Typed {
        self.sought(&arguments.sought)
            .unless("--ranks", arguments.ranks, &1)
            .list("--distribution", &arguments.distribution)
            .list("--order", &arguments.order)
            .list("--grid", &arguments.grid)
            .unless("--capacity", listed(&arguments.capacity), &"4".to_owned())
            .unless("--broadcast", listed(&arguments.broadcast), &"tree,chain,star".to_owned())
            .flag("--layout", arguments.layout.as_deref())
            .unless("--leaves", arguments.leaves.as_str(), &"loops")
            .flag("--memory", arguments.memory.as_deref())
            .unless("--designs", arguments.designs, &3)
            .unless("--most", arguments.most, &10)
            .unless("--limit", arguments.limit, &10_000)
    }

    /// The line.
    pub fn line(&self) -> String {
        self.0.join(" ")
    }
}

fn listed<T: Display>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./=,:-+@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::flags::arguments::{Arguments, Command};
    use clap::Parser;

    /// What is typed again is read as what was typed.
    #[test]
    fn flags_that_are_typed_again_say_the_same() {
        let all = "systole search k.rec --rules r --nodes 9 --rounds 8 --seconds 7 --schedule s --size M=2,N=3 --machine m.toml --network \
                   hex --latency 3 --cell 2 --objective cycles --rank 0,1 --bound 2 --steps -1..1 --tile i=2,j=4 --split k=2xW --rotate k=i --fold 2 \
                   --budget 900 --transports stream,feed --reuse forward --threads 2";
        for line in [all, "systole search k.rec", "systole search k.rec --forms --exact --size N=4"] {
            let sought = |line: &str| match Arguments::parse_from(line.split(' ')).command {
                Command::Search(arguments) => arguments.sought,
                _ => panic!("{line}"),
            };
            let again = Typed::command("search").sought(&sought(line)).line();
            assert_eq!(format!("{:?}", sought(&again)), format!("{:?}", sought(line)), "{again}");
        }
    }

    #[test]
    fn choices_that_are_typed_again_say_the_same() {
        let all = "systole tune k.rec --size N=4 --machine m.toml --ranks 2 --distribution block,cyclic --order steps --grid 1x2,2x1 --capacity 2,8 \
                   --broadcast star --layout block --leaves faer --memory 2GiB --designs 1 --most 5 --limit 9";
        for line in [all, "systole tune k.rec"] {
            let tuned = |line: &str| match Arguments::parse_from(line.split(' ')).command {
                Command::Tune(arguments) => arguments,
                _ => panic!("{line}"),
            };
            let again = Typed::command("tune").tuned(&tuned(line)).line();
            assert_eq!(format!("{:?}", tuned(&again)), format!("{:?}", tuned(line)), "{again}");
        }
    }

    #[test]
    fn a_shell_takes_words_as_they_are() {
        let words = ["kernels/matmul.rec", "ik,kj->ij", "a b.rec", "it's", ""].map(quoted);
        assert_eq!(words, ["kernels/matmul.rec", "'ik,kj->ij'", "'a b.rec'", r"'it'\''s'", "''"]);
    }
}
