//! Expressions over columns: `cargo bench -p whitecap-scene`.

use divan::Bencher;
use divan::counter::ItemsCount;
use whitecap_scene::expression::{Expression, Scratch};

fn main() {
    divan::main();
}

/// Both terms of a Gray–Scott reaction in 65 536 cells.
#[divan::bench(max_time = 3)]
fn gray_scott_terms(bencher: Bencher) {
    const COUNT: usize = 65_536;
    let names = ["f1", "f2", "feed", "kill"];
    let parsed = |text| Expression::parse(text, &names).expect("the text is an expression");
    let terms = [parsed("-f1*f2^2 + feed*(1-f1)"), parsed("f1*f2^2-(feed+kill)*f2")];
    let f1: Vec<f32> = (0..COUNT).map(|i| (i % 97) as f32 / 97.0).collect();
    let f2: Vec<f32> = (0..COUNT).map(|i| (i % 89) as f32 / 89.0).collect();
    let columns: [&[f32]; 4] = [&f1, &f2, &[0.037], &[0.06]];
    let (mut out, mut scratch) = (vec![0.0; COUNT], Scratch::default());
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        for term in &terms {
            term.evaluate(&columns, &mut scratch, &mut out).expect("all values are finite");
        }
    });
}
