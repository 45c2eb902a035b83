// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import TaskModel

/// A valid manifest. Lines of `changes` are added, or replace the line with the same key.
func yaml(_ changes: String = "", without removed: Set<String> = []) -> String {
    let lines = [
        ("manifest", "manifest: 1"),
        ("identifier", "identifier: com.example.feed"),
        ("library", "library: libFeed.so"),
    ]
    let changed = changes.split(separator: "\n").compactMap { $0.split(separator: ":").first.map(String.init) }
    let kept = lines.filter { !removed.contains($0.0) && !changed.contains($0.0) }.map(\.1)
    return (kept + [changes]).joined(separator: "\n") + "\n"
}

func read(_ text: String, file: String = "feed.yaml") -> ManifestReading {
    ManifestReading.read(bytes: Array(text.utf8), file: file)
}

/// Line, key and rule of every problem.
func found(_ text: String, file: String = "feed.yaml") -> [String] {
    read(text, file: file).problems.map(\.short)
}

extension DocumentProblem {
    var short: String { "\(line.map(String.init) ?? "-") \(key ?? "-") \(rule.rawValue)" }
}
