// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@testable import HostPage

@Suite("The files of the page are compiled into the program, and have no data")
struct PageFileTests {
    private static let resources = URL(filePath: #filePath)
        .appending(path: "../../../Sources/HostPage/Resources").standardized

    private static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: resources.path).sorted()
    }

    @Test func `each file of the resources is served with its content`() throws {
        let names = try Self.names()
        #expect(names.count > 15)
        for name in names {
            let file = try #require(PageFile.at(name == "index.html" ? "/" : "/\(name)"), "\(name)")
            #expect(file.bytes == Array(try Data(contentsOf: Self.resources.appending(path: name))), "\(name)")
        }
    }

    @Test func `each script that another one imports is served`() throws {
        for name in try Self.names() where name.hasSuffix(".js") {
            let text = try String(contentsOf: Self.resources.appending(path: name), encoding: .utf8)
            for match in text.matches(of: /from "\.(\/[a-z-]+\.js)"/) {
                #expect(PageFile.at(String(match.1)) != nil, "\(name) imports \(match.1)")
            }
        }
    }

    @Test func `no script turns data into markup or code`() throws {
        let forbidden = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc",
            "DOMParser", "setHTMLUnsafe", "createContextualFragment", "localStorage", "document.cookie",
        ]
        for name in try Self.names() {
            let text = try String(contentsOf: Self.resources.appending(path: name), encoding: .utf8)
            for word in forbidden { #expect(!text.contains(word), "\(name) has \(word)") }
        }
    }

    @Test func `the file for the browser has the mode 0600 in a directory with the mode 0700, and is deleted`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            var path = ""
            try await OpeningFile.with("http://127.0.0.1:1/#token=0", in: directory.path) { file in
                path = file
                let directory = (file as NSString).deletingLastPathComponent
                #expect(try Self.mode(file) == 0o600)
                #expect(try Self.mode(directory) == 0o700)
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("url=http://127.0.0.1:1/#token=0"))
            }
            #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
        }
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
