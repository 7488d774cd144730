//! The front of a breaking dam, as measured.

/// J. C. Martin and W. J. Moyce, "An experimental study of the collapse of liquid columns on a
/// rigid horizontal plane", Phil. Trans. R. Soc. A 244 (1952) 312–324, Fig. 3: a column of width a
/// and height 2a; T = t √(2g/a), Z = x/a of the front. Both widths of the experiment, a = 1.125 in
/// and 2.25 in, in order of T.
pub const MEASURED: [(f32, f32); 9] = [
    (0.832, 1.217),
    (0.849, 1.245),
    (1.212, 1.443),
    (1.219, 1.474),
    (1.602, 1.884),
    (1.997, 2.292),
    (2.283, 2.689),
    (2.547, 2.995),
    (2.950, 3.728),
];
