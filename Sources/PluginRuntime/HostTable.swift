// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Glibc
import TaskModel

/// The functions of the host that plugin code calls. Each forwards to the one launch of the process and decides
/// nothing.
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
        table.initialize(
            to: bgt_host(
                size: UInt32(MemoryLayout<bgt_host>.size),
                minor: BGTASK_ABI_MINOR,
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
                set_minimum_fetch_interval: hostSetMinimumFetchInterval,
                container_path: hostContainerPath,
                setting: hostSetting,
                log: hostLog,
                status_name: hostStatusName,
                query: hostQuery
            )
        )
        // A plugin that writes to the table crashes at that write instead of in a later call.
        mprotect(page, size, PROT_READ)
        return UnsafePointer(table)
    }()

    /// The one launch of this process; nil before it is created.
    // Set once by the main thread, before the control thread starts and before any plugin code is mapped.
    nonisolated(unsafe) static var launch: RunnerLaunch?
}

private typealias Host = UnsafePointer<bgt_host>
private typealias Context = UnsafeMutableRawPointer

/// Calls `body` with the launch, and counts the call. The fallback status is never returned: the launch exists before
/// any plugin code is mapped.
private func withLaunch(_ body: (RunnerLaunch) -> Int32) -> Int32 {
    guard let launch = HostTable.launch else { return BGT_WRONG_PHASE }
    return launch.activity.call { body(launch) }
}

// MARK: The launch

private func hostLaunchInfo(_ host: Host, _ out: UnsafeMutablePointer<bgt_launch_info>?) -> Int32 {
    withLaunch { $0.describe(out) }
}

private func hostRegisterHandler(
    _ host: Host,
    _ identifier: UnsafePointer<CChar>?,
    _ function: bgt_handler?,
    _ context: Context?,
    _ release: bgt_release?
) -> Int32 {
    let handler = function.map { TaskHandler.registered(Callback($0, context: context, release: release)) }
    let status = withLaunch { $0.register(identifier, handler) }
    if status != BGT_OK { release?(context) }
    return status
}

private func hostRemaining(_ host: Host) -> UInt64 {
    HostTable.launch.map { launch in launch.activity.call { launch.remaining } } ?? 0
}

private func hostContainerPath(
    _ host: Host,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: UInt64,
    _ needed: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    withLaunch { $0.containerPath(buffer, capacity, needed) }
}

private func hostSetting(
    _ host: Host,
    _ key: UnsafePointer<CChar>?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: UInt64,
    _ needed: UnsafeMutablePointer<UInt64>?
) -> Int32 {
    withLaunch { $0.setting(key, buffer, capacity, needed) }
}

private func hostLog(_ host: Host, _ level: UInt32, _ message: UnsafePointer<CChar>?) {
    if let launch = HostTable.launch { launch.activity.call { launch.log(level, message) } }
}

private func hostStatusName(_ host: Host, _ status: Int32) -> UnsafePointer<CChar> {
    StatusName.address(of: status)
}

private func hostQuery(_ host: Host, _ id: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
    nil
}

// MARK: Requests

private func hostSubmit(
    _ host: Host,
    _ request: UnsafePointer<bgt_request>?,
    _ refusal: UnsafeMutablePointer<bgt_refusal>?
) -> Int32 {
    withLaunch { $0.submit(request, refusal) }
}

private func hostCancel(_ host: Host, _ identifier: UnsafePointer<CChar>?) -> Int32 {
    withLaunch { $0.cancel(identifier) }
}

private func hostCancelAll(_ host: Host) -> Int32 {
    withLaunch { $0.cancelAll() }
}

private func hostPending(_ host: Host, _ visitor: bgt_pending_visitor?, _ context: Context?) -> Int32 {
    withLaunch { $0.visitPending(visitor, context) }
}

// MARK: Tasks

private func hostTaskInfo(_ host: Host, _ task: bgt_task, _ out: UnsafeMutablePointer<bgt_task_info>?) -> Int32 {
    withLaunch { $0.describe(TaskID(rawValue: task), out) }
}

private func hostSetExpirationHandler(
    _ host: Host,
    _ task: bgt_task,
    _ function: bgt_expiration_handler?,
    _ context: Context?,
    _ release: bgt_release?
) -> Int32 {
    let handler = function.map { Callback($0, context: context, release: release) }
    let status = withLaunch { $0.setExpirationHandler(handler, of: TaskID(rawValue: task)) }
    // Without a function the context will never be used, so it is released at once.
    if status != BGT_OK || handler == nil { release?(context) }
    return status
}

private func hostComplete(_ host: Host, _ task: bgt_task, _ outcome: Int32) -> Int32 {
    withLaunch { $0.complete(TaskID(rawValue: task), outcome: outcome) }
}

private func hostIsExpiring(_ host: Host, _ task: bgt_task) -> Int32 {
    HostTable.launch.map { launch in launch.activity.call { launch.isExpiring(TaskID(rawValue: task)) } } ?? 1
}

// MARK: Assertions

private func hostBeginAssertion(
    _ host: Host,
    _ name: UnsafePointer<CChar>?,
    _ function: bgt_assertion_handler?,
    _ context: Context?,
    _ release: bgt_release?,
    _ out: UnsafeMutablePointer<bgt_assertion>?
) -> Int32 {
    let handler = function.map { Callback($0, context: context, release: release) }
    let status = withLaunch { $0.beginAssertion(name, handler, out) }
    // Without a function the context will never be used, so it is released at once.
    if status != BGT_OK || handler == nil { release?(context) }
    return status
}

private func hostEndAssertion(_ host: Host, _ assertion: bgt_assertion) -> Int32 {
    withLaunch { $0.endAssertion(AssertionID(rawValue: assertion)) }
}

// MARK: Continued tasks and legacy fetch

private func hostSetProgress(_ host: Host, _ task: bgt_task, _ completed: Int64, _ total: Int64) -> Int32 {
    withLaunch { $0.setProgress(of: TaskID(rawValue: task), completed, of: total) }
}

private func hostSetTitle(
    _ host: Host,
    _ task: bgt_task,
    _ title: UnsafePointer<CChar>?,
    _ subtitle: UnsafePointer<CChar>?
) -> Int32 {
    withLaunch { $0.setTitle(of: TaskID(rawValue: task), title, subtitle) }
}

private func hostSetMinimumFetchInterval(_ host: Host, _ seconds: UInt64) -> Int32 {
    withLaunch { $0.setMinimumFetchInterval(seconds) }
}
