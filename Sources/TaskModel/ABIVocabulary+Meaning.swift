// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension ABIVocabulary {
    /// The meaning of one of bgtask's own statuses, for messages, after the comments in `bgtask.h`. Nil for every other
    /// number: the names of Apple's statuses are clear, and negative statuses are the plugin's own.
    package static func meaning(ofStatus status: Int32) -> StaticString? {
        switch status {
        case 100: "this host has no such feature"
        case 101: "an argument is invalid"
        case 102: "the call is not allowed at this time"
        case 103: "an extension made a call that only a main plugin may make"
        case 104: "the identifier already has a handler in this process"
        case 105: "the identifier is permitted, but has no handler in this process"
        case 106: "the task is unknown, stale, or of another process"
        case 107: "the task was already completed"
        case 108: "a field, number or bit is newer than this host"
        case 109: "the buffer is too small"
        case 110: "no such setting or assertion exists"
        case 111: "the launch has ended, or the host is gone"
        case 112: "the call is not available for a task of this kind"
        default: nil
        }
    }
}
