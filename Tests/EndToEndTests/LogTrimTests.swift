// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Synchronization
import Testing

@Suite("LogTrim keeps logs within a size while other programs write them")
struct LogTrimTests {
    private static let mebibyte: Int64 = 1_048_576

    @Test(arguments: ["/tmp", "/dev/shm"])
    func `LogTrim cuts the largest files to one common size and leaves smaller files unchanged`(place: String)
        async throws
    {
        let trim = try await LogTrim.shared()
        try await LogDirectory.with(in: place) { logs in
            let counts = ["huge.log": 60_000, "large.log": 20_000, "small.log": 3_000, "tiny.log": 10]
            for (name, count) in counts { try logs.write(name, lines: count) }
            let inodes = try counts.keys.sorted().map { try logs.status($0).st_ino }
            let before = try counts.keys.map(logs.size).reduce(0, +)
            let run = trim(logs.path, limit: Self.mebibyte)
            let after = try counts.keys.map(logs.size).reduce(0, +)
            #expect(run.result == 0 && run.freed == before - after)
            #expect(run.report == "freed \(run.freed) of \(before) bytes in 2 of 4 files")
            // Files are cut by whole blocks, so each of the two may be up to one block smaller than necessary.
            #expect(after <= Self.mebibyte && after > Self.mebibyte - 3 * 4_096)
            #expect(try abs(logs.size("huge.log") - logs.size("large.log")) <= 4_096)
            #expect(try logs.lines("small.log") == Array(0..<3_000) && logs.lines("tiny.log") == Array(0..<10))
            for name in ["huge.log", "large.log"] {
                let kept = try logs.lines(name)
                let count = try #require(counts[name])
                #expect(kept == Array(count - kept.count..<count) && kept.count > 5_000)
            }
            #expect(try counts.keys.sorted().map { try logs.status($0).st_ino } == inodes)
            let again = trim(logs.path, limit: Self.mebibyte)
            #expect(again.result == 0 && again.freed == 0)
        }
    }

    @Test(arguments: ["/tmp", "/dev/shm"])
    func `a program that holds a log open keeps writing while LogTrim trims it, and the remaining lines have no gap`(
        place: String
    )
        async throws
    {
        let trim = try await LogTrim.shared()
        try await LogDirectory.with(in: place) { logs in
            try logs.write("busy.log", lines: 20_000)
            let isOver = Mutex(false)
            let path = logs.file("busy.log")
            async let written = onThread {
                let descriptor = open(path, O_WRONLY | O_APPEND)
                defer { close(descriptor) }
                var next = 20_000
                while !isOver.withLock({ $0 }) || next < 30_000 {
                    let lines = LogDirectory.lines(next..<next + 1)
                    if lines.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) != lines.count { break }
                    next += 1
                }
                return next
            }
            var freed: Int64 = 0
            while freed < 3 * Self.mebibyte {
                let run = trim(logs.path, limit: 80_000)
                #expect(run.result == 0)
                freed += run.freed
                await Task.yield()
            }
            isOver.withLock { $0 = true }
            let count = await written
            let kept = try logs.lines("busy.log")
            #expect(kept == Array(count - kept.count..<count))
            // Regardless of the lines written after the last cut, all the freed bytes are gone.
            #expect(Int64((count - kept.count) * LogDirectory.lineLength) >= freed)
        }
    }

    @Test func `LogTrim skips links, directories, hidden and unmatched files, and counts a hard-linked file once`()
        async throws
    {
        let trim = try await LogTrim.shared()
        try await LogDirectory.with { elsewhere in
            try elsewhere.write("victim.log", lines: 5_000)
            try await LogDirectory.with { logs in
                try logs.write("app.log", lines: 5_000)
                try logs.write("app.log.1.gz", lines: 5_000)
                try logs.write(".hidden.log", lines: 5_000)
                let files = FileManager.default
                try files.createDirectory(atPath: logs.file("directory.log"), withIntermediateDirectories: false)
                try files.createSymbolicLink(
                    atPath: logs.file("link.log"),
                    withDestinationPath: elsewhere.file("victim.log")
                )
                try files.linkItem(atPath: logs.file("app.log"), toPath: logs.file("second.log"))
                #expect(mkfifo(logs.file("pipe.log"), 0o600) == 0)
                let run = trim(logs.path, limit: 200_000)
                #expect(run.result == 0 && run.report.hasSuffix("of 320000 bytes in 1 of 1 file"))
                #expect(try logs.size("app.log") <= 200_000)
                for name in ["app.log.1.gz", ".hidden.log"] { #expect(try logs.lines(name) == Array(0..<5_000)) }
                #expect(try elsewhere.lines("victim.log") == Array(0..<5_000))
                // A link to the directory itself is not followed either.
                try files.createSymbolicLink(atPath: elsewhere.file("logs"), withDestinationPath: logs.path)
                let linked = trim(elsewhere.file("logs"), limit: 100_000)
                #expect(
                    linked.result == 2
                        && linked.report.hasSuffix("is not a directory, or a link to one; name the directory itself")
                )
            }
        }
    }

    @Test func `a log that LogTrim trimmed begins with a whole line, and an overlong line keeps its newest bytes`()
        async throws
    {
        let trim = try await LogTrim.shared()
        try await LogDirectory.with { logs in
            // The cut is inside the long line, of which only the newline remains.
            try
                (LogDirectory.lines(0..<2_000) + Data(repeating: 0x78, count: 50_000) + Data("\n".utf8)
                + LogDirectory.lines(2_000..<3_000)).write(to: URL(filePath: logs.file("a.log")))
            #expect(trim(logs.path, limit: 80_000).result == 0)
            #expect(try logs.lines("a.log") == Array(2_000..<3_000))
            #expect(try logs.bytes("a.log").prefix { $0 != 0x0a }.allSatisfy { $0 == 0x20 || $0 == 0 })
            try Data(repeating: 0x79, count: 300_000).write(to: URL(filePath: logs.file("b.log")))
            #expect(trim(logs.path, pattern: "b*", limit: 100_000).result == 0)
            let rest = try logs.bytes("b.log").drop { $0 == 0 }
            #expect(rest.count > 90_000 && rest.count <= 100_000 && rest.allSatisfy { $0 == 0x79 })
        }
    }

    @Test
    func `LogTrim's cancel flag stops a run between two files, and a second run is refused while the first one runs`()
        async throws
    {
        let trim = try await LogTrim.shared()
        try await LogDirectory.with { logs in
            for name in ["a.log", "b.log", "c.log"] { try logs.write(name, lines: 10_000) }
            let flag = CancelFlag()
            async let paused = onThread { [path = logs.path] in
                trim(path, limit: 300_000, pause: 600_000, flag: flag)
            }
            while try logs.size("a.log") > 100_000 { await Task.yield() }
            let second = trim(logs.path, limit: 300_000)
            #expect(second.result == 3 && second.report == "another run is at work in \(logs.path); let it finish")
            flag.raise()
            let run = await paused
            #expect(run.result == 6 && run.freed > 500_000)
            #expect(run.report == "cancelled; freed \(run.freed) of 1920000 bytes in 1 of 3 files")
            for name in ["b.log", "c.log"] { #expect(try logs.lines(name) == Array(0..<10_000)) }
            let raised = trim(logs.path, limit: 300_000, flag: flag)
            #expect(raised.result == 6 && raised.freed == 0)
            #expect(trim(logs.path, limit: 300_000).result == 0)
        }
    }

    @Test func `LogTrim reports a limit that is too small for the number of files, and empties none of them`()
        async throws
    {
        let trim = try await LogTrim.shared()
        try await LogDirectory.with { logs in
            for name in ["a.log", "b.log", "c.log"] { try logs.write(name, lines: 4_000) }
            let run = trim(logs.path, limit: 100_000)
            #expect(run.result == 5)
            #expect(run.report.hasSuffix("do not fit into 100000; raise the limit or take files away"))
            for name in ["a.log", "b.log", "c.log"] {
                #expect(try logs.size(name) <= 65_536 && logs.size(name) > 65_536 - 4_096)
                #expect(try logs.lines(name).last == 3_999)
            }
        }
    }

    @Test func `LogTrim reports invalid arguments and missing directories and changes no file`() async throws {
        let trim = try await LogTrim.shared()
        try await LogDirectory.with { logs in
            try logs.write("a.log", lines: 4_000)
            let cases: [(run: LogTrim.Run, result: Int32, words: String)] = [
                (trim(nil), 1, "no directory is named"),
                (trim(logs.path, pattern: nil), 1, "the pattern has to match names of files"),
                (trim(logs.path, pattern: "x/*"), 1, "without a slash"),
                (trim(logs.path, limit: 65_535), 1, "the limit is below 65536 bytes"),
                (trim(logs.path, pause: -1), 1, "the pause is negative"),
                (trim(logs.file("nowhere")), 2, "nowhere: No such file or directory"),
                (trim(logs.file("a.log")), 2, "a.log is not a directory"),
            ]
            for (run, result, words) in cases {
                #expect(run.result == result && run.freed == 0 && run.report.contains(words), "\(run)")
            }
            #expect(trim(logs.path, pattern: "*.none").report == "freed 0 of 0 bytes in 0 of 0 files")
            #expect(try logs.lines("a.log") == Array(0..<4_000))
        }
    }

    @Test(arguments: [1, 2, 7, 64])
    func `LogTrim's report is cut to the capacity of its buffer, and control characters in a name are replaced`(
        capacity: Int
    )
        async throws
    {
        let trim = try await LogTrim.shared()
        try await LogDirectory.with { logs in
            let directory = logs.file("no\ndirectory\u{1b}[31m")
            let whole = trim(directory).report
            #expect(whole == "directory \(logs.path)/no?directory?[31m: No such file or directory")
            #expect(trim(directory, capacity: capacity).report == String(whole.prefix(capacity - 1)))
        }
    }

    @Test func `LogTrim exports only the function of its header and has no bgtask note`() async throws {
        try await ScratchDirectory.with { directory in
            let library = try await ExampleLibrary.build("LogTrim", in: directory)
            let names = try await ProgramRun.of(
                "/usr/bin/nm",
                ["-D", "--defined-only", "--format=just-symbols", library]
            )
            #expect(names.output == "logtrim_run\n")
            let notes = try await ProgramRun.of("/usr/bin/readelf", ["--notes", library])
            #expect(notes.status == 0 && !notes.output.contains("bgtask"))
            let header = "\(ExampleLibrary.root)/Plugins/LogTrim/LogTrim.h"
            for words in [["/usr/bin/cc", "-std=c11", "-xc"], ["/usr/bin/c++", "-std=c++17", "-xc++"]] {
                let flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", header]
                let compiled = try await ProgramRun.of(words[0], Array(words.dropFirst()) + flags)
                #expect(compiled.status == 0, "\(compiled.error)")
            }
        }
    }
}

/// Runs blocking code on a thread of its own, because the threads of Swift tasks are few and must not block.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// The library LogTrim, loaded into this process and called as any program would call it.
private struct LogTrim: Sendable {
    struct Run: Sendable {
        let result: Int32
        let freed: Int64
        let report: String
    }

    private typealias Function =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64, Int32, UnsafePointer<Int32>?,
            UnsafeMutablePointer<Int64>?, UnsafeMutablePointer<CChar>?, UInt64
        ) -> Int32

    private let function: Function

    private static let opened = Task { try await open() }

    static func shared() async throws -> LogTrim { try await opened.value }

    private static func open() async throws -> LogTrim {
        try await ScratchDirectory.with { directory in
            let library = try await ExampleLibrary.build("LogTrim", in: directory)
            guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), let symbol = dlsym(handle, "logtrim_run") else {
                throw HostFailure("\(library) cannot be loaded")
            }
            // The signature in LogTrim.h.
            return LogTrim(function: unsafeBitCast(symbol, to: Function.self))
        }
    }

    func callAsFunction(
        _ directory: String?,
        pattern: String? = "*.log",
        limit: Int64 = 1 << 20,
        pause: Int32 = 0,
        flag: CancelFlag? = nil,
        capacity: Int = 512
    ) -> Run {
        var freed: Int64 = -1
        var report = [CChar](repeating: 0x23, count: capacity)
        let directory = directory.map { Array($0.utf8CString) }
        let pattern = pattern.map { Array($0.utf8CString) }
        let result = directory.withPointer { directory in
            pattern.withPointer { pattern in
                function(directory, pattern, limit, pause, flag?.pointer, &freed, &report, UInt64(capacity))
            }
        }
        let text = report.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return Run(result: result, freed: freed, report: String(decoding: text, as: UTF8.self))
    }
}

/// A cancel flag: an `int32_t` that a function polls and another thread sets.
private final class CancelFlag: Sendable {
    // Allocated once and freed with the flag's last reference; the function reads it atomically.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<Int32>

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: 0)
    }

    deinit { pointer.deallocate() }

    func raise() { pointer.pointee = 1 }
}

extension [CChar]? {
    fileprivate func withPointer<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let self else { return body(nil) }
        return self.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
