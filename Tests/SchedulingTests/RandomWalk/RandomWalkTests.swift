// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

/// Walks are walked in parts side by side. From outside can be said how far (`BGTASK_WALK_EVENTS`), along which seeds
/// (`BGTASK_WALK_SEED`), or one walk step by step, as a failure prints it (`BGTASK_WALK`).
@Suite("Whatever happens in whatever order, what the semantics promise holds")
struct RandomWalkTests {
    private static let parts = 4
    private static let steps = 400
    private static let environment = ProcessInfo.processInfo.environment
    private static let events = environment["BGTASK_WALK_EVENTS"].flatMap(Int.init) ?? 100_000
    private static let firstSeed = environment["BGTASK_WALK_SEED"].flatMap { UInt64($0) } ?? 0xb97a_5c00
    private static let replayed = environment["BGTASK_WALK"]

    @Test(.enabled(if: replayed == nil), arguments: 0..<parts)
    func `C3 C7 C12 C13 a hundred thousand events break no promise`(_ part: Int) {
        var count = 0
        var seed = Self.firstSeed &+ UInt64(part)
        while count < Self.events / Self.parts {
            let numbers = RandomWalk.numbers(of: seed, steps: Self.steps)
            do {
                count += try RandomWalk.walk(numbers)
            } catch {
                let shorter = ShorterWalk(failing: numbers)
                Issue.record("seed \(seed): \(error); \(shorter)")
                return
            }
            seed &+= UInt64(Self.parts)
        }
        #expect(count >= Self.events / Self.parts)
    }

    @Test(.enabled(if: replayed != nil))
    func `a walk that failed is walked again`() throws {
        let numbers = Self.replayed?.split(separator: ",").compactMap { UInt64($0, radix: 16) }
        try RandomWalk.walk(numbers ?? []) { walk in
            print("\(walk.step). \(walk.last)")
            for line in walk.story { print("    \(line)") }
        }
    }
}
