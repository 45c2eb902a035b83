// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import TaskModel

/// The files that the loader takes from the directory of a plugin's library, or from below it, when it loads the
/// library. All other needed libraries come from directories of the system.
///
/// The files are read as bytes. Each file that may be chosen on some processor counts.
package struct PrivateLibraries: Sendable {
    /// A file that the loader may take.
    package struct File: Hashable, Sendable {
        package let path: String
        /// Path of the library that needs the file; nil for the plugin's own.
        package let neededBy: String?
    }

    package private(set) var files: [File] = []
    /// Reasons why a host refuses the needed libraries: a directory in the search path of a private library, or a path
    /// in place of the name of a needed library. A host refuses relative paths, and directories that have a
    /// `SearchPathEntry.flaw`.
    package private(set) var problems: [PluginBinaryProblem] = []
    /// The directories and files whose change may change `files` or `problems`. Empty when the loader searches neither
    /// the directory of the plugin's library nor one below it.
    package private(set) var consulted: [String] = []

    private let directory: String
    private let path: String

    package init(of path: String) {
        directory = FilePlace.directory(of: path)
        self.path = path
        guard let descriptor = try? Descriptor(opening: path, flags: LinkedLibrary.openFlags),
            let library = try? LinkedLibrary(descriptor, path: path)
        else { return }
        _ = LoaderOrder.libraries(from: [library]) {
            $0.links.required + $0.links.auxiliaries
        } search: { name, user in
            search(name, for: user)
        }
        consulted = Array(Set(consulted)).sorted()
    }

    /// Adds the files that the loader may take for a needed library. Returns those that are libraries.
    private mutating func search(_ name: String, for user: LinkedLibrary) -> [LinkedLibrary] {
        if name.contains("/") { return open(atPath: name, for: user) }
        for directory in user.searchDirectories {
            if !isPrivate(directory) {
                // The search path of a library is checked by itself: this directory belongs to the system.
                if LoaderSearch.candidates(name, in: directory).contains(where: FilePlace.exists) { return [] }
                continue
            }
            if directory.contains("$") {
                // The directory depends on the processor, so the file is unknown.
                files.append(File(path: "\(directory)/\(name)", neededBy: self.user(user)))
                continue
            }
            consulted.append(directory)
            let variants = Self.variants(of: directory).filter { $0 != directory }
            consulted += variants
            let found = ([directory] + variants).map { "\($0)/\(name)" }.filter(FilePlace.exists)
            if found.isEmpty { continue }
            return found.compactMap { take($0, for: user) }
        }
        return []
    }

    private mutating func open(atPath name: String, for user: LinkedLibrary) -> [LinkedLibrary] {
        guard name.hasPrefix("/") else {
            report(.neededPathRefused(name, flaw: "is relative to the working directory", neededBy: self.user(user)))
            return []
        }
        if isPrivate(FilePlace.directory(of: name)) { return [take(name, for: user)].compactMap(\.self) }
        if let flaw = SearchPathEntry(text: FilePlace.directory(of: name)).flaw {
            report(.neededPathRefused(name, flaw: flaw, neededBy: self.user(user)))
        }
        return []
    }

    private mutating func take(_ file: String, for user: LinkedLibrary) -> LinkedLibrary? {
        files.append(File(path: file, neededBy: self.user(user)))
        consulted.append(file)
        guard let descriptor = try? Descriptor(opening: file, flags: LinkedLibrary.openFlags),
            let library = try? LinkedLibrary(descriptor, path: file, neededBy: user)
        else { return nil }
        for entry in SearchPathEntry.all(of: library.links) {
            if let flaw = entry.flaw { report(.searchPathRefused(entry.text, flaw: flaw, neededBy: file)) }
        }
        return library
    }

    private mutating func report(_ kind: PluginBinaryProblem.Kind) {
        problems.append(PluginBinaryProblem(path: path, kind: kind))
    }

    private func user(_ library: LinkedLibrary) -> String? { library.path == path ? nil : library.path }

    /// Whether a directory is the one of the plugin's library, or below it. A library in a standard directory has no
    /// private directory.
    private func isPrivate(_ place: String) -> Bool {
        if LoaderSearch.standardDirectories.contains(directory) { return false }
        return place == directory || place.hasPrefix(directory == "/" ? "/" : directory + "/")
    }

    /// Names of the directories of processor features that loaders before glibc 2.37 search first.
    private static let features: Set = ["tls", "haswell", "xeon_phi", "avx512_1", "x86_64", "aarch64", "atomics"]

    /// The directory, and its subdirectories that the loader searches on some processors.
    private static func variants(of directory: String, depth: Int = 0) -> [String] {
        let names = depth < 4 ? FilePlace.names(in: directory) : []
        let capabilities = FilePlace.names(in: "\(directory)/glibc-hwcaps").map { "\(directory)/glibc-hwcaps/\($0)" }
        return [directory] + capabilities
            + names.filter(features.contains).flatMap { variants(of: "\(directory)/\($0)", depth: depth + 1) }
    }
}
