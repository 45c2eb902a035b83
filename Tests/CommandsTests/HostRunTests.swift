// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Testing

@testable import Commands

@Suite("bgtask host run passes its options to bgtaskd")
struct HostRunTests {
    @Test(arguments: [
        [], ["--manifests", "/m", "--socket", "/s"], ["--", "--manifests", "/m", "--socket", "/s"],
        ["--manifests", "/m", "--", "--socket", "/s"], ["--manifests", "/m", "--socket", "/s", "--"],
    ])
    func `bgtask host run passes each option to bgtaskd, but not the separator --, wherever it is`(words: [String])
        throws
    {
        let command = try #require(try BgtaskCommand.parseAsRoot(["host", "run"] + words) as? HostRunCommand)
        #expect(command.passedOptions == words.filter { $0 != "--" })
    }
}
