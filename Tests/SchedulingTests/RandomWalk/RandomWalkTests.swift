// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import StatementTraits
import Testing

/// The walks run in parallel parts. Environment variables set the number of events (`BGTASK_WALK_EVENTS`), the first
/// seed (`BGTASK_WALK_SEED`), or one walk to replay step by step (`BGTASK_WALK`), as a failure prints it or as `seed:`
/// and its seed.
@Suite("The scheduler conforms to a naive model of the semantics under random events")
struct RandomWalkTests {
    private static let parts = 4
    private static let steps = 400
    private static let environment = ProcessInfo.processInfo.environment
    private static let events = environment["BGTASK_WALK_EVENTS"].flatMap(Int.init) ?? 100_000
    private static let firstSeed = environment["BGTASK_WALK_SEED"].flatMap { UInt64($0) } ?? 0xb97a_5c00
    private static let replayed = environment["BGTASK_WALK"].flatMap { $0.isEmpty ? nil : $0 }
    /// Maximum number of reported failures of one part.
    private static let mostFailures = 3

    @Test(.proves("C3", "C7", "C12", "C13", "C19"), .enabled(if: replayed == nil))
    func `a hundred thousand random events reveal no violation of the naive model's rules`() async {
        let party = WalkParty(firstSeed: Self.firstSeed, interval: 1_000_000)
        await withTaskGroup { group in
            for part in 0..<Self.parts { group.addTask { Self.walk(part, of: party) } }
        }
        if Self.environment["BGTASK_WALK_EVENTS"] != nil { print(party.report) }
        if Self.events >= 100_000 { #expect(party.tally.continued > 0 && party.tally.withoutProgress > 0) }
    }

    private static func walk(_ part: Int, of party: WalkParty) {
        var count = 0
        var seed = firstSeed &+ UInt64(part)
        var kinds: Set<String> = []
        while count < events / parts, kinds.count < mostFailures {
            do {
                count += try party.walk(seed: seed, steps: steps).eventCount
            } catch let failure as RandomWalk.Failure {
                if kinds.insert(failure.kind).inserted {
                    let shorter = ShorterWalk(failing: RandomWalk.numbers(of: seed, steps: steps))
                    Issue.record("seed \(seed): \(failure); \(shorter)")
                }
            } catch {
                Issue.record(error)
            }
            seed &+= UInt64(parts)
        }
        #expect(count >= events / parts)
    }

    @Test(.enabled(if: replayed != nil))
    func `a walk given by the environment variable BGTASK_WALK is replayed step by step`() throws {
        let text = Self.replayed ?? ""
        let seed = text.hasPrefix("seed:") ? UInt64(text.dropFirst(5)) : nil
        let numbers =
            seed.map { RandomWalk.numbers(of: $0, steps: Self.steps) }
            ?? text.split(separator: ",").compactMap { UInt64($0, radix: 16) }
        try RandomWalk.walk(numbers) { walk in
            print("\(walk.step). \(walk.last)")
            for line in walk.story { print("    \(line)") }
        }
    }
}
