//! Changes to whole modules that several stages need: stripping promises, dropping what nothing uses,
//! moving functions between modules.

mod compact;
mod import;
mod prune;
mod strip;

pub use import::{ImportError, Importer};
pub use prune::remove_unused;
pub use strip::{is_promise, strip_attachments, strip_attributes, strip_promises};
