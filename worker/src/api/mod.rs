//! Public JSON, one file per document, and the admin's listings. The pages are rendered from the same structs.

pub mod admin;
pub use shared::timestamp;
pub mod tool_document;
pub mod tools;
