//! The forty-byte encoding of attributes.

use anamne_store::view::Attributes;

/// Bytes of one row's attributes.
pub(super) const WIDTH: usize = 40;

/// Encodes attributes; the last byte is 0.
pub(super) fn encode(attributes: &Attributes) -> [u8; WIDTH] {
    let mut bytes = [0; WIDTH];
    bytes[0..8].copy_from_slice(&attributes.occurred_at.to_le_bytes());
    bytes[8..16].copy_from_slice(&attributes.expires_at.to_le_bytes());
    bytes[16..20].copy_from_slice(&attributes.thread.to_le_bytes());
    bytes[20..24].copy_from_slice(&attributes.position.to_le_bytes());
    bytes[24..28].copy_from_slice(&attributes.author.to_le_bytes());
    bytes[28..32].copy_from_slice(&attributes.session.to_le_bytes());
    bytes[32] = attributes.kind;
    bytes[33] = attributes.category;
    bytes[34] = attributes.role;
    bytes[35] = attributes.importance;
    bytes[36] = attributes.trust;
    bytes[37] = u8::from(attributes.superseded);
    bytes[38] = attributes.feedback.cast_unsigned();
    bytes
}

/// Decodes attributes.
#[inline]
pub(super) fn decode(bytes: &[u8; WIDTH]) -> Attributes {
    Attributes {
        occurred_at: i64::from_le_bytes(field(bytes, 0)),
        expires_at: i64::from_le_bytes(field(bytes, 8)),
        thread: u32::from_le_bytes(field(bytes, 16)),
        position: u32::from_le_bytes(field(bytes, 20)),
        author: u32::from_le_bytes(field(bytes, 24)),
        session: u32::from_le_bytes(field(bytes, 28)),
        kind: bytes[32],
        category: bytes[33],
        role: bytes[34],
        importance: bytes[35],
        trust: bytes[36],
        superseded: bytes[37] != 0,
        // 0 in files of versions without feedback.
        feedback: bytes[38].cast_signed(),
    }
}

#[inline]
fn field<const N: usize>(bytes: &[u8; WIDTH], at: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&bytes[at..at + N]);
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_come_back_as_they_were_written() {
        let attributes = Attributes {
            occurred_at: i64::MIN + 1,
            expires_at: i64::MAX,
            thread: 1,
            position: u32::MAX,
            author: 3,
            session: 4,
            kind: 5,
            category: 6,
            role: 7,
            importance: 8,
            trust: 9,
            superseded: true,
            feedback: -33,
        };
        assert_eq!(decode(&encode(&attributes)), attributes);
        assert_eq!(
            decode(&encode(&Attributes::default())),
            Attributes::default()
        );
    }
}
