// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginInstaller
import Synchronization
import Testing

@testable import Commands

@Suite("An installed manifest differs from the vendor's only in the library, and a property list in nothing")
struct PluginInstallManifestTests {
    @Test(arguments: [
        "library: libObedient.so   # beside it", "library: 'libObedient.so'", "\"library\" : \"libObedient.so\"",
        "library:\n  libObedient.so",
    ])
    func `plugin install changes only the value of the library key, plain, quoted or on the next line`(line: String)
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let text = "manifest: 1\nidentifier: com.example.obedient # libObedient.so\n\(line)\nname: libObedient.so\n"
            let manifest = try fixture.directory.write(text.utf8, to: "vendor/Obedient.yaml")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            let changed = line.replacingOccurrences(of: "libObedient.so", with: try fixture.installedName("Obedient"))
            #expect(
                fixture.directory.text(of: "operator/com.example.obedient.yaml")
                    == text.replacingOccurrences(of: line, with: changed)
            )
        }
    }

    @Test func `plugin install refuses a library name with escape sequences, and prints the plain form to write`()
        async throws
    {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let text = "manifest: 1\nidentifier: com.example.obedient\nlibrary: \"lib\\u004fbedient.so\"\n"
            let manifest = try fixture.directory.write(text.utf8, to: "vendor/Obedient.yaml")
            #expect(await fixture.run("install", manifest, "--yes") == .refused)
            #expect(fixture.terminal.error.contains("library: libObedient.so") && fixture.installed.isEmpty)
        }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary], ["Obedient", "libObedient.so"])
    func `plugin install accepts an XML or binary property list, keeps its nested keys, and refuses --pin`(
        format: PropertyListSerialization.PropertyListFormat,
        executable: String
    ) async throws {
        try await PluginCommandFixture.with { fixture in
            try await fixture.build("Obedient")
            let keys: [String: Any] = [
                "CFBundleIdentifier": "com.example.obedient", "CFBundleName": "Obedient",
                "CFBundleExecutable": executable, "DTOther": ["CFBundleExecutable": executable],
            ]
            let data = try PropertyListSerialization.data(fromPropertyList: keys, format: format, options: 0)
            let manifest = try fixture.directory.write(Array(data), to: "vendor/Info.plist")
            #expect(await fixture.run("install", manifest, "--yes") == .done)
            #expect(try fixture.installed == ["com.example.obedient.plist", fixture.installedName("Obedient")])
            let installed = try Data(
                contentsOf: URL(filePath: fixture.directory.file("operator/com.example.obedient.plist"))
            )
            let list = try PropertyListSerialization.propertyList(from: installed, format: nil) as? [String: Any]
            #expect((list?["DTOther"] as? [String: String])?["CFBundleExecutable"] == executable)
            #expect(await fixture.run("install", manifest, "--yes", "--pin") == .refused)
            #expect(fixture.terminal.error.contains("a format without a key for the digest of the library"))
        }
    }
}
