//! What is printed reads back to the same tree: for the kernels of the repository and for random trees.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use systole_base::integer::{Name, name};
use systole_base::span::{Source, Span};
use systole_equations::syntax::ast::*;
use systole_equations::syntax::{parse, print};

fn reread(file: &File) -> File {
    let text = print(file);
    parse(&Source::new("printed.rec", text.clone())).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

#[test]
fn the_kernels_of_the_repository_survive() {
    let root = std::path::Path::new(env!("SYSTOLE_ROOT"));
    let folders =
        ["kernels", "kernels/naive", "kernels/polybench"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    for path in folders.into_iter().flatten().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let source = Source::new(path.display().to_string(), std::fs::read_to_string(&path).unwrap());
        let file = parse(&source).unwrap_or_else(|errors| panic!("{}: {}", path.display(), errors[0]));
        assert_eq!(reread(&file), file, "{}", path.display());
    }
}

#[test]
fn spans_point_at_what_was_read() {
    let source = Source::new("spans.rec", "kernel k(N)   # a comment\nin a[N]\nout c[N]\nc[i] = a[i]  *  2 \n");
    let file = parse(&source).unwrap();
    assert_eq!(source.slice(file.kernel.span), "kernel k(N)");
    assert_eq!(source.slice(file.tensors[1].span), "c[N]");
    assert_eq!(source.slice(file.equations[0].span), "c[i] = a[i]  *  2");
    assert_eq!(source.slice(file.equations[0].node.value.span), "a[i]  *  2");
}

#[test]
fn a_reduction_extends_over_a_product_only() {
    let value = |text: &str| {
        let source = Source::new("value.rec", format!("kernel k()\nout c\nc = {text}"));
        parse(&source).unwrap().equations[0].node.value.clone()
    };
    assert_eq!(value("sum(k) A[k] * B[k] - c"), value("(sum(k) (A[k] * B[k])) - c"));
    assert_ne!(value("sum(k) A[k] * B[k]"), value("(sum(k) A[k]) * B[k]"));
    assert!(matches!(value("max(a, b)").node, Term::Call(..)));
    assert!(matches!(value("max(a, b) c[a, b]").node, Term::Reduce(..)));
    assert!(matches!(value("max(a, b) - c").node, Term::Infix(..)));
    assert!(matches!(value("sum(k) -c[k]").node, Term::Reduce(..)));
}

fn at<T>(node: T) -> Spanned<T> {
    Spanned::new(node, Span::default())
}

fn word() -> impl Strategy<Value = Name> {
    prop::sample::select(vec!["i", "j", "k1", "N", "gap", "x_y", "place", "along"]).prop_map(name)
}

fn ident() -> impl Strategy<Value = Ident> {
    word().prop_map(at)
}

fn literal() -> impl Strategy<Value = f64> {
    prop_oneof![(0u32..100).prop_map(f64::from), 0.0..1e20, Just(1e-9), Just(f64::MAX), Just(f64::MIN_POSITIVE)]
}

fn relation() -> impl Strategy<Value = Relation> {
    prop::sample::select(Relation::ALL.map(|(relation, _)| relation).to_vec())
}

fn infix() -> impl Strategy<Value = Infix> {
    prop::sample::select(vec![Infix::Add, Infix::Subtract, Infix::Multiply, Infix::Divide])
}

fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![literal().prop_map(Term::Number), word().prop_map(Term::Name)].prop_map(at);
    leaf.prop_recursive(5, 30, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let bindings = vec(binding(inner.clone().boxed()), 1..3);
        let conditions = vec(condition(inner.clone().boxed()), 0..2);
        let half = prop::sample::select(Half::ALL.map(|(half, _)| half).to_vec());
        let operator = prop::sample::select(vec!["sum", "prod", "max", "min"]).prop_map(|word| at(name(word)));
        let function = prop::sample::select(vec!["sqrt", "max", "min"]).prop_map(|word| at(name(word)));
        prop_oneof![
            (ident(), vec(inner.clone(), 1..3)).prop_map(|(tensor, list)| Term::Access(tensor, list)),
            (function, vec(inner.clone(), 2..3)).prop_map(|(word, list)| Term::Call(word, list)),
            boxed().prop_map(Term::Negate),
            (infix(), boxed(), boxed()).prop_map(|(infix, left, right)| Term::Infix(infix, left, right)),
            (relation(), boxed(), boxed()).prop_map(|(relation, left, right)| Term::Compare(relation, left, right)),
            (boxed(), boxed()).prop_map(|(element, other)| Term::Else(element, other)),
            (half, boxed(), 0i64..100).prop_map(|(half, form, by)| Term::Divide(half, form, by)),
            (operator, bindings, conditions, boxed())
                .prop_map(|(word, bindings, conditions, body)| Term::Reduce(word, bindings, conditions, body)),
        ]
        .prop_map(at)
    })
}

fn binding(bounds: BoxedStrategy<Expr>) -> impl Strategy<Value = Binding> {
    let step = prop::sample::select(vec![1, 2, -1, -3]);
    let range = proptest::option::of(((bounds.clone(), bounds), step));
    (ident(), range).prop_map(|(index, range)| match range {
        Some((range, step)) => Binding { index, range: Some(range), step },
        None => Binding { index, range: None, step: 1 },
    })
}

fn condition(forms: BoxedStrategy<Expr>) -> impl Strategy<Value = Spanned<Condition>> {
    let rest = vec((relation(), forms.clone()), 1..3);
    (forms, rest).prop_map(|(first, rest)| at(Condition { first, rest }))
}

fn directive() -> impl Strategy<Value = Spanned<Directive>> {
    let forms = |least| vec(expression(), least..3);
    prop_oneof![
        forms(0).prop_map(Directive::Place),
        forms(1).prop_map(Directive::Time),
        (ident(), vec(expression(), 0..4)).prop_map(|(tensor, along)| Directive::Stream(tensor, along)),
        (ident(), vec(ident(), 1..4)).prop_map(|(tensor, indices)| Directive::StreamBoth(tensor, indices)),
        (ident(), option::of(expression())).prop_map(|(tensor, along)| Directive::Broadcast(tensor, along)),
        Just(Directive::Local(at(name("Y.c")))),
        ident().prop_map(Directive::Prefetch),
        ident().prop_map(Directive::Feed),
        (ident(), vec(option::of(literal().prop_map(at)), 0..3))
            .prop_map(|(tensor, words)| Directive::Room(tensor, words)),
        (ident(), literal()).prop_map(|(index, size)| Directive::Tile(index, at(size))),
        ident().prop_map(Directive::Fold),
        (ident(), ident()).prop_map(|(tensor, word)| Directive::Layout(tensor, word)),
        ident().prop_map(Directive::Order),
        ident().prop_map(Directive::Io),
        (ident(), proptest::collection::vec(expression(), 1..3))
            .prop_map(|(tensor, along)| Directive::Load(tensor, along)),
        ident().prop_map(Directive::Network),
        (level(), vec(level(), 1..3)).prop_map(|(whole, levels)| Directive::Split(whole, levels)),
    ]
    .prop_map(at)
}

fn level() -> impl Strategy<Value = Level> {
    (ident(), vec(expression(), 1..3)).prop_map(|(operator, indices)| Level { operator, indices })
}

fn reduction() -> impl Strategy<Value = Spanned<Reduction>> {
    let names = || vec(ident(), 1..4);
    let tuple = || vec(expression(), 1..4);
    (ident(), names(), names(), tuple(), tuple())
        .prop_map(|(name, left, right, values, neutral)| at(Reduction { name, left, right, values, neutral }))
}

fn joint_equation() -> impl Strategy<Value = Spanned<JointEquation>> {
    let targets = vec((ident(), vec(expression(), 0..3)), 1..4);
    (targets, ident(), binding(expression().boxed()), vec(expression(), 1..4))
        .prop_map(|(targets, reduction, binding, terms)| at(JointEquation { targets, reduction, binding, terms }))
}

fn file() -> impl Strategy<Value = File> {
    let direction = prop::sample::select(Direction::ALL.map(|(direction, _)| direction).to_vec());
    let over = proptest::option::of(binding(expression().boxed()));
    let tensor = (direction, ident(), vec(expression(), 0..3), proptest::option::of(ident()), over)
        .prop_map(|(direction, name, shape, assumption, over)| at(Tensor { direction, name, shape, assumption, over }));
    let points = prop_oneof![
        vec(condition(expression().boxed()), 0..3).prop_map(|conditions| (conditions, false)),
        Just((vec![], true)),
    ];
    let equation = (ident(), vec(expression(), 0..3), expression(), points).prop_map(
        |(target, subscripts, value, (conditions, is_elsewhere))| {
            at(Equation { target, subscripts, value, conditions, is_elsewhere })
        },
    );
    let title = || prop::sample::select(vec!["cannon", "weight-stationary", "x-1"]).prop_map(|text| at(name(text)));
    let schedule =
        (title(), vec(directive(), 0..4)).prop_map(|(name, directives)| Schedule { name, directives, header: at(()) });
    let kernel = (title(), vec(ident(), 0..3), vec(condition(expression().boxed()), 0..2))
        .prop_map(|(name, parameters, assumptions)| at(Kernel { name, parameters, assumptions }));
    let definition = (ident(), option::of(vec(ident(), 0..3)), expression())
        .prop_map(|(name, arguments, value)| at(Definition { name, arguments, value }));
    let items = (
        vec(definition, 0..3),
        vec(tensor, 0..4),
        vec(reduction(), 0..2),
        vec(equation, 0..3),
        vec(joint_equation(), 0..2),
    );
    (kernel, items, vec(schedule, 0..3)).prop_map(|(kernel, items, schedules)| {
        let (definitions, tensors, reductions, equations, joint_equations) = items;
        File { kernel, definitions, tensors, reductions, equations, joint_equations, schedules }
    })
}

proptest! {
    #[test]
    fn random_trees_survive(file in file()) {
        prop_assert_eq!(reread(&file), file);
    }
}
