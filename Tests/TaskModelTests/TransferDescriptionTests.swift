// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@Suite("The description of a transfer has a text form and rules")
struct TransferDescriptionTests {
    private func download(
        _ url: String = "https://example.com/a.bin?token=1#x",
        label: String? = nil,
        headers: [TransferDescription.Header] = [],
        sha256: String? = nil
    ) throws -> TransferDescription {
        TransferDescription(
            direction: .download,
            session: try #require(TransferSession("main")),
            label: label,
            url: url,
            headers: headers,
            sha256: sha256
        )
    }

    @Test func `a description is read from its text with every value`() throws {
        let full = TransferDescription(
            direction: .upload,
            session: try #require(TransferSession("a-b.c_1")),
            label: "Day: 1 %0A",
            url: "https://example.com/%0A?a=b",
            method: "POST",
            headers: [
                TransferDescription.Header(name: "X-A", value: "b: c"),
                TransferDescription.Header(name: "Authorization", value: "Bearer ${token}", isSecret: true),
            ],
            file: "reports/day.json",
            isDiscretionary: true
        )
        #expect(TransferDescription(text: full.text) == full)
        #expect(full.flaw == nil && full.secretKeys == ["token"])
    }

    @Test(arguments: ["", "kind: download\n", "kind: download\nsession: main\nurl: https://a\nnonsense: 1\n"])
    func `a text with a missing or unknown line is no description`(_ text: String) {
        #expect(TransferDescription(text: text) == nil)
    }

    @Test func `the shown URL has no user, query and fragment`() throws {
        #expect(try download("https://user:pw@example.com/a.bin?token=1#x").shownURL == "https://example.com/a.bin")
    }

    @Test(arguments: ["https://user:pw@example.com/", "https://token@example.com", "http://@example.com/"])
    func `a URL with a user name or a password has a flaw, and an @ in its path has none`(_ url: String) throws {
        #expect(try download(url).flaw?.contains("secret header") == true)
        #expect(try download("https://example.com/@a?b=c@d").flaw == nil)
    }

    @Test func `the headers that the transfer sets itself are those that the transfer library refuses`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let source = try String(contentsOf: root.appending(path: "Transfer/spec.c"), encoding: .utf8)
        let body = try #require(source.components(separatedBy: "static int is_reserved(const char *name) {").last)
        let list = try #require(body.components(separatedBy: "};").first)
        let parts = list.components(separatedBy: "\"").enumerated()
        let names = parts.filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        #expect(Set(names) == TransferDescription.Header.reserved)
    }

    @Test(arguments: [
        ("https://example.com/", 443), ("http://example.com", 80), ("https://a:b@[::1]:8443/x", 8_443),
    ])
    func `the port of a transfer is that of its URL or of its scheme`(_ url: String, _ port: Int) throws {
        #expect(try download(url).port == port)
    }

    @Test(arguments: ["ftp://a/", "file:///etc/passwd", "https:///x", "https://a b/", "HTTPS://", "example.com"])
    func `a URL of another scheme, without a host or with a space has a flaw`(_ url: String) throws {
        #expect(try download(url).flaw != nil)
    }

    @Test(arguments: ["Host", "range", "Content-Length", "Accept-Encoding", "a b", ""])
    func `a header that the transfer sets itself, or that is no token, has a flaw`(_ name: String) throws {
        #expect(try download(headers: [TransferDescription.Header(name: name, value: "1")]).flaw != nil)
    }

    @Test func `a line break in a header or a label has a flaw`() throws {
        #expect(try download(headers: [TransferDescription.Header(name: "X-A", value: "1\r\nHost: b")]).flaw != nil)
        #expect(try download(label: "a\nurl: https://b").flaw != nil)
    }

    @Test func `a SHA-256 is 64 digits in lower case`() throws {
        #expect(try download(sha256: String(repeating: "a", count: 64)).flaw == nil)
        #expect(try download(sha256: String(repeating: "A", count: 64)).flaw != nil)
    }

    @Test(arguments: ["/etc/passwd", "../a", "a//b", "a/./b", "", "a\n"])
    func `the file of an upload is a path within the container`(_ file: String) throws {
        let upload = TransferDescription(
            direction: .upload,
            session: try #require(TransferSession("main")),
            url: "https://example.com/",
            file: file
        )
        #expect(upload.flaw != nil)
    }

    @Test(arguments: ["", "A", "a/b", "ä", String(repeating: "a", count: 65)])
    func `the name of a session has at most 64 lower-case letters, digits and signs`(_ name: String) {
        #expect(TransferSession(name) == nil)
    }
}
