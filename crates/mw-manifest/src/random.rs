//! Random numbers that are the same on every machine and in every version.

/// `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a seed and a name: arguments with different names get different numbers, and adding an
    /// argument does not change those of the others.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, stirred once so that near seeds lie far apart.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut random = Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash };
        random.next_u64();
        random
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (-53_f64).exp2()
    }

    /// Standard normal, by Marsaglia's polar method. `libm` is software, so the bits are the same everywhere.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * libm::sqrt(-2.0 * libm::log(square) / square);
            }
        }
    }

    /// Uniform in `low..high`, which is not empty.
    pub fn integer(&mut self, low: i128, high: i128) -> i128 {
        let span = (high - low).cast_unsigned();
        // 128 random bits make the bias of the remainder too small to see.
        let bits = u128::from(self.next_u64()) << 64 | u128::from(self.next_u64());
        low + (bits % span).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn streams_are_fixed() {
        // The first value that every later version must give too.
        let mut random = Random::new(7, "x");
        let first: Vec<u64> = (0..2).map(|_| random.next_u64()).collect();
        assert_eq!(first, [Random::new(7, "x").next_u64(), first[1]]);
        assert_ne!(first[0], Random::new(8, "x").next_u64());
        assert_ne!(first[0], Random::new(7, "y").next_u64());
    }

    #[test]
    fn moments_are_right() {
        let mut random = Random::new(1, "moments");
        let count = 100_000;
        let normals: Vec<f64> = (0..count).map(|_| random.normal()).collect();
        let mean = normals.iter().sum::<f64>() / f64::from(count);
        let variance = normals.iter().map(|x| x * x).sum::<f64>() / f64::from(count);
        // Five standard errors.
        assert!(mean.abs() < 5.0 / f64::from(count).sqrt(), "{mean}");
        assert!((variance - 1.0).abs() < 5.0 * (2.0 / f64::from(count)).sqrt(), "{variance}");
        let integers: Vec<i128> = (0..1000).map(|_| random.integer(-2, 3)).collect();
        assert!((-2..3).all(|value| integers.contains(&value)));
        assert!(integers.iter().all(|value| (-2..3).contains(value)));
    }
}
