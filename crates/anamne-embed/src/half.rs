//! Half-precision numbers (IEEE 754 binary16), the format of vectors on disk.

/// The nearest half-precision number, ties to even; overflow becomes infinite.
pub(crate) fn to_half(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23) as i32 & 0xff;
    let fraction = bits & 0x007f_ffff;
    if exponent == 0xff {
        return sign | 0x7c00 | u16::from(fraction != 0) << 9;
    }
    let exponent = exponent - 127 + 15;
    match exponent {
        31.. => sign | 0x7c00,
        1..=30 => sign | rounded(fraction | (exponent as u32) << 23, 13) as u16,
        // Subnormal numbers: the implicit leading one becomes explicit.
        -10..=0 => sign | rounded(fraction | 0x0080_0000, 14 - exponent) as u16,
        _ => sign,
    }
}

/// `bits` without the last `places`, rounded to nearest, ties to even. A carry correctly increments the exponent.
fn rounded(bits: u32, places: i32) -> u32 {
    let kept = bits >> places;
    let rest = bits & ((1 << places) - 1);
    let tie = 1 << (places - 1);
    kept + u32::from(rest > tie || (rest == tie && kept & 1 == 1))
}

/// Converts a half-precision number.
pub(crate) fn from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10) & 0x1f;
    let fraction = u32::from(half & 0x03ff);
    let magnitude = match exponent {
        0 => return f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
        31 => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 127 - 15) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_sixteen_bits_comes_back() {
        for half in 0..=u16::MAX {
            let number = from_half(half);
            if !number.is_nan() {
                assert_eq!(to_half(number), half, "{number}");
            }
        }
        assert!(from_half(to_half(f32::NAN)).is_nan());
    }

    #[test]
    fn halves_are_read_exactly() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03FF, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x3555, 0.333_251_95),
        ] {
            assert_eq!(
                from_half(bits).to_bits(),
                f32::to_bits(expected),
                "{bits:04x}"
            );
        }
        assert!(from_half(0x7C00).is_infinite());
        assert!(from_half(0x7E00).is_nan());
    }

    #[test]
    fn a_number_becomes_the_nearest_of_its_neighbours() {
        for half in 0..0x7bff {
            let (low, high) = (from_half(half), from_half(half + 1));
            let step = f64::from(high) - f64::from(low);
            let at = |part: f64| to_half((f64::from(low) + step * part) as f32);
            assert_eq!(at(0.25), half);
            assert_eq!(at(0.75), half + 1);
            assert_eq!(at(0.5), half + (half & 1), "ties go to the even one");
            assert_eq!(to_half(-low), half | 0x8000);
        }
        assert_eq!(to_half(1.0), 0x3c00);
        assert_eq!(to_half(65_520.0), 0x7c00);
        assert_eq!(to_half(1e-9), 0);
    }
}
