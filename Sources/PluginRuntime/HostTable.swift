// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Glibc
import RunnerWire
import TaskModel

/// The functions of the host that plugin code calls. Except `name` and `query`, each forwards to the one launch of the
/// process.
///
/// They are top-level functions: a closure could inherit an actor's isolation, which the runtime checks on every call,
/// and plugin code calls from any thread.
enum HostTable {
    /// Address of the host table, valid until the process ends.
    // Written once, on first use, and constant from then on.
    nonisolated(unsafe) static let address: UnsafePointer<bgt_host> = {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let page, page != MAP_FAILED else {
            RunnerExit.end(without: .memory)
        }
        let table = page.bindMemory(to: bgt_host.self, capacity: 1)
        let imitation = Self.imitation
        table.initialize(
            to: bgt_host(
                size: imitation.size(of: bgt_host.self),
                minor: imitation.minor,
                launch_info: hostLaunchInfo,
                register_handler: hostRegisterHandler,
                submit: hostSubmit,
                cancel: hostCancel,
                cancel_all: hostCancelAll,
                pending: hostPending,
                task_info: hostTaskInfo,
                set_expiration_handler: hostSetExpirationHandler,
                complete: hostComplete,
                remaining: hostRemaining,
                is_expiring: hostIsExpiring,
                set_progress: hostSetProgress,
                set_title: hostSetTitle,
                begin_assertion: hostBeginAssertion,
                end_assertion: hostEndAssertion,
                container_path: hostContainerPath,
                setting: hostSetting,
                log: hostLog,
                name: hostName,
                query: hostQuery
            )
        )
        imitation.fillGrowth(behind: table)
        // A plugin that writes to the table crashes at that write instead of in a later call.
        mprotect(page, size, PROT_READ)
        return UnsafePointer(table)
    }()

    /// The one launch of this process; nil before it is created.
    // Set once by the main thread, before the control thread starts and before any plugin code is mapped.
    nonisolated(unsafe) static var launch: RunnerLaunch?

    /// The differences from a present host that the plugin sees in a trial; empty in every launch of a host, and before
    /// the launch is created.
    static var imitation: ImitatedHost { launch?.plan.imitation ?? [] }

    /// The slots of the launch's tasks; nil in a process that the plugin forked, and before the launch is created.
    static var slots: TaskSlots? { ForkedProcess.isCurrent ? nil : launch?.slots }

    /// Calls `body` with the launch, and counts the call if it comes from a thread of the plugin's own. Returns
    /// `BGT_ENDED` before the launch is created, and in a process that the plugin forked.
    static func call(_ host: UnsafePointer<bgt_host>, _ body: (RunnerLaunch) -> Int32) -> Int32 {
        call(host, otherwise: BGT_ENDED, body)
    }

    /// Calls `body` with the launch, and counts the call if it comes from a thread of the plugin's own. Returns
    /// `fallback` before the launch is created, and in a process that the plugin forked: the locks of the launch may be
    /// held by threads that the forked process does not have.
    static func call<Result>(
        _ host: UnsafePointer<bgt_host>,
        otherwise fallback: Result,
        _ body: (RunnerLaunch) -> Result
    ) -> Result {
        guard let launch else { return fallback }
        if ForkedProcess.isCurrent {
            ForkedProcess.noteCall()
            return fallback
        }
        examine(host)
        return launch.activity.call { body(launch) }
    }

    /// Reports a call that passed another pointer than that of the table. Only a strict host reports it: this version
    /// does not read the argument. The argument may be NULL, and is never dereferenced.
    static func examine(_ host: UnsafePointer<bgt_host>) {
        if host == address { return }
        guard let launch, launch.plan.imitation.contains(.strict), !ForkedProcess.isCurrent else { return }
        launch.violation(
            .passedCopy,
            "a call passed a host pointer that is not the pointer from entry; pass that pointer, never NULL and never"
                + " the address of a copy of the table"
        )
    }
}

private typealias Host = UnsafePointer<bgt_host>
private typealias Context = UnsafeMutableRawPointer
private typealias Refusal = UnsafeMutablePointer<bgt_refusal>

// MARK: The launch

private func hostLaunchInfo(_ host: Host, _ out: UnsafeMutablePointer<bgt_launch_info>?) -> Int32 {
    HostTable.call(host) { $0.describe(out) }
}

private func hostRegisterHandler(
    _ host: Host,
    _ identifier: UnsafePointer<CChar>?,
    _ function: bgt_handler?,
    _ context: Context?,
    _ release: bgt_release?,
    _ refusal: Refusal?
) -> Int32 {
    let handler = function.map { TaskHandler.registered(Callback($0, context: context, release: release)) }
    let status = HostTable.call(host) { launch in
        launch.answering(refusal, "register_handler") { () throws(CallProblem) in
            try launch.register(identifier, handler)
        }
    }
    if status != BGT_OK { releaseContext(context, with: release) }
    return status
}

private func hostRemaining(_ host: Host) -> UInt64 {
    HostTable.call(host, otherwise: 0) { $0.remaining }
}

private func hostContainerPath(
    _ host: Host,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: UInt64,
    _ needed: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    HostTable.call(host) { $0.containerPath(buffer, capacity, needed) }
}

private func hostSetting(
    _ host: Host,
    _ key: UnsafePointer<CChar>?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: UInt64,
    _ needed: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    HostTable.call(host) { $0.setting(key, buffer, capacity, needed) }
}

private func hostLog(_ host: Host, _ task: bgt_task, _ level: UInt32, _ message: UnsafePointer<CChar>?) {
    HostTable.call(host, otherwise: ()) { $0.log(TaskID(rawValue: task), level, message) }
}

private func hostName(_ host: Host, _ vocabulary: UInt32, _ number: Int64) -> UnsafePointer<CChar> {
    HostTable.examine(host)
    let name = ABIVocabulary(rawValue: vocabulary)?.name(of: number) ?? "unknown"
    // Literals are stored with a NUL and never move.
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func hostQuery(_ host: Host, _ id: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
    HostTable.examine(host)
    return id.flatMap { OptionalFeatures.table(of: String(cString: $0)) }
}

// MARK: Requests

private func hostSubmit(
    _ host: Host,
    _ request: UnsafePointer<bgt_request>?,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    HostTable.call(host) { $0.submit(request, refusal) }
}

private func hostCancel(_ host: Host, _ identifier: UnsafePointer<CChar>?, _ refusal: Refusal?) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "cancel") { () throws(CallProblem) in try launch.cancel(identifier) }
    }
}

private func hostCancelAll(_ host: Host, _ refusal: Refusal?) -> Int32 {
    HostTable.call(host) { launch in
        launch.answering(refusal, "cancel_all") { () throws(CallProblem) in try launch.cancelAll() }
    }
}

private func hostPending(
    _ host: Host,
    _ visitor: bgt_pending_visitor?,
    _ context: Context?,
    _ refusal: Refusal?
) -> Int32 {
    HostTable.call(host) { $0.visitPending(visitor, context, refusal) }
}

// MARK: Tasks

private func hostTaskInfo(_ host: Host, _ task: bgt_task, _ out: UnsafeMutablePointer<bgt_task_info>?) -> Int32 {
    HostTable.call(host) { $0.describe(TaskID(rawValue: task), out) }
}

private func hostSetExpirationHandler(
    _ host: Host,
    _ task: bgt_task,
    _ function: bgt_expiration_handler?,
    _ context: Context?,
    _ release: bgt_release?
) -> Int32 {
    let handler = function.map { Callback($0, context: context, release: release) }
    let status = HostTable.call(host) { $0.setExpirationHandler(handler, of: TaskID(rawValue: task)) }
    // Without a function the context will never be used, so it is released at once.
    if status != BGT_OK || handler == nil { releaseContext(context, with: release) }
    return status
}

private func hostComplete(
    _ host: Host,
    _ task: bgt_task,
    _ outcome: Int32,
    _ message: UnsafePointer<CChar>?
) -> Int32 {
    HostTable.call(host) { $0.complete(TaskID(rawValue: task), outcome: outcome, message) }
}

// A polling loop calls it millions of times: the usual answer takes no lock and is not counted as a call.
private func hostIsExpiring(_ host: Host, _ task: bgt_task) -> Int32 {
    if host == HostTable.address, HostTable.slots?.isOpen(TaskID(rawValue: task)) == true { return 0 }
    return HostTable.call(host, otherwise: 1) { $0.isExpiring(TaskID(rawValue: task)) }
}

// MARK: Assertions

private func hostBeginAssertion(
    _ host: Host,
    _ name: UnsafePointer<CChar>?,
    _ function: bgt_assertion_handler?,
    _ context: Context?,
    _ release: bgt_release?,
    _ out: UnsafeMutablePointer<bgt_assertion>?,
    _ refusal: Refusal?
) -> Int32 {
    out?.pointee = 0
    let handler = function.map { Callback($0, context: context, release: release) }
    let status = HostTable.call(host) { launch in
        launch.answering(refusal, "begin_assertion") { () throws(CallProblem) in
            try launch.beginAssertion(name, handler, out)
        }
    }
    // Without a function the context will never be used, so it is released at once.
    if status != BGT_OK || handler == nil { releaseContext(context, with: release) }
    return status
}

private func hostEndAssertion(_ host: Host, _ assertion: bgt_assertion) -> Int32 {
    HostTable.call(host) { $0.endAssertion(AssertionID(rawValue: assertion)) }
}

// MARK: Continued tasks

// Progress that replaces a held report takes no lock of the launch and is not counted as a call.
private func hostSetProgress(_ host: Host, _ task: bgt_task, _ completed: Int64, _ total: Int64) -> Int32 {
    if host == HostTable.address, let slots = HostTable.slots, !ThreadRole.current.contains(.pendingVisitor),
        slots.replace(TaskID(rawValue: task), done: completed, total: total)
    {
        return BGT_OK
    }
    return HostTable.call(host) { $0.setProgress(of: TaskID(rawValue: task), completed, of: total) }
}

private func hostSetTitle(
    _ host: Host,
    _ task: bgt_task,
    _ title: UnsafePointer<CChar>?,
    _ subtitle: UnsafePointer<CChar>?
) -> Int32 {
    HostTable.call(host) { $0.setTitle(of: TaskID(rawValue: task), title, subtitle) }
}
