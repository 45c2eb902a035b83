// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import HostTestKit
import TaskModel
import Testing

@Suite("A secret setting has the value of its source, or an error with a remedy that does not contain the value")
struct SecretReaderTests {
    private static let value = "s3cret"

    private static func read(_ source: SecretSource?, environment: [String: String] = [:]) throws -> String? {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let sources = source.map { [plugin: ["token": $0]] } ?? [:]
        return try SecretReader(sources, environment: environment).values(of: ["token"], in: plugin)["token"]
    }

    /// The message for an unusable source.
    private static func refusal(of source: SecretSource?, environment: [String: String] = [:]) throws -> String {
        do {
            _ = try read(source, environment: environment)
            Issue.record("the source is accepted: \(source.map(\.text) ?? "none")")
            return ""
        } catch let error as HostError {
            #expect(error.code == .secretUnavailable && !error.message.contains(value))
            return error.message
        }
    }

    @Test func `one line feed at the end of a secret's file is not part of the secret`() async throws {
        try await ScratchDirectory.with { directory in
            for (content, value) in [("a", "a"), ("a\n", "a"), ("a\n\n", "a\n"), (" a \n", " a "), ("ü", "ü")] {
                let path = try directory.write(content.utf8, to: "token")
                chmod(path, 0o400)
                #expect(try Self.read(.file(path)) == value)
                unlink(path)
            }
        }
    }

    @Test(arguments: [0o644, 0o604, 0o602, 0o601, 0o620, 0o640, 0o440, 0o666, 0o777])
    func `a secret's file that other users or its group can use is refused`(_ mode: Int) async throws {
        try await ScratchDirectory.with { directory in
            let path = try directory.write(Self.value.utf8, to: "token")
            chmod(path, mode_t(mode))
            #expect(try Self.refusal(of: .file(path)).contains("chmod 600 \(path)"))
        }
    }

    @Test(arguments: [0o600, 0o400])
    func `a secret's file with mode 600 or 400 is accepted`(_ mode: Int) async throws {
        try await ScratchDirectory.with { directory in
            let path = try directory.write(Self.value.utf8, to: "token")
            chmod(path, mode_t(mode))
            #expect(try Self.read(.file(path)) == Self.value)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `a secret's file of a user other than root and the host's is refused`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let path = try directory.write(Self.value.utf8, to: "token")
            chmod(path, 0o600)
            chown(path, 65534, 65534)
            #expect(try Self.refusal(of: .file(path)).contains("belongs to user 65534"))
        }
    }

    @Test func `a secret's file that is missing, no regular file, empty, too large or not text is refused`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            #expect(try Self.refusal(of: .file(directory.file("none"))).contains("cannot be opened"))
            #expect(try Self.refusal(of: .file(directory.path)).contains("is not a regular file"))
            mkfifo(directory.file("fifo"), 0o600)
            #expect(try Self.refusal(of: .file(directory.file("fifo"))).contains("is not a regular file"))
            let contents: [(bytes: [UInt8], rule: String)] = [
                ([], "is empty"), ([10], "is empty"), ([0xff], "UTF-8"), ([65, 0], "contains NUL"),
                (Array(repeating: 65, count: SecretReader.largest + 1), "more than \(SecretReader.largest) bytes"),
            ]
            for (bytes, rule) in contents {
                let path = try directory.write(bytes, to: "token")
                chmod(path, 0o600)
                #expect(try Self.refusal(of: .file(path)).contains(rule))
                unlink(path)
            }
            let path = try directory.write(Array(repeating: 65, count: SecretReader.largest) + [10], to: "token")
            chmod(path, 0o600)
            #expect(try Self.read(.file(path))?.utf8.count == SecretReader.largest)
        }
    }

    @Test func `a secret is read from a variable and from a credential of the host's environment`() async throws {
        try await ScratchDirectory.with { directory in
            let path = try directory.write(Self.value.utf8, to: "feed")
            chmod(path, 0o400)
            let environment = ["FEED_TOKEN": Self.value, "CREDENTIALS_DIRECTORY": directory.path]
            #expect(try Self.read(.environment("FEED_TOKEN"), environment: environment) == Self.value)
            #expect(try Self.read(.credential("feed"), environment: environment) == Self.value)
            #expect(try Self.refusal(of: .environment("OTHER"), environment: environment).contains("no variable OTHER"))
            #expect(try Self.refusal(of: .credential("other"), environment: environment).contains("cannot be opened"))
            #expect(try Self.refusal(of: .credential("feed")).contains("LoadCredential=feed:PATH"))
            #expect(try Self.refusal(of: nil).contains("plugins.com.example.feed.secrets"))
        }
    }

    // MARK: - The way to a file

    /// Creates the file `place/token` with the secret `value` and the mode 0600, and returns its path.
    private static func file(below place: String, in directory: ScratchDirectory) throws -> String {
        try directory.makeDirectory(place)
        let path = try directory.write(Self.value.utf8, to: "\(place)/token")
        chmod(path, 0o600)
        return path
    }

    @Test(arguments: [0o777, 0o757, 0o775])
    func `a secret's file below a directory that its group or other users can write is refused with the remedy`(
        _ mode: Int
    )
        async throws
    {
        try await ScratchDirectory.with { directory in
            let path = try Self.file(below: "open/inner", in: directory)
            let open = directory.file("open")
            chown(open, geteuid(), 4_711)
            chmod(open, mode_t(mode))
            if geteuid() == 0 || mode & 0o002 != 0 {
                #expect(try Self.refusal(of: .file(path)).contains("chmod go-w \(open)"))
            }
            chmod(open, 0o755)
            #expect(try Self.read(.file(path)) == Self.value)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `a secret's file below a directory of another user is refused`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let path = try Self.file(below: "foreign/inner", in: directory)
            chown(directory.file("foreign"), 65_534, 65_534)
            let text = try Self.refusal(of: .file(path))
            #expect(text.contains("\(directory.file("foreign")), on the way") && text.contains("user 65534"))
        }
    }

    @Test func `symbolic links to a secret's file are followed if every link lies in a trusted directory`() async throws
    {
        try await ScratchDirectory.with { directory in
            let path = try Self.file(below: "real", in: directory)
            try directory.makeDirectory("links")
            symlink("../real/token", directory.file("links/relative"))
            symlink(directory.file("links/relative"), directory.file("absolute"))
            #expect(try Self.read(.file(directory.file("absolute"))) == Self.value)
            // The second link can be replaced, although neither the first one nor the file can.
            chmod(directory.file("links"), 0o777)
            let text = try Self.refusal(of: .file(directory.file("absolute")))
            #expect(text.contains("chmod go-w \(directory.file("links"))"))
            #expect(try Self.read(.file(path)) == Self.value)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a symbolic link of another user to a secret's file in a directory like /tmp is refused`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            _ = try Self.file(below: "real", in: directory)
            try directory.makeDirectory("shared")
            chmod(directory.file("shared"), 0o1777)
            let link = directory.file("shared/link")
            symlink(directory.file("real/token"), link)
            #expect(try Self.read(.file(link)) == Self.value)
            lchown(link, 65_534, 65_534)
            #expect(try Self.refusal(of: .file(link)).contains("chown -h 0 \(link)"))
        }
    }
}
