//! anamne-store
