// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import PluginBinary
import RunnerWire
import Synchronization
import TaskModel

// A launch whose library has no entry: the manifest binds functions to identifiers.
extension RunnerLaunch {
    /// Loads the library and looks up its bound functions. libffi is loaded before the library, so that the library
    /// cannot change how calls are made.
    func boundFunctions() throws(PluginLibrary.LoadError) -> [BoundFunction] {
        let caller = try FunctionCaller()
        let library = try PluginLibrary.open(plan, for: .functions(plan.handlers.map(\.symbol)))
        var functions: [BoundFunction] = []
        for handler in plan.handlers {
            let address = try library.function(handler.symbol)
            functions.append(try BoundFunction(handler, at: address, calledBy: caller))
        }
        return functions
    }

    func register(_ functions: [BoundFunction]) {
        state.withLock { state in
            for function in functions {
                _ = state.registrations.register(function.handler.identifier.text, .bound(function))
            }
        }
    }

    /// Calls the function for a task and completes the task. Runs on the queue that `TaskQueues` chose for the task.
    func call(_ function: BoundFunction, for task: TaskID) {
        let flag = CancelFlag()
        if function.handler.hasCancelFlag { raise(flag, whenExpiring: task) }
        let returned = function.call(with: context(of: task, flag))
        _ = complete(task, as: returned.isSuccess ? .success : .failure, saying: returned.text)
    }

    /// Sets an expiration handler of the task that raises the cancel flag; the host is notified that the task has a
    /// handler. If the task is already expiring, raises the flag at once.
    private func raise(_ flag: CancelFlag, whenExpiring task: TaskID) {
        _ = setExpirationHandler(flag.handler, of: task)
        // A task that is already expiring gets its flag at once instead of later on another thread.
        if isExpiring(task) != 0 { flag.raise() }
    }

    private func context(of task: TaskID, _ flag: CancelFlag) -> CallContext {
        let payload = state.withLock { $0.open[task].map { TaskPayload($0.information) } }
        return CallContext(
            flag: flag,
            payload: payload,
            container: container,
            settings: plan.settings,
            remaining: plan.deadline.map { max(.zero, $0 - .now) }
        )
    }
}
