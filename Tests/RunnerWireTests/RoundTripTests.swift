// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel
import Testing

@Suite("A received wire message equals the sent one")
struct RoundTripTests {
    // By index: the test library describes every argument, and payloads are large.
    @Test(arguments: SampleMessages.fromRunner.indices)
    func `a message of a runner is decoded unchanged from its frame`(index: Int) throws {
        try expectRoundTrip(SampleMessages.fromRunner[index])
    }

    @Test(arguments: SampleMessages.fromHost.indices)
    func `a message of a host is decoded unchanged from its frame`(index: Int) throws {
        try expectRoundTrip(SampleMessages.fromHost[index])
    }

    @Test func `a download without a file crosses as NULL, and one with a file as its path`() throws {
        let identifier = try #require(TaskIdentifier("com.example.feed.load"))
        let binding = FunctionBinding(
            identifier: identifier,
            symbol: "load",
            arguments: [.download("https://example.com/a"), .payload, .download("https://example.com/b")],
            result: .void
        )
        let passed = binding.passing([3: "/container/.transfers/7-00ff"])
        #expect(binding.downloads == [1: "https://example.com/a", 3: "https://example.com/b"])
        var decoder = FrameDecoder<HostMessage>()
        decoder.append(try HostMessage.plan(SampleMessages.plan(tasks: [], handlers: [passed])).frame())
        guard case .plan(let plan) = try decoder.next() else {
            Issue.record("the plan was not decoded")
            return
        }
        #expect(plan.handlers.first?.arguments == [.null, .payload, .string("/container/.transfers/7-00ff")])
    }

    @Test func `a list of many transfers is cut to the size of an answer, the ended ones first`() throws {
        let url = "https://example.com/" + String(repeating: "a", count: 8_000)
        let all = (1...3_000).map { number in
            ListedTransfer(
                number: SubmissionNumber(rawValue: Int64(number)),
                direction: .download,
                session: SampleMessages.session,
                label: nil,
                url: url,
                state: number > 2_900 ? .finished : .waiting
            )
        }
        let fitting = all.fitting()
        #expect(fitting.count < all.count && fitting.suffix(100) == all.suffix(100))
        #expect(fitting.map(\.number) == fitting.map(\.number).sorted())
        #expect(Array(all.suffix(100)).fitting() == Array(all.suffix(100)))
        _ = try HostMessage.transfers(CallNumber(rawValue: 1), fitting).frame()
    }

    @Test
    func `wire messages are decoded complete and in order from pieces of one byte up to the whole stream`() throws {
        let messages = SampleMessages.fromRunner.filter { if case .submit = $0 { false } else { true } }
        let stream = try messages.flatMap { try $0.frame() }
        for pieceSize in [1, 2, 3, 5, 7, 64, 1000, stream.count] {
            var decoder = FrameDecoder<RunnerMessage>()
            var received: [RunnerMessage] = []
            for start in stride(from: 0, to: stream.count, by: pieceSize) {
                decoder.append(stream[start..<min(start + pieceSize, stream.count)])
                while let message = try decoder.next() { received.append(message) }
            }
            #expect(received == messages, "pieces of \(pieceSize)")
        }
    }

    @Test func `the wire decoder's memory does not grow with a stream that is always cut within a frame`() throws {
        let frame = try RunnerMessage.log(.info, message: String(repeating: "x", count: 200)).frame()
        var decoder = FrameDecoder<RunnerMessage>()
        decoder.append(frame.prefix(10))
        for _ in 0..<1_000 {
            decoder.append(frame.dropFirst(10) + frame.prefix(10))
            while try decoder.next() != nil {}
        }
        #expect(decoder.bufferedBytes < 4 * frame.count)
    }

    @Test func `the wire frame of a plan does not depend on the order of its settings in memory`() throws {
        var first: [String: String] = [:]
        var second: [String: String] = [:]
        for index in 0..<50 { first["key\(index)"] = "value" }
        for index in (0..<50).reversed() { second["key\(index)"] = "value" }
        func plan(_ settings: [String: String]) throws -> [UInt8] {
            try HostMessage.plan(SampleMessages.plan(tasks: [], settings: settings)).frame()
        }
        #expect(try plan(first) == plan(second))
    }

    private func expectRoundTrip<Message: WireMessage & Equatable>(_ message: Message) throws {
        var decoder = FrameDecoder<Message>()
        decoder.append(try message.frame())
        let received = try decoder.next()
        #expect((received == message) as Bool, "message of type \(message.frameType)")
        let isDrained = try decoder.next() == nil
        #expect(isDrained)
    }
}

@Suite("The last words of a crashed runner are one record of fixed size")
struct LastWordsRecordTests {
    @Test(arguments: [nil, TaskID(rawValue: 1), TaskID(rawValue: .max)])
    func `signal, address and task of a runner's last words are decoded unchanged`(task: TaskID?) throws {
        let words = LastWords(signal: 11, address: .max, task: task)
        #expect(try LastWords(record: record(words)) == words)
    }

    @Test func `a record of another length is refused as the last words of a runner`() {
        let whole = record(LastWords(signal: 6, address: 0, task: nil))
        for count in 0..<LastWords.recordSize {
            #expect(throws: WireError.self) { try LastWords(record: Array(whole.prefix(count))) }
        }
        #expect(throws: WireError.self) { try LastWords(record: whole + [0]) }
    }

    @Test func `random bytes with the size of a record are refused as the last words of a runner`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let bytes = (0..<LastWords.recordSize).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(throws: WireError.self) { try LastWords(record: bytes) }
        }
    }

    private func record(_ words: LastWords) -> [UInt8] {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: LastWords.recordSize, alignment: 8)
        defer { memory.deallocate() }
        LastWords.store(signal: words.signal, address: words.address, task: words.task?.rawValue ?? 0, in: memory)
        return Array(UnsafeRawBufferPointer(start: memory, count: LastWords.recordSize))
    }
}
