// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire

/// The cause for which a call of the plugin fails, with the status that it returns.
package struct CallProblem: Error, Hashable, Sendable {
    package let status: Int32
    package let subReason: UInt32
    /// The value, the rule and the remedy.
    package let message: String

    package init(status: Int32, subReason: UInt32 = BGT_REASON_NONE, message: String) {
        self.status = status
        self.subReason = subReason
        self.message = message
    }
}

extension RunnerLaunch {
    /// Performs a call and fills the caller's refusal, which may be NULL.
    ///
    /// - Parameter call: the name of the call, for the message about a failed entry.
    /// - Returns: the status of the call; `BGT_INVALID`, without performing the call, when the size of the refusal is
    ///   invalid.
    func answering(
        _ refusal: UnsafeMutablePointer<bgt_refusal>?,
        _ call: StaticString,
        _ body: () throws(CallProblem) -> Void
    ) -> Int32 {
        answering(
            refusal,
            call,
            numbered: { () throws(CallProblem) -> UInt64 in
                try body()
                return 0
            }
        )
    }

    /// Performs a call and fills the caller's refusal. If the call succeeds, the refusal contains the submission number
    /// that `body` returns.
    func answering(
        _ refusal: UnsafeMutablePointer<bgt_refusal>?,
        _ call: StaticString,
        numbered body: () throws(CallProblem) -> UInt64
    ) -> Int32 {
        if let refusal, !ForeignStruct.canFill(refusal, minimum: ForeignStruct.MinorZero.refusal) { return BGT_INVALID }
        do {
            fill(refusal, submission: try body())
            return BGT_OK
        } catch {
            fill(refusal, subReason: plan.imitation.number(error.subReason), text: error.message)
            refusals.note(error, of: call)
            return plan.imitation.number(error.status)
        }
    }

    private func fill(
        _ address: UnsafeMutablePointer<bgt_refusal>?,
        subReason: UInt32 = BGT_REASON_NONE,
        submission: UInt64 = 0,
        text: String = ""
    ) {
        guard let address else { return }
        var refusal = bgt_refusal()
        refusal.sub_reason = subReason
        refusal.submission = submission
        let text = ForeignText.prefix(of: text, limit: Int(BGTASK_REFUSAL_TEXT_MAX) - 1)
        withUnsafeMutableBytes(of: &refusal.text) { $0.copyBytes(from: text.utf8) }
        _ = ForeignStruct.fill(address, with: refusal, minimum: ForeignStruct.MinorZero.refusal)
    }
}
