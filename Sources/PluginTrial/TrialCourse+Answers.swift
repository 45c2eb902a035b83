// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Scheduling
import TaskModel

// The answers to calls of the plugin that wait for the host.
extension TrialCourse {
    mutating func answer(_ call: RunnerMessage, at now: MonotonicTime) -> [Action] {
        switch call {
        case .submit(let call, let request, let payload): return submit(request, payload, call, at: now)
        case .cancel(let call, let identifier):
            pending.removeAll { $0.request.identifier == identifier }
            add(.cancelled(identifier), at: now)
            return [.send(.cancelled(call, isRecorded: true))]
        case .cancelAll(let call):
            pending = []
            add(.cancelled(nil), at: now)
            return [.send(.cancelled(call, isRecorded: true))]
        case .checkpoint(let call, _, _): return [.send(.cursorStored(call, isRecorded: true))]
        case .registerForPushes(let call) where script.refusesPushRegistration:
            return [.send(.refused(call, Self.pushRefusal))]
        // The same token at each launch of a trial, as on a host.
        case .registerForPushes(let call):
            return [.send(.pushToken(call, PushToken(bytes: Array(repeating: 0, count: PushToken.size))))]
        case .unregisterForPushes(let call): return [.send(.pushToken(call, nil))]
        case .beginTransfer(let call, let transfer, _, _):
            let refusal = Self.refusal(of: transfer)
            add(.transferRefused(transfer, refusal), at: now)
            return [.send(.refused(call, refusal))]
        case .cancelTransfer(let call, _): return [.send(.cancelled(call, isRecorded: true))]
        case .transfers(let call, _): return [.send(.transfers(call, []))]
        case .pending(let call):
            add(.listed(count: pending.count), at: now)
            return [.send(.pending(call, pending))]
        default: return []
        }
    }

    private static let pushRefusal = SubmissionRefusal(
        code: .unavailable,
        subReason: .notRecorded,
        message: "the device token is refused, because this trial refuses every registration; register again later"
    )

    /// A trial has no process of transfers, so that an accepted one would never end.
    private static func refusal(of transfer: TransferDescription) -> SubmissionRefusal {
        if let flaw = transfer.flaw {
            return SubmissionRefusal(code: .unavailable, subReason: .notOffered, message: flaw)
        }
        return SubmissionRefusal(
            code: .unavailable,
            subReason: .transferLibraryMissing,
            message: "bgtask plugin try and check perform no transfers; run the plugin in a host"
        )
    }

    private mutating func submit(
        _ request: TaskRequest,
        _ payload: [UInt8],
        _ call: CallNumber,
        at now: MonotonicTime
    ) -> [Action] {
        let own = refusal(of: request)
        let scripted = own == nil ? scriptedRefusal(of: request) : nil
        let refusal = own ?? scripted
        add(
            .submitted(request, payloadSize: payload.count, refusal: refusal, isScripted: scripted != nil),
            at: now
        )
        if let refusal { return [.send(.refused(call, refusal))] }
        submissions += 1
        let number = SubmissionNumber(rawValue: submissions)
        if request.kind == .continued, plugin.role == .main, phase == .running {
            let task = deliver(request, payload, number, at: now)
            return [.send(.submitted(call, number)), .send(.deliver(task))] + updatedKillTime(at: now)
        }
        pending.removeAll { $0.request.identifier == request.identifier }
        pending.append(ListedRequest(request: request.normalized, number: number, payload: payload))
        return [.send(.submitted(call, number))]
    }

    /// Delivers a continued task to the launch that submitted it.
    private mutating func deliver(
        _ request: TaskRequest,
        _ payload: [UInt8],
        _ number: SubmissionNumber,
        at now: MonotonicTime
    ) -> RunnerPlan.Task {
        let id = TaskID(launch: launch, index: tasks.count)
        tasks.append(Task(id: id, kind: .continued, identifier: request.identifier.text, progressedAt: now))
        add(.delivered(tasks.count - 1, request.identifier), at: now)
        return RunnerPlan.Task(
            id: id,
            kind: .continued,
            event: nil,
            identifier: request.identifier.text,
            submission: number,
            attempts: 0,
            continued: request.continued,
            payload: payload
        )
    }

    /// The refusal of a request by the rules of a host with its default configuration and without a GPU; nil when it
    /// accepts the request.
    private func refusal(of request: TaskRequest) -> SubmissionRefusal? {
        let configuration = SchedulingConfiguration()
        let permissions = Permissions(of: owner, policy: configuration.policy(for: owner.identifier))
        let others = pending.filter {
            $0.request.kind.countedAs == request.kind.countedAs && $0.request.identifier != request.identifier
        }
        let isReplacement = pending.contains {
            $0.request.kind.countedAs == request.kind.countedAs && $0.request.identifier == request.identifier
        }
        return SubmissionRules.refusal(
            of: request,
            for: owner,
            isPermitted: permissions.permits(request.identifier, as: request.kind),
            pending: isReplacement ? nil : others.count,
            isForeground: script.isForeground,
            on: Conditions([]),
            under: configuration
        )
    }

    private func scriptedRefusal(of request: TaskRequest) -> SubmissionRefusal? {
        guard case .refusal(let code, let subReason) = script.answer else { return nil }
        let message =
            "\"\(request.identifier)\" is refused, because this trial refuses every submission; submit it again later"
        return SubmissionRefusal(code: code, subReason: subReason, message: message)
    }
}
