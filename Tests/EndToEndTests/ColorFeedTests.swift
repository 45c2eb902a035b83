// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("ColorFeed, a plugin in Swift, reads a feed, cleans its database and exports complete pages")
struct ColorFeedTests {
    private static let all = "com.example.colorfeed.export.all"

    /// Runs `body` with a host, the ColorFeed plugin and its feed.
    ///
    /// - Parameter entries: the number of entries of the feed, each with a different colour.
    private func with(
        _ entries: Int,
        _ settings: [String: String] = [:],
        gracePeriod: String = "300ms",
        _ body: (HostFixture, TestPlugin, ColorDocument) async throws -> Void
    ) async throws {
        try await ScratchDirectory.with { directory in
            let document = ColorDocument(file: directory.file("colors.xml"))
            try document.write(rss: (0..<entries).map { .numbered($0) })
            var plugin = TestPlugin("ColorFeed", tasks: ["refresh", "db-cleaning", "export.*"])
            plugin.library = .bytes(try BuiltLibrary.bytes(of: "ColorFeed"))
            plugin.grants = "network: true, read: ['\(directory.path)']"
            plugin.settings = ["feed-url": document.address].merging(settings) { _, own in own }
            // On battery the cleaning runs only on request, and so does not interfere with other tasks.
            let setup = HostSetup(["external-power": "false", "grace-period": gracePeriod])
            try await HostFixture.with(setup, plugins: [plugin]) { host in try await body(host, plugin, document) }
        }
    }

    /// Waits for the outcome of the refresh that the plugin submits when it is installed, and for the end of its
    /// launch. Returns the journal line of the outcome.
    private func firstRefresh(_ host: HostFixture, _ plugin: TestPlugin) async throws -> JournalLine {
        let refresh = plugin.task("refresh")
        let end = try await host.waitForJournal("the first refresh") {
            $0.identifier == refresh && TaskOutcome(rawValue: $0.event) != nil
        }
        _ = try await host.end(ofLaunch: try #require(end.launch))
        return end
    }

    private func query(_ host: HostFixture, _ plugin: TestPlugin, _ sql: String) async throws -> String {
        let database = "\(host.stateDirectory)/containers/\(plugin.identifier)/colors.sqlite"
        let run = try await ProgramRun.of("/usr/bin/sqlite3", ["-cmd", ".timeout 5000", database, sql])
        if run.status != 0 { throw HostFailure("sqlite3 refused:\n\(run.error)") }
        return run.output.trimmingCharacters(in: .newlines)
    }

    private func pages(_ host: HostFixture, _ plugin: TestPlugin) -> [String] {
        let directory = "\(host.stateDirectory)/containers/\(plugin.identifier)/exported"
        return ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    private func swatches(_ host: HostFixture, _ plugin: TestPlugin) -> Int {
        let page = host.containerText(plugin, "exported/all.html")
        return page.hasSuffix("</html>\n") ? page.components(separatedBy: "<a href=").count - 1 : 0
    }

    // MARK: The refresh

    @Test(.proves(34, "C25"))
    func `ColorFeed's refresh stores the new colours of the feed and submits the next refresh`()
        async throws
    {
        try await with(0) { host, plugin, feed in
            _ = try await firstRefresh(host, plugin)
            try feed.write(rss: [
                .init(id: "1", title: "#B7410E is rust", text: "not #000001", date: .now),
                .init(id: "2", title: "Navy", text: "<![CDATA[<b>#000080</b>]]>", date: .now),
                .init(id: "3", title: "None", text: "#12345 and #1234567 are not colours", date: .now),
                .init(id: "4", title: "#ff0000 of long ago", text: "", date: Date(timeIntervalSince1970: 0)),
            ])
            let end = try await host.run(plugin, "refresh", .refresh)
            #expect(end.event == "succeeded")
            let rows = try await query(host, plugin, "SELECT id, color FROM entry ORDER BY id")
            #expect(rows == "1|#b7410e\n2|#000080")
            try await host.waitForLog("what it kept") {
                $0.contains("kept 2 new colours of 3 ") && $0.contains("; 1 are too old, 1 entries name none")
            }
            #expect(try await host.pending().contains(plugin.task("refresh")))

            // A known entry is stored only once; an Atom feed is read as well.
            try feed.write(atom: [
                .init(id: "1", title: "#B7410E is rust", text: "", date: .now),
                .init(id: "5", title: "Tomato & more", text: "#ff6347", date: .now),
            ])
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            #expect(try await host.run(plugin, "refresh", .refresh).event == "no-data")
            let links = try await query(host, plugin, "SELECT color, title, link FROM entry WHERE id = '5'")
            #expect(links == "#ff6347|Tomato & more|https://example.com/5")
            #expect(try await query(host, plugin, "SELECT count(*) FROM entry") == "3")
        }
    }

    @Test func `a feed entry without a date keeps the time at which ColorFeed first read the entry`() async throws {
        try await with(0) { host, plugin, feed in
            _ = try await firstRefresh(host, plugin)
            try feed.write("<rss><channel><item><guid>1</guid><title>#000080</title></item></channel></rss>")
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            let longAgo = "2001-01-01 00:00:00.000"
            _ = try await query(host, plugin, "UPDATE entry SET published = '\(longAgo)'")
            try feed.write("<rss><channel><item><guid>1</guid><title>#000081</title></item></channel></rss>")
            #expect(try await host.run(plugin, "refresh", .refresh).event == "no-data")
            #expect(try await query(host, plugin, "SELECT color, published FROM entry") == "#000081|\(longAgo)")
        }
    }

    @Test func `a damaged feed fails ColorFeed's refresh, and the log names the line or the cause`() async throws {
        try await with(1) { host, plugin, feed in
            _ = try await firstRefresh(host, plugin)
            let damages = [
                "<rss>\n<channel><item><title>#000080</title>\n</rss>": "is not a readable feed, line 3: XML error 76",
                "<rss>\n<channel>": "not a readable feed, line 2: ", "": "not an RSS or Atom feed; set feed-url",
                "<html><title>#000080</title></html>": "is not an RSS or Atom feed; set feed-url to one",
            ]
            for (text, reason) in damages {
                try feed.write(text)
                let end = try await host.run(plugin, "refresh", .refresh)
                #expect(end.event == "failed" && end.blame == "plugin")
                let launch = try #require(end.launch)
                try await host.waitForLog("what is wrong") { $0.contains("launch=\(launch) ") && $0.contains(reason) }
            }
            #expect(try await query(host, plugin, "SELECT count(*) FROM entry") == "1")
        }
    }

    @Test(.proves(58))
    func `a feed server that never responds does not hold ColorFeed's refresh beyond its expiration`() async throws {
        let server = try SilentServer()
        try await with(0, ["feed-url": server.address], gracePeriod: "30s") { host, plugin, _ in
            try await host.expireOnceEntered(plugin.task("refresh"))
            let end = try await firstRefresh(host, plugin)
            #expect(end.event == "failed" && end.blame == "user")
            try await host.waitForLog("the reason") { $0.contains("refresh expired: stoppedByUser") }
            #expect(try await host.pending().contains(plugin.task("refresh")))
        }
    }

    // MARK: The cleaning

    @Test(.proves(68)) func `ColorFeed's cleaning deletes old colours and shrinks the database file`() async throws {
        try await with(900) { host, plugin, _ in
            #expect(try await firstRefresh(host, plugin).event == "succeeded")
            _ = try await query(host, plugin, "UPDATE entry SET published = '2001-01-01 00:00:00.000' WHERE rowid > 50")
            let pages = try #require(Int(try await query(host, plugin, "PRAGMA page_count")))
            #expect(try await host.run(plugin, "db-cleaning").event == "succeeded")
            try await host.waitForLog("how many") { $0.contains("deleted 850 colours") }
            #expect(try await query(host, plugin, "SELECT count(*) FROM entry; PRAGMA integrity_check") == "50\nok")
            let rest = try #require(Int(try await query(host, plugin, "PRAGMA page_count")))
            #expect(rest < pages / 2)
            let next = try #require(
                try await host.client.tasks().pending.first { $0.identifier == plugin.task("db-cleaning") }
            )
            #expect(next.requiresExternalPower && next.earliestBegin != nil)
        }
    }

    // MARK: The export

    @Test(.proves(78))
    func `an export of ColorFeed that is stopped leaves no page, not even a partial one; the next export is complete`()
        async throws
    {
        // An export takes 4 seconds, so that it is stopped before its end also on a busy machine.
        try await with(20, ["pause-ms": "200"]) { host, plugin, _ in
            #expect(try await firstRefresh(host, plugin).event == "succeeded")
            let submission = try await host.submitContinued(Self.all)
            let running = try await host.running(Self.all) { ($0.progress?.done ?? 0) > 0 }
            #expect(running.title == "Exporting all" && running.progress?.total == 20)
            #expect(pages(host, plugin) == [".all.html.partial"])
            #expect(try await host.bgtask("task", "stop", Self.all).status == 0)
            let stopped = try await host.outcome(of: submission)
            #expect(stopped.event == "failed" && stopped.blame == "user")
            _ = try await host.end(ofLaunch: try #require(stopped.launch))
            #expect(pages(host, plugin) == [])

            let end = try await host.outcome(of: try await host.submitContinued(Self.all))
            #expect(end.event == "succeeded" && pages(host, plugin) == ["all.html"])
            #expect(swatches(host, plugin) == 20)
        }
    }

    @Test(.proves("C3"))
    func `an export of ColorFeed that is killed in the middle runs again and replaces its partial page`()
        async throws
    {
        try await with(20, ["pause-ms": "50"]) { host, plugin, _ in
            #expect(try await firstRefresh(host, plugin).event == "succeeded")
            let submission = try await host.submitContinued(Self.all)
            let running = try await host.running(Self.all) { ($0.progress?.done ?? 0) > 0 }
            kill(try await host.client.launch(LaunchNumber(rawValue: running.launch)).pid, SIGKILL)
            let end = try await host.waitForJournal("its success") {
                $0.submission == submission && $0.event == "succeeded"
            }
            #expect(end.launch != running.launch && pages(host, plugin) == ["all.html"])
            #expect(swatches(host, plugin) == 20)
        }
    }

    @Test func `markup and script links of a feed are escaped in ColorFeed's page`() async throws {
        try await with(1) { host, plugin, feed in
            _ = try await firstRefresh(host, plugin)
            let title = "<![CDATA[<script>alert(1)</script>]]>"
            try feed.write(rss: [.init(id: "0", title: title, text: "#000080", date: .now, link: "javascript:alert(1)")]
            )
            _ = try await host.run(plugin, "refresh", .refresh)
            let end = try await host.outcome(of: try await host.submitContinued(Self.all))
            #expect(end.event == "succeeded" && swatches(host, plugin) == 1)
            let page = host.containerText(plugin, "exported/all.html")
            #expect(page.contains("&lt;script>alert(1)") && page.contains("<a href=\"#\""))
            #expect(!page.contains("<script") && !page.contains("javascript:"))
        }
    }

    @Test func `ColorFeed's export of an unknown family of colours fails, and the log lists the families`() async throws
    {
        try await with(1) { host, plugin, _ in
            let end = try await host.outcome(of: try await host.submitContinued(plugin.task("export.mauve")))
            #expect(end.event == "failed" && end.blame == "plugin")
            try await host.waitForLog("the families") {
                $0.contains("\"mauve\" is not a family of colours; export one of all, ")
            }
        }
    }
}

/// An RSS or Atom feed in a file. Each write replaces the file atomically, as a publisher does.
private struct ColorDocument {
    struct Entry {
        let id: String
        let title: String
        let text: String
        let date: Date
        var link: String?

        var address: String { link ?? "https://example.com/\(id)" }

        static func numbered(_ number: Int) -> Entry {
            let color = "#" + String(0x100000 + number * 997, radix: 16)
            return Entry(id: "\(number)", title: "Colour \(number)", text: "\(color) and more of it", date: .now)
        }
    }

    let file: String

    var address: String { "file://\(file)" }

    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file), options: .atomic) }

    func write(rss entries: [Entry]) throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
        let items = entries.map {
            """
            <item><guid>\($0.id)</guid><title>\($0.title)</title><link>\($0.address)</link>
            <description>\($0.text)</description><pubDate>\(format.string(from: $0.date))</pubDate></item>
            """
        }
        try write(
            "<rss version=\"2.0\"><channel><title>Colours</title>\n\(items.joined(separator: "\n"))</channel></rss>"
        )
    }

    func write(atom entries: [Entry]) throws {
        let items = entries.map {
            """
            <entry><id>\($0.id)</id><title>\($0.title.replacing("&", with: "&amp;"))</title>
            <link href="\($0.address)"/><summary>\($0.text)</summary>
            <updated>\($0.date.ISO8601Format())</updated></entry>
            """
        }
        try write("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Colours</title>\(items.joined())</feed>")
    }
}

/// A web server that never answers: connections stay in the kernel's backlog.
private final class SilentServer {
    private let listener: Int32
    let address: String

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let status = withUnsafeMutablePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(listener, place, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, place, &length) == 0
            }
        }
        if !status { throw HostFailure("cannot listen: \(String(cString: strerror(errno)))") }
        address = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))/colors.xml"
    }

    deinit { close(listener) }
}
