// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import HostConfiguration
import LocatedYAML
import PluginCatalogue
import TaskModel

// Checks of the installed plugins, read like the host's own catalogue.
extension HostCheck {
    func contents(known: [KnownPlugin]) -> CatalogueContents {
        InstalledPlugins.contents(configuration, known: known)
    }

    mutating func checkPlugins(known: [KnownPlugin]) {
        let contents = contents(known: known)
        for problem in contents.refused.flatMap(\.problems) {
            add(problem.severity == .error ? .problem : .note, .manifest, "\(problem)")
        }
        for problem in ProvenanceRule(reading: configuration.provenance).problems {
            add(.problem, .configuration, problem)
        }
        for note in contents.notes { add(.note, .manifest, "\(note)") }
        let warnings = configuration.missingDirectoryWarnings
        for warning in warnings + configuration.unmatchedWarnings(among: contents.entries) {
            add(.note, .configuration, warning)
        }
        let count = contents.entries.count
        add(.fine, .manifest, count == 1 ? "1 plugin is accepted" : "\(count) plugins are accepted")
        checkLibffi(of: contents.entries.filter { !$0.handlers.isEmpty })
        checkSecrets(of: contents.entries)
        checkPluginDirectory()
    }

    /// Checks the secret settings whose source is a file. The other sources are not checked: the environment and the
    /// credentials belong to the process of the host.
    private mutating func checkSecrets(of entries: [PluginEntry]) {
        let reader = SecretReader(configuration.secrets, environment: [:])
        for entry in entries {
            for key in entry.secrets {
                guard case .file(let path) = configuration.secrets[entry.identifier]?[key] else { continue }
                do throws(HostError) {
                    _ = try reader.values(of: [key], in: entry.identifier)
                    add(.fine, .secret, "the secret setting \(key) of \(entry.identifier) is in \(path)")
                } catch {
                    add(.problem, .secret, error.message)
                }
            }
        }
    }

    /// Checks libffi, which calls bound functions: loads and unloads it, with the same search as the loader of a
    /// runner.
    private mutating func checkLibffi(of entries: [PluginEntry]) {
        if entries.isEmpty { return }
        if let handle = dlopen(FunctionBinding.libffi, RTLD_LAZY | RTLD_LOCAL) {
            dlclose(handle)
            return add(.fine, .runner, "\(FunctionBinding.libffi), which calls bound functions, can be loaded")
        }
        let cause = dlerror().map { String(cString: $0) } ?? "the loader reports no reason"
        let plugins = entries.map(\.identifier.text).joined(separator: ", ")
        add(
            .problem,
            .runner,
            "\(FunctionBinding.libffi), which calls the bound functions of \(plugins), cannot be loaded: \(cause);"
                + " install libffi8"
        )
    }

    private mutating func checkPluginDirectory() {
        let directory = configuration.pluginDirectory
        if access(directory, R_OK | X_OK) == 0 { return add(.fine, .pluginDirectory, "\(directory) can be read") }
        let isMissing = errno == ENOENT
        let cause = isMissing ? "does not exist" : "cannot be read: \(String(cString: strerror(errno)))"
        let remedy = isMissing ? "create it if a library belongs there" : "let the host's user read it"
        add(
            isMissing ? .note : .problem,
            .pluginDirectory,
            "\(directory) \(cause), so libraries are found only beside their manifests or by absolute paths; \(remedy),"
                + " or name another directory with --plugin-directory"
        )
    }
}
