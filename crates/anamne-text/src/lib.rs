//! anamne-text
