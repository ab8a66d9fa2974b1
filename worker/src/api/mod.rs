//! Public JSON, one file per document. The pages are rendered from the same structs.

pub mod timestamp;
pub mod tool_document;
