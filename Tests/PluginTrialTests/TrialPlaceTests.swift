// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel
import Testing

@testable import PluginTrial

@Suite("The directory of a trial contains what the sandbox of a host would open")
struct TrialPlaceTests {
    @Test func `a pinned file that the plugin opens itself is copied beside its library`() throws {
        let vendor = try TrialPlace(isSuperuser: false, temporary: "/tmp")
        let place = try TrialPlace(isSuperuser: false, temporary: "/tmp")
        defer { for place in [vendor, place] { _ = place.delete() } }
        mkdir("\(vendor.path)/codecs", 0o755)
        for name in ["lib.so", "codecs/extra.so", "other.so"] {
            try AtomicFile.replace("\(vendor.path)/\(name)", with: Array(name.utf8))
        }
        let library = "\(vendor.path)/lib.so"
        let identity = try #require(FileIdentity(ofPath: library))
        let plugin = PluginEntry(
            identifier: try #require(PluginIdentifier("com.example.pinned")),
            name: "Pinned",
            version: "",
            role: .main,
            permitted: [],
            modes: [],
            library: LibraryFile(path: library, digest: "", identity: identity),
            manifestPath: "/pinned.yaml",
            manifestDigest: "",
            provenance: Provenance(isPinned: true, files: [Provenance.File(name: "codecs/extra.so", digest: "")])
        )
        let installed = try place.install(plugin)
        #expect(installed.library.path == place.libraries + "/lib.so" && installed.companions == .directory)
        #expect(FileBytes.text(place.libraries + "/codecs/extra.so", limit: 100) == "codecs/extra.so")
        #expect(!FilePlace.exists(place.libraries + "/other.so"))
    }
}
