// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// The text of cursors in `next` and `after`. It is opaque to clients.

extension WorkCursor {
    package var text: String { "\(plugin)/\(number)" }

    /// Parses a cursor; nil when `text` is not a cursor.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let plugin = PluginIdentifier(String(parts[0])), let number = Int64(parts[1]) else {
            return nil
        }
        self.init(plugin: plugin, number: SubmissionNumber(rawValue: number))
    }
}

/// A position in the list of plugins. The list has the installed plugins by identifier, then the refused manifests by
/// file.
package enum PluginCursor: Hashable, Sendable {
    case plugin(PluginIdentifier)
    /// The position of a refused manifest, by the path of its file.
    case refused(String)
    /// The position after the last plugin and before the first refused manifest.
    case endOfPlugins

    package var text: String {
        switch self {
        case .plugin(let plugin): plugin.text
        case .refused(let file): file
        case .endOfPlugins: "/"
        }
    }

    /// Parses a cursor; nil when `text` is not a cursor.
    package init?(text: String) {
        if text == "/" {
            self = .endOfPlugins
        } else if text.hasPrefix("/") {
            self = .refused(text)
        } else if let plugin = PluginIdentifier(text) {
            self = .plugin(plugin)
        } else {
            return nil
        }
    }
}
