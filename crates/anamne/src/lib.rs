//! anamne
