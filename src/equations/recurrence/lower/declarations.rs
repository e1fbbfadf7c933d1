//! Parameters and tensors: one name, one thing.

use super::Lowering;
use crate::recurrence::{Assumption, Operator, Role, Tensor};
use crate::syntax::ast;
use crate::syntax::ast::{Direction, Spanned};
use systole_base::integer::Affine;
use systole_base::scalar::Function;
use systole_base::span::Span;

/// How many size parameters a kernel may have; checks over all small sizes stay feasible.
const PARAMETER_LIMIT: usize = 8;

/// How many subscripts a tensor may have.
const RANK_LIMIT: usize = 8;

impl Lowering<'_> {
    pub(super) fn declare_parameters(&mut self, kernel: &ast::Kernel) {
        for parameter in &kernel.parameters {
            self.check_not_a_function(parameter);
            if self.is_parameter(&parameter.node) {
                let message = format!("parameter `{}` is declared twice", parameter.node);
                self.report(self.blame(parameter.span, message, "the second time"));
                continue;
            }
            self.parameters.push(parameter.node.clone());
        }
        if self.parameters.len() > PARAMETER_LIMIT {
            let message = format!("a kernel of {} parameters, the limit is {PARAMETER_LIMIT}", self.parameters.len());
            self.report(self.blame(kernel.name.span, message, "in this kernel"));
        }
    }

    /// What the header says of sizes: some must be left.
    pub(super) fn assume(&mut self, condition: &Spanned<ast::Condition>) {
        if let Some(forms) = self.lower_condition(&condition.node, &[]) {
            forms.into_iter().for_each(|form| self.parameters.assume(form));
            if self.parameters.sizes().is_empty() {
                let message = "no sizes are as this kernel assumes".to_owned();
                let help = "each size is at least 1: take back one of the conditions";
                self.report(self.blame(condition.span, message, "leaves none").help(help));
            }
        }
    }

    pub(super) fn declare_tensors(&mut self, tensors: &[Spanned<ast::Tensor>]) {
        for tensor in tensors {
            self.check_not_a_function(&tensor.node.name);
            if self.is_new(&tensor.node.name) {
                self.declare_tensor(&tensor.node, tensor.span);
            }
        }
        for steps in tensors.iter().filter_map(|tensor| tensor.node.over.as_ref()) {
            self.check_not_a_function(&steps.index);
            self.check_not_declared(&steps.index);
        }
    }

    fn declare_tensor(&mut self, tensor: &ast::Tensor, span: Span) {
        if tensor.shape.len() > RANK_LIMIT {
            let message = format!("tensor `{}` has more than {RANK_LIMIT} dimensions", tensor.name.node);
            self.report(self.blame(span, message, "declared here"));
        }
        let shape: Vec<Option<Affine>> = tensor.shape.iter().map(|extent| self.lower_affine(extent, &[])).collect();
        let role = match tensor.direction {
            Direction::In => Role::Input,
            Direction::Out => Role::Output,
            // Until its equations are known it is computed, and what it is given is not said.
            Direction::Local | Direction::InOut => Role::Local,
        };
        // A tensor with a wrong extent is still declared, so that its uses give no further errors.
        let shape: Vec<Affine> = shape.into_iter().map(Option::unwrap_or_default).collect();
        let assumption = tensor.assumption.as_ref().and_then(|word| {
            let given = if tensor.direction == Direction::InOut { Role::Input } else { role };
            self.lower_assumption(word, given, &shape)
        });
        match (tensor.direction, &tensor.over) {
            (Direction::InOut, _) => self.declare_replaced(tensor, span),
            (_, Some(steps)) => {
                let message = format!("`{}` has steps and does not come in and leave", tensor.name.node);
                let blamed = self.blame(steps.index.span, message, "steps of what is replaced");
                self.report(blamed.help("declare it with `inout`, or leave the steps out"));
            }
            _ => {}
        }
        self.tensors.push(Tensor { name: tensor.name.node.clone(), role, shape, assumption, span });
    }

    fn lower_assumption(&mut self, word: &ast::Ident, role: Role, shape: &[Affine]) -> Option<Assumption> {
        self.choose("is", word, &Assumption::ALL.map(|(_, word)| word))?;
        let assumption = Assumption::from_keyword(&word.node)?;
        if role != Role::Input {
            let message = "only an input can be assumed to be something".to_owned();
            self.report(self.blame(word.span, message, "assumed of what equations define").help("leave it out"));
        } else if assumption.is_of_square_matrices() && !matches!(shape, [rows, columns] if rows == columns) {
            let message = format!("only a square matrix can be `{}`", word.node);
            self.report(self.blame(word.span, message, "assumed of another shape"));
        }
        Some(assumption)
    }

    fn is_new(&mut self, name: &ast::Ident) -> bool {
        if let Some(first) = self.tensor(&name.node) {
            let message = format!("tensor `{}` is declared twice", name.node);
            let diagnostic = self.blame(first.span, message, "first here").label(self.source, name.span, "again here");
            self.report(diagnostic);
            return false;
        }
        if self.is_parameter(&name.node) {
            let message = format!("`{}` is a parameter and cannot be a tensor too", name.node);
            self.report(self.blame(name.span, message, "declared here").help("rename one of the two"));
            return false;
        }
        true
    }

    /// The words for functions and reductions are not free, so that a reader never has to guess.
    pub(super) fn check_not_a_function(&mut self, name: &ast::Ident) {
        if Function::from_keyword(&name.node).is_some() || Operator::from_keyword(&name.node).is_some() {
            let message = format!("`{}` is the name of a function", name.node);
            self.report(self.blame(name.span, message, "cannot be declared").help("choose another name"));
        }
    }
}
