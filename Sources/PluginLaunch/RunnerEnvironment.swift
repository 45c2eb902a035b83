// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The variables that a runner starts with: an allow-list. Nothing in it tells of a plugin.
package struct RunnerEnvironment: Hashable, Sendable {
    package struct Variable: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private static let passedOn: Set = ["PATH", "HOME", "LANG", "LANGUAGE", "LOGNAME", "SHELL", "TMPDIR", "TZ", "USER"]
    private static let searchPath = "/usr/local/bin:/usr/bin:/bin"

    package let variables: [Variable]

    package init(_ variables: [Variable]) {
        self.variables = variables
    }

    /// What of the host's own environment concerns a plugin: where things are and what language people speak.
    package init(from host: [String: String]) {
        var kept = host.filter { Self.passedOn.contains($0.key) || $0.key.hasPrefix("LC_") }
        if kept["PATH"] == nil { kept["PATH"] = Self.searchPath }
        variables = kept.sorted { $0.key < $1.key }.map { Variable(name: $0.key, value: $0.value) }
    }
}
