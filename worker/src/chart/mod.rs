//! Numbers in, accessible SVG out. Pure: geometry is whole numbers, colour is a class of the style sheet.

pub(crate) mod votes;
