//! Rounding as printed: half up.

/// A real number of 0 to 1 in thousandths: floor(1000 x + 0.5).
#[must_use]
pub fn thousandths(real: f64) -> u32 {
    half_up(1_000.0 * real)
}

/// A real number in tenths: floor(10 x + 0.5).
#[must_use]
pub fn tenths(real: f64) -> u32 {
    half_up(10.0 * real)
}

/// What is below zero or no number is zero; what is beyond the type is its largest value.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from a float saturates")]
fn half_up(real: f64) -> u32 {
    (real + 0.5).floor() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_goes_up_and_nothing_overflows() {
        let table = [
            (0.0, 0, 0),
            (0.000_5, 1, 0),
            (0.000_499, 0, 0),
            (0.05, 50, 1),
            (0.995, 995, 10),
            (1.0, 1_000, 10),
            (-1.0, 0, 0),
            (f64::NAN, 0, 0),
            (f64::INFINITY, u32::MAX, u32::MAX),
        ];
        for (real, in_thousandths, in_tenths) in table {
            assert_eq!((thousandths(real), tenths(real)), (in_thousandths, in_tenths), "{real}");
        }
    }
}
