// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("Released programs contain the data of ICU that they use")
struct ReducedDataTests {
    /// Prints what the programs use: times of a zone, English formats, an internationalized host name.
    private static let program = """
        import Foundation
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin")!
        let summer = Date(timeIntervalSince1970: 1_780_000_000)
        print(calendar.component(.hour, from: summer), calendar.timeZone.secondsFromGMT(for: summer))
        print(summer.formatted(.iso8601), String(format: "%.2f", 1.5))
        print(URL(string: "https://b\\u{fc}cher.example/")?.absoluteString ?? "none")
        print("STRASSE".lowercased(), "e\\u{301}".precomposedStringWithCanonicalMapping.unicodeScalars.count)
        """

    @Test func `a program with the reduced data is smaller by 25 MB, and its output is that with all data`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let script = PackageManifest.root.appending(path: "Packaging/icu-data").path
            let reduction = try await ProgramRun.of("/usr/bin/env", [script, directory.file("icu")])
            #expect(reduction.status == 0, "\(reduction.error)")
            try Self.program.write(toFile: directory.file("main.swift"), atomically: true, encoding: .utf8)
            let linked = ["-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "nostart-stop-gc"]
            let reduced = ["-Xlinker", directory.file("icu/icu.ld")]
            var outputs: [String] = []
            var sizes: [Int] = []
            for (name, options) in [("all", linked), ("reduced", linked + reduced)] {
                let file = directory.file(name)
                let command = ["swiftc", "-static-stdlib", directory.file("main.swift"), "-o", file] + options
                let build = try await ProgramRun.of("/usr/bin/env", command)
                #expect(build.status == 0, "\(build.error)")
                outputs.append(try await ProgramRun.of(file, []).output)
                sizes.append(try #require(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int))
            }
            #expect(outputs[0] == outputs[1])
            #expect(outputs[0].hasPrefix("22 7200\n2026-05-28T20:26:40Z 1.50\nhttps://xn--bcher-kva.example/\n"))
            #expect(sizes[0] - sizes[1] > 25_000_000)
        }
    }
}
