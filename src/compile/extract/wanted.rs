//! How a schedule wants a tensor moved, held against what the rules offer.
//!
//! A direction may be left out. `stream X` then is any stream on offer; a tensor whose every element has one use has none,
//! and comes in as a stream through the port of each PE, skewed in time: a feed. `broadcast X` is any bus on offer, and for
//! such a tensor one bus from memory to all PEs, which one of them feeds. Paper: Cyclotron, section 5 and Figures 9 to 12.

use crate::rewrite::Transport;
use std::sync::Arc;
use systole_base::diagnostic::Diagnostic;
use systole_base::integer::{Affine, Name, Vector};
use systole_base::span::{Source, Span};
use systole_equations::recurrence::{Directive, Space};

/// What one directive says, in the indices of one space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// `stream X`, along a direction, along those of a tree, or, with none, in any way.
    Stream(Vec<Vector>),
    /// `broadcast X`, along a direction or any.
    Broadcast(Option<Vector>),
    /// `prefetch X`.
    Prefetch,
    /// `local X`.
    Local,
    /// `memory X`.
    Memory,
    /// `feed X`.
    Feed,
}

impl Wanted {
    /// The tensor and what a directive says of it; `None` for a directive that speaks of no transport, or of a direction with
    /// an index that is not among `indices`.
    pub fn of<'a>(directive: &'a Directive, indices: &[Name]) -> Option<(&'a Name, Wanted)> {
        let row = |form: &Affine| form.terms().all(|(name, _)| indices.contains(name)).then(|| form.row(indices));
        let along = |form: &Option<Affine>| match form {
            Some(form) => row(form).map(Some),
            None => Some(None),
        };
        match directive {
            Directive::Stream(tensor, forms) => {
                Some((tensor, Wanted::Stream(forms.iter().map(row).collect::<Option<_>>()?)))
            }
            Directive::Broadcast(tensor, form) => Some((tensor, Wanted::Broadcast(along(form)?))),
            Directive::Prefetch(tensor) => Some((tensor, Wanted::Prefetch)),
            Directive::Local(tensor) => Some((tensor, Wanted::Local)),
            Directive::Memory(tensor) => Some((tensor, Wanted::Memory)),
            Directive::Feed(tensor) => Some((tensor, Wanted::Feed)),
            _ => None,
        }
    }

    /// As text, for messages.
    pub fn show(&self, space: &Space) -> String {
        match self {
            Wanted::Stream(along) if along.is_empty() => "stream".to_owned(),
            Wanted::Stream(along) => Transport::of_streams(along.clone()).show(space),
            Wanted::Broadcast(Some(along)) => Transport::Broadcast(along.clone()).show(space),
            Wanted::Broadcast(None) => "broadcast".to_owned(),
            Wanted::Prefetch => "prefetch".to_owned(),
            Wanted::Local => "local".to_owned(),
            Wanted::Memory => "memory".to_owned(),
            Wanted::Feed => "feed".to_owned(),
        }
    }

    /// The transports that do what is said, of those offered.
    pub fn among(&self, offered: &[Transport]) -> Vec<Transport> {
        let kept = |test: &dyn Fn(&Transport) -> bool| -> Vec<Transport> {
            offered.iter().filter(|choice| test(choice)).cloned().collect()
        };
        let feed = || kept(&|choice| *choice == Transport::Feed);
        match self {
            Wanted::Local => kept(&|choice| *choice == Transport::Local),
            Wanted::Memory => kept(&|choice| *choice == Transport::Memory),
            Wanted::Prefetch => kept(&|choice| *choice == Transport::Prefetch),
            Wanted::Feed => feed(),
            Wanted::Stream(along) if !along.is_empty() => kept(&|choice| choice.streams() == along),
            Wanted::Stream(_) => {
                let streams = kept(&|choice| !choice.streams().is_empty());
                if streams.is_empty() { feed() } else { streams }
            }
            Wanted::Broadcast(Some(along)) => kept(&|choice| is_bus_along(choice, along)),
            Wanted::Broadcast(None) => {
                let buses = kept(&|choice| matches!(choice, Transport::Broadcast(_)));
                if buses.is_empty() { feed().iter().map(|_| Transport::Bus).collect() } else { buses }
            }
        }
    }
}

/// A bus has no direction of travel, so either sign will do.
pub(super) fn is_bus_along(choice: &Transport, along: &[i64]) -> bool {
    match choice {
        Transport::Broadcast(own) => own == along || own.iter().zip(along).all(|(x, y)| *x == -y),
        _ => false,
    }
}

/// Equations over elements have no tiles: they are made equations over tiles before they are searched.
pub(super) fn tiles_come_first(source: &Arc<Source>, span: Span) -> Diagnostic {
    Diagnostic::new("a search knows no tiles; the equations over tiles are searched")
        .label(source, span, "no effect on equations over elements")
        .help("make them with `tiles::tile`, as the commands do")
}
