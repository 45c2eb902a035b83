// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Scheduling
import Testing

@testable import HostService

@Suite("A kill point names the action, by kind and count, before or after which the host kills itself")
struct KillPointTests {
    private static let stopped = SchedulerAction.stopped
    private static let wake = SchedulerAction.wake(monotonic: nil, wall: nil)

    @Test(arguments: SchedulerAction.Kind.allCases, KillPoint.Side.allCases)
    func `a kill point is parsed into a kind of action, a side and a count`(
        kind: SchedulerAction.Kind,
        side: KillPoint.Side
    ) throws {
        let point = try KillPoint("\(kind.rawValue):\(side.rawValue):12")
        #expect(point.kind == kind && point.side == side && point.count == 12)
    }

    @Test func `a kill point matches exactly one action, given by kind, side and count`() throws {
        let point = try KillPoint("wake:after:2")
        #expect(!point.matches(Self.wake, .after), "the first")
        #expect(!point.matches(Self.wake, .before), "the other side")
        #expect(!point.matches(Self.stopped, .after), "another action")
        #expect(point.matches(Self.wake, .after), "the second")
        #expect(!point.matches(Self.wake, .after), "the third")
    }

    private static let malformed = [
        "", "wake", "wake:before", "wake:during:1", "unknown:before:1", "wake:before:0", "wake:before:1:",
    ]

    @Test(arguments: malformed)
    func `a malformed kill point is refused with the kinds of actions`(text: String) {
        #expect {
            _ = try KillPoint(text)
        } throws: { error in
            guard let error = error as? HostError, error.code == .configurationInvalid else { return false }
            let kinds = SchedulerAction.Kind.allCases.map(\.rawValue).joined(separator: " ")
            return error.message.contains("\"\(text)\" is not") && error.message.hasSuffix("kinds: \(kinds)")
        }
    }
}
