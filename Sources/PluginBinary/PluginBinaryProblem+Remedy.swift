// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import TaskModel

extension PluginBinaryProblem {
    /// The change that removes the problem.
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
        case .noNote: "\(language.noteRemedy), or bind its functions as handlers"
        case .newerMajors: "upgrade bgtaskd, or install a build for ABI major version \(HostABI.major)"
        case .olderMajors:
            "rebuild it with bgtask.h or, in Swift, the module BackgroundTasks of ABI major version \(HostABI.major)"
        case .newerMinor(_, let offered):
            "rebuild it for ABI \(HostABI.major).\(offered), in C with BGTASK_TARGET_MINOR \(offered), or upgrade"
                + " bgtaskd"
        case .entryMissing: language.missingEntryRemedy
        case .entryHidden: language.hiddenEntryRemedy
        case .entryMangled: language.mangledEntryRemedy
        case .entryNotAFunction: "define it as a function: \(language.entryDefinition)"
        case .textRelocations: "build all of it with -fPIC; -Wl,-z,text reports the objects without it"
        case .notOpenable(let library?):
            "link \(library.inQuotes) without -Wl,-z,nodlopen, or link another build of that library"
        case .notOpenable(nil): "link it without -Wl,-z,nodlopen"
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
            "install the missing library, or link \(user?.inQuotes ?? "the plugin's library") with"
                + " -Wl,-rpath,'$ORIGIN' and put the missing library beside it"
        case .dependencyUnread: "check that library with: bgtask plugin inspect"
        case .symbolUndefined(let name, _) where name.hasPrefix("bgt_") || name.hasPrefix("bgtask_"):
            "call the host through its table, the bgt_host that the entry function and each handler receive; no host"
                + " defines symbols of that name"
        case .versionUndefined(_, let library, _):
            "install the version of \(library.inQuotes) for which the plugin was linked, or link the plugin again with the"
                + " installed one"
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
