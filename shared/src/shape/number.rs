//! Numbers as RFC 8785 writes them: ECMAScript's `Number::toString`.

use serde_json::Number;

/// Integers of at most this magnitude are doubles exactly, so their digits can be written as they are.
const EXACT_MAX: u64 = 1 << 53;

/// Appends a number. Every number counts as the double nearest to it, as the RFC has it.
pub(super) fn write(number: &Number, out: &mut String) {
    use std::fmt::Write as _;
    // Writing to a String does not fail.
    match number.as_i64() {
        Some(integer) if integer.unsigned_abs() <= EXACT_MAX => {
            let _ = write!(out, "{integer}");
        }
        _ => write_double(number.as_f64().unwrap_or_default(), out),
    }
}

/// The shortest digits that give the double back, laid out by ECMA-262 section 6.1.6.1.20. `value` is finite.
fn write_double(value: f64, out: &mut String) {
    let Some(Decimal { negative, digits, point }) = Decimal::of(value) else {
        out.push('0');
        return;
    };
    if negative {
        out.push('-');
    }
    let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32, out: &mut String| (0..count).for_each(|_| out.push('0'));
    match point {
        _ if length <= point && point <= 21 => {
            out.push_str(&digits);
            zeros(point - length, out);
        }
        1..=21 => push_with_point(&digits, point, out),
        -5..=0 => {
            out.push_str("0.");
            zeros(-point, out);
            out.push_str(&digits);
        }
        _ => {
            push_with_point(&digits, 1, out);
            out.push_str(if point > 0 { "e+" } else { "e-" });
            out.push_str(&(point - 1).unsigned_abs().to_string());
        }
    }
}

/// The digits, with a point behind the first `whole` of them unless that is all.
fn push_with_point(digits: &str, whole: i32, out: &mut String) {
    let whole = usize::try_from(whole).unwrap_or_default();
    let (before, behind) = digits.split_at_checked(whole).unwrap_or((digits, ""));
    out.push_str(before);
    if !behind.is_empty() {
        out.push('.');
        out.push_str(behind);
    }
}

/// `0.digits` times ten to the power of `point`.
struct Decimal {
    negative: bool,
    /// Neither the first nor the last is a zero.
    digits: String,
    point: i32,
}

impl Decimal {
    /// None for zero.
    ///
    /// The digits are taken from serde_json's own output, because where two shortest texts are equally near it takes
    /// the even one, as ECMAScript does; `core::fmt` does not.
    fn of(value: f64) -> Option<Self> {
        let text = Number::from_f64(value)?.to_string();
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{}{fraction}", whole.trim_start_matches('-'));
        let whole_digits = i32::try_from(all.len() - fraction.len()).unwrap_or_default();
        let digits = all.trim_start_matches('0');
        let leading_zeros = i32::try_from(all.len() - digits.len()).unwrap_or_default();
        let digits = digits.trim_end_matches('0');
        (!digits.is_empty()).then(|| Self {
            negative: value < 0.0,
            digits: digits.to_owned(),
            point: exponent + whole_digits - leading_zeros,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(literal: &str) -> String {
        let mut out = String::new();
        write(&serde_json::from_str(literal).unwrap(), &mut out);
        out
    }

    /// RFC 8785 appendix B, by the bits of the double.
    #[test]
    fn samples_of_the_rfc() {
        let table: &[(u64, &str)] = &[
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ];
        for (bits, expected) in table {
            let mut out = String::new();
            write_double(f64::from_bits(*bits), &mut out);
            assert_eq!(out, *expected, "{bits:#x}");
        }
    }

    proptest! {
        /// Halves and quarters of large numbers, where two texts of equal length are equally near.
        #[test]
        fn ties_go_to_the_even_digit(quarters in (1_u64 << 51)..(1 << 53), power in -3..3_i32) {
            #[expect(clippy::cast_precision_loss, reason = "below 2^53 nothing is lost")]
            let value = quarters as f64 * 2.0_f64.powi(power);
            let mut out = String::new();
            write_double(value, &mut out);
            prop_assert_eq!(out, serde_json_canonicalizer::to_string(&value).unwrap());
        }
    }

    #[test]
    fn the_spelling_in_the_document_does_not_matter() {
        for (literal, expected) in [
            ("1", "1"),
            ("1.0", "1"),
            ("10e-1", "1"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("-7", "-7"),
            ("0.5", "0.5"),
            ("1.50", "1.5"),
            ("1e2", "100"),
            ("123.456", "123.456"),
            ("9007199254740992", "9007199254740992"),
            ("9007199254740993", "9007199254740992"),
            ("-9007199254740993", "-9007199254740992"),
            ("18446744073709551615", "18446744073709552000"),
            ("-9223372036854775808", "-9223372036854776000"),
            ("123456789012345678901234567890", "1.2345678901234568e+29"),
        ] {
            assert_eq!(text(literal), expected, "{literal}");
        }
    }
}
