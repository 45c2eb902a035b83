// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem

/// The problems that the loader would meet when it loads a plugin's library: missing libraries, undefined symbols and
/// undefined versions of symbols, also of the libraries that are loaded with it.
///
/// The files are read as bytes: nothing is loaded and no code runs. Symbols of the system's own libraries are assumed
/// to be complete. The version of each single symbol is not compared: only whether its library defines that version.
package struct LibraryLinkage: Hashable, Sendable {
    /// Reasons why the loader of this machine refuses the library: missing libraries, and libraries that it loads only
    /// at the start of a program; if there are none, undefined symbols and versions.
    package private(set) var problems: [PluginBinaryProblem] = []
    /// Problems that may not exist: the loader's search could not be repeated completely, or a library that is not
    /// examined may define the symbol, or a library without definitions of versions provides a version.
    package private(set) var doubts: [PluginBinaryProblem] = []

    /// Finds the needed libraries of the library at `path`, and compares their symbols and versions, as the loader
    /// would. A file that is not a library has no problems here; `BinarySurvey` reports it.
    ///
    /// - Parameter origin: directory that stands for `$ORIGIN`, if the library will be loaded from another one.
    package init(path: String, origin: String? = nil) {
        guard let descriptor = try? Descriptor(opening: path, flags: LinkedLibrary.openFlags),
            let library = try? LinkedLibrary(descriptor, path: path, origin: origin)
        else { return }
        let loaded = load(library)
        // The plugin's own library is examined by BinarySurvey.
        for needed in loaded.dropFirst() where !needed.isStandard && needed.links.isOnlyForStart {
            problems.append(problem(library, .notOpenable(needed.path)))
        }
        if problems.isEmpty {
            resolve(loaded)
            for user in loaded where !user.isStandard { compareVersions(of: user, in: loaded) }
        }
    }

    /// Returns the plugin's library, the libraries of the runner, and then all needed libraries in the loader's order.
    private mutating func load(_ plugin: LinkedLibrary) -> [LinkedLibrary] {
        let loader = LoaderSearch()
        let ofRunner = LoaderOrder.librariesOfRunner.compactMap { loader.findStandard($0) }
        return LoaderOrder.libraries(from: [plugin] + ofRunner) { user in
            // The loader ignores an auxiliary library that it cannot open.
            let auxiliaries = user.links.auxiliaries.filter {
                if case .library = loader.find($0, for: user) { true } else { false }
            }
            return user.links.required + auxiliaries
        } search: { name, user in
            let neededBy = user.path == plugin.path ? nil : user.path
            switch loader.find(name, for: user) {
            case .library(let library): return [library]
            case .missing: problems.append(problem(plugin, .dependencyMissing(name, neededBy: neededBy)))
            case .uncertain: doubts.append(problem(plugin, .dependencyMissing(name, neededBy: neededBy)))
            case .unread(let path, let reason):
                doubts.append(problem(plugin, .dependencyUnread(path, problem: reason)))
            }
            return []
        }
    }

    private mutating func resolve(_ loaded: [LinkedLibrary]) {
        let plugin = loaded[0]
        var undefined: [PluginBinaryProblem] = []
        for user in loaded where !user.isStandard {
            let usedBy = user.path == plugin.path ? nil : user.path
            for name in (try? user.image.requiredSymbols()) ?? [] where !Self.isDefined(name, in: loaded) {
                undefined.append(problem(plugin, .symbolUndefined(name, usedBy: usedBy)))
            }
        }
        // Libraries outside of the examined ones may define the symbols.
        let hasAuxiliaries = loaded.contains { !$0.links.auxiliaries.isEmpty }
        let isCertain = doubts.isEmpty && !hasAuxiliaries && !Self.isPreloading
        if isCertain { problems += undefined } else { doubts += undefined }
    }

    /// Reports the symbol versions that a library requires and its needed libraries do not define.
    private mutating func compareVersions(of user: LinkedLibrary, in loaded: [LinkedLibrary]) {
        let plugin = loaded[0]
        for version in (try? user.image.requiredVersions()) ?? [] where !version.isWeak {
            guard let provider = loaded.first(where: { $0.isNamed(version.file) }),
                let defined = try? provider.image.definedVersions() ?? [],
                !defined.contains(version.name)
            else { continue }
            let usedBy = user.path == plugin.path ? nil : user.path
            let missing = problem(plugin, .versionUndefined(version.name, of: provider.path, usedBy: usedBy))
            // The loader accepts symbols of the base version in place of any version. Without version numbers of the
            // symbols, an assertion of the loader ends the process.
            let isAccepted = defined.isEmpty && (try? provider.image.hasSymbolVersions()) != false
            if isAccepted { doubts.append(missing) } else { problems.append(missing) }
        }
    }

    /// Whether a library defines the symbol. A library with an unreadable table may define it.
    private static func isDefined(_ name: String, in loaded: [LinkedLibrary]) -> Bool {
        loaded.contains { (try? $0.exports.contains(name)) ?? true }
    }

    private func problem(_ plugin: LinkedLibrary, _ kind: PluginBinaryProblem.Kind) -> PluginBinaryProblem {
        PluginBinaryProblem(path: plugin.path, kind: kind)
    }

    /// Whether `/etc/ld.so.preload` names libraries, which the loader adds to every process.
    private static var isPreloading: Bool {
        FileBytes.text("/etc/ld.so.preload").map { !$0.allSatisfy(\.isWhitespace) } ?? false
    }
}
