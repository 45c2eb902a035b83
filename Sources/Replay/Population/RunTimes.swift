// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// How long a task takes, from one run to the next.
package enum RunTimes: Hashable, Sendable {
    /// Half of them between `least` and `typical`; of the rest few come near `most`.
    case shaped(least: Duration, typical: Duration, most: Duration)
    /// As they were; each is as likely as another.
    case observed([Duration])

    func draw(_ chance: inout SeededGenerator) -> Duration {
        switch self {
        case .shaped(let least, let typical, let most):
            // Products alone: the same bits on every machine, which powers and logarithms do not promise.
            let place = Double.random(in: 0..<1, using: &chance)
            if place < 0.5 { return least + (typical - least) * (2 * place) }
            let rest = 2 * place - 1
            return typical + (most - typical) * (rest * rest * rest * rest)
        case .observed(let times): return times.randomElement(using: &chance) ?? .zero
        }
    }
}
