// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

extension BGTaskScheduler {
    /// The domain of ``BGTaskScheduler/Error``, as `NSError` has it.
    public static let errorDomain = "BGTaskSchedulerErrorDomain"

    /// Why a request was not taken.
    ///
    ///     do {
    ///         try BGTaskScheduler.shared.submit(request)
    ///     } catch BGTaskScheduler.Error.notPermitted {
    ///         // the manifest does not permit it
    ///     } catch let error as BGTaskScheduler.Error where error.code == .tooManyPendingTaskRequests {
    ///         // cancel one of that kind first
    ///     }
    ///
    /// The code is Apple's. Beside it the host says which of its rules it was, in ``subReason``, and gives the value, the
    /// rule and the remedy as the description.
    public struct Error: CustomNSError, LocalizedError, Hashable, Sendable {
        /// Apple's codes.
        @nonexhaustive
        public enum Code: Int, Hashable, Sendable {
            /// The host cannot take it now: switched off, stopping, or without this kind of task.
            case unavailable = 1
            /// As many requests of this kind as may be are pending already.
            case tooManyPendingTaskRequests = 2
            /// The manifest, the operator or the moment does not permit it.
            case notPermitted = 3
            /// There is no room for a continued task that asked to run at once or not at all.
            case immediateRunIneligible = 4
        }

        /// Which of Apple's four cases it is.
        public let code: Code

        /// The host's own reason behind the code. Not in Apple's API.
        public let subReason: SubReason

        private let text: String

        /// An error as the host would give it, for tests of code that handles it.
        public init(_ code: Code, subReason: SubReason = .none, text: String = "") {
            self.code = code
            self.subReason = subReason
            self.text = text
        }

        /// An error with Apple's initializer; of `userInfo` the localized description is kept.
        public init(_ code: Code, userInfo: [String: Any]) {
            self.init(code, text: userInfo[NSLocalizedDescriptionKey] as? String ?? "")
        }

        /// The domain of these errors.
        public static var errorDomain: String { BGTaskScheduler.errorDomain }
        /// The code's number.
        public var errorCode: Int { code.rawValue }
        /// The value, the rule and the remedy, in the host's words.
        public var errorDescription: String? { text.isEmpty ? "the request was refused: \(code)" : text }

        /// The description, and the sub-reason's number under ``BGTaskScheduler/Error/subReasonKey``.
        public var errorUserInfo: [String: Any] {
            [NSLocalizedDescriptionKey: errorDescription ?? "", Self.subReasonKey: Int(subReason.rawValue)]
        }

        /// Where `NSError.userInfo` holds the number of the sub-reason.
        public static let subReasonKey = "BGTaskSchedulerSubReason"

        /// The host cannot take it now.
        public static var unavailable: Code { .unavailable }
        /// As many requests of this kind as may be are pending already.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// The manifest, the operator or the moment does not permit it.
        public static var notPermitted: Code { .notPermitted }
        /// There is no room for a continued task that asked to run at once or not at all.
        public static var immediateRunIneligible: Code { .immediateRunIneligible }
    }
}

extension BGTaskScheduler.Error.Code {
    /// Lets `catch BGTaskScheduler.Error.notPermitted` and `case BGTaskScheduler.Error.notPermitted` match an error, also
    /// one that went through `NSError`.
    public static func ~= (code: Self, error: any Swift.Error) -> Bool {
        if let error = error as? BGTaskScheduler.Error { return error.code == code }
        let bridged = error as NSError
        return bridged.domain == BGTaskScheduler.errorDomain && bridged.code == code.rawValue
    }
}

extension BGTaskScheduler.Error: CustomStringConvertible {
    /// Code, sub-reason and text, for logs.
    public var description: String {
        let reason = subReason == .none ? "" : " (\(subReason))"
        return "\(Self.errorDomain) \(code.rawValue) \(code)\(reason)" + (text.isEmpty ? "" : ": \(text)")
    }
}

extension BGTaskScheduler.Error {
    static var withoutHost: Self {
        Self(
            .unavailable,
            subReason: .notOffered,
            text: "there is no host in this process; submit from a plugin that BackgroundPlugin.enter was called in"
        )
    }

    /// Malformed requests are not permitted: Apple has no code of its own for them.
    init(_ answer: Host.Answer) {
        let reason = SubReason(rawValue: answer.subReason)
        switch answer.status {
        case .unavailable: self.init(.unavailable, subReason: reason, text: answer.text)
        case .tooManyPending: self.init(.tooManyPendingTaskRequests, subReason: reason, text: answer.text)
        case .notPermitted: self.init(.notPermitted, subReason: reason, text: answer.text)
        case .immediateRunIneligible: self.init(.immediateRunIneligible, subReason: reason, text: answer.text)
        case .ended: self.init(.unavailable, subReason: .hostStopping, text: answer.text)
        case .notOffered: self.init(.unavailable, subReason: .notOffered, text: answer.text)
        default: self.init(.notPermitted, subReason: .malformedRequest, text: answer.text)
        }
    }
}
