// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The text of a column that names both a plugin and its task. A task identifier nearly always begins with the
/// plugin's identifier, which is then not repeated.
package enum Subject {
    package static func text(_ task: String, of plugin: String) -> String {
        task.hasPrefix(plugin + ".") ? task : "\(plugin) \(task)"
    }

    /// The subject of a journal entry: its task, or its plugin when it has no task; `host` for an entry without a
    /// plugin.
    package static func text(ofEntryAbout task: String?, of plugin: String?) -> String {
        guard let plugin else { return "host" }
        return task.map { text($0, of: plugin) } ?? plugin
    }
}
