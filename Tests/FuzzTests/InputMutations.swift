// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Changed copies of inputs, the same ones in every run: bytes are replaced, removed, repeated, or exchanged with those
/// of another input.
struct InputMutations {
    private static let notable: [UInt8] = [0, 1, 0x20, 0x22, 0x7b, 0x7f, 0x80, 0xff]

    private let inputs: [[UInt8]]
    private var dice: SeededGenerator

    init(of inputs: [[UInt8]], seed: UInt64) {
        self.inputs = inputs
        dice = SeededGenerator(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var input = inputs.randomElement(using: &dice) ?? []
        for _ in 0...number(below: 4) { change(&input) }
        return input
    }

    private mutating func change(_ input: inout [UInt8]) {
        let start = number(below: input.count + 1)
        let end = min(input.count, start + 1 << number(below: 6))
        switch number(below: 5) {
        case 0: for place in start..<end { input[place] = UInt8.random(in: 0...255, using: &dice) }
        case 1: if start < end { input[start] = Self.notable.randomElement(using: &dice) ?? 0 }
        case 2: input.removeSubrange(start..<end)
        case 3: input.insert(contentsOf: input[start..<end], at: start)
        default:
            let other = inputs.randomElement(using: &dice) ?? []
            input.replaceSubrange(start..., with: other.dropFirst(number(below: other.count + 1)).prefix(4_096))
        }
    }

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &dice) }
}
