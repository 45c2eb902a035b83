// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The Swift plugins that the package builds for the tests, from the same source in both language modes.
package enum BuiltLibrary: String, CaseIterable, Sendable {
    case swift5 = "SwiftPlugin5"
    case swift6 = "SwiftPlugin6"

    package func bytes() throws -> [UInt8] { try Self.bytes(of: rawValue) }

    /// The bytes of the built library of a product.
    package static func bytes(of product: String) throws -> [UInt8] {
        let path = try BuiltProgram.directory() + "/lib\(product).so"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw HostFailure("there is no \(path); build it first: swift build --build-tests")
        }
        return Array(data)
    }
}

extension TestPlugin {
    /// A test plugin that runs one part of the Swift plugin: a type in `Tests/SwiftPlugins/Sources`, by its name.
    package static func part(_ name: String, _ library: BuiltLibrary, settings: [String: String] = [:]) -> TestPlugin {
        var plugin = TestPlugin("ColorFeed", tasks: ["refresh", "db-cleaning", "report", "export.*"])
        plugin.library = .built(library)
        plugin.settings = settings.merging(["part": name]) { own, _ in own }
        return plugin
    }
}
