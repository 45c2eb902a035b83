// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import PluginCatalogue

/// The readers of manifests, with all checks of a single file. Each input is read twice: as YAML, which includes JSON,
/// and as a property list.
package struct ManifestEntry: FuzzEntry {
    package init() {}

    package func problem(with bytes: [UInt8]) -> String? {
        flaw(of: bytes, as: "plugin.yaml") ?? flaw(of: bytes, as: "Info.plist")
    }

    private func flaw(of bytes: [UInt8], as file: String) -> String? {
        let reading = ManifestReading.read(bytes: bytes, file: file)
        let hasErrors = reading.problems.contains { $0.severity == .error }
        if (reading.manifest == nil) != hasErrors {
            return hasErrors ? "\(file): accepted with errors" : "\(file): refused without an error"
        }
        for problem in reading.problems {
            if problem.message.isEmpty || problem.remedy.isEmpty { return "\(file): a problem has no text" }
            if let line = problem.line, line < 1 { return "\(file): a problem is at line \(line)" }
        }
        let again = ManifestReading.read(bytes: bytes, file: file)
        return again == reading ? nil : "\(file): two readings of the same bytes differ"
    }
}
