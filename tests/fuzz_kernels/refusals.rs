//! What the library may refuse today, each with the reason why that is a limit and no defect; and the defects that are known and not
//! yet mended. Anything else that is not right fails the test.

use crate::judge::Kind;

/// A refusal as `without_names` writes it, behind the stage that says it; a `*` at the end stands for any rest.
pub const LISTED: [(&str, &str); 13] = [
    ("load, rightly: access to _ can leave its bounds", "it does, at sizes that the generator has not looked at"),
    ("run: _ has no affine order", "computed values are needed in an order that no affine times of the spaces have"),
    (
        "run: no design of _ was found within these limits",
        "the search looks at so many designs within the limits of its flags",
    ),
    (
        "run: where _ is computed has no closed form",
        "points with two bounds on one side are no box, line or cone of the mapper, and no division of an equation leaves one",
    ),
    ("run: the fibres of _ are not lines", "values are reduced along lines of points only"),
    ("run: no rule lowers the reduction into _", "what is scattered is reduced along one line only"),
    (
        "load: where the last value of an element was written has no closed form",
        "of what is replaced in its place the last write must follow from inequalities",
    ),
    (
        "load: _ divides the index of the steps in which _ is replaced",
        "which step was the last one would be a quotient of sizes",
    ),
    (
        "load: which elements an equation replaces cannot be said by inequalities",
        "what is left of several strides and bounds of several indices is no set of inequalities",
    ),
    ("run in tiles: among tiles: element _ is defined by itself", "it is: tiles need each other"),
    (
        "run in tiles: _ cannot be tiled so: *",
        "tiles of what is read must line up with those that read, in the order of elements",
    ),
    ("run in tiles: _ cannot be tiled: *", "only indices with an extent are cut into tiles"),
    ("tiles: there is no index to cut", "a kernel of scalars has none"),
];

/// Defects that are known: strike an entry when what it says is mended, and its kernels are held to their meaning.
pub const OPEN: [(Kind, &str, &str); 0] = [];

fn is_it(reason: &str, listed: &str) -> bool {
    match listed.strip_suffix('*') {
        Some(start) => reason.starts_with(start),
        None => reason == listed,
    }
}

/// Why a refusal is legitimate; what may be refused of elements may be refused of tiles.
pub fn why(reason: &str) -> Option<&'static str> {
    LISTED.iter().find(|(listed, _)| is_any(reason, listed)).map(|(_, why)| *why)
}

fn is_any(reason: &str, listed: &str) -> bool {
    is_it(reason, listed) || is_it(&reason.replacen("run in tiles: ", "run: ", 1), listed)
}

/// What is known of a defect.
pub fn known(kind: Kind, reason: &str) -> Option<&'static str> {
    OPEN.iter().find(|(of, listed, _)| *of == kind && is_any(reason, listed)).map(|(_, _, word)| *word)
}
