//! What iterative pressure solvers share: when they stop, how they are accelerated, what they report.

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stop {
    /// Mean density error, as a fraction of the rest density.
    pub mean_error: f32,
    /// Largest density excess, as a fraction of the rest density.
    pub largest_error: f32,
    pub least_iterations: u32,
    pub most_iterations: u32,
}

impl Stop {
    /// Whether an outcome is good enough.
    pub fn is_reached(&self, outcome: &Iterations) -> bool {
        outcome.count >= self.least_iterations
            && outcome.mean_error <= self.mean_error
            && outcome.largest_error <= self.largest_error
    }
}

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iterations {
    /// Iterations done.
    pub count: u32,
    /// Mean density error reached, as a fraction of the rest density: the mean excess, or the mean
    /// deficit where there is pressure, whichever is larger. Too much pressure is an error as well.
    pub mean_error: f32,
    /// Largest density excess reached, as a fraction of the rest density.
    pub largest_error: f32,
    /// Whether it stopped at the largest number of iterations, before it was good enough.
    pub at_limit: bool,
}

/// Nesterov's sequence t_1 = 1, t_(k+1) = (1 + √(1 + 4 t_k²)) / 2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Momentum(f32);

impl Default for Momentum {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Momentum {
    fn next(self) -> f32 {
        0.5 * (1.0 + (1.0 + 4.0 * self.0 * self.0).sqrt())
    }

    /// Share of the last change by which the next iteration looks ahead: (t_k − 1) / t_(k+1).
    pub fn carry(self) -> f32 {
        (self.0 - 1.0) / self.next()
    }

    /// Moves on to the next iteration, or back to the first.
    pub fn advance(&mut self, restart: bool) {
        self.0 = if restart { 1.0 } else { self.next() };
    }
}

/// Sums over the particles of one iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IterationSums {
    excess: f64,
    deficit: f64,
    largest: f32,
    overshoot: f64,
}

impl IterationSums {
    /// Adds a particle whose density error at the pressure `from` is `error`, and whose pressure
    /// changes from `before` to `after`.
    #[inline(always)]
    pub fn add(&mut self, error: f32, from: f32, before: f32, after: f32) {
        self.excess += f64::from(error.max(0.0));
        self.deficit += f64::from(if after > 0.0 { (-error).max(0.0) } else { 0.0 });
        self.largest = self.largest.max(error);
        self.overshoot += f64::from(from - after) * f64::from(after - before);
    }

    /// The sums over both parts.
    pub fn join(self, other: &Self) -> Self {
        Self {
            excess: self.excess + other.excess,
            deficit: self.deficit + other.deficit,
            largest: self.largest.max(other.largest),
            overshoot: self.overshoot + other.overshoot,
        }
    }

    /// The outcome of iteration number `count` over the given number of particles.
    pub fn outcome(&self, count: u32, particles: usize, rest_density: f32) -> Iterations {
        let mean = self.excess.max(self.deficit) / particles.max(1) as f64;
        Iterations {
            count,
            mean_error: mean as f32 / rest_density,
            largest_error: self.largest / rest_density,
            at_limit: false,
        }
    }

    /// Whether momentum points the wrong way (O'Donoghue & Candès 2015, gradient scheme).
    pub fn overshoots(&self) -> bool {
        self.overshoot > 0.0
    }
}
