//! Random schedules that cannot be kept: each refusal is of one kind, and the lines that it names are as few as can be, which is held by
//! compiling with them alone and without each of them.

use crate::kernel_texts::{EDIT_DISTANCE, PREFIX_SUM, TRISOLVE};
use std::collections::BTreeMap;
use systole_base::diagnostic::{Diagnostics, refusal_of, render};
use systole_base::refusal::{Clash, Refusal, WithoutOne};
use systole_base::span::Source;
use systole_compile::{Compiled, Options, compile};

const CONV: &str = include_str!("../../kernels/conv1d.rec");

const MATVEC: &str = include_str!("../../kernels/matvec.rec");

/// How many schedules that are refused are looked at.
const REFUSED: usize = if cfg!(feature = "long-tests") { 1000 } else { 50 };

/// A kernel, its indices, and its tensors with the directions along which an element stays the same.
struct Kernel {
    text: &'static str,
    indices: &'static [&'static str],
    tensors: &'static [(&'static str, &'static [&'static str])],
}

const KERNELS: [Kernel; 5] = [
    Kernel { text: MATVEC, indices: &["i", "j"], tensors: &[("A", &[]), ("x", &["i", "-1*i"]), ("y", &["j", "-1*j"])] },
    Kernel {
        text: CONV,
        indices: &["i", "k"],
        tensors: &[("w", &["i", "-1*i"]), ("x", &["i + k", "-1*i - 1*k"]), ("y", &["k", "-1*k"])],
    },
    Kernel { text: TRISOLVE, indices: &["i", "j"], tensors: &[("L", &[]), ("B", &[]), ("X", &["i", "-1*i", "j"])] },
    Kernel {
        text: EDIT_DISTANCE,
        indices: &["i", "j"],
        tensors: &[("a", &["j", "-1*j"]), ("b", &["i", "-1*i"]), ("D", &[])],
    },
    Kernel { text: PREFIX_SUM, indices: &["i"], tensors: &[("A", &[]), ("P", &["i"])] },
];

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % count
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// A form over some of the indices.
    fn form(&mut self, indices: &[&str], factors: &[i64]) -> String {
        loop {
            let factors = indices.iter().map(|index| (*index, *self.pick(factors)));
            let terms: Vec<String> =
                factors.filter(|(_, factor)| *factor != 0).map(|(index, factor)| format!("{factor}*{index}")).collect();
            if !terms.is_empty() {
                return terms.join(" + ").replace("+ -", "- ");
            }
        }
    }

    /// Lines of a schedule, at most one about each thing.
    fn lines(&mut self, kernel: &Kernel) -> Vec<String> {
        let mut lines = vec![];
        if self.below(4) > 0 {
            lines.push(format!("place ({})", self.form(kernel.indices, &[-1, 0, 1, 1])));
        }
        if self.below(4) > 0 {
            lines.push(format!("time {}", self.form(kernel.indices, &[-1, 0, 1, 1, 2])));
        }
        for (tensor, directions) in kernel.tensors {
            match self.below(8) {
                0 => lines.push(format!("stream {tensor}")),
                1 if self.below(8) == 0 => {
                    lines.push(format!("stream {tensor} along {}", self.form(kernel.indices, &[-1, 0, 1])));
                }
                1 | 3 | 4 if !directions.is_empty() => {
                    lines.push(format!("stream {tensor} along {}", self.pick(directions)));
                }
                2 => {
                    lines.push(format!("{} {tensor}", self.pick(&["broadcast", "prefetch", "feed", "local", "memory"])))
                }
                _ => {}
            }
        }
        lines
    }
}

impl Kernel {
    fn compile(&self, lines: &[&str]) -> Result<Compiled, Diagnostics> {
        let equations = self.text.split("\nschedule").next().expect("the equations");
        let text = format!("{equations}\nschedule own\n{}\n", lines.join("\n"));
        let options = Options { schedule: Some("own".to_owned()), ..Options::default() };
        // A schedule of no lines is none.
        let options = if lines.is_empty() { Options::default() } else { options };
        compile(&Source::new("kernel.rec", text), &options)
    }

    fn refusal(&self, lines: &[&str]) -> Option<Refusal> {
        let problems = self.compile(lines).err()?;
        let refusal = refusal_of(&problems).cloned();
        Some(refusal.unwrap_or_else(|| panic!("no kind: {lines:?}\n{}", render(&problems, false))))
    }

    /// Holds the lines of a clash to their being refused by themselves, and no fewer of them.
    fn hold(&self, lines: &[String], refusal: &Refusal, clash: &Clash) {
        let named: Vec<&str> = clash.lines.iter().map(|line| &*line.text).collect();
        let alone = self.refusal(&named).unwrap_or_else(|| panic!("{lines:?}: {named:?} alone is not refused"));
        assert_eq!(alone.keyword(), refusal.keyword(), "{lines:?}: {named:?}");
        for left_out in 0..named.len() {
            let fewer = [&named[..left_out], &named[left_out + 1..]].concat();
            match (clash.without_one, self.refusal(&fewer)) {
                (WithoutOne::Design, None) => {}
                // One line that the equations refuse.
                (WithoutOne::Unknown, None) if fewer.is_empty() => {}
                (WithoutOne::Open, Some(Refusal::NotFound { .. }) | None) => {}
                (_, other) => panic!("{lines:?}: {refusal:?}, and of {named:?} {fewer:?} are {other:?}"),
            }
        }
    }
}

#[test]
fn every_refusal_is_of_one_kind_and_names_the_fewest_lines() {
    let (mut random, mut kinds, mut right) = (Random(3), BTreeMap::new(), 0);
    while kinds.values().sum::<usize>() < REFUSED {
        let kernel = &KERNELS[random.below(KERNELS.len())];
        let lines = random.lines(kernel);
        let all: Vec<&str> = lines.iter().map(|line| &**line).collect();
        let Some(refusal) = kernel.refusal(&all) else {
            right += 1;
            continue;
        };
        let clash = refusal.clash().unwrap_or_else(|| panic!("{lines:?}: no lines are named: {refusal:?}"));
        kernel.hold(&lines, &refusal, clash);
        *kinds.entry((refusal.keyword(), clash.lines.len(), format!("{:?}", clash.without_one))).or_insert(0) += 1;
    }
    let table = format!("{kinds:?}, {right} not refused");
    assert!(right >= REFUSED / 20, "{table}");
    let of_several = kinds.iter().filter(|((_, lines, _), _)| *lines > 1).map(|(_, count)| count).sum::<usize>();
    assert!(of_several >= REFUSED / 10, "few clashes of several lines: {table}");
    // Where one line less leaves the search without an answer nobody can say that a set is minimal.
    let open =
        kinds.iter().filter(|((_, _, without_one), _)| without_one == "Open").map(|(_, count)| count).sum::<usize>();
    assert!(open <= REFUSED / 20, "{table}");
}

/// A kernel of which element 4 is computed from element `from`. No smaller size has that element, so no cycle is seen when it is read.
fn far(from: usize) -> Result<Compiled, Diagnostics> {
    let read = 4 + from;
    let text = format!(
        "kernel far(N)\nin A[N]\nout X[N]\nX[i] = A[i] where i <= 3\nX[i] = A[i] where 5 <= i\n\
         X[i] = X[{read} - i] + 1 where 4 <= i, i <= 4\n"
    );
    compile(&Source::new("far.rec", text), &Options::default())
}

#[test]
fn a_kernel_without_an_order_is_refused_with_the_reads_that_are_left() {
    let problems = far(4).err().expect("element 4 from itself");
    let Some(Refusal::NoOrder { rows: 0, left }) = refusal_of(&problems) else {
        panic!("{}", render(&problems, false));
    };
    assert!(left.len() == 1 && left[0].0 == "X", "{left:?}");
    assert_eq!(problems[0].message(), "`far` has no affine order");
    assert!(far(3).is_ok(), "the twin: from the element before");
}
