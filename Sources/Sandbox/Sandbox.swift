// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
package import LinuxSystem
package import RunnerWire
import TaskModel

/// Puts this process into its sandbox, before it loads a plugin. A process cannot leave its sandbox.
///
/// Landlock and the refusal of new privileges apply to the calling thread and to threads that it starts later, not to
/// threads that exist already. The process must therefore have one thread.
package enum Sandbox {
    /// Changes the user of the process, and puts it into the sandbox of the plan, except for the limit of descriptors:
    /// the caller sends the listener and then calls `limitDescriptors`. Throws when a step fails; the process must then
    /// not load the plugin. After a change of the user the caller has to check that the host still runs: the kernel
    /// sends no death signal in between.
    ///
    /// - Parameters:
    ///   - plan: the sandbox; nil for none.
    ///   - user: the user and group of the plugin; nil for the present user.
    ///   - processLimit: maximum number of processes and threads of `user`; without effect when `user` is nil. Nil for
    ///     no limit.
    ///   - fileLimit: maximum size in bytes of a file that the process writes, with or without a sandbox; nil for no
    ///     limit.
    ///   - container: the container of the plugin; it exists, and `user` owns it.
    ///   - prepared: a ruleset that was created in advance; nil to create one now.
    /// - Returns: one message for each refused grant, and the listener of the filter of system calls, in which refused
    ///   calls wait for an answer. The listener is nil without a filter, or when the kernel creates no listener.
    package static func enter(
        _ plan: SandboxPlan?,
        as user: UInt32?,
        processLimit: UInt32? = nil,
        fileLimit: UInt64? = nil,
        container: String,
        prepared: BaseRuleset? = nil
    ) throws(SystemError) -> (messages: [String], listener: Descriptor?) {
        if let fileLimit {
            try SystemError.check(
                bgl_limit(Int32(RLIMIT_FSIZE.rawValue), fileLimit, fileLimit),
                "set the resource limit RLIMIT_FSIZE to \(fileLimit)"
            )
        }
        if plan == nil, user == nil { return ([], nil) }
        let attempt = "count the threads in /proc/self/task, for which /proc must be mounted"
        let threads = try SystemError.check(bgl_thread_count(), attempt)
        guard threads == 1 else {
            throw SystemError(number: EBUSY, attempt: "confine a process that has \(threads) threads")
        }
        if plan != nil {
            for limit in ResourceLimit.others { try limit.apply() }
        }
        if user != nil, let limit = processLimit.map(UInt64.init) {
            try SystemError.check(
                bgl_limit(Int32(__RLIMIT_NPROC.rawValue), limit, limit),
                "set the resource limit RLIMIT_NPROC to \(limit)"
            )
        }
        // Users who could not have planted a symbolic link for this plugin: root, and the host's user if it is another.
        let trusted: Set<uid_t> = user.map { $0 == getuid() ? [0] : [0, getuid()] } ?? [0]
        if let user { try SystemError.check(bgl_become_user(user), "become user \(user)") }
        try SystemError.check(bgl_refuse_new_privileges(), "set no_new_privs")
        guard let plan else { return ([], nil) }
        let temporary = try makeTemporaryDirectory(in: container)
        // Some of them pass by Landlock: with CAP_PERFMON a process reads the environment of others.
        try SystemError.check(bgl_drop_capabilities(), "drop the capabilities")
        var refused: [String] = []
        if let rights = plan.landlock {
            let base = try BaseRuleset.take(prepared, for: rights)
            if let library = Place(plan.library) { try base.ruleset.allow(library, Landlock.rights(.execute)) }
            try allowCompanions(of: plan, in: base.ruleset)
            if let bundle = ownBundle { try allow(bundle: bundle, in: base.ruleset) }
            guard let place = Place(container, follows: false) else {
                throw SystemError(number: errno, attempt: "open the container \(container)")
            }
            try base.ruleset.allow(place, Landlock.rights(.write))
            for granted in plan.granted {
                switch GrantedPlace.open(granted, of: plan, trusting: trusted) {
                case .place(let place): try base.ruleset.allow(place, Landlock.rights(granted.access))
                case .missing: continue
                case .refused(let message): refused.append(message)
                }
            }
            for port in plan.ports where rights.network & port.rights != 0 {
                try base.ruleset.allow(port: port.number, port.rights)
            }
            try base.ruleset.restrict()
        }
        setenv("TMPDIR", temporary, 1)
        if !plan.filter.isEmpty {
            var number: Int32 = -1
            let status = plan.filter.withUnsafeBytes { bgl_load_system_call_filter($0.baseAddress, $0.count, &number) }
            try SystemError.check(status, "load the filter of system calls")
            return (refused, number < 0 ? nil : Descriptor(owning: number))
        }
        return (refused, nil)
    }

    /// Raises the limit of descriptors of this process as far as its hard limit permits. Called before the listener is
    /// sent: the kernel refuses to send a descriptor while the user has more descriptors in flight than the soft limit
    /// of the sender. Plugins with the same user can keep `ResourceLimit.descriptors` of them in flight.
    package static func raiseDescriptorLimit() {
        // A failure leaves the present limit, with which the kernel may still accept the listener.
        _ = bgl_raise_limit(Int32(RLIMIT_NOFILE.rawValue))
    }

    /// Lowers the limit of descriptors of this process to that of a plugin: the last step of a sandbox.
    package static func limitDescriptors() throws(SystemError) { try ResourceLimit.descriptors.apply() }

    /// Adds a number to the nice value of this thread, and gives it the lowest best-effort priority for disks. Threads
    /// that it starts later inherit both.
    package static func lowerPriority(by nice: UInt8) { bgl_lower_priority(Int32(nice)) }

    /// Creates a directory for temporary files in the container, because the plugin has no access to the machine's
    /// directory for them. Returns its path.
    private static func makeTemporaryDirectory(in container: String) throws(SystemError) -> String {
        let path = container + "/tmp"
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return path }
        let number = errno
        // A concurrent launch of the plugin can take the permissions of the container away. The plugin gets the error.
        if number == EACCES, Place(container, follows: false)?.isDirectory == true { return path }
        throw SystemError(number: number, attempt: "create \(path)")
    }

    /// Opens the files that the plugin uses beside its library. A symbolic link that leads out of the directory opens
    /// nothing. Neither does a path that leads to another file than when the catalogue examined it: that file can
    /// belong to another plugin.
    private static func allowCompanions(
        of plan: SandboxPlan,
        in ruleset: borrowing LandlockRuleset
    ) throws(SystemError) {
        if plan.companions.isEmpty { return }
        guard let directory = Place(PathRelation.parent(plan.library))?.resolvedPath else { return }
        for companion in plan.companions {
            guard let place = Place(companion.path), place.file == companion.key else { continue }
            guard !place.isDirectory, let target = place.resolvedPath else { continue }
            if PathRelation.contains(directory, target) { try ruleset.allow(place, Landlock.rights(.execute)) }
        }
    }

    /// Opens the main bundle of the process for Foundation, which lists it and reads Info.plist. The program stays
    /// closed: all bundles have the same file, and a plugin could change its mode by a descriptor.
    private static func allow(bundle: String, in ruleset: borrowing LandlockRuleset) throws(SystemError) {
        if let place = Place(bundle) { try ruleset.allow(place, Landlock.readDirectory) }
        if let information = Place("\(bundle)/\(BundleLayout.information)") {
            try ruleset.allow(information, Landlock.readFile)
        }
    }

    /// The main bundle in which this runner was started; nil for an ordinary runner. The host chose the program's path.
    private static var ownBundle: String? {
        FilePlace.target(of: "/proc/self/exe").flatMap(BundleLayout.bundle(ofProgram:))
    }
}
