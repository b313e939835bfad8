//! anamne-types
