//! The values of literals.

use crate::types::Scalar;

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer and the type that value, base and suffix give it.
    Int(u64, Scalar),
    /// A floating number, rounded to its type; whether a suffix was written.
    Float {
        /// Its value.
        value: f64,
        /// `half`, `bfloat` or `float`.
        ty: Scalar,
        /// A suffix was written.
        has_suffix: bool,
    },
}

/// What is wrong with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// A digit that its base has not.
    Digit,
    /// An unknown suffix.
    Suffix,
    /// More than 64 bits.
    TooLarge,
    /// An exponent without digits.
    Exponent,
}

impl NumberError {
    /// As a message.
    pub fn message(self, text: &str) -> String {
        match self {
            Self::Digit => format!("`{text}` has a digit that its base does not have"),
            Self::Suffix => format!("`{text}` has a suffix that no number has"),
            Self::TooLarge => format!("`{text}` does not fit into 64 bits"),
            Self::Exponent => format!("the exponent of `{text}` has no digits"),
        }
    }
}

/// The value of a number as written.
pub fn parse_number(text: &str) -> Result<Number, NumberError> {
    let stripped;
    let clean = if text.contains('\'') {
        stripped = text.replace('\'', "");
        stripped.as_str()
    } else {
        text
    };
    let lower = clean.as_bytes();
    let base = match lower {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'b' | b'B', ..] => 2,
        [b'0', b'0'..=b'9', ..] => 8,
        _ => 10,
    };
    let is_float = if base == 16 {
        clean.contains(['.', 'p', 'P'])
    } else {
        base != 2 && clean.contains(['.', 'e', 'E'])
    };
    if is_float {
        return parse_float(clean, base == 16);
    }
    let digits = match base {
        16 | 2 => &clean[2..],
        8 => &clean[1..],
        _ => clean,
    };
    let end = digits
        .bytes()
        .position(|byte| !(byte.is_ascii_digit() || base == 16 && byte.is_ascii_hexdigit()))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    // `1f` and `1h` are written, and are floating numbers to nobody: only `u` and `l` may follow.
    let (is_unsigned, is_long) = match suffix {
        "" => (false, false),
        "u" | "U" => (true, false),
        "l" | "L" | "ll" | "LL" | "z" | "Z" => (false, true),
        "ul" | "uL" | "Ul" | "UL" | "lu" | "lU" | "Lu" | "LU" | "ull" | "uLL" | "Ull" | "ULL" | "llu"
        | "llU" | "LLu" | "LLU" => (true, true),
        _ => return Err(NumberError::Suffix),
    };
    if digits.is_empty() && base != 8 {
        return Err(NumberError::Digit);
    }
    let mut value: u64 = 0;
    for byte in digits.bytes() {
        let digit = (byte as char).to_digit(base).ok_or(NumberError::Digit)?;
        value = value
            .checked_mul(u64::from(base))
            .and_then(|value| value.checked_add(u64::from(digit)))
            .ok_or(NumberError::TooLarge)?;
    }
    // C++: the first of these types that holds the value; unsigned ones only for other bases than ten.
    let fits = |bits: u32| value < 1 << bits;
    let ty = match (is_unsigned, is_long) {
        (false, false) if fits(31) => Scalar::Int,
        (false, false) if base != 10 && fits(32) => Scalar::UInt,
        (false, _) if fits(63) => Scalar::Long,
        (false, _) => Scalar::ULong,
        (true, false) if fits(32) => Scalar::UInt,
        (true, _) => Scalar::ULong,
    };
    Ok(Number::Int(value, ty))
}

fn parse_float(text: &str, is_hex: bool) -> Result<Number, NumberError> {
    let bytes = text.as_bytes();
    let mut at = if is_hex { 2 } else { 0 };
    let is_digit = |byte: u8| if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    while at < bytes.len() && (is_digit(bytes[at]) || bytes[at] == b'.') {
        at += 1;
    }
    let mantissa = &text[if is_hex { 2 } else { 0 }..at];
    if mantissa.matches('.').count() > 1 || mantissa == "." {
        return Err(NumberError::Digit);
    }
    let mut exponent: i64 = 0;
    if at < bytes.len() && matches!(bytes[at], b'e' | b'E' | b'p' | b'P') {
        let start = at + 1;
        let mut end = start;
        if matches!(bytes.get(end), Some(b'+' | b'-')) {
            end += 1;
        }
        let first_digit = end;
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        if end == first_digit {
            return Err(NumberError::Exponent);
        }
        // Beyond any exponent that matters the value is zero or infinite anyway.
        exponent = text[start..end].parse::<i64>().unwrap_or(i64::MAX).clamp(-100_000, 100_000);
        if text[start..].starts_with('-') && exponent > 0 {
            exponent = -exponent;
        }
        at = end;
    } else if is_hex {
        return Err(NumberError::Exponent);
    }
    let (ty, has_suffix) = match &text[at..] {
        "" => (Scalar::Float, false),
        "f" | "F" => (Scalar::Float, true),
        "h" | "H" => (Scalar::Half, true),
        "bf" | "BF" => (Scalar::BFloat, true),
        // C++ `long double`: Metal has no such type, the suffix is read as none.
        _ => return Err(NumberError::Suffix),
    };
    let value = if is_hex {
        hex_value(mantissa, exponent)
    } else {
        format!("{mantissa}e{exponent}").parse::<f64>().map_err(|_| NumberError::Digit)?
    };
    Ok(Number::Float { value, ty, has_suffix })
}

fn hex_value(mantissa: &str, exponent: i64) -> f64 {
    // The first 16 significant digits are exact in 64 bits; what follows only sets a sticky bit.
    let mut bits: u64 = 0;
    let mut power = exponent;
    let mut after_point = false;
    for byte in mantissa.bytes() {
        if byte == b'.' {
            after_point = true;
            continue;
        }
        let digit = u64::from((byte as char).to_digit(16).unwrap_or(0));
        if bits >> 60 == 0 {
            bits = bits << 4 | digit;
            power -= if after_point { 4 } else { 0 };
        } else {
            bits |= u64::from(digit != 0);
            power += if after_point { 0 } else { 4 };
        }
    }
    // In two steps, so that results below the smallest normal number are still right.
    let half = power / 2;
    (bits as f64) * 2f64.powi(half as i32) * 2f64.powi((power - half) as i32)
}

/// The value of a character literal as written; `None` if it is empty, longer, or has an unknown escape.
pub fn unescape_char(literal: &str) -> Option<u64> {
    let open = literal.find('\'')?;
    let body = literal.get(open + 1..literal.len() - 1)?;
    let text = unescape(body)?;
    let mut characters = text.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first as u64)
}

/// The text of a string literal as written; `None` for an unknown escape.
pub fn unescape_string(literal: &str) -> Option<String> {
    let open = literal.find('"')?;
    if literal[..open].ends_with('R') {
        let left = literal.find('(')?;
        let right = literal.rfind(')')?;
        return literal.get(left + 1..right).map(str::to_owned);
    }
    unescape(literal.get(open + 1..literal.len() - 1)?)
}

fn unescape(body: &str) -> Option<String> {
    if !body.contains('\\') {
        return Some(body.to_owned());
    }
    let mut text = String::with_capacity(body.len());
    let mut rest = body.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        let escaped = rest.next()?;
        text.push(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' | '?' => escaped,
            '0'..='7' => {
                let mut value = escaped.to_digit(8)?;
                for _ in 0..2 {
                    let Some(digit) = rest.peek().and_then(|next| next.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    rest.next();
                }
                char::from_u32(value)?
            }
            'x' | 'u' | 'U' => {
                let limit = match escaped {
                    'x' => 6,
                    'u' => 4,
                    _ => 8,
                };
                let mut value: u32 = 0;
                let mut digits = 0;
                while digits < limit
                    && let Some(digit) = rest.peek().and_then(|next| next.to_digit(16))
                {
                    value = value.checked_mul(16)?.checked_add(digit)?;
                    digits += 1;
                    rest.next();
                }
                if digits == 0 {
                    return None;
                }
                char::from_u32(value)?
            }
            _ => return None,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{Number, NumberError, parse_number, unescape_char, unescape_string};
    use crate::types::Scalar;

    #[test]
    fn integers_get_the_first_type_that_fits() {
        let int = |text| match parse_number(text) {
            Ok(Number::Int(value, ty)) => (value, ty),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(int("0"), (0, Scalar::Int));
        assert_eq!(int("1'000"), (1000, Scalar::Int));
        assert_eq!(int("2147483648"), (1 << 31, Scalar::Long));
        assert_eq!(int("0x80000000"), (1 << 31, Scalar::UInt));
        assert_eq!(int("0b101u"), (5, Scalar::UInt));
        assert_eq!(int("017"), (15, Scalar::Int));
        assert_eq!(int("0xFFFFFFFFFFFFFFFF"), (u64::MAX, Scalar::ULong));
        assert_eq!(int("5ull"), (5, Scalar::ULong));
        assert_eq!(int("4294967296u"), (1 << 32, Scalar::ULong));
    }

    #[test]
    fn floats_know_their_suffix() {
        let float = |text| match parse_number(text) {
            Ok(Number::Float { value, ty, has_suffix }) => (value, ty, has_suffix),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(float("1.5"), (1.5, Scalar::Float, false));
        assert_eq!(float(".5h"), (0.5, Scalar::Half, true));
        assert_eq!(float("1e-3f"), (1e-3, Scalar::Float, true));
        assert_eq!(float("2.bf"), (2.0, Scalar::BFloat, true));
        assert_eq!(float("0x1.8p+1"), (3.0, Scalar::Float, false));
        assert_eq!(float("0x1p-149f"), (2f64.powi(-149), Scalar::Float, true));
        assert_eq!(float("1e99999999999999999999"), (f64::INFINITY, Scalar::Float, false));
        assert_eq!(float("1e-99999999999999999999"), (0.0, Scalar::Float, false));
    }

    #[test]
    fn wrong_numbers_say_what_is_wrong() {
        assert_eq!(parse_number("09"), Err(NumberError::Digit));
        assert_eq!(parse_number("0x"), Err(NumberError::Digit));
        assert_eq!(parse_number("1q"), Err(NumberError::Suffix));
        assert_eq!(parse_number("1e"), Err(NumberError::Exponent));
        assert_eq!(parse_number("0x1.8"), Err(NumberError::Exponent));
        assert_eq!(parse_number("18446744073709551616"), Err(NumberError::TooLarge));
        assert_eq!(parse_number("1.2.3"), Err(NumberError::Digit));
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(unescape_char("'\\n'"), Some(10));
        assert_eq!(unescape_char("'\\x41'"), Some(65));
        assert_eq!(unescape_char("''"), None);
        assert_eq!(unescape_char("'ab'"), None);
        assert_eq!(unescape_string("\"a\\t\\101\""), Some("a\tA".to_owned()));
        assert_eq!(unescape_string("R\"x(a\\n)x\""), Some("a\\n".to_owned()));
        assert_eq!(unescape_string("\"\\q\""), None);
    }
}
