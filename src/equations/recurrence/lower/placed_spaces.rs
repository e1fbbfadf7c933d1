//! Schedules that are whole designs: `space S` and the lines behind it, up to the next such line.
//!
//! In: directives of a syntax tree, the first of which names a space. Out: each space with its place, its time and its moves. Which spaces a
//! kernel has, and over which indices, is not known here, so a form may name anything; what stands for a design is compared with its spaces
//! where these are known (`given` in the compiler).

use super::Lowering;
use super::equations::collect_names;
use crate::recurrence::{Move, PlacedSpace};
use crate::syntax::ast;
use crate::syntax::ast::Spanned;
use systole_base::integer::{Affine, Name};

/// Positions within a step are less than this.
const MOST_POSITION: f64 = 1e6;

impl Lowering<'_> {
    /// The spaces of a design.
    pub(super) fn lower_spaces(&mut self, directives: &[Spanned<ast::Directive>]) -> Vec<PlacedSpace> {
        let mut spaces: Vec<PlacedSpace> = vec![];
        for directive in directives {
            if let ast::Directive::Space(title) = &directive.node {
                if let Some(first) = spaces.iter().find(|space| space.name == title.node) {
                    let message = format!("space `{}` is placed twice", title.node);
                    let diagnostic = self.blame(first.span, message, "first here");
                    self.report(diagnostic.label(self.source, title.span, "again here"));
                }
                let (name, span) = (title.node.clone(), directive.span);
                let (place, time, moves, reduced) = (vec![], vec![], vec![], vec![]);
                spaces.push(PlacedSpace { name, place, time, position: 0, moves, reduced, span });
            } else if let Some(space) = spaces.last_mut() {
                self.lower_line(directive, space);
            }
        }
        spaces
    }

    fn lower_line(&mut self, directive: &Spanned<ast::Directive>, space: &mut PlacedSpace) {
        let mut moved =
            |movement: Option<Move>| space.moves.extend(movement.map(|movement| (movement, directive.span)));
        match &directive.node {
            ast::Directive::Stream(tensor, along) => {
                let along = self.lower_forms(along);
                moved(along.map(|along| Move::Stream(tensor.node.clone(), along)));
            }
            ast::Directive::Broadcast(tensor, Some(along)) => {
                let along = self.lower_form(along);
                moved(along.map(|along| Move::Broadcast(tensor.node.clone(), along)));
            }
            ast::Directive::Prefetch(tensor) => moved(Some(Move::Prefetch(tensor.node.clone()))),
            ast::Directive::Feed(tensor) => moved(Some(Move::Feed(tensor.node.clone()))),
            ast::Directive::Local(tensor) => moved(Some(Move::Local(tensor.node.clone()))),
            ast::Directive::Memory(tensor) => moved(Some(Move::Memory(tensor.node.clone()))),
            ast::Directive::Bus(tensor) => moved(Some(Move::Bus(tensor.node.clone()))),
            ast::Directive::Handoff(tensor) => moved(Some(Move::Handoff(tensor.node.clone()))),
            ast::Directive::Place(forms) => space.place = self.lower_forms(forms).unwrap_or_default(),
            ast::Directive::Time(forms) => space.time = self.lower_forms(forms).unwrap_or_default(),
            ast::Directive::Position(number) => space.position = self.lower_position(number).unwrap_or(0),
            ast::Directive::Reduce(levels) => space.reduced = self.lower_forms(levels).unwrap_or_default(),
            _ => {
                let message = "this line speaks of the whole design".to_owned();
                let help = "write it before the first `space`; of a space there are its place, its time and how its values move";
                self.report(self.blame(directive.span, message, "behind `space`").help(help));
            }
        }
    }

    fn lower_position(&mut self, number: &Spanned<f64>) -> Option<usize> {
        let message = format!("a space cannot have position `{}` within a step", number.node);
        self.lower_whole(number, MOST_POSITION, message).and_then(|position| usize::try_from(position).ok())
    }

    fn lower_forms(&mut self, forms: &[ast::Expr]) -> Option<Vec<Affine>> {
        let forms: Vec<Option<Affine>> = forms.iter().map(|form| self.lower_form(form)).collect();
        forms.into_iter().collect()
    }

    fn lower_form(&mut self, form: &ast::Expr) -> Option<Affine> {
        let mut names = vec![];
        collect_names(form, &mut names);
        let names: Vec<Name> = names.into_iter().map(|name| name.node).collect();
        self.lower_affine(form, &names)
    }
}
