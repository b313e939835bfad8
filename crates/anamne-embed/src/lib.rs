//! anamne-embed
