// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import StatementTraits
import TaskModel
import Testing

@Suite("Malformed wire frames are refused without a crash")
struct MalformedFrameTests {
    @Test func `a wire frame longer than the limit of its direction is refused by its length alone`() {
        expectFailure(.tooLong, of: RunnerMessage.self, bytes(UInt32(RunnerMessage.frameLimit + 1)))
        expectFailure(.tooLong, of: HostMessage.self, bytes(UInt32(HostMessage.frameLimit + 1)))
        expectFailure(.tooLong, of: HostMessage.self, bytes(UInt32.max))
    }

    @Test func `a message larger than the wire frame limit cannot be encoded`() {
        let message = RunnerMessage.loadFailed(message: String(repeating: "x", count: RunnerMessage.frameLimit))
        #expect(throws: WireError.self) { try message.frame() }
    }

    @Test(arguments: [0, 1] as [UInt32])
    func `a wire frame too short for its type field is refused`(length: UInt32) {
        expectFailure(.tooShort, of: RunnerMessage.self, bytes(length) + [1, 0])
    }

    @Test func `a message type of the opposite direction is refused in a wire frame`() throws {
        expectFailure(.unknownType, of: RunnerMessage.self, try HostMessage.stop.frame())
        expectFailure(.unknownType, of: HostMessage.self, try RunnerMessage.stopped.frame())
    }

    @Test func `bytes after the last field of a wire message are refused`() throws {
        var frame = try RunnerMessage.stopped.frame()
        frame[0] += 1
        expectFailure(.trailingBytes, of: RunnerMessage.self, frame + [0])
    }

    @Test func `the first message of a host with another wire version is refused with both versions`() throws {
        var frame = try HostMessage.confine(Confinement(containerPath: "")).frame()
        frame[6] = 9
        let error = expectFailure(.foreignVersion, of: HostMessage.self, frame)
        #expect(error?.message.contains("is 9, but this runner reads version \(Confinement.wireVersion)") == true)
    }

    @Test(arguments: [
        ("run", Array(repeating: FunctionArgument.null, count: FunctionBinding.mostArguments + 1)),
        ("run", [.outString(size: 0)]), ("run", [.outString(size: 65_537)]), ("run()", []), ("", []),
    ])
    func `the runner refuses a plan whose bound function has a bad symbol, too many arguments or a bad buffer size`(
        symbol: String,
        arguments: [FunctionArgument]
    ) throws {
        let handler = FunctionBinding(
            identifier: SampleMessages.identifier,
            symbol: symbol,
            arguments: arguments,
            result: .void
        )
        let frame = try HostMessage.plan(SampleMessages.plan(tasks: [], handlers: [handler])).frame()
        expectFailure(.unknownValue, of: HostMessage.self, frame)
    }

    @Test func `a list whose length field exceeds the bytes of its wire frame is refused`() throws {
        var frame = try RunnerMessage.expiring([], .budget).frame()
        frame.replaceSubrange(6..<10, with: [0xff, 0xff, 0xff, 0xff])
        expectFailure(.tooShort, of: RunnerMessage.self, frame)
    }

    @Test func `wire text that is not UTF-8 is refused`() throws {
        var frame = try RunnerMessage.loadFailed(message: "abc").frame()
        frame[frame.count - 1] = 0xff
        expectFailure(.invalidText, of: RunnerMessage.self, frame)
    }

    @Test func `a malformed identifier in a wire frame is refused`() throws {
        var frame = try RunnerMessage.cancel(CallNumber(rawValue: 1), SampleMessages.identifier).frame()
        frame[frame.count - 1] = UInt8(ascii: " ")
        expectFailure(.unknownValue, of: RunnerMessage.self, frame)
    }

    @Test func `after a malformed wire frame the decoder refuses valid frames that follow`() throws {
        var decoder = FrameDecoder<RunnerMessage>()
        decoder.append(try HostMessage.stop.frame())
        decoder.append(try RunnerMessage.stopped.frame())
        #expect(throws: WireError.self) { try decoder.next() }
        decoder.append(try RunnerMessage.stopped.frame())
        #expect(throws: WireError.self) { try decoder.next() }
    }

    @Test(.proves(77), arguments: [(-1, 1), (2, 1), (0, 0), (0, -1), (.min, .max)] as [(Int64, Int64)])
    func `progress out of range in a wire frame is refused by the host`(done: Int64, total: Int64) throws {
        let progress = try #require(TaskProgress(done: 1, total: 2))
        var frame = try RunnerMessage.progress(TaskID(rawValue: 1), progress).frame()
        frame.replaceSubrange(14..., with: bytes(done) + bytes(total))
        expectFailure(.unknownValue, of: RunnerMessage.self, frame)
    }

    @Test func `unknown protection types, strategies and modes in wire frames are refused`() throws {
        let study = TaskRequest(identifier: SampleMessages.identifier, kind: .healthResearch)
        let export = TaskRequest(
            identifier: SampleMessages.identifier,
            kind: .continued,
            continued: ContinuedTerms(title: "Exporting")
        )
        // The protection is followed by one flag, the strategy by the resources; then by the payload's length.
        for (request, distance) in [(study, 9), (export, 16)] {
            var frame = try RunnerMessage.submit(CallNumber(rawValue: 1), request, payload: []).frame()
            frame[frame.count - distance] = 9
            expectFailure(.unknownValue, of: RunnerMessage.self, frame)
        }
        var plan = try HostMessage.plan(SampleMessages.plan(tasks: [])).frame()
        let mode = try #require(plan.firstRange(of: Array("fetch".utf8)))
        plan[mode.lowerBound] = UInt8(ascii: "F")
        expectFailure(.unknownValue, of: HostMessage.self, plan)
    }

    @Test func `a registration of an invalid identifier or pattern in a wire frame is refused`() throws {
        for text in ["com.example.*.x", "*", ".*", "com.example.", ""] {
            var frame = try RunnerMessage.registered(.exact(SampleMessages.identifier)).frame()
            // The type, then the text's length, then the text.
            let body = frame[4..<6] + bytes(UInt32(text.utf8.count)) + Array(text.utf8)
            frame = bytes(UInt32(body.count)) + body
            expectFailure(.unknownValue, of: RunnerMessage.self, frame)
        }
    }

    @Test func `the largest submission and the largest delivery take less than an eighth of their wire frame limits`()
        throws
    {
        let payload = Array(repeating: 1 as UInt8, count: TaskRequest.maximumPayload)
        let request = TaskRequest(
            identifier: SampleMessages.longest,
            kind: .continued,
            continued: SampleMessages.longestTerms
        )
        let submission = try RunnerMessage.submit(CallNumber(rawValue: 1), request, payload: payload).frame()
        #expect(submission.count < RunnerMessage.frameLimit / 8)
        let task = SampleMessages.continuedTask(SampleMessages.longestTerms, payload: payload)
        #expect(try HostMessage.deliver(task).frame().count < HostMessage.frameLimit / 128)
        let title = RunnerMessage.title(TaskID(rawValue: 1), String(repeating: "x", count: 1 << 20), subtitle: nil)
        #expect(throws: WireError.self) { try title.frame() }
    }

    @Test(.proves("C19"))
    func `a plan of the largest batch fits its wire frame, with the largest payload, cursor and terms of each task`()
        throws
    {
        let cursor = TaskCursor(
            bytes: Array(repeating: 1, count: TaskCursor.longest),
            version: String(repeating: "v", count: 255),
            movedAt: WallTime(nanoseconds: .max),
            submission: SubmissionNumber(rawValue: .max)
        )
        let task = RunnerPlan.Task(
            id: TaskID(rawValue: .max),
            kind: .continued,
            event: nil,
            identifier: SampleMessages.longest.text,
            submission: SubmissionNumber(rawValue: .max),
            attempts: .max,
            continued: SampleMessages.longestTerms,
            payload: Array(repeating: 1, count: TaskRequest.maximumPayload),
            cursor: cursor,
            claim: Claim(item: .max, fence: .max, isBound: true)
        )
        let value = String(repeating: "s", count: 4_096)
        let settings = Dictionary(uniqueKeysWithValues: (0..<64).map { ("\($0)", value) })
        let plan = SampleMessages.plan(tasks: Array(repeating: task, count: 200), settings: settings)
        #expect(try HostMessage.plan(plan).frame().count < HostMessage.frameLimit)
    }

    @Test func `the decoder waits for the remainder of a wire frame that is cut off near its start, middle or end`()
        throws
    {
        for message in SampleMessages.fromRunner {
            let frame = try message.frame()
            for count in Set([0, 1, 3, 4, 5, frame.count / 2, frame.count - 1]) {
                var decoder = FrameDecoder<RunnerMessage>()
                decoder.append(frame.prefix(count))
                #expect(try decoder.next() == nil)
            }
        }
    }

    @Test func `a wire message shortened inside its frame is refused`() throws {
        for message in SampleMessages.fromRunner {
            expectRefusedWhenShortened(message, of: RunnerMessage.self)
        }
        for message in SampleMessages.fromHost {
            expectRefusedWhenShortened(message, of: HostMessage.self)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `wire frames with flipped bits are decoded or refused, without a crash`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let runnerFrames = try SampleMessages.fromRunner.map { try $0.frame() }.filter { $0.count < 5000 }
        let hostFrames = try SampleMessages.fromHost.map { try $0.frame() }.filter { $0.count < 5000 }
        for _ in 0..<200 {
            for _ in 0..<2 {
                try drain(RunnerMessage.self, flipped(runnerFrames.randomElement(using: &random), using: &random))
                try drain(HostMessage.self, flipped(hostFrames.randomElement(using: &random), using: &random))
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `random bytes on the wire are decoded, refused or left incomplete, without a crash`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let body = (0..<Int.random(in: 2...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let type = UInt16.random(in: 1...20, using: &random)
            let typed = bytes(type) + body.dropFirst(2)
            try drain(RunnerMessage.self, body)
            try drain(RunnerMessage.self, bytes(UInt32(typed.count)) + typed)
            let hostTyped = bytes(type % 10 + 257) + body.dropFirst(2)
            try drain(HostMessage.self, bytes(UInt32(hostTyped.count)) + hostTyped)
        }
    }

    // Every decoded message has to encode again: a message that exists on one side only would be a gap in the codec.
    private func drain<Message: WireMessage & Equatable>(_ type: Message.Type, _ stream: [UInt8]) throws {
        var decoder = FrameDecoder<Message>()
        decoder.append(stream)
        while let message = try? decoder.next() {
            var again = FrameDecoder<Message>()
            again.append(try message.frame())
            #expect(try again.next() == message)
        }
    }

    private func flipped(_ frame: [UInt8]?, using random: inout SeededGenerator) -> [UInt8] {
        guard var frame else { return [] }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            frame[Int.random(in: 4..<frame.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
        return frame
    }

    private func expectRefusedWhenShortened<Message: WireMessage>(_ message: Message, of type: Message.Type) {
        guard let frame = try? message.frame() else { return }
        let body = Array(frame.dropFirst(4))
        let lengths = body.count < 600 ? Array(2..<body.count) : [2, 3, 50, body.count / 2, body.count - 1]
        for length in lengths {
            var decoder = FrameDecoder<Message>()
            decoder.append(bytes(UInt32(length)) + body.prefix(length))
            #expect(throws: WireError.self, "\(length) of \(body.count) bytes") { try decoder.next() }
        }
    }

    @discardableResult
    private func expectFailure<Message: WireMessage>(
        _ code: WireError.Code,
        of type: Message.Type,
        _ stream: [UInt8],
        _ location: SourceLocation = #_sourceLocation
    ) -> WireError? {
        var decoder = FrameDecoder<Message>()
        decoder.append(stream)
        let error = #expect(throws: WireError.self, sourceLocation: location) { try decoder.next() }
        #expect(error?.code == code, sourceLocation: location)
        return error
    }

    private func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
