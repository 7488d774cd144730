//! The points that carry waves: where they lie, and how they stay even.
