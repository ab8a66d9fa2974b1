//! Packed per-probe storage: encode, decode, merge, limits.
