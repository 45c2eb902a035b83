// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import TaskModel
import Testing

@testable import HostService

@Suite("A runner is reported to the scheduler once it is ready and its container exists, in either order")
final class AwaitedContainersTests {
    private static let launch = LaunchNumber(rawValue: 1)
    private static let process = RunnerProcess(pid: 2, startTime: 3, boot: BootID("boot"), controlGroup: nil)
    private static let ready = LaunchEvent.ready(launch, process)
    private static let unavailable = LaunchEvent.unavailable(launch, LaunchError(code: .refused, message: ""))
    private static let killed = LaunchEvent.killTimePassed(launch)

    private var containers = AwaitedContainers()

    private static func isReady(_ event: LaunchEvent?) -> Bool {
        if case .ready(launch, process) = event { true } else { false }
    }

    private func filter(_ event: LaunchEvent) -> LaunchEvent? { containers.filter(event) }
    private func made(_ launch: LaunchNumber) -> [LaunchEvent] { containers.made(launch) }
    private func failed(_ launch: LaunchNumber, hasRunner: Bool = true) -> Bool {
        containers.failed(launch, hasRunner: hasRunner)
    }

    init() { containers.began(Self.launch) }

    @Test
    func `if a runner is ready before its container exists, its events wait and are then reported in order`() {
        #expect(filter(Self.ready) == nil)
        #expect(filter(Self.killed) == nil)
        let events = made(Self.launch)
        #expect(events.count == 2 && Self.isReady(events.first))
        #expect(filter(Self.killed) != nil)
    }

    @Test func `a runner that is ready after its container is reported to the scheduler at once`() {
        #expect(made(Self.launch).isEmpty)
        #expect(Self.isReady(filter(Self.ready)))
    }

    @Test func `a runner whose container cannot be made is ended, and none of its events reach the scheduler`() {
        #expect(filter(Self.ready) == nil)
        #expect(failed(Self.launch))
        #expect(filter(Self.killed) == nil)
        #expect(filter(Self.unavailable) == nil)
        // Launch numbers are not reused, so no state of a launch is kept after its last event.
        #expect(filter(Self.killed) != nil)
    }

    @Test func `if neither container nor runner can be made, no runner has to be ended`() {
        #expect(filter(Self.unavailable) == nil)
        #expect(!failed(Self.launch))
    }

    @Test func `a launch whose main bundle cannot be made has no runner to end, and leaves no state`() {
        #expect(!failed(Self.launch, hasRunner: false))
        #expect(filter(Self.killed) != nil)
    }

    @Test func `a launch whose container exists is reported while another launch waits for its container`() {
        let other = LaunchNumber(rawValue: 2)
        #expect(filter(.ready(other, Self.process)) != nil)
        #expect(filter(Self.ready) == nil)
    }
}
