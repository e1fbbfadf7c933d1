//! A file that is being written, and what an editor shows of it.
//!
//! In: the text of a `.rec`, `.rules` or `.pe` file, and a place in it. Out: messages where the command line puts them; what the word there
//! means; where its name comes from; what may be written there. [`serve`] speaks the protocol, and keeps no more than the texts.

mod place;

mod document;

mod messages;

mod directives;

mod hover;

mod definition;

mod completion;

mod streams;

mod server;

pub use directives::WORDS;
pub use document::Document;
pub use messages::messages;
pub use server::{serve, serve_stdio};
