//! Unit tests of the bit stream, over streams written bit by bit.

use super::{Bits, Event, Record, Stream};

/// Writes fields low bit first.
#[derive(Default)]
struct Writer {
    bits: Vec<bool>,
}

impl Writer {
    fn fixed(&mut self, value: u64, width: u32) -> &mut Self {
        self.bits.extend((0..width).map(|bit| value >> bit & 1 == 1));
        self
    }

    fn vbr(&mut self, mut value: u64, width: u32) -> &mut Self {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width)
    }

    fn align(&mut self) -> &mut Self {
        let length = self.bits.len().next_multiple_of(32);
        self.bits.resize(length, false);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        self.bits
            .chunks(8)
            .map(|byte| byte.iter().enumerate().fold(0, |sum, (bit, &set)| sum | u8::from(set) << bit))
            .collect()
    }

    /// Appends a block of id `id` with abbreviation width 3 and this body (its end included).
    fn block(&mut self, outer_width: u32, id: u64, body: &Writer) -> &mut Self {
        self.fixed(1, outer_width).vbr(id, 8).vbr(3, 4).align();
        self.fixed(body.bits.len() as u64 / 32, 32);
        self.bits.extend(&body.bits);
        self
    }
}

fn magic() -> Writer {
    let mut writer = Writer::default();
    writer.fixed(0xdec0_4342, 32);
    writer
}

#[test]
fn fields_cross_word_borders() {
    let mut writer = Writer::default();
    writer.fixed(5, 3).fixed(u64::MAX, 64).vbr(1 << 40 | 7, 6).fixed(1, 1);
    let bytes = writer.align().bytes();
    let mut bits = Bits::new(&bytes);
    assert_eq!(bits.fixed(3), Ok(5));
    assert_eq!(bits.fixed(64), Ok(u64::MAX));
    assert_eq!(bits.vbr(6), Ok(1 << 40 | 7));
    assert_eq!(bits.fixed(1), Ok(1));
    assert!(bits.fixed(64).is_err());
}

#[test]
fn numbers_over_64_bits_are_refused() {
    let mut writer = Writer::default();
    for _ in 0..20 {
        writer.fixed(0b11_1111, 6);
    }
    writer.fixed(0b01_1111, 6);
    let bytes = writer.align().bytes();
    assert!(Bits::new(&bytes).vbr(6).is_err());

    let mut writer = Writer::default();
    writer.vbr(u64::MAX, 6);
    let bytes = writer.align().bytes();
    assert_eq!(Bits::new(&bytes).vbr(6), Ok(u64::MAX));
}

#[test]
fn abbreviated_arrays_and_blobs() {
    let mut body = Writer::default();
    // Define: [literal 7, fixed 4, array of char6].
    body.fixed(2, 3).vbr(4, 5);
    body.fixed(1, 1).vbr(7, 8);
    body.fixed(0, 1).fixed(1, 3).vbr(4, 5);
    body.fixed(0, 1).fixed(3, 3);
    body.fixed(0, 1).fixed(4, 3);
    // Use it.
    body.fixed(4, 3).fixed(9, 4).vbr(2, 6).fixed(0, 6).fixed(62, 6);
    // Define: [vbr6 code, blob].
    body.fixed(2, 3).vbr(2, 5);
    body.fixed(0, 1).fixed(2, 3).vbr(6, 5);
    body.fixed(0, 1).fixed(5, 3);
    body.fixed(5, 3).vbr(3, 6).vbr(2, 6).align().fixed(0x4241, 16).align();
    body.fixed(0, 3).align();
    let bytes = magic().block(2, 8, &body).bytes();

    let mut stream = Stream::new(&bytes);
    let mut record = Record::default();
    assert_eq!(stream.next(&mut record), Ok(Event::Block(8)));
    stream.enter(8).unwrap();
    assert_eq!(stream.next(&mut record), Ok(Event::Record));
    assert_eq!(
        (record.code, record.operands.as_slice()),
        (7, [9, u64::from(b'a'), u64::from(b'.')].as_slice())
    );
    assert_eq!(stream.next(&mut record), Ok(Event::Record));
    assert_eq!((record.code, record.blob), (3, b"AB".as_slice()));
    assert_eq!(stream.next(&mut record), Ok(Event::End));
    assert!(stream.is_at_end());
}

#[test]
fn block_info_gives_abbreviations_to_later_blocks() {
    let mut info = Writer::default();
    // SETBID 8, then [literal 5, fixed 8].
    info.fixed(3, 3).vbr(1, 6).vbr(1, 6).vbr(8, 6);
    info.fixed(2, 3).vbr(2, 5).fixed(1, 1).vbr(5, 8).fixed(0, 1).fixed(1, 3).vbr(8, 5);
    info.fixed(0, 3).align();
    let mut body = Writer::default();
    body.fixed(4, 3).fixed(200, 8).fixed(0, 3).align();
    let bytes = magic().block(2, 0, &info).block(2, 8, &body).bytes();

    let mut stream = Stream::new(&bytes);
    let mut record = Record::default();
    assert_eq!(stream.next(&mut record), Ok(Event::Block(8)));
    stream.enter(8).unwrap();
    assert_eq!(stream.next(&mut record), Ok(Event::Record));
    assert_eq!((record.code, record.operands.as_slice()), (5, [200].as_slice()));
}

#[test]
fn hostile_lengths_are_errors() {
    // An unabbreviated record of 2^40 operands.
    let mut body = Writer::default();
    body.fixed(3, 3).vbr(1, 6).vbr(1 << 40, 6).fixed(0, 3).align();
    let bytes = magic().block(2, 8, &body).bytes();
    let mut stream = Stream::new(&bytes);
    let mut record = Record::default();
    assert_eq!(stream.next(&mut record), Ok(Event::Block(8)));
    stream.enter(8).unwrap();
    assert!(stream.next(&mut record).is_err());

    // A block longer than the file.
    let mut writer = magic();
    writer.fixed(1, 2).vbr(8, 8).vbr(3, 4).align().fixed(1 << 20, 32);
    let bytes = writer.bytes();
    let mut stream = Stream::new(&bytes);
    assert_eq!(stream.next(&mut record), Ok(Event::Block(8)));
    assert!(stream.enter(8).is_err());

    // An array whose elements take no bits.
    let mut body = Writer::default();
    body.fixed(2, 3).vbr(3, 5).fixed(1, 1).vbr(7, 8).fixed(0, 1).fixed(3, 3).fixed(1, 1).vbr(0, 8);
    body.fixed(4, 3).vbr(1 << 30, 6).fixed(0, 3).align();
    let bytes = magic().block(2, 8, &body).bytes();
    let mut stream = Stream::new(&bytes);
    assert_eq!(stream.next(&mut record), Ok(Event::Block(8)));
    stream.enter(8).unwrap();
    assert!(stream.next(&mut record).is_err());
}

#[test]
fn deep_nesting_is_refused() {
    let mut body = Writer::default();
    body.fixed(0, 3).align();
    for _ in 0..40 {
        let mut outer = Writer::default();
        outer.block(3, 8, &body).fixed(0, 3).align();
        body = outer;
    }
    let bytes = magic().block(2, 8, &body).bytes();
    let mut stream = Stream::new(&bytes);
    let mut record = Record::default();
    let result = loop {
        match stream.next(&mut record) {
            Ok(Event::Block(id)) => {
                if let Err(error) = stream.enter(id) {
                    break Err(error);
                }
            }
            Ok(_) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    assert!(result.is_err());
}
