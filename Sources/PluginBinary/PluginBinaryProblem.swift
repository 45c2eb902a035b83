// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
package import TaskModel

/// The reason why a library is not loaded, found in its bytes.
package struct PluginBinaryProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Error, Hashable, Sendable {
        case unreadable(errno: Int32)
        /// The file is not a regular file; the value names its type, such as a directory, a device or a pipe.
        case notAFile(String)
        case notAnELF
        /// The file is an ELF file of another class; the value is the class, such as 32-bit.
        case wrongClass(String)
        case foreignArchitecture(String)
        /// The file is not a shared library; the value is its actual type.
        case notASharedLibrary(String)
        case truncated
        /// The file is damaged; the value completes the sentence "is damaged: ...".
        case damaged(String)
        case noNote
        /// The library has notes for other major versions alone, the newest of which is newer than this host's.
        case newerMajors([Int])
        /// The library has notes for older major versions alone.
        case olderMajors([Int])
        case newerMinor(required: Int, offered: Int)
        case entryMissing
        case entryHidden
        /// The compiler changed the name of the entry; the value is the symbol.
        case entryMangled(String)
        case entryNotAFunction
        case foreignExport(String)
        /// The manifest binds functions of the library, but the library has the note of a plugin.
        case noteBesideHandlers
        case entryBesideHandlers
        /// The manifest binds a function that the library does not define; `nearest` is the most similar function name,
        /// if any.
        case symbolMissing(String, nearest: String?)
        case symbolHidden(String)
        /// The library exports only an old version of the function, for programs that were linked with that version.
        case symbolOutdated(String)
        case symbolNotAFunction(String)
        /// The loader does not find a needed library; `neededBy` is the path of the library that needs it, nil for the
        /// plugin's own.
        case dependencyMissing(String, neededBy: String?)
        /// The loader finds a needed library, but its symbols cannot be read, because of `problem`.
        case dependencyUnread(String, problem: String)
        /// No loaded library defines the symbol; `usedBy` is the path of the library that uses it, nil for the plugin's
        /// own.
        case symbolUndefined(String, usedBy: String?)
        /// A needed library does not define a version of its symbols; `of` is the path of that library, `usedBy` the
        /// path of the library that requires the version, nil for the plugin's own.
        case versionUndefined(String, of: String, usedBy: String?)
        /// A directory of the search path for needed libraries is neither below the library's directory nor a directory
        /// of the system; `flaw` is the reason. `neededBy` is the path of the private library with that search path,
        /// nil for the plugin's own.
        case searchPathRefused(String, flaw: String, neededBy: String?)
        /// A library is needed by a path instead of a name, and the directory of that path is neither below the
        /// library's directory nor a directory of the system; `flaw` is the reason. `neededBy` is the path of the
        /// private library that needs it, nil for the plugin's own.
        case neededPathRefused(String, flaw: String, neededBy: String?)
        case textRelocations
        /// The loader refuses the library in a running program (DF_1_NOOPEN). The value is the path of a needed
        /// library, nil for the plugin's own.
        case notOpenable(String?)
    }

    package let path: String
    package let kind: Kind
    /// The language of the library, which selects the remedy.
    package let language: LibraryLanguage

    package init(path: String, kind: Kind, language: LibraryLanguage = .c) {
        self.path = path
        self.kind = kind
        self.language = language
    }

    /// The violated rule of the ABI; nil when the problem violates none, as for an unreadable file.
    package var rule: ABIRule? {
        switch kind {
        case .entryMissing, .entryHidden, .entryMangled, .entryNotAFunction, .foreignExport: .oneEntry
        case .noNote, .newerMajors, .olderMajors, .newerMinor: .version
        case .textRelocations: .processOfHost
        case .wrongClass: .layout
        default: nil
        }
    }

    /// The bound function that the problem concerns; nil for other problems.
    package var symbol: String? {
        switch kind {
        case .symbolMissing(let name, _), .symbolHidden(let name), .symbolOutdated(let name),
            .symbolNotAFunction(let name):
            name
        default: nil
        }
    }

    /// A stable code of the problem, for programs.
    package var code: String {
        switch kind {
        case .unreadable: "unreadable"
        case .notAFile: "not-a-file"
        case .notAnELF: "not-an-elf"
        case .wrongClass: "wrong-class"
        case .foreignArchitecture: "foreign-architecture"
        case .notASharedLibrary: "not-a-shared-library"
        case .truncated: "truncated"
        case .damaged: "damaged"
        case .noNote: "no-note"
        case .newerMajors: "newer-major"
        case .olderMajors: "older-major"
        case .newerMinor: "newer-minor"
        case .entryMissing: "entry-missing"
        case .entryHidden: "entry-hidden"
        case .entryMangled: "entry-mangled"
        case .entryNotAFunction: "entry-not-a-function"
        case .foreignExport: "foreign-export"
        case .noteBesideHandlers: "note-beside-handlers"
        case .entryBesideHandlers: "entry-beside-handlers"
        case .symbolMissing: "symbol-missing"
        case .symbolHidden: "symbol-hidden"
        case .symbolOutdated: "symbol-outdated"
        case .symbolNotAFunction: "symbol-not-a-function"
        case .textRelocations: "text-relocations"
        case .notOpenable: "not-openable"
        case .dependencyMissing: "dependency-missing"
        case .dependencyUnread: "dependency-unread"
        case .symbolUndefined: "symbol-undefined"
        case .versionUndefined: "version-undefined"
        case .searchPathRefused, .neededPathRefused: "search-path"
        }
    }

    package var description: String { "\(message); \(remedy)" }

    /// The message: the library, its value and the violated rule.
    package var message: String {
        let statement = "library \(path.inQuotes) \(fact)"
        return rule.map { "\(statement) (\($0.rawValue))" } ?? statement
    }

    /// The value and the violated rule, as the predicate of a sentence about the library.
    var fact: String {
        switch kind {
        case .unreadable(let errno): "cannot be read: \(String(systemError: errno))"
        case .notAFile(let what): "is \(what), not a file"
        case .notAnELF: "is not an ELF file"
        case .wrongClass(let what): "is a \(what) ELF file; plugins are 64-bit"
        case .foreignArchitecture(let name):
            "is built for \(name); this machine runs Linux on \(ElfHeader.hostMachineName)"
        case .notASharedLibrary(let what): "is \(what), not a shared library"
        case .truncated:
            "is truncated: it ends inside its ELF header, or before the end of a part that its headers name"
        case .damaged(let what): "is damaged: \(what)"
        case .noNote: "has no bgtask note, so its ABI version is unknown"
        case .newerMajors(let majors), .olderMajors(let majors):
            "is built for ABI major \(majors.count == 1 ? "version" : "versions")"
                + " \(majors.map(String.init).joined(separator: ", "));"
                + " this version of bgtask offers ABI \(HostABI.major).\(HostABI.minor)"
        case .newerMinor(let required, let offered):
            "requires ABI \(HostABI.major).\(required); this version of bgtask offers ABI \(HostABI.major).\(offered)"
        case .entryMissing: "does not export \(PluginBinary.entryName)"
        case .entryHidden: "defines \(PluginBinary.entryName) but does not export it"
        case .entryMangled(let name): "defines its entry as \(name.inQuotes) instead of \(PluginBinary.entryName)"
        case .entryNotAFunction: "exports \(PluginBinary.entryName), but not as a function"
        case .foreignExport(let name):
            "exports \(name.inQuotes); of the names bgtask_* and bgt_* a plugin exports only \(PluginBinary.entryName)"
                + " and numbered entries such as \(PluginBinary.entryName)_2"
        case .noteBesideHandlers: "has the bgtask note of a plugin, but the manifest binds its functions as handlers"
        case .entryBesideHandlers:
            "exports \(PluginBinary.entryName), but the manifest binds its functions as handlers"
        case .symbolMissing(let name, _): "does not export \(name.inQuotes)"
        case .symbolHidden(let name): "defines \(name.inQuotes) but does not export it"
        case .symbolOutdated(let name): "exports \(name.inQuotes) only as an old version of the symbol"
        case .symbolNotAFunction(let name): "exports \(name.inQuotes), but not as a function"
        case .textRelocations: "has text relocations: its code is writable while it is loaded"
        case .notOpenable(let library?):
            "needs \(library.inQuotes), which the loader loads only at the start of a program (DF_1_NOOPEN)"
        case .notOpenable(nil):
            "can be loaded only at the start of a program (DF_1_NOOPEN), and a runner loads it later"
        case .dependencyMissing(let name, let user?):
            "needs \(user.inQuotes), which needs the library \(name.inQuotes), which the loader does not find"
        case .dependencyMissing(let name, nil): "needs the library \(name.inQuotes), which the loader does not find"
        case .dependencyUnread(let path, let problem):
            "needs the library \(path.inQuotes), whose symbols cannot be read: \(problem)"
        case .symbolUndefined(let name, let user?):
            "needs \(user.inQuotes), which uses the symbol \(name.inQuotes), which no loaded library defines"
        case .symbolUndefined(let name, nil):
            "uses the symbol \(name.inQuotes), which no loaded library defines"
        case .versionUndefined(let version, let library, let user):
            (user.map { "needs \($0.inQuotes), which requires" } ?? "requires")
                + " the symbol version \(version.inQuotes) of \(library.inQuotes), which does not define it"
        case .searchPathRefused(let entry, let flaw, let user):
            (user.map { "needs \($0.inQuotes), which has" } ?? "has")
                + " \(entry.inQuotes) in its search path for libraries; this \(flaw)"
        case .neededPathRefused(let name, let flaw, let user):
            (user.map { "needs \($0.inQuotes), which needs" } ?? "needs")
                + " the library \(name.inQuotes) by this path, whose directory \(flaw)"
        }
    }
}
