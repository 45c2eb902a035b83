// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The environment variables of a runner. They come from an allow-list and contain no information about plugins.
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

    /// Selects the variables of the host's environment that matter to a plugin: search path, directories, shell, user,
    /// language and time zone. Without a search path, adds a default one.
    package init(from host: [String: String]) {
        var kept = host.filter { Self.passedOn.contains($0.key) || $0.key.hasPrefix("LC_") }
        if kept["PATH"] == nil { kept["PATH"] = Self.searchPath }
        variables = kept.sorted { $0.key < $1.key }.map { Variable(name: $0.key, value: $0.value) }
    }
}
