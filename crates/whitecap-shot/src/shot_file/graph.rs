//! The order in which stages run, and the cycles that prevent one.

/// An order of the stages 0 to n − 1 in which every stage comes after its inputs, as early as its
/// position in the file allows; or one cycle, each stage an input of the one before.
pub(crate) fn order(inputs: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut placed = vec![false; inputs.len()];
    let mut order = Vec::with_capacity(inputs.len());
    while order.len() < inputs.len() {
        let ready = (0..inputs.len())
            .find(|&stage| !placed[stage] && inputs[stage].iter().all(|&input| placed[input]));
        match ready {
            Some(stage) => {
                placed[stage] = true;
                order.push(stage);
            }
            None => return Err(cycle(inputs, &placed)),
        }
    }
    Ok(order)
}

/// Walks from input to input among the stages that could not be placed: each has such an input, so
/// the walk must return to a stage it has visited.
fn cycle(inputs: &[Vec<usize>], placed: &[bool]) -> Vec<usize> {
    let mut path: Vec<usize> = placed.iter().position(|&done| !done).into_iter().collect();
    while let Some(&here) = path.last() {
        let Some(&next) = inputs[here].iter().find(|&&input| !placed[input]) else { break };
        if let Some(start) = path.iter().position(|&stage| stage == next) {
            return path.split_off(start);
        }
        path.push(next);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract: inputs come first, and stages keep the order of the file where they can.
    #[test]
    fn inputs_come_first() {
        assert_eq!(order(&[vec![2], vec![], vec![]]), Ok(vec![1, 2, 0]));
        assert_eq!(order(&[vec![], vec![0], vec![0, 1]]), Ok(vec![0, 1, 2]));
        assert_eq!(order(&[]), Ok(vec![]));
    }

    /// Contract: a cycle is found wherever the walk starts, and only its own stages are named.
    #[test]
    fn cycles_are_found() {
        assert_eq!(order(&[vec![0]]), Err(vec![0]));
        assert_eq!(order(&[vec![1], vec![2], vec![3], vec![1]]), Err(vec![1, 2, 3]));
    }
}
