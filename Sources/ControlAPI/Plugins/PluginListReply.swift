// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// `GET /v1/plugins`: a page of the plugins that are installed, then of the manifests that were refused and why.
package struct PluginListReply: Codable, Hashable, Sendable {
    /// By identifier.
    package var plugins: [Summary]
    /// By file; they follow the last plugin.
    package var refused: [Refused]
    /// The `after` of the next page; nil at the end of the list.
    package var next: String?
    /// Whether the host is still loading: plugins that are not loaded yet are missing.
    package var isPartial: Bool

    package init(plugins: [Summary], refused: [Refused], next: PluginCursor? = nil, isPartial: Bool = false) {
        self.plugins = plugins
        self.refused = refused
        self.next = next?.text
        self.isPartial = isPartial
    }

    private enum CodingKeys: String, CodingKey {
        case plugins, refused, next
        case isPartial = "partial"
    }

    /// How a plugin stands: the one thing about it that an operator looks for first.
    package enum State: String, Codable, Hashable, Sendable {
        case ready
        case running
        /// Its last launch ended by the plugin's fault.
        case failing
        case disabled
    }

    package struct Summary: Codable, Hashable, Sendable {
        package let identifier: String
        package let name: String
        /// Nil when the manifest has none.
        package let version: String?
        package let role: String
        package let library: String
        package let modes: [String]
        package let permitted: [String]
        /// Extensions of a main plugin, by its manifest or by the operator's configuration.
        package let extensions: [String]
        package let pending: Int
        /// Events that wait for it.
        package let events: Int
        package let running: Int
        package let isEnabled: Bool
        package let state: State

        package init(
            _ entry: PluginEntry,
            pending: Int,
            events: Int = 0,
            running: Int,
            isEnabled: Bool,
            state: State
        ) {
            identifier = entry.identifier.text
            name = entry.name
            version = entry.version.isEmpty ? nil : entry.version
            role = entry.role.name
            library = entry.library.path
            modes = entry.modes.map(\.rawValue).sorted()
            permitted = entry.permitted.map(\.description)
            extensions = entry.extensions.map(\.text)
            self.pending = pending
            self.events = events
            self.running = running
            self.isEnabled = isEnabled
            self.state = state
        }

        private enum CodingKeys: String, CodingKey {
            case identifier, name, version, role, library, modes, permitted, extensions, pending, events, running, state
            case isEnabled = "enabled"
        }
    }

    /// A manifest that the catalogue did not take, or took with notes.
    package struct Refused: Codable, Hashable, Sendable {
        package let file: String
        /// Nil when the file does not even say whose it is.
        package let identifier: String?
        package let problems: [ManifestNote]

        package init(file: String, identifier: String?, problems: [ManifestNote]) {
            self.file = file
            self.identifier = identifier
            self.problems = problems
        }
    }
}

/// One thing about a manifest that its author should know.
package struct ManifestNote: Codable, Hashable, Sendable {
    package enum Severity: String, Codable, Hashable, Sendable {
        /// The manifest is refused for it.
        case error
        /// The manifest stands; something in it has no effect.
        case note
    }

    package let severity: Severity
    /// From 1.
    package let line: Int?
    /// From 1.
    package let column: Int?
    package let key: String?
    /// Names the value, the rule and the remedy.
    package let message: String

    package init(severity: Severity, line: Int? = nil, column: Int? = nil, key: String? = nil, message: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.key = key
        self.message = message
    }
}
