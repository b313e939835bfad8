//! anamne-index
