//! Memory maps, and views of their bytes as numbers: the only unsafe code besides `vectors::simd`.
//!
//! Invariants, and what guarantees them:
//!
//! - A mapped file does not change or shrink while it is mapped. Segment files are written under a name that no
//!   manifest lists, and after that only deleted, never truncated or rewritten; the folder belongs to its owner only
//!   (0700). Deleting a mapped file leaves the mapping intact on Unix and is refused on Windows. Editing the files by
//!   hand while a process runs violates the contract of memory maps; this is detected before the next query (`held`),
//!   so that only an edit during the microseconds of a query can do harm.
//! - A type that implements [`Plain`] accepts every bit pattern and has no padding, so it can be read from bytes and
//!   written as bytes. Files are little-endian, and the host must be too.

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
        // SAFETY: segment files are immutable; see the module documentation.
        unsafe { Mmap::map(file) }
            .map(Self)
            .map_err(|error| ViewError::io("map", path, error))
    }

    /// Its bytes, page-aligned and so aligned for every [`Plain`] type.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A number that is stored as its bytes.
///
/// # Safety
///
/// Every bit pattern must be a valid value, and there must be no padding.
pub(crate) unsafe trait Plain: Copy + Send + Sync + 'static {}

// SAFETY: a number without padding for which every bit pattern is valid.
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

/// `bytes` as numbers; `None` if they are misaligned or the length is not a multiple.
pub(crate) fn as_numbers<T: Plain>(bytes: &[u8]) -> Option<&[T]> {
    // SAFETY: `Plain` guarantees that every bit pattern is valid; `align_to` ensures alignment.
    let (before, numbers, after) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && after.is_empty()).then_some(numbers)
}

/// The bytes of `numbers`.
pub(crate) fn as_bytes<T: Plain>(numbers: &[T]) -> &[u8] {
    // SAFETY: `Plain` guarantees that there is no padding, so every byte is initialised; bytes need no alignment, and
    // the length in bytes is that of the same memory.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}
