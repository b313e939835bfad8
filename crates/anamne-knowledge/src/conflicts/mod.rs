//! What can't be true together: claims that memories make, which of them are about the same thing, and whether the later
//! one takes the place of the earlier one or contests it.
