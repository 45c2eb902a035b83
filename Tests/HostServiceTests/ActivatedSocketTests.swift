// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import HostTestKit
import Testing

@testable import HostService

@Suite("A socket that the service manager passes is accepted only if it listens at the configured path")
struct ActivatedSocketTests {
    private static let environments: [([String: String], Int32)] = [
        (["LISTEN_PID": "7", "LISTEN_FDS": "1"], 1), (["LISTEN_PID": "7", "LISTEN_FDS": "2"], 2),
        (["LISTEN_PID": "8", "LISTEN_FDS": "1"], 0), (["LISTEN_FDS": "1"], 0), (["LISTEN_PID": "7"], 0),
        (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], 0), (["LISTEN_PID": "7", "LISTEN_FDS": "x"], 0),
        (["LISTEN_PID": "7", "LISTEN_FDS": "2147483647"], 0), ([:], 0),
    ]

    @Test(arguments: environments)
    func `passed descriptors count only if LISTEN_PID names this process and LISTEN_FDS is valid`(
        environment: [String: String],
        count: Int32
    ) {
        #expect(ActivatedSocket.count(in: environment, process: 7) == count)
    }

    @Test func `a passed listening socket is accepted at its path or a link to it, not at another or a removed path`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let path = directory.file("s")
            let listener = try ListeningSocket(at: path)
            let activated = try ActivatedSocket(descriptor: listener.descriptor)
            #expect(activated.path == path)
            try activated.checkPath(path)
            symlink(path, directory.file("link"))
            try activated.checkPath(directory.file("link"))
            let refusal = #expect(throws: HostError.self) { try activated.checkPath(directory.file("other")) }
            #expect(try #require(refusal).message.contains("ListenStream="))
            unlink(path)
            let removed = #expect(throws: HostError.self) { try activated.checkPath(path) }
            #expect(try #require(removed).message.contains("restart bgtaskd.socket"))
        }
    }

    @Test
    func `a descriptor that is no listening Unix socket with a path is refused with the directive ListenStream=`()
        throws
    {
        let pair = UnsafeMutablePointer<CInt>.allocate(capacity: 2)
        defer { pair.deallocate() }
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, pair) == 0)
        let file = open("/dev/null", O_RDONLY)
        for descriptor in [pair[0], file, -1] {
            let refusal = #expect(throws: HostError.self) { try ActivatedSocket(descriptor: descriptor) }
            #expect(try #require(refusal).message.contains("ListenStream="))
        }
        for descriptor in [pair[0], pair[1], file] { close(descriptor) }
    }
}
