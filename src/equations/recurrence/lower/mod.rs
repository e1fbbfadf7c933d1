//! From the syntax tree to a recurrence system: every name gets its meaning.
//!
//! In: an [`ast::File`] and its text. Out: a [`RecurrenceSystem`] in which all subscripts and bounds are affine, every
//! index has a range and every schedule speaks of things that exist; or all errors at once. Whether accesses stay in
//! bounds and each element is defined once is left to [`validate`](fn@super::validate). Paper: Cyclotron Figure 3.

use super::{Equation, RecurrenceSystem, Role, Schedule, Tensor};
use crate::syntax::ast;
use crate::syntax::ast::Spanned;
use crate::syntax::print_expression;
use halves::Divided;
use replace::Replaced;
use std::collections::BTreeSet;
use std::sync::Arc;
use systole_base::diagnostic::{Checked, Diagnostic, Diagnostics, nearest};
use systole_base::integer::{Affine, Name, Parameters};
use systole_base::span::{Source, Span};

mod declarations;

mod affine;

mod definitions;

mod equations;

mod cases;

mod elsewhere;

mod equalities;

mod expressions;

mod halves;

mod joint;

mod last_writes;

mod laws;

mod new_and_old;

mod padding;

mod placed_spaces;

mod ranges;

mod reductions;

mod replace;

mod scan;

mod schedules;

mod strides;

/// Gives every name of the file its meaning.
pub fn lower(file: &ast::File, source: &Arc<Source>) -> Checked<RecurrenceSystem> {
    let mut lowering = Lowering {
        source,
        errors: vec![],
        parameters: Parameters::default(),
        tensors: vec![],
        divided: None,
        reductions: vec![],
        padded: vec![],
        wholes: vec![],
        replaced: vec![],
        written: vec![],
        undeclared: BTreeSet::new(),
    };
    lowering.declare_parameters(&file.kernel.node);
    let file = &lowering.write_out(file)?;
    file.kernel.node.assumptions.iter().for_each(|condition| lowering.assume(condition));
    lowering.check_targets(file);
    let written = lowering.expand(file);
    lowering.declare_tensors(&written.tensors);
    let equations = lowering.lower_equations(&written.equations);
    lowering.check_every_output(file, &written);
    let equations = lowering.write_once(equations);
    let schedules: Vec<Schedule> = lowering.lower_schedules(&file.schedules, &equations);
    if !lowering.errors.is_empty() {
        return Err(lowering.errors);
    }
    Ok(RecurrenceSystem {
        name: file.kernel.node.name.node.clone(),
        parameters: lowering.parameters,
        tensors: lowering.tensors,
        equations,
        schedules,
        header: file.kernel.span,
        source: Arc::clone(source),
    })
}

/// What is known while a file is lowered, and what has been found wrong so far.
struct Lowering<'a> {
    source: &'a Arc<Source>,
    errors: Diagnostics,
    parameters: Parameters,
    tensors: Vec<Tensor>,
    /// The quotients and rests in the equation that is lowered; `None` where none may stand.
    divided: Option<Vec<Divided>>,
    /// The reductions in the equation that is lowered.
    reductions: Vec<ast::Expr>,
    /// The elements behind which `else` stands.
    padded: Vec<Span>,
    /// Equations without their values, before they were divided.
    wholes: Vec<Equation>,
    /// The tensors that come in and leave.
    replaced: Vec<Replaced>,
    /// The equations of these, each with its indices as they are written, where they are divided.
    written: Vec<(Equation, Vec<Affine>)>,
    /// What equations define and nothing declares; one message each is enough.
    undeclared: BTreeSet<Name>,
}

impl Lowering<'_> {
    /// All equations; those of what is defined nowhere else come last.
    fn lower_equations(&mut self, written: &[Spanned<ast::Equation>]) -> Vec<Equation> {
        let (rest, plain): (Vec<_>, Vec<_>) = written.iter().partition(|equation| equation.node.is_elsewhere);
        let mut equations: Vec<Equation> = plain.into_iter().flat_map(|equation| self.lower_cases(equation)).collect();
        for equation in rest {
            let others = equations.clone();
            equations.extend(self.lower_elsewhere(equation, &others).into_iter().flatten());
        }
        equations
    }

    /// A message about one place, still without help.
    fn blame(&self, span: Span, message: String, label: &str) -> Diagnostic {
        Diagnostic::new(message).label(self.source, span, label)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| &*tensor.name == name)
    }

    fn is_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| &**parameter == name)
    }

    /// An unknown name, with the reduction before it that binds it, or the nearest of `known`.
    fn report_unknown<'n>(&mut self, what: &str, name: &str, span: Span, known: impl Iterator<Item = &'n str>) {
        if self.undeclared.contains(name) {
            return;
        }
        let diagnostic = self.blame(span, format!("unknown {what} `{name}`"), "not known here");
        let diagnostic = match (self.binding_before(name, span), nearest(name, known)) {
            (Some(reduction), _) => {
                let said = print_expression(reduction);
                diagnostic.label(self.source, reduction.span, format!("`{name}` is bound here")).help(format!(
                    "a reduction ends before `+` and `-`: put all that `{said}` is to reduce in brackets"
                ))
            }
            (None, Some(close)) => diagnostic.help(format!("did you mean `{close}`?")),
            (None, None) => diagnostic,
        };
        self.report(diagnostic);
    }

    /// The reduction of the equation at hand that binds an index of this name and ends before a place.
    fn binding_before(&self, name: &str, span: Span) -> Option<&ast::Expr> {
        let binds = |reduction: &&ast::Expr| match &reduction.node {
            ast::Term::Reduce(_, bindings, _, _) => bindings.iter().any(|binding| &*binding.index.node == name),
            _ => false,
        };
        self.reductions.iter().rev().filter(|reduction| reduction.span.end <= span.start).find(binds)
    }

    /// The declared tensor of this name, or a report that there is none.
    fn find_tensor(&mut self, name: &ast::Ident) -> Option<Tensor> {
        if let Some(tensor) = self.tensor(&name.node) {
            return Some(tensor.clone());
        }
        let known: Vec<Name> = self.tensors.iter().map(|tensor| tensor.name.clone()).collect();
        self.report_unknown("tensor", &name.node, name.span, known.iter().map(|name| &**name));
        None
    }

    /// What an equation defines is declared; where it is not, it is nearly a tensor that lacks an equation, or a value on the way.
    fn check_targets(&mut self, file: &ast::File) {
        let targets = targets(file);
        let is_target = |name: &Name| targets.iter().any(|(target, _)| target.node == *name);
        let declared = || file.tensors.iter().map(|tensor| &tensor.node);
        let lacking =
            || declared().filter(|tensor| tensor.direction != ast::Direction::In && !is_target(&tensor.name.node));
        for (target, subscripts) in &targets {
            let is_declared = declared().any(|tensor| tensor.name.node == target.node);
            if is_declared || !self.undeclared.insert(target.node.clone()) {
                continue;
            }
            let help = match nearest(&target.node, lacking().map(|tensor| &*tensor.name.node)) {
                Some(close) => format!("did you mean `{close}`?"),
                None if subscripts.is_empty() => {
                    format!("declare what is computed on the way: `local {}`", target.node)
                }
                None => {
                    let extents = vec![".."; subscripts.len()].join(", ");
                    format!("declare what is computed on the way, with its extents: `local {}[{extents}]`", target.node)
                }
            };
            let message = format!("unknown tensor `{}`", target.node);
            self.report(self.blame(target.span, message, "not declared").help(help));
        }
    }

    /// Each output and local tensor needs an equation.
    fn check_every_output(&mut self, file: &ast::File, written: &ast::File) {
        let targets = targets(file);
        let defined = |tensor: &Tensor| {
            let steps = written.equations.iter().any(|equation| equation.node.target.node == tensor.name);
            steps || targets.iter().any(|(target, _)| target.node == tensor.name)
        };
        let missing: Vec<Tensor> =
            self.tensors.iter().filter(|tensor| tensor.role != Role::Input && !defined(tensor)).cloned().collect();
        for tensor in missing {
            let message = format!("no equation defines `{}`", tensor.name);
            let help = format!("write `{}[..] = ..`, or declare it with `in`", tensor.name);
            self.report(self.blame(tensor.span, message, "declared here").help(help));
        }
    }
}

/// What the equations of a file define, with the subscripts.
fn targets(file: &ast::File) -> Vec<(&ast::Ident, &[ast::Expr])> {
    let plain = file.equations.iter().map(|equation| (&equation.node.target, &*equation.node.subscripts));
    let joint = file.joint_equations.iter().flat_map(|equation| &equation.node.targets);
    plain.chain(joint.map(|(target, subscripts)| (target, &**subscripts))).collect()
}
