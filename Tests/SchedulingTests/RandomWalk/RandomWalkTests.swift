// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@Suite("Whatever happens in whatever order, nothing is lost, run twice in silence, or left waiting")
struct RandomWalkTests {
    /// A failure names its seed: put it here to walk that way again.
    private static let seeds: [UInt64] = (1...40).map { 0xb97a_5c00 + $0 }

    @Test(arguments: seeds)
    func `C3 a walk of five hundred steps keeps every promise`(_ seed: UInt64) throws {
        let walk = RandomWalk(seed: seed)
        try walk.walk(steps: 500)
        try walk.drain()
    }
}
