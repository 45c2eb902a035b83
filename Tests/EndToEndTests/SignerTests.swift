// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import PluginCatalogue
import TaskModel
import Testing

@Suite("A host runs a plugin by the policy for its signature, which applies when a key is added, removed or revoked")
struct SignerTests {
    private static let plugin = TestPlugin("Obedient")

    /// The vendor's key and the operator's files, in a directory of one test.
    private struct Vendor {
        let directory: ScratchDirectory

        init(_ directory: ScratchDirectory, type: String = "ed25519") async throws {
            self.directory = directory
            try await Self.keygen(["-q", "-t", type, "-N", "", "-C", "vendor", "-f", directory.file("key")])
        }

        var fingerprint: String {
            get async throws {
                let run = try await ProgramRun.of("/usr/bin/ssh-keygen", ["-l", "-f", directory.file("key.pub")])
                return String(run.output.split(separator: " ")[1])
            }
        }

        func setup(_ policy: String) -> HostSetup {
            let files = "signers: \(directory.file("signers")), revoked: \(directory.file("revoked"))"
            return HostSetup(configuration: ["provenance: { \(policy), \(files) }"])
        }

        func trust(_ host: HostFixture, _ patterns: String) async throws {
            let added = try await host.bgtask("trust", "add", patterns, directory.file("key.pub"))
            #expect(added.status == 0, "\(added.error)")
        }

        /// Installs a pinned plugin, and signs its manifest as a vendor does.
        func install(_ plugin: TestPlugin, on host: HostFixture) async throws {
            let library = try host.directory.write(try await plugin.libraryBytes(), to: plugin.libraryFile)
            var plugin = plugin
            plugin.manifestLines = ["sha256: \(try LibraryDigest.of(path: library))"]
            let name = "manifests/.\(plugin.name)"
            let file = try host.directory.write(plugin.manifest.utf8, to: name)
            try await Self.keygen(["-Y", "sign", "-q", "-n", "bgtask-plugin-v1", "-f", directory.file("key"), file])
            try rename(host, "\(name).sig", "\(plugin.manifestFile).sig")
            try rename(host, name, plugin.manifestFile)
        }

        private func rename(_ host: HostFixture, _ old: String, _ new: String) throws {
            _ = try? host.directory.remove(new)
            try FileManager.default.moveItem(atPath: host.directory.file(old), toPath: host.directory.file(new))
        }

        private static func keygen(_ arguments: [String]) async throws {
            let run = try await ProgramRun.of("/usr/bin/ssh-keygen", arguments)
            guard run.status == 0 else { throw HostFailure("ssh-keygen: \(run.error)") }
        }
    }

    private func with(_ policy: String, _ body: (Vendor, HostFixture) async throws -> Void) async throws {
        try await ScratchDirectory.with { directory in
            let vendor = try await Vendor(directory)
            try await HostFixture.with(vendor.setup(policy), plugins: []) { host in try await body(vendor, host) }
        }
    }

    private func event(_ name: String, on host: HostFixture, after number: Int64 = 0) async throws -> JournalLine {
        let identifier = Self.plugin.identifier
        return try await host.waitForJournal(name, after: number) { $0.event == name && $0.plugin == identifier }
    }

    @Test
    func `a signed plugin is installed, its signer shown; when its key is removed, it is refused but keeps its work`()
        async throws
    {
        try await with("unsigned: refuse") { vendor, host in
            try await vendor.trust(host, "com.example.*")
            try await vendor.install(Self.plugin, on: host)
            _ = try await event("plugin-installed", on: host)
            let fingerprint = try await vendor.fingerprint
            let shown = try await host.show(Self.plugin).provenance
            #expect(shown.source == "signed" && shown.isPinned && shown.signer?.fingerprint == fingerprint)
            let text = try await host.bgtask("plugin", "show", Self.plugin.identifier).output
            #expect(text.contains("signed by ssh-ed25519 \(fingerprint), which signs for com.example.*"))
            let kept = try await host.submit(Self.plugin.task(), earliestBegin: HostFixture.tomorrow)

            let end = try await host.journalEnd()
            #expect(try await host.bgtask("trust", "remove", fingerprint).status == 0)
            let refusal = try await event("provenance-refused", on: host, after: end)
            #expect(refusal.message.contains(fingerprint) && refusal.message.contains("provenance.unsigned"))
            let why = try await host.bgtask("why", Self.plugin.task()).output
            #expect(why.contains(fingerprint) && why.contains("bgtask trust add"))
            let absent = try await host.bgtask("plugin", "show", Self.plugin.identifier)
            #expect(absent.status == 1 && absent.error.contains("is refused") && absent.error.contains(fingerprint))

            try await vendor.trust(host, Self.plugin.identifier)
            let identifier = Self.plugin.identifier
            try await host.waitForJournal("its return", after: refusal.number) {
                $0.plugin == identifier && $0.event != "provenance-refused"
            }
            #expect(try await host.client.tasks().pending.map(\.submission).contains(kept))
        }
    }

    @Test func `a plugin is refused when the key that signed it is revoked, even when unsigned plugins are allowed`()
        async throws
    {
        try await with("unsigned: allow") { vendor, host in
            try await vendor.trust(host, "*")
            try await vendor.install(Self.plugin, on: host)
            let installed = try await event("plugin-installed", on: host)
            let line = try #require(vendor.directory.text(of: "key.pub"))
            try vendor.directory.write(line.utf8, to: "revoked")
            let refusal = try await event("provenance-refused", on: host, after: installed.number)
            #expect(refusal.message.contains("is revoked"))
        }
    }

    @Test
    func `a plugin is refused when a revoked RSA key signed it, although the host does not verify RSA signatures`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let vendor = try await Vendor(directory, type: "rsa")
            try await HostFixture.with(vendor.setup("unsigned: allow"), plugins: []) { host in
                try await vendor.install(Self.plugin, on: host)
                let installed = try await event("plugin-installed", on: host)
                let line = try #require(vendor.directory.text(of: "key.pub"))
                try vendor.directory.write(line.utf8, to: "revoked")
                let refusal = try await event("provenance-refused", on: host, after: installed.number)
                #expect(refusal.message.contains("is revoked"), "\(refusal.message)")
            }
        }
    }

    @Test
    func `a list of revoked keys that cannot be read refuses a signed plugin, even when unsigned plugins are allowed`()
        async throws
    {
        try await with("unsigned: allow") { vendor, host in
            try await vendor.trust(host, "*")
            try await vendor.install(Self.plugin, on: host)
            let installed = try await event("plugin-installed", on: host)
            // A link to itself: the list exists, and its content is unknown.
            symlink(vendor.directory.file("revoked"), vendor.directory.file("revoked"))
            let refusal = try await event("provenance-refused", on: host, after: installed.number)
            #expect(refusal.message.contains("the list of revoked keys cannot be used"), "\(refusal.message)")
        }
    }

    @Test func `six concurrent additions to the signers file are all kept`() async throws {
        try await with("unsigned: allow") { vendor, host in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask { try await vendor.trust(host, "com.example.plugin\(number)") }
                }
                try await group.waitForAll()
            }
            let listed = try await host.bgtask("trust", "list").output
            for number in 0..<6 { #expect(listed.contains("com.example.plugin\(number)"), "\(listed)") }
        }
    }

    @Test func `bgtask plugin install is refused while another command changes the manifest directory`() async throws {
        try await with("unsigned: allow") { vendor, host in
            let directory = host.directory.file("manifests")
            let lock = "\(directory)/.bgtask.lock"
            let held = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(held) }
            #expect(flock(held, LOCK_EX | LOCK_NB) == 0)
            let source = try vendor.directory.write(Self.plugin.manifest.utf8, to: "Obedient.yaml")
            let library = try vendor.directory.write(try await Self.plugin.libraryBytes(), to: "libObedient.so")
            let install = ["plugin", "install", source, "--library", library, "--yes"]
            let refused = try await host.bgtaskList(install)
            #expect(refused.status == 1 && refused.error.contains("changing the files of \(directory)"), "\(refused)")
            flock(held, LOCK_UN)
            let installed = try await host.bgtaskList(install)
            #expect(installed.status == 0, "\(installed)")
            #expect(!FileManager.default.fileExists(atPath: lock))
        }
    }

    @Test func `locks on the manifest directory and the signers' directory delay neither plugin install nor trust add`()
        async throws
    {
        try await with("unsigned: allow") { vendor, host in
            let status = try await host.client.host()
            let signers = try #require(status.provenance.signers)
            let directories = [
                host.directory.file("manifests"), URL(filePath: signers).deletingLastPathComponent().path,
            ]
            let held = directories.map { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            defer { for number in held { close(number) } }
            for number in held { #expect(flock(number, LOCK_EX | LOCK_NB) == 0) }
            let source = try vendor.directory.write(Self.plugin.manifest.utf8, to: "Obedient.yaml")
            let library = try vendor.directory.write(try await Self.plugin.libraryBytes(), to: "libObedient.so")
            let installed = try await host.bgtaskList(["plugin", "install", source, "--library", library, "--yes"])
            #expect(installed.status == 0, "\(installed)")
            try await vendor.trust(host, "com.example.plugin1")
            #expect(try await host.bgtask("trust", "list").output.contains("com.example.plugin1"))
        }
    }

    @Test func `an unsigned plugin is refused with the cause if the policy refuses it, and accepted by default`()
        async throws
    {
        try await with("unsigned: refuse, unpinned: refuse") { _, host in
            try await host.install(Self.plugin)
            let refused = try await host.waitForLog("the refusal") { $0.contains("has no signature") }
            #expect(refused.contains("provenance.unsigned"))
            let list = try await host.client.plugins()
            #expect(list.plugins.isEmpty)
        }
        try await HostFixture.with(plugins: [Self.plugin]) { host in
            let shown = try await host.show(Self.plugin)
            #expect(shown.provenance.source == "unsigned")
        }
    }

    @Test func `a manifest that differs from the signed one is refused, even when unsigned plugins are allowed`()
        async throws
    {
        try await with("unsigned: allow") { vendor, host in
            try await vendor.install(Self.plugin, on: host)
            let installed = try await event("plugin-installed", on: host)
            let text = try #require(host.directory.text(of: Self.plugin.manifestFile))
            try host.directory.write((text + "x-note: changed\n").utf8, to: Self.plugin.manifestFile)
            let refusal = try await event("provenance-refused", on: host, after: installed.number)
            #expect(refusal.message.contains("does not match the manifest"))
        }
    }

    @Test
    func `bgtask plugin check reports the signature of an untrusted key as unaccepted, with the key's fingerprint`()
        async throws
    {
        try await with("unsigned: allow") { vendor, host in
            try await vendor.install(Self.plugin, on: host)
            let manifest = host.directory.file(Self.plugin.manifestFile)
            let libraries = host.directory.file("plugins")
            let arguments = ["plugin", "check", manifest, "--plugins", libraries]
            let checked = try await ProgramRun.of(BuiltProgram.command.path(), arguments)
            #expect(checked.status == 0, "\(checked.error)")
            #expect(checked.output.contains("unaccepted-signature"), "\(checked.output)")
            let fingerprint = try await vendor.fingerprint
            #expect((checked.output + checked.error).contains(fingerprint), "\(checked.output)\(checked.error)")
        }
    }
}
