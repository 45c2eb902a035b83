// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel
import Testing

@testable import HostConditions

@Suite("A graphics processor is available while its device exists")
struct GraphicsTests {
    private let tree: FileTree

    init() throws {
        tree = try FileTree()
        try tree.directory("dev")
    }

    private func holds(_ sensor: GraphicsSensor) -> Bool { sensor.reading(.gpu)?.holds ?? false }

    @Test(arguments: ["dri/renderD128", "nvidia0", "kfd"])
    func `a graphics device that appears or disappears changes the GPU condition`(device: String) throws {
        let sensor = GraphicsSensor(tree.roots, at: .now)
        #expect(sensor.reading(.gpu) == .measured(false, from: tree.path + "/dev", detail: "no graphics device"))
        try tree.write("dev/\(device)", "")
        #expect(sensor.listens { holds(sensor) })
        #expect(
            sensor.reading(.gpu) == .measured(true, from: "\(tree.path)/dev/\(device)", detail: "a graphics device")
        )
        try tree.remove("dev/\(device)")
        #expect(sensor.listens { !holds(sensor) })
    }

    @Test(arguments: ["dri/card0", "nvidiactl", "nvidia1"])
    func `a display device without compute functions does not count as a GPU`(device: String) throws {
        try tree.write("dev/\(device)", "")
        #expect(!holds(GraphicsSensor(tree.roots, at: .now)))
    }

    @Test func `without a device directory the GPU condition is reported as missing`() throws {
        try tree.remove("dev")
        #expect(GraphicsSensor(tree.roots, at: .now).reading(.gpu)?.isMissing == true)
    }
}

@Suite("A resume from suspension is noticed")
struct ResumeTests {
    @Test func `only growth of the boot clock beyond the monotonic clock counts as suspension, and only once`() {
        var suspended = SuspendedTime(monotonic: .seconds(100), boot: .seconds(150))
        #expect(suspended.grew(monotonic: .seconds(200), boot: .seconds(250)) == nil)
        #expect(suspended.grew(monotonic: .seconds(210), boot: .seconds(3_860)) == .seconds(3_600))
        #expect(suspended.grew(monotonic: .seconds(220), boot: .seconds(3_870)) == nil)
    }

    @Test func `a clock difference of 100 ms does not count as suspension, and a difference of 500 ms does`() {
        var suspended = SuspendedTime(monotonic: .seconds(100), boot: .seconds(100))
        #expect(suspended.grew(monotonic: .seconds(200), boot: .seconds(200.1)) == nil)
        #expect(suspended.grew(monotonic: .seconds(300), boot: .seconds(300.5)) == .milliseconds(500))
    }

    @Test func `the resume sensor reports no resume when the machine was not suspended`() {
        let sensor = ResumeSensor()
        #expect(sensor.awaited != nil)
        sensor.listen(at: .now)
        #expect(sensor.takeResumption() == nil)
    }
}
