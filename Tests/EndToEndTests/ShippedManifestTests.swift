// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite(
    "Each example in C and C++ works in the sandbox of its shipped manifest, and not without its grants",
    .needsSandbox
)
struct ShippedManifestTests {
    enum Example: String, CaseIterable, CustomTestStringConvertible {
        case databaseCleaner = "com.example.databasecleaner"
        case feedReader = "com.example.feedreader"
        case photoExport = "com.example.photoexport"
        case logTrim = "com.example.logtrim"
        case albumBook = "com.example.albumbook"

        var testDescription: String { rawValue }

        /// The examples whose libraries this machine can build or has.
        static let possible = allCases.filter { example in
            switch example {
            case .photoExport: Photography.isPossible
            case .albumBook: Photography.isPossible && Leptonica.path != nil
            default: true
            }
        }

        static let extensionOfReader = "com.example.feedreader.typinglearner"

        var manifests: [String] { self == .feedReader ? [Self.extensionOfReader, rawValue] : [rawValue] }

        var libraries: [String] {
            switch self {
            case .databaseCleaner: ["DatabaseCleaner"]
            case .feedReader: ["FeedReader", "TypingLearner"]
            case .photoExport: ["PhotoExport"]
            case .logTrim: ["LogTrim"]
            case .albumBook: []
            }
        }

        var task: String {
            switch self {
            case .databaseCleaner: "\(rawValue).prune"
            case .feedReader: "\(rawValue).refresh"
            case .photoExport: "\(rawValue).album.summer"
            case .logTrim: "\(rawValue).nightly"
            case .albumBook: "\(rawValue).bind"
            }
        }

        /// The operator's settings for the example: paths in the directories `in` and `out` of `place`.
        ///
        /// - Parameter feed: the URL of the feed for the feed reader.
        func settings(in place: ScratchDirectory, feed: String) -> [String: String] {
            switch self {
            case .databaseCleaner: [:]
            case .feedReader: ["feed-url": feed]
            case .photoExport: ["directory": place.file("in"), "into": place.file("out/exported/")]
            case .logTrim: ["directory": place.file("out")]
            case .albumBook: ["directory": place.file("in/summer"), "into": place.file("out/book.pdf")]
            }
        }
    }

    @Test(arguments: Example.possible) func `an example works in the sandbox of its unchanged shipped manifest`(
        _ example: Example
    ) async throws {
        try await run(example) { host, place, end in
            #expect(end.event == "succeeded", "\(end)")
            switch example {
            case .databaseCleaner: #expect(try await rows(of: "files", in: "files", example, host) == "10")
            case .feedReader: try await checkExtension(host)
            case .photoExport:
                let photos = try FileManager.default.contentsOfDirectory(atPath: place.file("out/exported/summer"))
                #expect(photos.sorted() == ["IMG_0001.jpg", "IMG_0002.jpg"])
            case .logTrim: #expect(end.message.contains("freed 0 of 6400 bytes"), "\(end.message)")
            case .albumBook: #expect(place.bytes(of: "out/book.pdf").starts(with: Data("%PDF-".utf8)))
            }
        }
    }

    /// Checks that the feed has two entries, that a payload triggers the extension TypingLearner, and that the task
    /// `model-update` of the main plugin succeeds afterwards.
    private func checkExtension(_ host: HostFixture) async throws {
        #expect(try await rows(of: "entry", in: "feeds", .feedReader, host) == "2")
        let learner = try #require(PluginIdentifier(Example.extensionOfReader))
        let trigger = try await host.client.trigger(learner, PluginTrigger(payload: Array("the first entry".utf8)))
        #expect(try await host.outcome(of: trigger.submission).event == "succeeded")
        let update = try await host.waitForJournal("the update of the model") {
            $0.task == "com.example.feedreader.model-update" && TaskOutcome(rawValue: $0.event) != nil
        }
        #expect(update.event == "succeeded", "\(update)")
    }

    @Test(arguments: Example.possible.filter { $0 != .databaseCleaner })
    func `an example without the grants of its shipped manifest fails and writes nothing outside of its container`(
        _ example: Example
    ) async throws {
        try await run(example, hasGrants: false) { host, place, end in
            #expect(end.event == "failed", "\(end)")
            let written = try FileManager.default.contentsOfDirectory(atPath: place.file("out"))
            #expect(written == ["app.log"])
            if example != .feedReader { return }
            let denied = try await host.journal().filter { $0.event == "denied" && $0.launch == end.launch }
            #expect(denied.contains { $0.message.contains("grants: { network: true }") }, "\(denied.map(\.message))")
        }
    }

    // MARK: - Course

    /// Runs the task of an example, with the data that it needs, and calls `body` with the outcome.
    private func run(
        _ example: Example,
        hasGrants: Bool = true,
        _ body: (HostFixture, ScratchDirectory, JournalLine) async throws -> Void
    ) async throws {
        try await ScratchDirectory.with { place in
            try await prepare(place, with: example)
            let server = example == .feedReader ? try await FeedServer.start(place.file("in")) : nil
            defer { server?.process.signal(SIGKILL) }
            let settings = example.settings(in: place, feed: (server?.address ?? "") + "feed.xml")
            let lines = settings.sorted { $0.key < $1.key }.map { "      \($0.key): \"\($0.value)\"" }
            let head = lines.isEmpty ? [] : ["plugins:", "  \(example.rawValue):", "    settings:"]
            // On battery the vacuum of DatabaseCleaner waits.
            let setup = HostSetup(["external-power": "false"], configuration: head + lines)
            try await HostFixture.with(setup, plugins: []) { host in
                try await install(example, hasGrants: hasGrants, in: host)
                let end = try await host.waitForJournal("the task of \(example)") {
                    $0.task == example.task && TaskOutcome(rawValue: $0.event) != nil
                }
                try await body(host, place, end)
            }
        }
    }

    /// Creates the directories `in` and `out`, which the operator opens for the users of plugins, and their contents.
    private func prepare(_ place: ScratchDirectory, with example: Example) async throws {
        for directory in ["in/summer", "out"] { try place.makeDirectory(directory) }
        try place.write(String(repeating: String(repeating: "a", count: 63) + "\n", count: 100).utf8, to: "out/app.log")
        try place.write(FeedServer.feed.utf8, to: "in/feed.xml")
        for file in ["out", "out/app.log"] { chmod(place.file(file), 0o777) }
        if example == .photoExport || example == .albumBook {
            try await Photography.take(2, into: place.file("in/summer"))
        }
    }

    private func install(_ example: Example, hasGrants: Bool, in host: HostFixture) async throws {
        for library in example.libraries {
            try host.directory.write(try await ExampleLibrary.bytes(library), to: "plugins/lib\(library).so")
        }
        if example == .databaseCleaner { try await makeDatabase(host) }
        for identifier in example.manifests {
            var manifest = try ExampleLibrary.manifest(identifier)
            if !hasGrants, identifier == example.rawValue { manifest = try withoutGrants(manifest) }
            if example == .albumBook, let path = Leptonica.path {
                manifest = manifest.replacingOccurrences(of: "/usr/lib/x86_64-linux-gnu/liblept.so.5", with: path)
            }
            try host.directory.write(manifest.utf8, to: "manifests/\(identifier).yaml")
        }
        for identifier in example.manifests {
            try await host.waitForJournal("the plugin \(identifier)") {
                $0.event == "plugin-installed" && $0.plugin == identifier
            }
        }
        // DatabaseCleaner and FeedReader submit their tasks themselves.
        switch example {
        case .databaseCleaner, .feedReader: return
        case .photoExport: try await host.submitContinued(example.task)
        case .logTrim, .albumBook: try await host.submit(example.task)
        }
    }

    /// A manifest without the key `grants` and the lines below it.
    private func withoutGrants(_ manifest: String) throws -> String {
        let lines = manifest.components(separatedBy: "\n")
        let first = try #require(lines.firstIndex { $0.hasPrefix("grants:") })
        let next = lines[(first + 1)...].firstIndex { !$0.hasPrefix(" ") } ?? lines.endIndex
        return (lines[..<first] + lines[next...]).joined(separator: "\n")
    }

    /// Puts a database with ten old and ten new rows into the container of DatabaseCleaner, as an earlier launch of a
    /// host with other users of plugins may have left it.
    private func makeDatabase(_ host: HostFixture) async throws {
        try host.directory.makeDirectory("state/containers/\(Example.databaseCleaner.rawValue)")
        _ = try await query(
            """
            CREATE TABLE files (path TEXT, modified INTEGER);
            WITH RECURSIVE row (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM row WHERE number < 20)
            INSERT INTO files SELECT number, CASE WHEN number > 10 THEN unixepoch() ELSE 0 END FROM row;
            """,
            "files",
            .databaseCleaner,
            host
        )
    }

    private func rows(of table: String, in database: String, _ example: Example, _ host: HostFixture) async throws
        -> String
    {
        try await query("SELECT count(*) FROM \(table)", database, example, host)
    }

    private func query(_ sql: String, _ database: String, _ example: Example, _ host: HostFixture) async throws
        -> String
    {
        let file = "\(host.stateDirectory)/containers/\(example.rawValue)/\(database).sqlite"
        let run = try await ProgramRun.of("/usr/bin/sqlite3", ["-cmd", ".timeout 5000", file, sql])
        if run.status != 0 { throw HostFailure("sqlite3 refused:\n\(run.error)") }
        return run.output.trimmingCharacters(in: .newlines)
    }
}

/// A server of a directory at a free port of the loopback interface.
private struct FeedServer {
    let process: ChildProcess
    /// URL of the directory, with a slash at its end.
    let address: String

    static func start(_ directory: String) async throws -> FeedServer {
        let options = ["--bind", "127.0.0.1", "--directory", directory]
        let process = try await ChildProcess.start("/usr/bin/python3", ["-u", "-m", "http.server", "0"] + options)
        // Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ...
        let line = try await process.outputLine("the address of the server") { $0.contains("(http://") }
        let address = try #require(line.split { $0 == "(" || $0 == ")" }.first { $0.hasPrefix("http://") })
        return FeedServer(process: process, address: String(address))
    }

    static let feed = """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0"><channel><title>Entries</title>
        <item><guid>1</guid><title>The first entry</title><link>http://127.0.0.1/1</link>
        <pubDate>Sat, 07 Nov 2026 10:00:00 +0000</pubDate></item>
        <item><guid>2</guid><title>Another one</title><link>http://127.0.0.1/2</link>
        <pubDate>Sat, 14 Nov 2026 10:00:00 +0000</pubDate></item>
        </channel></rss>
        """
}

extension ScratchDirectory {
    /// The bytes of a file; none for a missing one.
    fileprivate func bytes(of name: String) -> Data { FileManager.default.contents(atPath: file(name)) ?? Data() }
}
