// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import RunnerWire
import TaskModel
import Testing

/// The file `Frames/version-N.txt` contains the frames of wire version N, one per line: the message's name and its
/// bytes in hexadecimal.
@Suite("A change of the wire frames requires a new wire version")
struct RecordedFrameTests {
    private static let record = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Frames/version-\(Confinement.wireVersion).txt")

    @Test func `the wire frames of this version equal the recorded ones`() throws {
        let frames = try RecordedMessages.lines()
        if ProcessInfo.processInfo.environment["BGTASK_RECORD_FRAMES"] != nil {
            try frames.joined(separator: "\n").appending("\n").write(to: Self.record, atomically: true, encoding: .utf8)
        }
        let text = try? String(contentsOf: Self.record, encoding: .utf8)
        let recorded = try #require(
            text?.split(separator: "\n").map(String.init),
            """
            no frames are recorded for wire version \(Confinement.wireVersion); record them with \
            BGTASK_RECORD_FRAMES=1 swift test --filter RecordedFrameTests, and commit \(Self.record.lastPathComponent)
            """
        )
        let names = Set(frames).symmetricDifference(recorded).compactMap { $0.split(separator: " ").first }
        #expect(
            frames == recorded,
            """
            the frames of \(Set(names).sorted().joined(separator: ", ")) differ from those of wire version \
            \(Confinement.wireVersion): raise Confinement.wireVersion, then record the frames of the new version with \
            BGTASK_RECORD_FRAMES=1 swift test --filter RecordedFrameTests
            """
        )
    }

    @Test func `every wire message of both directions has a recorded frame`() {
        #expect(Set(RecordedMessages.fromRunner.map(\.name)) == Set(RunnerMessage.Name.allCases))
        #expect(Set(RecordedMessages.fromHost.map(\.name)) == Set(HostMessage.Name.allCases))
    }

    @Test func `a plan with another grace period differs from the recorded wire frames`() throws {
        let lines = try RecordedMessages.lines()
        var changed = RecordedMessages.fromHost
        changed[0] = .plan(RecordedMessages.plan(gracePeriod: .seconds(6)))
        #expect(try RecordedMessages.lines(of: RecordedMessages.fromRunner, changed) != lines)
    }
}
