// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A plugin to install: contents of its manifest, its library, and the operator's configuration for it.
package struct TestPlugin: Sendable {
    package enum Library: Sendable {
        /// A plugin of `Tests/MisbehavingPlugins`, with additional flags of the compiler.
        case compiled(String, flags: [String] = [])
        case built(BuiltLibrary)
        case bytes([UInt8])
    }

    /// Base name of the manifest file and the library file.
    package let name: String
    package var identifier: String
    package var library: Library
    /// Last components of the permitted task identifiers.
    package var tasks = ["task"]
    package var modes = ["fetch", "processing"]
    package var settings: [String: String] = [:]
    /// The grants: a flow mapping of YAML without its braces.
    package var grants = ""
    /// The functions that the manifest binds, by task: the keys of the handler after `identifier`, in the flow form of
    /// YAML. Empty for a library with an entry function.
    package var handlers: [String: String] = [:]
    /// Further lines of the manifest.
    package var manifestLines: [String] = []
    /// Identifier of an extension's main plugin; nil for a main plugin.
    package var main: String?
    /// Identifiers of the extensions that a main plugin lists.
    package var extensions: [String] = []
    /// The operator's configuration of the plugin: lines of YAML under `plugins.IDENTIFIER`.
    package var policy: [String] = []

    /// A main plugin with a compiled library.
    ///
    /// - Parameter source: a file in `Tests/MisbehavingPlugins`, without its suffix.
    package init(_ source: String, tasks: [String] = ["task"], policy: [String] = []) {
        name = source
        identifier = "com.example.\(source.lowercased())"
        library = .compiled(source)
        self.tasks = tasks
        self.policy = policy
    }

    /// An extension. The function adds it to the list of its main plugin.
    package static func `extension`(_ source: String, of main: inout TestPlugin, policy: [String] = []) -> TestPlugin {
        var plugin = TestPlugin(source, tasks: [], policy: policy)
        plugin.main = main.identifier
        main.extensions.append(plugin.identifier)
        return plugin
    }

    /// The same plugin, but its tasks linger after their work until the test lets them complete. Their effects last
    /// until then. A plugin with a library that is not compiled is unchanged.
    package var lingering: TestPlugin {
        guard case .compiled(let source, let flags) = library else { return self }
        var plugin = self
        plugin.library = .compiled(source, flags: flags + PluginCompiler.lingering)
        return plugin
    }

    package static let neighbour = TestPlugin("Neighbour")

    /// The identifier of the task `name`; by default of the first task.
    package func task(_ name: String? = nil) -> String { "\(identifier).\(name ?? tasks[0])" }

    package var manifestFile: String { "manifests/\(name).yaml" }
    package var libraryFile: String { "plugins/lib\(name).so" }

    package var manifest: String {
        var lines = [
            "manifest: 1", "identifier: \(identifier)", "name: \(name)", "version: 1.0.0",
            "role: \(main == nil ? "main" : "extension")", "library: lib\(name).so",
        ]
        if let main {
            lines.append("containing-plugin: \(main)")
        } else {
            lines.append("background-modes: [\(modes.joined(separator: ", "))]")
            if !tasks.isEmpty { lines += ["permitted-identifiers:"] + tasks.map { "  - \(task($0))" } }
            if !extensions.isEmpty { lines.append("extensions: [\(extensions.joined(separator: ", "))]") }
        }
        if !grants.isEmpty { lines.append("grants: { \(grants) }") }
        if !handlers.isEmpty {
            lines.append("handlers:")
            lines += handlers.sorted { $0.key < $1.key }.map { "  - { identifier: \(task($0)), \($1) }" }
        }
        if !settings.isEmpty { lines += ["settings:"] + settings.sorted { $0.key < $1.key }.map { "  \($0): '\($1)'" } }
        return (lines + manifestLines).map { $0 + "\n" }.joined()
    }

    package func libraryBytes() async throws -> [UInt8] {
        switch library {
        case .compiled(let source, let flags): try await PluginCompiler.library(source, flags: flags)
        case .built(let library): try library.bytes()
        case .bytes(let bytes): bytes
        }
    }
}
