// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The text of a column that names both a plugin and its task. A task identifier nearly always begins with the
/// plugin's identifier, which is then not repeated.
package enum Subject {
    package static func text(_ task: String, of plugin: String) -> String {
        task.hasPrefix(plugin + ".") ? task : "\(plugin) \(task)"
    }
}
