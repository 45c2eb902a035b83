// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import HostTestKit
import LinuxSystem
import Logging
import Synchronization
import TaskLedger
import TaskModel
import Testing

@testable import HostService

@Suite("In systemd's journal a line of the log is a record with fields", .timeLimit(.minutes(5)))
struct SystemdLogTests {
    private func line(_ message: String, _ fields: Logger.Metadata = [:], level: Logger.Level = .warning) -> LogLine {
        LogLine(level: level, message: message, fields: fields, time: WallTime(nanoseconds: 0))
    }

    /// Runs `body` with an output that sends to the mock journal, and the texts that it writes to standard error.
    private func withOutput(
        _ body: (JournalReceiver, LogOutput, _ path: String, _ errors: Tape<String>) throws -> Void
    ) async throws {
        try await ScratchDirectory.with { directory in
            let path = directory.file("journal.sock")
            let errors = Tape<String>()
            let output = LogOutput(isInJournal: true, journal: SystemdSocket(path: path)) { errors.append($0) }
            try body(try JournalReceiver(at: path), output, path, errors)
        }
    }

    private func expect(
        _ journal: JournalReceiver,
        receives message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let record = try journal.receive()
        #expect(record.fields["MESSAGE"] == message, sourceLocation: sourceLocation)
    }

    @Test func `a line has its level, its text, and each of its fields as a field of its own`() async throws {
        try await withOutput { journal, output, _, errors in
            let fields: Logger.Metadata = ["launch": "41", "plugin": "com.example.feed", "needing-restart": "a b"]
            #expect(output.write(line("ended", fields)))
            let record = try journal.receive()
            #expect(
                record.fields == [
                    "PRIORITY": "4", "SYSLOG_IDENTIFIER": "bgtaskd",
                    "MESSAGE": "ended launch=41 needing-restart=\"a b\" plugin=com.example.feed",
                    "BGTASK_LAUNCH": "41", "BGTASK_PLUGIN": "com.example.feed", "BGTASK_NEEDING_RESTART": "a b",
                ]
            )
            #expect(errors.elements.isEmpty)
        }
    }

    @Test func `a field of several lines keeps its line ends, and other control characters are escaped`() async throws {
        try await withOutput { journal, output, _, _ in
            #expect(output.write(line("a\nb", ["problem": "x=1\n\u{1b}[2J\n\ty\n", "file": "c\u{9b}d"])))
            let fields = try journal.receive().fields
            #expect(fields["BGTASK_PROBLEM"] == "x=1\n\\u{1B}[2J\n\ty\n" && fields["BGTASK_FILE"] == "c\\u{009B}d")
            #expect(fields["MESSAGE"]?.hasPrefix("a; b ") == true)
        }
    }

    @Test func `a record that is too large for a datagram arrives in a sealed file`() async throws {
        try await withOutput { journal, output, _, errors in
            let text = String(repeating: "x", count: 1 << 20)
            #expect(output.write(line(text, ["launch": "41"])))
            let record = try journal.receive()
            #expect(record.isInSealedFile && record.fields["MESSAGE"] == text + " launch=41")
            #expect(record.fields["BGTASK_LAUNCH"] == "41" && errors.elements.isEmpty)
            #expect(output.write(line("small")))
            let next = try journal.receive()
            #expect(!next.isInSealedFile && next.fields["MESSAGE"] == "small")
        }
    }

    @Test func `lines that a slow journal does not accept are dropped at once, and their number is announced`()
        async throws
    {
        try await withOutput { journal, output, _, errors in
            var accepted = 0
            while output.write(line("before")), accepted < 1_000_000 { accepted += 1 }
            #expect(accepted > 0 && accepted < 1_000_000)
            let writer = LogWriter(output: output.write)
            for _ in 1...3 { writer.write(line("dropped")) }
            writer.drain(within: .seconds(60))
            for _ in 1...accepted { try expect(journal, receives: "before") }
            writer.write(line("after"))
            writer.drain(within: .seconds(60))
            let announcement = try journal.receive().fields
            #expect(announcement["MESSAGE"]?.hasPrefix("dropped log lines: 3;") == true, "\(announcement)")
            try expect(journal, receives: "after")
            #expect(errors.elements.isEmpty)
        }
    }

    @Test func `lines go to standard error while there is no journal, and to a journal that was started again`()
        async throws
    {
        try await withOutput { journal, output, path, errors in
            #expect(output.write(line("first")))
            try expect(journal, receives: "first")
            journal.close()
            #expect(output.write(line("second", ["launch": "41"])))
            #expect(errors.elements == ["<4>second launch=41\n"])
            unlink(path)
            #expect(output.write(line("third")))
            #expect(errors.elements.last == "<4>third\n")
            let again = try JournalReceiver(at: path)
            #expect(output.write(line("fourth")))
            try expect(again, receives: "fourth")
            again.close()
            unlink(path)
            // The old connection of the output has no receiver any more; the new socket has the same path.
            let last = try JournalReceiver(at: path)
            #expect(output.write(line("fifth")))
            try expect(last, receives: "fifth")
            #expect(errors.elements.count == 2)
        }
    }

    @Test func `outside of systemd's journal every line goes to standard error, with time and level`() async throws {
        try await ScratchDirectory.with { directory in
            let path = directory.file("journal.sock")
            let journal = try JournalReceiver(at: path)
            let errors = Tape<String>()
            let output = LogOutput(isInJournal: false, journal: SystemdSocket(path: path)) { errors.append($0) }
            #expect(output.write(line("ended", ["launch": "41"])))
            #expect(errors.elements == ["1970-01-01T00:00:00Z warning: ended launch=41\n"])
            #expect(!journal.hasRecord)
        }
    }

    @Test func `standard error is a stream of the journal if JOURNAL_STREAM has its device and inode`() {
        var status = stat()
        #expect(fstat(STDERR_FILENO, &status) == 0)
        #expect(LogOutput.isStandardError(ofJournal: "\(status.st_dev):\(status.st_ino)"))
        for stream in [nil, "", "\(status.st_dev):\(status.st_ino + 1)", "\(status.st_ino):\(status.st_dev)"] {
            #expect(!LogOutput.isStandardError(ofJournal: stream), "\(stream ?? "nil")")
        }
    }

    @Test func `a journal entry has fields for event, blame, plugin, launch, task and submission`() throws {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let entry = JournalEntry(
            at: WallTime(nanoseconds: 0),
            event: .task(.crashed),
            plugin: plugin,
            launch: LaunchNumber(rawValue: 41),
            label: "com.example.feed.refresh",
            submission: SubmissionNumber(rawValue: 12),
            blame: .plugin,
            message: "SIGSEGV"
        )
        #expect(
            entry.logFields == [
                "event": "crashed", "blame": "plugin", "plugin": "com.example.feed", "launch": "41",
                "task": "com.example.feed.refresh", "submission": "12",
            ]
        )
        #expect(SystemdRecord.name(of: "submission") == "BGTASK_SUBMISSION")
        let ofHost = JournalEntry(at: entry.at, event: .simulationEnded, plugin: nil, blame: .user, message: "")
        #expect(ofHost.logFields == ["event": "simulation-ended", "blame": "user"])
        let group = CommittedGroup(
            commits: 2,
            duration: .zero,
            changes: [[.journal(entry), .removeRequest(SubmissionNumber(rawValue: 1))], [.journal(ofHost)]],
            added: [entry]
        )
        #expect(group.entries == [entry, ofHost, entry])
    }
}

/// The receiving end of a mock journal of systemd.
private final class JournalReceiver {
    struct Record {
        let fields: [String: String]
        let isInSealedFile: Bool
    }

    private let socket: Int32
    private var isOpen = true

    init(at path: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let status = UnixAddress.with(path) { bind(socket, $0, $1) }
        guard socket >= 0, status == 0 else { throw HostFailure("no socket at \(path)") }
    }

    deinit { close() }

    func close() {
        if isOpen { Glibc.close(socket) }
        isOpen = false
    }

    var hasRecord: Bool { bgl_waiting_bytes(socket) > 0 }

    /// The oldest record that has arrived. Throws when there is none.
    func receive() throws -> Record {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var file: Int32 = -1
        let count = bgl_receive_with_descriptor(socket, &buffer, buffer.count, &file)
        guard count >= 0 else { throw HostFailure("no record has arrived") }
        guard count == 0 else { return Record(fields: try Self.fields(buffer[..<count]), isInSealedFile: false) }
        guard file >= 0 else { throw HostFailure("an empty record without a file has arrived") }
        let sealed = Descriptor(owning: file)
        // F_GET_SEALS, and the seals against sealing, shrinking, growing and writing.
        let isSealed = fcntl(sealed.number, 1_034) == 0b1111
        var status = stat()
        guard fstat(sealed.number, &status) == 0 else { throw HostFailure("the file has no size") }
        let bytes = try FileBytes.range(of: sealed.number, count: Int(status.st_size), for: "read the record")
        return Record(fields: try Self.fields(bytes[...]), isInSealedFile: isSealed)
    }

    /// Parses the fields of a record by the rules of systemd's native protocol.
    private static func fields(_ record: ArraySlice<UInt8>) throws -> [String: String] {
        var fields: [String: String] = [:]
        var rest = record
        while !rest.isEmpty {
            guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\n") }) else {
                throw HostFailure("a field has no end")
            }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            let isBinary = rest[end] == UInt8(ascii: "\n")
            rest = rest[(end + 1)...]
            var length = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 - rest.startIndex } ?? -1
            if isBinary {
                guard rest.count >= 8 else { throw HostFailure("\(name) has no length") }
                length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(8)
            }
            guard length >= 0, length < rest.count, rest[rest.startIndex + length] == UInt8(ascii: "\n") else {
                throw HostFailure("\(name) has no end")
            }
            guard fields.updateValue(String(decoding: rest.prefix(length), as: UTF8.self), forKey: name) == nil else {
                throw HostFailure("there are two fields \(name)")
            }
            rest = rest.dropFirst(length + 1)
        }
        return fields
    }
}
