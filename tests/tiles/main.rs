//! Equations over tiles.
use systole::span::Source;
#[test]
fn show() {
    for entry in std::fs::read_dir("kernels").unwrap() {
        let path = entry.unwrap().path();
        let mut text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let indices: &[&str] = match name.as_str() {
            "matmul" => &["i", "j", "k"],
            "flash_attention" => &["i", "j", "d"],
            "trsm" => &["r", "i"],
            "conv2d" | "ttm" | "mttkrp" => &["i", "j", "k", "l"],
            "fir" | "conv1d" => &["i", "k"],
            "lu" | "cholesky" | "trisolve" | "prefix_sum" | "triangular_inverse" | "jacobi1d" => &["i"],
            "transitive_closure" => &["i", "k"],
            "qr_givens" => &["m", "k"],
            _ => &["i", "j"],
        };
        text.push_str("\nschedule tiled_\n");
        for i in indices {
            text.push_str(&format!("tile {i} 4 "));
        }
        text.push('\n');
        let system = match systole::recurrence::load(&Source::new(&name, &text)) {
            Ok(s) => s,
            Err(e) => {
                println!("== {name} load {}", systole::diagnostic::render(&e, false));
                continue;
            }
        };
        match systole::tiles::tile(&system, system.schedule("tiled_").unwrap()) {
            Ok(t) => {
                println!("== {name}");
                for e in &t.system.equations {
                    println!(
                        "{}[{}] = {:?}",
                        e.target,
                        e.subscripts.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(", "),
                        Show(&e.value)
                    );
                    println!(
                        "    {:?} {}",
                        e.domain.indices,
                        e.domain.set.constraints().iter().map(|s| s.to_string()).collect::<Vec<_>>().join(", ")
                    );
                }
                match systole::recurrence::spaces::cut_spaces(&t.system) {
                    Ok(c) => println!("  spaces {:?}", c.spaces.iter().map(|s| s.name.to_string()).collect::<Vec<_>>()),
                    Err(e) => println!("  CUT {}", systole::diagnostic::render(&e, false)),
                }
            }
            Err(e) => println!("== {name} REFUSED {}", systole::diagnostic::render(&e, false)),
        }
    }
}
struct Show<'a>(&'a systole::recurrence::Expr);
impl std::fmt::Debug for Show<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        use systole::recurrence::Expr::*;
        match self.0 {
            Number(v) => write!(f, "{v}"),
            Index(a) => write!(f, "{a}"),
            Read { tensor, subscripts, .. } => {
                write!(f, "{tensor}[{}]", subscripts.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(","))
            }
            Apply(fu, a) => {
                write!(f, "{fu:?}(")?;
                for x in a {
                    write!(f, "{:?}; ", Show(x))?;
                }
                write!(f, ")")
            }
            Reduce { operator, index, range, body, .. } => write!(
                f,
                "{}({index}: {}) {:?}",
                operator.keyword(),
                range.constraints().iter().map(|s| s.to_string()).collect::<Vec<_>>().join(", "),
                Show(body)
            ),
        }
    }
}
