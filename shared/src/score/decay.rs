//! Weights that halve with age, the same to the last bit on every machine.
//!
//! A power of two of the standard library is the platform's own and differs between platforms in its last bit. Here it
//! is a short series for the fraction and an exact power for the whole part; for whole seconds of a day, two tables.

use std::f64::consts::LN_2;
use std::sync::LazyLock;

use crate::methodology::score::HALF_LIFE_S;

/// Seconds in a step of the coarse table.
const STEP_S: usize = 256;
/// Steps in a half-life.
const STEPS: usize = (HALF_LIFE_S as usize).div_ceil(STEP_S) + 1;

/// Powers of two for seconds as parts of a half-life.
struct Tables {
    /// Of whole steps.
    coarse: [f64; STEPS],
    /// Of the seconds within a step.
    fine: [f64; STEP_S],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let power = |seconds: usize| power_of_two(seconds as f64 / HALF_LIFE_S as f64);
    Tables { coarse: std::array::from_fn(|step| power(step * STEP_S)), fine: std::array::from_fn(power) }
});

/// 2 to the power of `exponent`, of which what is beyond +-1,000 counts as that.
#[must_use]
pub fn power_of_two(exponent: f64) -> f64 {
    let exponent = if exponent.is_nan() { 0.0 } else { exponent.clamp(-1_000.0, 1_000.0) };
    let whole = exponent.floor();
    series((exponent - whole) * LN_2) * exact(whole)
}

/// e to the power of `x`, for 0 <= x < 1, by its series: 20 terms are below the last bit.
fn series(x: f64) -> f64 {
    (1..=20_u32).rev().fold(1.0, |sum, term| 1.0 + x / f64::from(term) * sum)
}

/// 2 to a whole power of at most +-1,022.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the caller keeps it in range")]
fn exact(whole: f64) -> f64 {
    f64::from_bits(((1_023 + whole as i64) as u64) << 52)
}

/// What a vote of this age weighs in availability: 0.5 ^ (age / half-life). A negative age weighs more than one.
#[must_use]
pub fn weight(age_s: i64) -> f64 {
    // The rest counts up to the next half-life, so that both tables grow.
    let halvings = age_s.div_euclid(HALF_LIFE_S) + 1;
    let rest = usize::try_from(HALF_LIFE_S - age_s.rem_euclid(HALF_LIFE_S)).unwrap_or(0);
    let tables = &*TABLES;
    let coarse = tables.coarse.get(rest / STEP_S).copied().unwrap_or(1.0);
    let fine = tables.fine.get(rest % STEP_S).copied().unwrap_or(1.0);
    coarse * fine * exact((-halvings).clamp(-1_000, 1_000) as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-14 * one.abs().max(other.abs())
    }

    #[test]
    fn whole_half_lives_are_exact() {
        for halvings in -3..60 {
            assert_eq!(weight(halvings * HALF_LIFE_S).to_bits(), 0.5_f64.powi(halvings as i32).to_bits());
        }
    }

    #[test]
    fn no_number_is_too_odd() {
        for exponent in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, -0.0] {
            assert!(power_of_two(exponent).is_finite(), "{exponent}");
        }
        for age in [i64::MIN + HALF_LIFE_S, i64::MAX - HALF_LIFE_S, -1] {
            assert!(weight(age).is_finite(), "{age}");
        }
    }

    proptest! {
        #[test]
        fn it_is_the_power_of_two(exponent in -60.0..60.0_f64) {
            prop_assert!(close(power_of_two(exponent), libm::exp2(exponent)));
        }

        #[test]
        fn a_weight_is_the_power_for_its_age(age in -100_000..100 * HALF_LIFE_S) {
            prop_assert!(close(weight(age), libm::exp2(-(age as f64) / HALF_LIFE_S as f64)));
        }

        #[test]
        fn what_is_older_weighs_less(age in 0..50 * HALF_LIFE_S) {
            prop_assert!(weight(age + 1) < weight(age));
        }
    }
}
