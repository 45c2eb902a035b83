// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import PluginChecker
import PluginInstaller
import TaskModel
import TerminalText

extension InstallationPlan {
    /// Maximum number of identifiers that the text lists.
    private static let mostIdentifiers = 20

    /// The changes and requested grants, as text for the operator to confirm.
    ///
    /// - Parameter requests: the pending requests that the new manifest does not permit.
    func text(stranding requests: UnpermittedRequests) -> String {
        var fields = FieldList()
        fields.add("plugin", identifier.text)
        fields.add("name", manifest.version.isEmpty ? manifest.name : "\(manifest.name) \(manifest.version)")
        fields.add("role", manifest.role.name + (containing.map { " of \($0)" } ?? ""))
        for (topic, values) in RequestedGrants(manifest).byTopic { fields.add(topic, each: values) }
        fields.add("may", each: may)
        fields.add("may not", each: mayNot)
        fields.add("grants", "digest \(consent.digest)")
        fields.add("not enforced", each: notEnforced)
        fields.add("requires", each: manifest.requires)
        fields.add("manifest", each: [source, "to \(manifestTarget)"])
        fields.add("library", each: [library.path, libraryTarget.map { "to \($0.path)" } ?? "stays in place"])
        fields.add("sha256", library.digest)
        fields.add("libraries for", each: libraries)
        fields.add("signature", each: signature.map { [$0.source, "to \($0.target)"] } ?? [])
        fields.add("files", each: files.flatMap { [$0.source, "to \($0.target)"] })
        fields.add("replaces", previous.map(replacement))
        fields.add("removes", each: superseded.paths)
        fields.add("changes", each: changes)
        fields.add("strands", each: lines(about: requests))
        fields.add("displaces", each: displaced.map { "\($0.identifier?.text ?? $0.file): \($0.firstError)" })
        let warnings = report.manifests.flatMap(\.results).flatMap(\.findings)
            .filter { !Self.untold.contains($0.rule) }
        return shown(fields.text + warnings.map(\.text).joined())
    }

    /// The architectures of the manifest; empty when one library serves every machine.
    private var libraries: [String] {
        guard let own = manifest.library.architecture else { return [] }
        let others = manifest.library.others.map { "\($0.architecture): not installed, because this machine is \(own)" }
        return ["\(own): installed"] + others
    }

    /// The rules whose warnings the text leaves out, because its fields `not enforced` and `libraries for` have this
    /// information.
    private static let untold: Set<String> = [
        DocumentProblem.Rule.notEnforced.rawValue, DocumentProblem.Rule.architecture.rawValue,
    ]

    private func lines(about requests: UnpermittedRequests) -> [String] {
        let count = requests.identifiers.count
        if count == 0 { return [] }
        let subject = count == 1 ? "1 pending request" : "\(count) pending requests"
        let left = count - Self.mostIdentifiers
        let more =
            left > 0
            ? ["and \(left) more; list all requests of the plugin with: bgtask task list --plugin \(identifier)"] : []
        return ["\(subject) that the new manifest does not permit; cancel with: bgtask task cancel TASK"]
            + requests.identifiers.prefix(Self.mostIdentifiers) + more
    }

    /// The rights of the plugin, as phrases for the operator to confirm. A right that the installed version lacks is
    /// marked.
    private var may: [String] {
        consent.rights.map { $0.phrase + (consent.wider.contains($0) ? Self.widerMark : "") } + Self.always
    }

    private static let widerMark = " (wider: the installed version may not)"
    private static let always = ["read and write its own container, and read the programs and libraries of the system"]

    /// Phrases about accesses that the plugin does not get.
    var mayNot: [String] {
        let rights = consent.rights
        var phrases: [String] = []
        let hasPorts = rights.contains { right in
            switch right {
            case .connect, .listen: true
            default: false
            }
        }
        if hasPorts {
            phrases.append("use the network in another way: other TCP ports, or UDP")
        } else if !rights.contains(.network) {
            phrases.append("use the network")
        }
        if !requestsUnixSockets { phrases.append("connect to Unix sockets") }
        if !rights.contains(.processes) { phrases.append("start processes") }
        return phrases + ["reach other files, other processes or the host"]
    }

    private var requestsUnixSockets: Bool {
        consent.rights.contains { if case .unix = $0 { true } else { false } }
    }

    /// Phrases about the guarantees that the running host does not enforce, so that the plugin may do more there.
    /// Without a running host, a phrase that they are unknown. For a plugin that requests Unix sockets, also a phrase
    /// about kernels that cannot restrict their paths.
    var notEnforced: [String] {
        let general =
            place.host?.unenforced
            ?? ["unknown: depends on the host that loads the plugin; show a host's guarantees with: bgtask host status"]
        let ofSockets =
            "the paths of Unix sockets, if the kernel has no Landlock 9: the plugin then reaches every socket that its"
            + " user may open, or none if the host requires the guarantee control-socket; after the installation see:"
            + " bgtask plugin show \(identifier)"
        return general + (requestsUnixSockets ? [ofSockets] : [])
    }

    private var containing: String? {
        guard case .named(let main) = manifest.containing else { return nil }
        return main.value.text
    }

    private func replacement(_ old: ManifestReading) -> String {
        guard let version = old.manifest?.version else { return "a manifest that is refused" }
        return version.isEmpty ? "a manifest without a version" : "version \(version)"
    }

    /// The differences in the requested grants; empty for a first installation.
    var changes: [String] {
        guard previous != nil else { return [] }
        guard let old = previous?.manifest else {
            return ["unknown: the installed manifest is refused, so its grants cannot be compared"]
        }
        let changes = RequestedGrants(manifest).changes(from: RequestedGrants(old))
        return changes.isEmpty ? ["none in the requested grants"] : changes
    }
}

extension RefusedFile {
    var firstError: String { problems.first { $0.severity == .error }.map { "\($0.message); \($0.remedy)" } ?? "" }
}
