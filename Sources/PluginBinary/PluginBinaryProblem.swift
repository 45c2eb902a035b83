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
        case newerMajor(Int)
        case olderMajor(Int)
        case newerMinor(required: Int, offered: Int)
        case entryMissing
        case entryHidden
        case entryNotAFunction
        case foreignExport(String)
        /// The manifest binds functions of the library, but the library is a plugin with an entry function of its own.
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
        /// The loader finds a needed library, but its symbols cannot be read; the problem is the value.
        case dependencyUnread(String, problem: String)
        /// No loaded library defines the symbol; `usedBy` is the path of the library that uses it, nil for the plugin's
        /// own.
        case symbolUndefined(String, usedBy: String?)
        /// A directory of the search path for needed libraries is neither below the library's directory nor a directory
        /// of the system; `flaw` is the reason. `neededBy` is the path of the private library with that search path,
        /// nil for the plugin's own.
        case searchPathRefused(String, flaw: String, neededBy: String?)
        /// A library is needed by a path instead of a name, and the directory of that path is neither below the
        /// library's directory nor a directory of the system; `flaw` is the reason. `neededBy` is the path of the
        /// private library that needs it, nil for the plugin's own.
        case neededPathRefused(String, flaw: String, neededBy: String?)
    }

    package let path: String
    package let kind: Kind

    package init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// The violated rule of the ABI; nil when the problem violates none, as for an unreadable file.
    package var rule: ABIRule? {
        switch kind {
        case .entryMissing, .entryHidden, .entryNotAFunction, .foreignExport: .oneEntry
        case .noNote, .newerMajor, .olderMajor, .newerMinor: .version
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
        case .newerMajor: "newer-major"
        case .olderMajor: "older-major"
        case .newerMinor: "newer-minor"
        case .entryMissing: "entry-missing"
        case .entryHidden: "entry-hidden"
        case .entryNotAFunction: "entry-not-a-function"
        case .foreignExport: "foreign-export"
        case .noteBesideHandlers: "note-beside-handlers"
        case .entryBesideHandlers: "entry-beside-handlers"
        case .symbolMissing: "symbol-missing"
        case .symbolHidden: "symbol-hidden"
        case .symbolOutdated: "symbol-outdated"
        case .symbolNotAFunction: "symbol-not-a-function"
        case .dependencyMissing: "dependency-missing"
        case .dependencyUnread: "dependency-unread"
        case .symbolUndefined: "symbol-undefined"
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
        case .newerMajor(let major), .olderMajor(let major):
            "is built for ABI major version \(major); this version of bgtask offers ABI"
                + " \(HostABI.major).\(HostABI.minor)"
        case .newerMinor(let required, let offered):
            "requires ABI \(HostABI.major).\(required); this version of bgtask offers ABI \(HostABI.major).\(offered)"
        case .entryMissing: "does not export \(PluginBinary.entryName)"
        case .entryHidden: "defines \(PluginBinary.entryName) but does not export it"
        case .entryNotAFunction: "exports \(PluginBinary.entryName), but not as a function"
        case .foreignExport(let name):
            "exports \(name.inQuotes); of the names bgtask_* and bgt_* a plugin exports only \(PluginBinary.entryName)"
        case .noteBesideHandlers: "has the bgtask note of a plugin, but the manifest binds its functions as handlers"
        case .entryBesideHandlers:
            "exports \(PluginBinary.entryName), but the manifest binds its functions as handlers"
        case .symbolMissing(let name, _): "does not export \(name.inQuotes)"
        case .symbolHidden(let name): "defines \(name.inQuotes) but does not export it"
        case .symbolOutdated(let name): "exports \(name.inQuotes) only as an old version of the symbol"
        case .symbolNotAFunction(let name): "exports \(name.inQuotes), but not as a function"
        case .dependencyMissing(let name, let user?):
            "needs \(user.inQuotes), which needs the library \(name.inQuotes), which the loader does not find"
        case .dependencyMissing(let name, nil): "needs the library \(name.inQuotes), which the loader does not find"
        case .dependencyUnread(let path, let problem):
            "needs the library \(path.inQuotes), whose symbols cannot be read: \(problem)"
        case .symbolUndefined(let name, let user?):
            "needs \(user.inQuotes), which uses the symbol \(name.inQuotes), which no loaded library defines"
        case .symbolUndefined(let name, nil):
            "uses the symbol \(name.inQuotes), which no loaded library defines"
        case .searchPathRefused(let entry, let flaw, let user):
            (user.map { "needs \($0.inQuotes), which has" } ?? "has")
                + " \(entry.inQuotes) in its search path for libraries; this \(flaw)"
        case .neededPathRefused(let name, let flaw, let user):
            (user.map { "needs \($0.inQuotes), which needs" } ?? "needs")
                + " the library \(name.inQuotes) by this path, whose directory \(flaw)"
        }
    }

    package var remedy: String {
        switch kind {
        case .unreadable(errno: ENOENT), .unreadable(errno: ENOTDIR): "install it there"
        case .unreadable(errno: EACCES): "let this user, and the host's user, read it"
        case .unreadable: "check its path and its file system"
        case .notAFile, .notAnELF, .notASharedLibrary:
            "name a shared library (.so) instead: in C a file linked with -shared, in Swift a product of type .dynamic"
        case .wrongClass, .foreignArchitecture: "install the build for 64-bit Linux on \(ElfHeader.hostMachineName)"
        case .truncated: "copy it again, and rename it into place when it is complete"
        case .damaged: "build or copy it again"
        case .noNote:
            "add the note with BGTASK_PLUGIN_ENTRY of bgtask.h, in Swift by linking the module BackgroundTasks into the"
                + " library, or bind its functions as handlers"
        case .newerMajor: "upgrade bgtaskd, or install a build for ABI major version \(HostABI.major)"
        case .olderMajor:
            "rebuild it with bgtask.h or, in Swift, the module BackgroundTasks of ABI major version \(HostABI.major)"
        case .newerMinor(_, let offered):
            "rebuild it for ABI \(HostABI.major).\(offered), in C with BGTASK_TARGET_MINOR \(offered), or upgrade"
                + " bgtaskd"
        case .entryMissing:
            "define it with BGTASK_PLUGIN_ENTRY of bgtask.h, in Swift with @c(bgtask_plugin_entry); if it is defined,"
                + " export it"
        case .entryHidden:
            "define it with BGTASK_PLUGIN_ENTRY of bgtask.h, in Swift as a public function with"
                + " @c(bgtask_plugin_entry); keep it global in a version script if there is one"
        case .entryNotAFunction:
            "define it as a function with BGTASK_PLUGIN_ENTRY of bgtask.h, in Swift with @c(bgtask_plugin_entry)"
        case .foreignExport:
            "rename the symbol or make it static, build with -fvisibility=hidden, or hide the symbol with a version"
                + " script"
        case .noteBesideHandlers: "remove handlers from the manifest, or name a library without a bgtask note"
        case .entryBesideHandlers: "remove handlers from the manifest, or name a library without an entry"
        case .symbolMissing(_, let nearest?): NearestWord.remedy(nearest: nearest, meaning: "function")
        case .symbolHidden:
            "export it: remove static, give it default visibility and keep it global in a version script, in Swift make"
                + " it public; or bind one of the functions that nm -D --defined-only lists with a T, W or i"
        case .symbolOutdated: "define it with a default version (@@), or bind another function"
        case .symbolNotAFunction: "bind a function; a function in assembly needs .type NAME, @function"
        case .symbolMissing:
            "bind one of the functions that nm -D --defined-only lists with a T, W or i"
        case .dependencyMissing(let name, _) where name.hasPrefix("/"): "install that library there"
        case .dependencyMissing(let name, _) where name.contains("/"):
            "give that library a soname with -Wl,-soname, and link the library that needs it again"
        case .dependencyMissing(_, let user):
            "install that library, or put it beside \(user?.inQuotes ?? "the plugin's library") and link the latter"
                + " with -Wl,-rpath,'$ORIGIN'"
        case .dependencyUnread: "check that library with: bgtask plugin inspect"
        case .symbolUndefined(let name, _) where name.hasPrefix("bgt_") || name.hasPrefix("bgtask_"):
            "call the host through its table, the bgt_host that the entry function and each handler receive; no host"
                + " defines symbols of that name"
        case .searchPathRefused(_, _, let user):
            "link \(user?.inQuotes ?? "it") with -Wl,-rpath,'$ORIGIN' or without a search path, or name a directory"
                + " that only root can change"
        case .neededPathRefused:
            "give the needed library a soname with -Wl,-soname and put it beside the library that needs it; link the"
                + " latter again, with -Wl,-rpath,'$ORIGIN'"
        case .symbolUndefined:
            "link the library that defines the symbol, or install the version of that library for which the plugin was"
                + " built; -Wl,-z,defs reports undefined symbols at build time"
        }
    }
}
