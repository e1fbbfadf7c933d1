//! Schedules: the header and the directives, each led by its own word.

use super::ast::{Directive, Expr, Level, Spanned};
use super::expressions::{expression, form};
use super::tokens::{Reader, counted, dotted, identifier, keyword, listed, number, sign, spanned, title};
use crate::syntax::ast::Ident;
use chumsky::prelude::*;

/// The words that lead a directive.
pub(super) const WORDS: [&str; 23] = [
    "place",
    "time",
    "stream",
    "broadcast",
    "prefetch",
    "feed",
    "local",
    "memory",
    "room",
    "tile",
    "fold",
    "layout",
    "order",
    "io",
    "network",
    "load",
    "space",
    "handoff",
    "bus",
    "reduce",
    "phase",
    "split",
    "position",
];

/// `schedule cannon`.
pub(super) fn header<'s>() -> Reader<'s, Spanned<Ident>> {
    spanned(keyword("schedule").ignore_then(title()))
}

/// One directive.
pub(super) fn directive<'s>() -> Reader<'s, Spanned<Directive>> {
    spanned(choice((map_directive(), split(), transport(), of_space(), machine()))).labelled("a directive").boxed()
}

/// Where and when: `place` and `time`.
fn map_directive<'s>() -> Reader<'s, Directive> {
    let tuple = form().separated_by(sign(",")).at_least(2).collect().delimited_by(sign("("), sign(")"));
    let single = form().map(|form| vec![form]);
    let place = keyword("place").ignore_then(listed(expression(), ("(", ")"))).map(Directive::Place);
    let time = keyword("time").ignore_then(choice((tuple, single))).map(Directive::Time);
    choice((place, time)).boxed()
}

/// `local Y.c`: only a directive names what a split adds. `local Y` may declare a tensor too.
pub(super) fn local_part<'s>() -> Reader<'s, Spanned<Directive>> {
    let named = dotted().filter(|name| name.node.contains('.'));
    spanned(keyword("local").ignore_then(named).map(Directive::Local)).boxed()
}

/// `split sum(c, k) as sum(k) sum(c)`.
fn split<'s>() -> Reader<'s, Directive> {
    let level = identifier().then(listed(expression(), ("(", ")")));
    let level = level.map(|(operator, indices)| Level { operator, indices }).boxed();
    let levels = level.clone().repeated().at_least(1).collect();
    let split = keyword("split").ignore_then(level).then_ignore(keyword("as")).then(levels);
    split.map(|(whole, levels)| Directive::Split(whole, levels)).boxed()
}

/// How a tensor reaches its uses.
fn transport<'s>() -> Reader<'s, Directive> {
    let stream = keyword("stream").ignore_then(tree()).map(|(tensor, along)| Directive::Stream(tensor, along));
    let indices = identifier().separated_by(sign(",")).at_least(1).collect();
    let both = keyword("stream").ignore_then(dotted()).then(keyword("both").ignore_then(indices));
    let both = both.map(|(tensor, indices)| Directive::StreamBoth(tensor, indices));
    let broadcast = keyword("broadcast").ignore_then(flow()).map(|(tensor, along)| Directive::Broadcast(tensor, along));
    let prefetch = keyword("prefetch").ignore_then(dotted()).map(Directive::Prefetch);
    let feed = keyword("feed").ignore_then(dotted()).map(Directive::Feed);
    let memory = keyword("memory").ignore_then(dotted()).map(Directive::Memory);
    choice((both, stream, broadcast, prefetch, feed, memory, room())).boxed()
}

/// `room X (2, _)`.
fn room<'s>() -> Reader<'s, Directive> {
    let words = choice((number().map(Some), keyword("_").to(None)));
    let room = keyword("room").ignore_then(dotted()).then(listed(words, ("(", ")")));
    room.map(|(tensor, words)| Directive::Room(tensor, words)).boxed()
}

fn tree<'s>() -> Reader<'s, (Ident, Vec<Expr>)> {
    let forms = form().separated_by(sign(",")).at_least(1).collect();
    dotted().then(keyword("along").ignore_then(forms).or_not().map(Option::unwrap_or_default)).boxed()
}

/// What a whole design says of each of its spaces.
fn of_space<'s>() -> Reader<'s, Directive> {
    let space = keyword("space").ignore_then(dotted()).map(Directive::Space);
    let handoff = keyword("handoff").ignore_then(dotted()).map(Directive::Handoff);
    let bus = keyword("bus").ignore_then(dotted()).map(Directive::Bus);
    let levels = form().separated_by(sign(",")).at_least(1).collect();
    let reduce = keyword("reduce").ignore_then(keyword("along")).ignore_then(levels).map(Directive::Reduce);
    let position = keyword("position").ignore_then(number()).map(Directive::Position);
    choice((space, handoff, bus, reduce, position)).boxed()
}

fn flow<'s>() -> Reader<'s, (Ident, Option<Expr>)> {
    dotted().then(keyword("along").ignore_then(form()).or_not()).boxed()
}

/// What is said of the machine: tiles, folding, layouts, the order of tiles, the boundary and how it is crossed, and the network.
fn machine<'s>() -> Reader<'s, Directive> {
    let tile = keyword("tile").ignore_then(identifier()).then(number());
    let tile = tile.map(|(index, size)| Directive::Tile(index, size));
    let factors = listed(number(), ("(", ")")).map(Directive::FoldBy);
    let fold = keyword("fold").ignore_then(counted("a distribution such as `cyclic`").map(Directive::Fold).or(factors));
    let phase = keyword("phase").ignore_then(listed(number(), ("(", ")"))).map(Directive::Phase);
    let layout = keyword("layout").ignore_then(identifier()).then(counted("a distribution such as `cyclic`"));
    let layout = layout.map(|(tensor, word)| Directive::Layout(tensor, word));
    let order = keyword("order").ignore_then(counted("an order such as `turns`")).map(Directive::Order);
    let io = keyword("io").ignore_then(identifier()).map(Directive::Io);
    let network = keyword("network").ignore_then(identifier()).map(Directive::Network);
    let along = identifier().then_ignore(keyword("along")).then(listed(expression(), ("(", ")")));
    let load = keyword("load").ignore_then(along).map(|(tensor, along)| Directive::Load(tensor, along));
    choice((tile, fold, phase, layout, order, io, network, load)).boxed()
}
