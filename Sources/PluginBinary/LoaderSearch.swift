// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem

/// The search for needed libraries in the order of glibc's loader in a runner, whose environment has no
/// `LD_LIBRARY_PATH`: the search path of the library, the cache, the standard directories.
struct LoaderSearch {
    /// The result of the search for one needed library.
    enum Found {
        case library(LinkedLibrary)
        /// Found, but not readable as a library.
        case unread(path: String, problem: String)
        case missing
        /// Not found; a part of the search could not be repeated.
        case uncertain
    }

    static let standardDirectories =
        ["/lib", "/usr/lib"].flatMap { ["\($0)/\(ElfHeader.libraryDirectoryName)", "\($0)64", $0] }

    private let cache = LoaderCache()

    /// Finds a library of the system, as for a program without a search path; nil when it is missing or cannot be read.
    func findStandard(_ name: String) -> LinkedLibrary? {
        guard case .library(let library)? = first(of: standardPaths(of: name), for: nil, isStandard: true) else {
            return nil
        }
        return library
    }

    func find(_ name: String, for user: LinkedLibrary) -> Found {
        if name.contains("/") {
            guard name.hasPrefix("/") else { return .uncertain }
            return first(of: [name], for: user, isStandard: false) ?? .missing
        }
        let directories = user.searchDirectories
        let own = directories.filter { $0.hasPrefix("/") && !$0.contains("$") }
        if let found = first(of: own.flatMap { Self.candidates(name, in: $0) }, for: user, isStandard: false) {
            return found
        }
        if !user.links.ignoresStandardDirectories {
            if let found = first(of: standardPaths(of: name), for: user, isStandard: true) { return found }
        }
        return own.count == directories.count && cache.isUnderstood ? .missing : .uncertain
    }

    private func standardPaths(of name: String) -> [String] {
        cache.paths(of: name) + Self.standardDirectories.flatMap { Self.candidates(name, in: $0) }
    }

    private func first(of paths: [String], for user: LinkedLibrary?, isStandard: Bool) -> Found? {
        for path in paths {
            guard let descriptor = try? Descriptor(opening: path, flags: LinkedLibrary.openFlags) else { continue }
            do throws(PluginBinaryProblem.Kind) {
                let library = try LinkedLibrary(descriptor, path: path, neededBy: user, isStandard: isStandard)
                return .library(library)
            } catch {
                switch error {
                // The loader continues after a library of another machine.
                case .wrongClass, .foreignArchitecture, .notAFile: continue
                default:
                    let fact = PluginBinaryProblem(path: path, kind: error).fact
                    return .unread(path: path, problem: "it \(fact)")
                }
            }
        }
        return nil
    }

    /// Paths of a library in one directory: for the oldest processors, and for newer ones.
    static func candidates(_ name: String, in directory: String) -> [String] {
        let variants = FilePlace.names(in: "\(directory)/glibc-hwcaps")
        return ["\(directory)/\(name)"] + variants.map { "\(directory)/glibc-hwcaps/\($0)/\(name)" }
    }
}
