// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules for the library of a manifest: one file, or one file for each architecture.
extension ManifestCheck {
    private static let longestPath = 1024

    /// The library of this machine; nil when the manifest names none for it, or an invalid one. Every path and digest
    /// is checked, so that all machines report the same mistakes.
    func library() -> LibraryReference? {
        let pins = pins()
        let files = pinnedFiles()
        switch draft.library {
        case nil: return nil
        case .one(let field)?:
            return libraryPath(field).map {
                LibraryReference(
                    path: $0,
                    architecture: nil,
                    others: [],
                    pinnedDigest: pins[nil],
                    files: files,
                    functions: boundFunctions
                )
            }
        case .each(let libraries)?:
            let named = libraries.value.filter { isArchitecture($0.name) }
            let all = named.compactMap { name, value in
                libraryPath(value).map {
                    OtherLibrary(architecture: name.value, path: $0, pinnedDigest: pins[name.value])
                }
            }
            guard let own = all.first(where: { $0.architecture == host.architecture }) else {
                reportNoLibrary(among: named.map(\.name.value), at: libraries.map { _ in })
                return nil
            }
            return LibraryReference(
                path: own.path,
                architecture: own.architecture,
                others: all.filter { $0.architecture != own.architecture },
                pinnedDigest: own.pinnedDigest,
                files: files,
                functions: boundFunctions
            )
        }
    }

    // MARK: Architectures

    private func isArchitecture(_ field: Field<String>) -> Bool {
        switch ArchitectureName.verdict(on: field.value) {
        case .supported: return true
        case .unsupported:
            problems.note(
                .architecture,
                at: field,
                "is a library for an architecture without a host of this release; supported are"
                    + " \(ArchitectureName.supported.joined(separator: ", "))",
                remedy: "nothing to do if a later release has the architecture, else correct the name"
            )
            return true
        case .misspelt(let meant):
            problems.report(
                .wrongValue,
                at: field,
                "is another name of the architecture \(meant)",
                remedy: "write \"\(meant)\", as uname -m prints it"
            )
            return false
        case .malformed:
            problems.report(
                .wrongValue,
                at: field,
                "is not the name of an architecture: 3 to 32 lower-case letters, digits and underscores",
                remedy: "write the output of uname -m, such as \(host.architecture)"
            )
            return false
        }
    }

    private func reportNoLibrary(among architectures: [String], at place: Field<Void>) {
        // A misspelt name or an invalid path may be the missing library.
        if problems.holdsErrors(under: .library) { return }
        problems.report(
            .architecture,
            at: place,
            "has no library for \(host.architecture), the architecture of this machine"
                + (architectures.isEmpty ? "" : ", but only for \(architectures.joined(separator: ", "))"),
            remedy: "install a version of the plugin for \(host.architecture), or build the library for it and add"
                + " \(host.architecture): PATH"
        )
    }

    // MARK: Paths

    /// Names of the functions that the library has to export; nil for a library with an entry function.
    private var boundFunctions: [Field<String>]? {
        if !draft.bindsFunctions || draft.role == .extension { return nil }
        return (draft.handlers?.value ?? []).compactMap { handler in
            handler.symbol.flatMap { FunctionBinding.flaw(inSymbol: $0.value) == nil ? $0 : nil }
        }
    }

    private func libraryPath(_ field: Field<String>) -> Field<String>? {
        let isAbsolute = field.value.hasPrefix("/")
        let mayBeAbsolute = boundFunctions != nil
        let path = isAbsolute && mayBeAbsolute ? field.value.dropFirst() : field.value[...]
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isTooLong = field.value.utf8.count > Self.longestPath
        let message: String? =
            if isTooLong {
                "is a path of \(field.value.utf8.count) bytes; the maximum is \(Self.longestPath)"
            } else if isAbsolute && !mayBeAbsolute {
                "is the absolute path \(field.value.inQuotes)"
            } else if field.value.isEmpty {
                "is empty"
            } else if let part = ["..", ".", ""].first(where: { parts.contains(Substring($0)) }) {
                "is \(field.value.inQuotes), which has \(part.isEmpty ? "an empty" : "a \"\(part)\"") part"
            } else {
                nil
            }
        guard let message else { return field }
        problems.report(
            .libraryPath,
            at: field,
            isTooLong || (isAbsolute && mayBeAbsolute)
                ? message : "\(message); a library is in the directory of its manifest or in the plugin directory",
            remedy: isTooLong
                ? "write a path of at most \(Self.longestPath) bytes"
                : isAbsolute && mayBeAbsolute
                    ? "write the absolute path of a file, without the parts \".\" and \"..\", and without // or a"
                        + " slash at the end"
                    : "put the library there, and write its path in that directory, such as libFeed.so"
        )
        return nil
    }
}
