//! Sequences of little-endian fields, as in manifests and summaries.

/// Appends fields to a buffer.
#[derive(Default)]
pub(crate) struct ByteWriter(Vec<u8>);

impl ByteWriter {
    /// A 32-bit integer.
    pub(crate) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// A 64-bit integer.
    pub(crate) fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// A length, then that many bytes.
    pub(crate) fn block(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.raw(bytes);
    }

    /// Bytes whose length the reader knows.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The encoded bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }

    /// The bytes written so far.
    pub(crate) fn written(&self) -> &[u8] {
        &self.0
    }
}

/// Reads fields from the front of a buffer; `None` if it is too short.
pub(crate) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    /// A reader of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// A 32-bit integer.
    pub(crate) fn u32(&mut self) -> Option<u32> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*field))
    }

    /// A 64-bit integer.
    pub(crate) fn u64(&mut self) -> Option<u64> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*field))
    }

    /// A length, then that many bytes.
    pub(crate) fn block(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u64()?).ok()?;
        self.raw(length)
    }

    /// The given number of bytes.
    pub(crate) fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let (field, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(field)
    }

    /// `Some` if nothing is left.
    pub(crate) fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}
