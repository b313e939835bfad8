//! Memory maps, and the view of their bytes as numbers: with `vectors::simd` the only unsafe code.
//!
//! What must hold, and who sees to it:
//!
//! - A mapped file does not change or shrink while it is mapped. Segment files are written under a name
//!   that no manifest knows, and from then on only ever deleted, never truncated nor written again; the
//!   folder belongs to its owner alone (0700). Deleting a mapped file leaves the mapping intact on Unix
//!   and is refused on Windows. Whoever edits the files by hand while a process runs breaks the
//!   contract of every memory map; that is noticed before the next question (`held`), so that only an edit within the
//!   microseconds of a question can still do harm.
//! - A type that implements [`Plain`] accepts every pattern of bits and has no padding, so bytes may be
//!   read as it and it may be written as bytes. The files are little-endian, and so must the host be.

#![allow(unsafe_code)]

use std::fs::File;
use std::path::Path;

use anamne_store::view::ViewError;
use memmap2::Mmap;

#[cfg(not(target_endian = "little"))]
compile_error!("segment files are mapped as little-endian numbers");

/// A file mapped for reading.
pub(crate) struct Mapping(Mmap);

impl Mapping {
    /// Maps the whole of `file`.
    pub(crate) fn new(file: &File, path: &Path) -> Result<Self, ViewError> {
        // SAFETY: segment files are immutable; see the head of this module.
        unsafe { Mmap::map(file) }
            .map(Self)
            .map_err(|error| ViewError::io("map", path, error))
    }

    /// Its bytes; they start at a page, so they are aligned for every [`Plain`] type.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A number as it stands in a file.
///
/// # Safety
///
/// Every pattern of bits is a value, and there is no padding.
pub(crate) unsafe trait Plain: Copy + Send + Sync + 'static {}

// SAFETY: numbers without padding for which every pattern of bits is a value.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i8 {}
// SAFETY: as above.
unsafe impl Plain for u16 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for f32 {}

/// `bytes` as numbers; `None` when they are not aligned or not a whole number of them.
pub(crate) fn as_numbers<T: Plain>(bytes: &[u8]) -> Option<&[T]> {
    // SAFETY: `Plain` promises that every pattern of bits is a value; `align_to` sees to alignment.
    let (before, numbers, after) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && after.is_empty()).then_some(numbers)
}

/// `numbers` as they stand in a file.
pub(crate) fn as_bytes<T: Plain>(numbers: &[T]) -> &[u8] {
    // SAFETY: `Plain` promises that there is no padding, so every byte is initialised; a byte is
    // aligned anywhere and the length in bytes is that of the same memory.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}
