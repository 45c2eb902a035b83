// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import LocatedYAML

/// Lists the manifest files directly in one directory. It reads names, not contents.
package enum ManifestDirectory {
    /// Sorted paths of the manifest files; empty if the directory does not exist, or after a report that it cannot be
    /// read.
    static func files(in directory: String, problems: ProblemCollector) -> [String] {
        guard let stream = opendir(directory) else {
            let error = errno
            if error != ENOENT {
                let remedy =
                    switch error {
                    case ENOTDIR: "name a directory, or replace the file by one"
                    case EACCES: "let the host's user read the directory, or name another one"
                    default: "check its path and its file system"
                    }
                problems.report(.unreadable, "cannot be read: \(String(systemError: error))", remedy: remedy)
            }
            return []
        }
        defer { closedir(stream) }
        var files: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard isManifest(name) else { continue }
            files.append((directory == "/" ? "" : directory) + "/" + name)
        }
        return files.sorted()
    }

    /// Whether a host reads a file with that name. Editors and package managers give incomplete files a name with a
    /// leading dot.
    package static func isManifest(_ name: String) -> Bool {
        if name.hasPrefix(".") { return false }
        return [".yaml", ".yml", ".plist"].contains { name.hasSuffix($0) && name.utf8.count > $0.utf8.count }
    }
}
