//! Frames: a JSON value and bytes that it refers to, in one piece.
//!
//! Four bytes with the length of the JSON text (little end first), the text, zeros up to a multiple of eight,
//! the bytes. Spans in the JSON are objects with `offset` and `length`, counted in the bytes.

use serde_json::{Value, json};

/// Bytes of the length in front.
const HEAD: usize = 4;
/// What follows the text starts at a multiple of this, so that JavaScript can look at it as numbers.
const ALIGN: usize = 8;

/// Splits a frame into its JSON text and its bytes.
pub fn split(frame: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32::from_le_bytes(frame.get(..HEAD)?.try_into().ok()?) as usize;
    let end = HEAD.checked_add(length)?;
    let text = frame.get(HEAD..end)?;
    let start = end.checked_next_multiple_of(ALIGN)?;
    Some((text, frame.get(start..).unwrap_or_default()))
}

/// Joins a JSON value and bytes.
pub fn join(value: &Value, bytes: &[u8]) -> Vec<u8> {
    let text = value.to_string();
    let mut frame = Vec::with_capacity(HEAD + text.len() + ALIGN + bytes.len());
    frame.extend((text.len() as u32).to_le_bytes());
    frame.extend(text.as_bytes());
    frame.resize(frame.len().next_multiple_of(ALIGN), 0);
    frame.extend(bytes);
    frame
}

/// The bytes of a response under construction.
#[derive(Debug, Default)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    /// Appends bytes and gives their span.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Value {
        self.0.resize(self.0.len().next_multiple_of(ALIGN), 0);
        let offset = self.0.len();
        self.0.extend(bytes);
        json!({ "offset": offset, "length": bytes.len() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{join, split};

    #[test]
    fn frames_come_apart_as_they_were_joined() {
        for text in ["", "a", "abcdefgh"] {
            let value = json!({ "text": text });
            let frame = join(&value, &[1, 2, 3]);
            let (json, bytes) = split(&frame).expect("a frame");
            assert_eq!(serde_json::from_slice::<serde_json::Value>(json).expect("JSON"), value);
            assert_eq!(bytes, [1, 2, 3]);
        }
        assert_eq!(split(&[255, 255, 255, 255, 0]), None);
        assert_eq!(split(&[1, 0]), None);
    }
}
