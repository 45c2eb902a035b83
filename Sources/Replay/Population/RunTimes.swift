// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The distribution of a task's run times.
package enum RunTimes: Hashable, Sendable {
    /// A random distribution: half of the times lie between `least` and `typical`. The other half lies above `typical`,
    /// with few times near `most`.
    case shaped(least: Duration, typical: Duration, most: Duration)
    /// Measured times, each equally likely.
    case observed([Duration])

    func draw(_ chance: inout SeededGenerator) -> Duration {
        switch self {
        case .shaped(let least, let typical, let most):
            // Only products are used: they give the same bits on every machine, unlike powers and logarithms.
            let place = Double.random(in: 0..<1, using: &chance)
            if place < 0.5 { return least + (typical - least) * (2 * place) }
            let rest = 2 * place - 1
            return typical + (most - typical) * (rest * rest * rest * rest)
        case .observed(let times): return times.randomElement(using: &chance) ?? .zero
        }
    }
}
