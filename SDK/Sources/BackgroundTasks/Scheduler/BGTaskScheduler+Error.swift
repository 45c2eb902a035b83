// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

extension BGTaskScheduler {
    /// The domain of ``BGTaskScheduler/Error`` as an `NSError`.
    public static let errorDomain = "BGTaskSchedulerErrorDomain"

    /// The reason why a request was refused.
    ///
    ///     do {
    ///         try BGTaskScheduler.shared.submit(request)
    ///     } catch BGTaskScheduler.Error.notPermitted {
    ///         // the manifest does not permit it
    ///     } catch let error as BGTaskScheduler.Error where error.code == .tooManyPendingTaskRequests {
    ///         // cancel one of that kind first
    ///     }
    ///
    /// The code is Apple's. In addition, ``subReason`` names the violated rule of the host, and the description gives
    /// the value, the rule and the remedy.
    public struct Error: CustomNSError, LocalizedError, Hashable, Sendable {
        /// The four error codes of Apple's BackgroundTasks.
        @nonexhaustive
        public enum Code: Int, Hashable, Sendable {
            /// The host cannot accept the request now. For example, the operator disabled a feature or the plugin, the
            /// host is stopping or could not record the request, or the host does not support the kind.
            case unavailable = 1
            /// The limit of pending requests of this kind is reached.
            case tooManyPendingTaskRequests = 2
            /// The manifest, the operator or the current state does not permit the request, or the request is
            /// malformed.
            case notPermitted = 3
            /// A continued request with the strategy `fail` was refused, because the host cannot run the task at once.
            case immediateRunIneligible = 4
        }

        /// One of Apple's four codes.
        public let code: Code

        /// The host's own reason behind the code. An addition of this platform to Apple's API.
        public let subReason: SubReason

        private let text: String

        /// Creates an error like an error from the host, for tests of error handling.
        public init(_ code: Code, subReason: SubReason = .none, text: String = "") {
            self.code = code
            self.subReason = subReason
            self.text = text
        }

        /// Creates an error with Apple's initializer; only the localized description of `userInfo` is kept.
        public init(_ code: Code, userInfo: [String: Any]) {
            self.init(code, text: userInfo[NSLocalizedDescriptionKey] as? String ?? "")
        }

        /// The domain of these errors in `NSError`.
        public static var errorDomain: String { BGTaskScheduler.errorDomain }
        /// The number of the code.
        public var errorCode: Int { code.rawValue }
        /// The message of the host: the value, the rule and the remedy. A general message when the host sent none.
        public var errorDescription: String? { text.isEmpty ? "the request was refused: \(code)" : text }

        /// The user info for `NSError`: the description, and the sub-reason's number under
        /// ``BGTaskScheduler/Error/subReasonKey``.
        public var errorUserInfo: [String: Any] {
            [NSLocalizedDescriptionKey: errorDescription ?? "", Self.subReasonKey: Int(subReason.rawValue)]
        }

        /// The user info of the error, as Apple's imported error type has it.
        public var userInfo: [String: Any] { errorUserInfo }

        /// Key of the sub-reason's number in `NSError.userInfo`.
        public static let subReasonKey = "BGTaskSchedulerSubReason"

        /// The host cannot accept the request now.
        public static var unavailable: Code { .unavailable }
        /// The limit of pending requests of this kind is reached.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// The manifest, the operator or the current state does not permit the request, or the request is malformed.
        public static var notPermitted: Code { .notPermitted }
        /// A continued request with the strategy `fail` was refused, because the host cannot run the task at once.
        public static var immediateRunIneligible: Code { .immediateRunIneligible }
    }
}

extension BGTaskScheduler.Error.Code {
    /// Matches an error by its code in `catch BGTaskScheduler.Error.notPermitted` and `case
    /// BGTaskScheduler.Error.notPermitted`, even if the error was bridged to `NSError`.
    public static func ~= (code: Self, error: any Swift.Error) -> Bool {
        if let error = error as? BGTaskScheduler.Error { return error.code == code }
        let bridged = error as NSError
        return bridged.domain == BGTaskScheduler.errorDomain && bridged.code == code.rawValue
    }
}

extension BGTaskScheduler.Error: CustomStringConvertible {
    /// Code, sub-reason and message of the error, for logs.
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
            text: "this process has no host; submit from a plugin that has called BackgroundPlugin.enter"
        )
    }

    /// Creates the error of a refused submission. A malformed request becomes `notPermitted`, because Apple has no code
    /// for it.
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
