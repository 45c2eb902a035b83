// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The keys and webhooks of a directory, as read at one time.
package struct KeySet: Hashable, Sendable {
    /// By identifier, in the order of reading.
    package private(set) var keys: [String: PushKey] = [:]
    /// By digest.
    package private(set) var webhooks: [String: PushWebhook] = [:]
    /// The files that were not read, with the cause.
    package private(set) var problems: [String] = []

    package init() {}

    package mutating func add(_ key: PushKey) { keys[key.id] = key }
    package mutating func add(_ webhook: PushWebhook) { webhooks[webhook.digest] = webhook }
    mutating func addProblem(_ problem: String) { problems.append(problem) }
}
