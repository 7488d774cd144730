//! Whether this processor can run the program at all.
//!
//! Whitecap is compiled for x86-64-v3 by default. A processor without those instructions would
//! crash without a message, so they are checked first, with masks and comparisons that every
//! processor understands. `is_x86_feature_detected!` cannot be used: it is constant when the
//! program is compiled for the feature it asks about.

use std::process::ExitCode;

/// The exit code for a processor that is too old.
const TOO_OLD: u8 = 3;

/// Instruction sets of x86-64-v3: the bits that must all be set in one of the `Registers`.
/// AVX also needs the operating system to keep its registers, which it says with bit 27.
const NEEDED: [(&str, Register, u32); 8] = [
    ("AVX", Register::Basic, 1 << 28 | 1 << 27),
    ("FMA", Register::Basic, 1 << 12),
    ("MOVBE", Register::Basic, 1 << 22),
    ("F16C", Register::Basic, 1 << 29),
    ("AVX2", Register::Structured, 1 << 5),
    ("BMI1", Register::Structured, 1 << 3),
    ("BMI2", Register::Structured, 1 << 8),
    ("LZCNT", Register::Extended, 1 << 5),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    /// Leaf 1, ECX.
    Basic,
    /// Leaf 7, EBX.
    Structured,
    /// Leaf 0x80000001, ECX.
    Extended,
}

const fn mask(register: Register) -> u32 {
    let mut bits = 0;
    let mut place = 0;
    while place < NEEDED.len() {
        if NEEDED[place].1 as u32 == register as u32 {
            bits |= NEEDED[place].2;
        }
        place += 1;
    }
    bits
}

/// Whether every instruction set that the program was compiled for is there.
pub fn is_new_enough() -> bool {
    if !cfg!(target_feature = "avx2") {
        return true;
    }
    // Three comparisons with constants, rather than a loop that the compiler might vectorise.
    const BASIC: u32 = mask(Register::Basic);
    const STRUCTURED: u32 = mask(Register::Structured);
    const EXTENDED: u32 = mask(Register::Extended);
    read(Register::Basic) & BASIC == BASIC
        && read(Register::Structured) & STRUCTURED == STRUCTURED
        && read(Register::Extended) & EXTENDED == EXTENDED
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn read(register: Register) -> u32 {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    match register {
        Register::Basic => __cpuid(1).ecx,
        Register::Structured if __cpuid(0).eax < 7 => 0,
        Register::Structured => __cpuid_count(7, 0).ebx,
        Register::Extended if __cpuid(0x8000_0000).eax < 0x8000_0001 => 0,
        Register::Extended => __cpuid(0x8000_0001).ecx,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn read(_register: Register) -> u32 {
    u32::MAX
}

/// Says which instructions are missing and what to do.
#[inline(never)]
pub fn explain() -> ExitCode {
    eprint!("error: this processor is too old for this build of whitecap; it lacks");
    for (name, register, bits) in NEEDED {
        if read(register) & bits != bits {
            eprint!(" {name}");
        }
    }
    eprintln!(
        ".\nBuild it for older processors with:\n  RUSTFLAGS=\"-C target-cpu=x86-64\" cargo build --release"
    );
    ExitCode::from(TOO_OLD)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Contract: on the machine the tests run on, every bit agrees with what the standard library
    /// detects under the same name.
    #[test]
    fn the_bits_agree_with_the_standard_library() {
        let detected = [
            is_x86_feature_detected!("avx"),
            is_x86_feature_detected!("fma"),
            is_x86_feature_detected!("movbe"),
            is_x86_feature_detected!("f16c"),
            is_x86_feature_detected!("avx2"),
            is_x86_feature_detected!("bmi1"),
            is_x86_feature_detected!("bmi2"),
            is_x86_feature_detected!("lzcnt"),
        ];
        for ((name, register, bits), expected) in NEEDED.into_iter().zip(detected) {
            assert_eq!(read(register) & bits == bits, expected, "{name}");
        }
        assert_eq!(is_new_enough(), detected == [true; 8] || !cfg!(target_feature = "avx2"));
    }
}
