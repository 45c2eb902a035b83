// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A failing walk without the steps that are not needed for the failure.
struct ShorterWalk: CustomStringConvertible {
    private(set) var numbers: [UInt64]
    private(set) var failure: RandomWalk.Failure?
    private let kind: String?

    /// The time limit of the search. At the limit, the shortest failing walk so far is the result.
    private static let limit: Duration = .seconds(10)
    private let begin = ContinuousClock.now

    /// Removes smaller and smaller parts of the walk, as long as the rest fails in the same way.
    init(failing: [UInt64]) {
        numbers = failing
        failure = Self.failure(of: failing)
        kind = failure?.kind
        if let failure { numbers = Array(failing.prefix(failure.step + 1)) }
        var length = numbers.count / 2
        while length > 0, ContinuousClock.now - begin < Self.limit {
            if !leaveOut(length) { length /= 2 }
        }
    }

    /// Removes parts of `length` steps.
    ///
    /// - Returns: Whether steps could be removed.
    private mutating func leaveOut(_ length: Int) -> Bool {
        var start = 1
        var hasShrunk = false
        while start < numbers.count, ContinuousClock.now - begin < Self.limit {
            var rest = numbers
            rest.removeSubrange(start..<min(start + length, numbers.count))
            if let failure = Self.failure(of: rest), failure.kind == kind {
                (numbers, self.failure, hasShrunk) = (rest, failure, true)
            } else {
                start += length
            }
        }
        return hasShrunk
    }

    private static func failure(of numbers: [UInt64]) -> RandomWalk.Failure? {
        do {
            try RandomWalk.walk(numbers)
            return nil
        } catch {
            return error as? RandomWalk.Failure
        }
    }

    var description: String {
        let text = numbers.map { String($0, radix: 16) }.joined(separator: ",")
        let what = failure.map { "\($0)" } ?? "does not fail again"
        return "in \(numbers.count - 1) steps: \(what); see it step by step with: make soak WALK=\(text)"
    }
}
