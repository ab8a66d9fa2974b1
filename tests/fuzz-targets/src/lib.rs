//! Fuzz targets: each takes any bytes and panics where a law of the rules does not hold for them.
//!
//! A target is a file here, named and described by it, a small binary in `fuzz/`, and a folder in `corpus/`; a test
//! sees to it that the three agree. `cargo xtask fuzz` runs one on a nightly compiler, the tests replay the corpus.

mod pieces;

macro_rules! targets {
    ($($name:ident,)+) => {
        $(mod $name; pub use $name::$name;)+

        /// Every target with its name.
        pub const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name),)+];
    };
}

targets! {
    challenge,
    conversation,
    event_stream,
    json_intake,
    vote_batch,
}
