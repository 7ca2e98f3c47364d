//! The 64 steps of RFC 1321, written once for every vector width.

/// The sine table: `floor(2^32 * abs(sin(i + 1)))`.
pub const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

/// Which message word step `i` takes.
pub const fn word_of(i: usize) -> usize {
    match i / 16 {
        0 => i,
        1 => (5 * i + 1) % 16,
        2 => (3 * i + 5) % 16,
        _ => (7 * i) % 16,
    }
}

/// One step in each of the groups, so that their dependency chains overlap. The caller's module has
/// `step::<ROUND, LEFT, RIGHT>([a, b, c, d], message word, constant)`, which returns the new `a`.
macro_rules! md5_step {
    ($s:ident, $m:ident, $round:literal, [$a:tt $b:tt $c:tt $d:tt], $i:expr, $left:literal) => {
        for (s, m) in $s.iter_mut().zip(&$m) {
            let word = m[$crate::md5::steps::word_of($i)];
            let constant = $crate::md5::steps::SINES[$i];
            s[$a] = step::<$round, $left, { 32 - $left }>([s[$a], s[$b], s[$c], s[$d]], word, constant);
        }
    };
}

macro_rules! md5_quads {
    ($s:ident, $m:ident, $round:literal, $l0:literal $l1:literal $l2:literal $l3:literal,
     $($i:literal)*) => {$(
        md5_step!($s, $m, $round, [0 1 2 3], $i, $l0);
        md5_step!($s, $m, $round, [3 0 1 2], $i + 1, $l1);
        md5_step!($s, $m, $round, [2 3 0 1], $i + 2, $l2);
        md5_step!($s, $m, $round, [1 2 3 0], $i + 3, $l3);
    )*};
}

/// All four rounds over the states `$s` (one a group) with the message words `$m`.
macro_rules! md5_rounds {
    ($s:ident, $m:ident) => {
        md5_quads!($s, $m, 0, 7 12 17 22, 0 4 8 12);
        md5_quads!($s, $m, 1, 5 9 14 20, 16 20 24 28);
        md5_quads!($s, $m, 2, 4 11 16 23, 32 36 40 44);
        md5_quads!($s, $m, 3, 6 10 15 21, 48 52 56 60);
    };
}
