// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel

/// Answers to the system calls that the sandbox of a launch refuses. A launch whose listener is lost while it runs is
/// killed: its refused calls would have no answer, or get another error than the sandbox promises.
extension LaunchLoop {
    /// Watches the listener for refused system calls that arrived with the first bytes of a runner, if one did. When
    /// the listener is lost, the launch is killed; no code of the plugin runs yet, because the plan was not sent.
    func watchRefusals(of launch: SupervisedLaunch) {
        do throws(SystemError) {
            guard let listener = try launch.control.listener.take(from: launch.leader) else { return }
            try poller.add(listener, .refusals(launch.number))
            launch.refusals = RefusedCalls(listener: listener, at: clock.monotonic)
        } catch {
            failRefusals(of: launch, error)
        }
    }

    /// Answers one refused system call of the launch. Further calls wait for a later turn of the loop, so that no
    /// plugin delays the events of others.
    func answerRefusedCall(of launch: SupervisedLaunch) {
        switch launch.refusals?.answer() {
        case .call(let call?): onEvent(.refused(launch.number, call))
        case .call(nil): break
        case .ended, nil: return endRefusals(of: launch)
        case .failed(let error):
            // Killed before the listener is closed: no refused call gets another answer.
            failRefusals(of: launch, error)
            return endRefusals(of: launch)
        }
        guard var refusals = launch.refusals else { return }
        let due = answerRate.answered(&refusals.rate, at: clock.monotonic)
        launch.refusals = refusals
        if let due { pause(refusals.listener, .refusals(launch.number), until: due) }
    }

    func endRefusals(of launch: SupervisedLaunch) {
        if let listener = launch.refusals?.listener { poller.remove(listener, .refusals(launch.number)) }
        forgetPause(.refusals(launch.number))
        launch.refusals = nil
    }

    private func failRefusals(of launch: SupervisedLaunch, _ error: SystemError) {
        let message = LaunchError(error, purpose: "enforce the sandbox of launch \(launch.number)").message
        fail(launch, because: error.attempt == RunnerListener.copying ? message + Self.inFlight : message)
    }

    private static let inFlight =
        "; the runner cannot send the listener, because programs of the same user keep more descriptors in sockets than"
        + " the hard limit of descriptors; end these programs, raise LimitNOFILE= of bgtaskd's service, permit"
        + " pidfd_getfd to bgtaskd (Linux 5.6, SystemCallFilter= of its service, kernel.yama.ptrace_scope at most 1),"
        + " or give plugins users of their own with plugin-users"
}
