// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The query of `GET /v1/plugins`, which lists plugins and refused manifests.
package struct PluginQuery: Hashable, Sendable {
    static let names = ["limit", "after", "manifest"]

    /// Maximum number of plugins and refused manifests together.
    package var limit: Int
    /// The position at which the previous page ended; nil for the first page.
    package var after: PluginCursor?
    /// Path of a manifest file, to list only its plugin or its refusal; nil for all.
    package let manifest: String?

    package init(limit: Int = PageLimit.standard, after: PluginCursor? = nil, manifest: String? = nil) {
        self.limit = limit
        self.after = after
        self.manifest = manifest
    }

    package init(reading value: (String) -> String?) throws(RouteError) {
        limit = try PageLimit.read(value("limit"))
        after = try QueryValue.cursor(value("after"), PluginCursor.init(text:))
        manifest = try QueryValue.path(value("manifest"), named: "manifest")
    }

    package var items: [(name: String, value: String)] {
        let given: [(name: String, value: String?)] = [
            ("limit", "\(limit)"), ("after", after?.text), ("manifest", manifest),
        ]
        return given.compactMap { name, value in value.map { (name, $0) } }
    }
}
