// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Glibc
import LinuxSystem
import PluginBinary
import RunnerWire
import TaskModel

/// A plugin's library in this process. It stays mapped until the process ends, because threads of its runtime may still
/// run. This type is the only place that loads plugin code.
struct PluginLibrary {
    struct LoadError: Error {
        let message: String
        /// Whether the error is that libffi is missing or defective, which is not the fault of the library.
        var isFFIMissing = false
    }

    // The handle from dlopen: never dereferenced here, and never closed.
    private let handle: UnsafeMutableRawPointer
    private let path: String

    /// Loads the library. A library that this host does not support is never loaded: the host has examined the file
    /// with this identity, or the file is examined here, as plain bytes. A library of bound functions always is.
    ///
    /// The library is loaded by its path, not by a descriptor. A library named `/proc/self/fd/7` could not find the
    /// files beside it ($ORIGIN, dladdr), and a debugger could not find its symbols. Therefore the identity of the file
    /// at the path is compared after loading. A file that was exchanged meanwhile, even back, has a new change
    /// time. In that case its constructors have run, but no other code.
    static func open(_ plan: RunnerPlan, for use: LibraryUse) throws(LoadError) -> PluginLibrary {
        let path = plan.libraryPath
        guard path.hasPrefix("/") else {
            throw LoadError(message: "library path \"\(path)\" is not absolute; report this defect of bgtaskd")
        }
        if !(plan.isExamined && use == .entry && FileIdentity(ofPath: path) == plan.libraryIdentity) {
            try examine(path, for: use, expecting: plan.libraryIdentity)
        }
        // RTLD_NOW makes a missing symbol a load failure that names it, instead of a crash in the middle of a task.
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw LoadError(
                message: "library \"\(path)\" cannot be loaded: \(lastProblem()); examine it with:"
                    + " bgtask plugin inspect \(path)"
            )
        }
        guard FileIdentity(ofPath: path) == plan.libraryIdentity else { throw changed(path) }
        return PluginLibrary(handle: handle, path: path)
    }

    func entry() throws(LoadError) -> bgt_plugin_entry {
        guard let symbol = dlsym(handle, BGTASK_ENTRY_SYMBOL) else {
            throw LoadError(
                message: "library \"\(path)\" does not export \(BGTASK_ENTRY_SYMBOL);"
                    + " define it with BGTASK_PLUGIN_ENTRY of bgtask.h, in Swift with @c(bgtask_plugin_entry);"
                    + " if it is defined, export it"
            )
        }
        // The ABI defines this type for the symbol (BGT-ABI-01).
        return unsafeBitCast(symbol, to: bgt_plugin_entry.self)
    }

    func function(_ name: String) throws(LoadError) -> UnsafeMutableRawPointer {
        if let symbol = dlsym(handle, name) { return symbol }
        throw LoadError(
            message: "library \"\(path)\": the function \(name) cannot be found: \(Self.lastProblem()); export it, or"
                + " correct the symbol of its handler in the manifest"
        )
    }

    private static func examine(_ path: String, for use: LibraryUse, expecting identity: FileIdentity) throws(LoadError)
    {
        let found: FileIdentity?
        switch use {
        case .entry:
            do {
                found = try PluginBinary.examine(path: path).identity
            } catch {
                throw LoadError(message: "\(error)")
            }
        case .functions:
            let survey = BinarySurvey(path: path, for: use)
            if let problem = survey.problems.first { throw LoadError(message: "\(problem)") }
            found = survey.identity
        }
        guard found == identity else { throw changed(path) }
    }

    private static func changed(_ path: String) -> LoadError {
        LoadError(
            message: "library \"\(path)\" changed since the host examined it; a host examines the library"
                + " again; next time, rename a complete file into place"
        )
    }

    static func lastProblem() -> String {
        guard let text = dlerror() else { return "the loader reports no reason" }
        return String(cString: text)
    }
}
