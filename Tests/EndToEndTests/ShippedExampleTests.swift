// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A shipped manifest alone turns an unrelated library into a plugin")
struct ShippedExampleTests {
    private static let nightly = "com.example.logtrim.nightly"
    private static let bind = "com.example.albumbook.bind"

    /// Runs a test with a host and one of the shipped manifests, with some of its text replaced, and with settings of
    /// the operator.
    private func with(
        _ identifier: String,
        replacing words: [String: String] = [:],
        settings: [String: String],
        library: String? = nil,
        _ body: (HostFixture) async throws -> Void
    ) async throws {
        var manifest = try ExampleLibrary.manifest(identifier)
        for (old, new) in words {
            try #require(manifest.contains(old))
            manifest = manifest.replacingOccurrences(of: old, with: new)
        }
        let values = settings.sorted { $0.key < $1.key }.map { "      \($0.key): \"\($0.value)\"" }
        // The granted directories belong to the user of the test.
        let setup = HostSetup(
            ["plugin-users": "host"],
            configuration: ["plugins:", "  \(identifier):", "    settings:"] + values
        )
        let bytes = if let library { try await ExampleLibrary.bytes(library) } else { [UInt8]?.none }
        try await HostFixture.with(setup, plugins: []) { [manifest] host in
            if let library, let bytes { try host.directory.write(bytes, to: "plugins/lib\(library).so") }
            let end = try await host.journalEnd()
            try host.directory.write(manifest.utf8, to: "manifests/\(identifier).yaml")
            try await host.waitForJournal("the plugin", after: end) {
                $0.event == "plugin-installed" && $0.plugin == identifier
            }
            try await body(host)
        }
    }

    @Test func `LogTrim runs under its shipped manifest, and the journal records the freed bytes`() async throws {
        try await LogDirectory.with { logs in
            // More than the 64 MiB limit of the manifest.
            try logs.write("app.log", lines: 1_100_000)
            try logs.write("small.log", lines: 100)
            try await with("com.example.logtrim", settings: ["directory": logs.path], library: "LogTrim") { host in
                let end = try await host.outcome(of: try await host.submit(Self.nightly))
                let kept = try logs.lines("app.log")
                #expect(end.event == "succeeded" && kept.last == 1_099_999)
                let size = try logs.size("app.log") + logs.size("small.log")
                #expect(size <= 67_108_864 && size > 67_108_864 - 8_192)
                let freed = 1_100_100 * Int64(LogDirectory.lineLength) - size
                #expect(end.message.contains("freed \(freed) of 70406400 bytes in 1 of 2 files"), "\(end.message)")
                #expect(end.message.contains("out-int64 \(freed)"), "\(end.message)")
            }
        }
    }

    @Test
    func `an expired LogTrim ends by its cancel flag and leaves every file either complete or trimmed`() async throws {
        try await LogDirectory.with { logs in
            for name in ["a.log", "b.log"] { try logs.write(name, lines: 10_000) }
            let words = ["int64: 67108864": "int64: 262144", "int32: 0": "int32: 600000"]
            try await with(
                "com.example.logtrim",
                replacing: words,
                settings: ["directory": logs.path],
                library: "LogTrim"
            ) {
                host in
                let submission = try await host.submit(Self.nightly)
                while try logs.size("a.log") > 131_072 { await Task.yield() }
                // The host may not have received the entry of the launch yet.
                try await host.expireOnceEntered(Self.nightly)
                let end = try await host.outcome(of: submission)
                #expect(end.event == "failed" && end.blame == "user")
                #expect(end.message.contains("cancelled; freed"), "\(end.message)")
                let launch = try await host.end(ofLaunch: try #require(end.launch))
                #expect(launch.event == "launch-expired")
                #expect(try logs.lines("a.log").last == 9_999 && logs.lines("b.log") == Array(0..<10_000))
            }
        }
    }

    @Test func `the journal of a failed LogTrim task has the library's own message`() async throws {
        try await with("com.example.logtrim", settings: ["directory": "/nowhere/at/all"], library: "LogTrim") { host in
            let end = try await host.outcome(of: try await host.submit(Self.nightly))
            #expect(end.event == "failed")
            #expect(end.message.contains("directory /nowhere/at/all: No such file or directory"), "\(end.message)")
        }
    }

    @Test(.enabled(if: Photography.isPossible && Leptonica.path != nil))
    func `Debian's unchanged Leptonica binds photos into a PDF under the shipped manifest`() async throws {
        let library = try #require(Leptonica.path)
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("photos")
            try directory.makeDirectory("books")
            try await Photography.take(3, into: directory.file("photos"))
            let settings = [
                "directory": directory.file("photos"), "into": directory.file("books/book.pdf"), "title": "Summer",
            ]
            let words = ["/usr/lib/x86_64-linux-gnu/liblept.so.5": library]
            try await with("com.example.albumbook", replacing: words, settings: settings) { host in
                let end = try await host.outcome(of: try await host.submit(Self.bind))
                #expect(end.event == "succeeded")
                let book = try Data(contentsOf: URL(filePath: directory.file("books/book.pdf")))
                #expect(
                    book.starts(with: Data("%PDF-".utf8))
                        && book.range(of: Data("/Title <feff00530075006d006d00650072>".utf8)) != nil
                )
                #expect(book.range(of: Data("/Count 3".utf8)) != nil)
                for number in 1...3 {
                    let photo = try Data(contentsOf: URL(filePath: directory.file("photos/IMG_000\(number).jpg")))
                    #expect(book.range(of: photo) != nil)
                }
            }
        }
    }

    @Test(.enabled(if: Leptonica.path != nil))
    func `a PDF task whose directory of photos is missing fails, and Leptonica's error is in the log`() async throws {
        let library = try #require(Leptonica.path)
        try await ScratchDirectory.with { directory in
            let settings = ["directory": directory.file("nowhere"), "into": directory.file("book.pdf")]
            let words = ["/usr/lib/x86_64-linux-gnu/liblept.so.5": library]
            try await with("com.example.albumbook", replacing: words, settings: settings) { host in
                let end = try await host.outcome(of: try await host.submit(Self.bind))
                #expect(end.event == "failed" && end.message.contains("convertUnscaledFilesToPdf returned 1"))
                try await host.waitForLog("its reason") { $0.contains("Error in convertUnscaledFilesToPdf") }
                // The launch created the granted file, and nothing was written to it.
                let size = try FileManager.default.attributesOfItem(atPath: directory.file("book.pdf"))[.size]
                #expect(size as? Int == 0)
            }
        }
    }
}

/// Finds the library Leptonica on this machine. `path` is nil if no searched directory contains the library.
enum Leptonica {
    static let path: String? = {
        let directories = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
        let names = ["liblept.so.5", "libleptonica.so.6"]
        let places = directories.flatMap { directory in names.map { "\(directory)/\($0)" } }
        return places.first { FileManager.default.fileExists(atPath: $0) }
    }()
}
