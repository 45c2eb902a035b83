// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What a row is about, in one column: a task's identifier nearly always begins with its plugin's.
package enum Subject {
    package static func text(_ task: String, of plugin: String) -> String {
        task.hasPrefix(plugin + ".") ? task : "\(plugin) \(task)"
    }
}
