// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/plugins`: a page of the installed plugins, followed by the refused manifests with their
/// problems.
package struct PluginListReply: Codable, Hashable, Sendable {
    /// The installed plugins of the page, sorted by identifier.
    package var plugins: [Summary]
    /// The refused manifests of the page, sorted by file. They follow the last plugin.
    package var refused: [Refused]
    /// Value of the query parameter `after` for the next page; nil at the end of the list.
    package var next: String?
    /// Whether the host is still loading: plugins may be missing and counts too low.
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

    /// The state of a plugin, as a short summary for an operator.
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        case ready
        case running
        /// The plugin is to blame for the end of its newest launch, or for an outcome of a task in it.
        case failing
        /// A user paused the plugin, or the main plugin of an extension. It may still have running launches.
        case paused
        /// The operator disabled the plugin, or the main plugin of an extension.
        case disabled
    }

    package struct Summary: Codable, Hashable, Sendable {
        package let identifier: String
        package let name: String
        /// The version in the manifest; nil when the manifest states none.
        package let version: String?
        package let role: String
        package let library: String
        package let modes: [String]
        package let permitted: [String]
        /// The extensions of a main plugin, from its manifest and from the operator's configuration.
        package let extensions: [String]
        package let pending: Int
        /// Number of waiting events of the plugin.
        package let events: Int
        package let running: Int
        package let isEnabled: Bool
        package let state: State
        /// The pause of the plugin; nil when it is not paused.
        package let pause: PluginPauseState?

        package init(
            _ entry: PluginEntry,
            pending: Int,
            events: Int = 0,
            running: Int,
            isEnabled: Bool,
            state: State,
            pause: PluginPause? = nil
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
            self.pause = pause.map(PluginPauseState.init)
        }

        private enum CodingKeys: String, CodingKey {
            case identifier, name, version, role, library, modes, permitted, extensions, pending, events, running,
                state, pause
            case isEnabled = "enabled"
        }
    }

    /// A manifest that the catalogue refused, with its problems.
    package struct Refused: Codable, Hashable, Sendable {
        package let file: String
        /// The identifier of the refused plugin; nil when the file has no readable identifier.
        package let identifier: String?
        package let problems: [ManifestNote]

        package init(file: String, identifier: String?, problems: [ManifestNote]) {
            self.file = file
            self.identifier = identifier
            self.problems = problems
        }
    }
}

/// A problem of a manifest, with its place and its remedy.
package struct ManifestNote: Codable, Hashable, Sendable {
    package enum Severity: String, Codable, Hashable, Sendable {
        /// The problem causes the refusal of the manifest.
        case error
        /// The manifest is valid, but its author may not expect its effect, or another manifest takes precedence.
        case note
    }

    package let severity: Severity
    /// Line in the manifest, from 1; nil when unknown.
    package let line: Int?
    /// Column in the line, from 1; nil when unknown.
    package let column: Int?
    package let key: String?
    /// The value, the violated rule and the remedy.
    package let message: String

    package init(severity: Severity, line: Int? = nil, column: Int? = nil, key: String? = nil, message: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.key = key
        self.message = message
    }
}
