//! anamne-recall
