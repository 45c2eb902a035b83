// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The operator's decisions about the retries of one plugin's failed tasks.
package struct RetryChoices: Hashable, Sendable {
    package enum Choice: Hashable, Sendable {
        /// Failed tasks are not retried.
        case refuse
        /// Failed tasks are retried as the manifest proposes. Without a proposal they are not retried.
        case accept
        /// Failed tasks are retried with these values. The manifest's proposal determines the other values; without a
        /// proposal, the defaults of `FailureRetry` do.
        case override(FailureRetry.Values)
    }

    /// The choice for every task without a choice of its own.
    package var general: Choice
    /// The choices for single permitted identifiers of the plugin.
    package var own: [PermittedIdentifier: Choice]

    package init(_ general: Choice = .refuse, own: [PermittedIdentifier: Choice] = [:]) {
        self.general = general
        self.own = own
    }

    /// The terms under which the task is retried after a failure; nil when it is not retried.
    ///
    /// - Parameter proposed: the proposals of the plugin's manifest.
    package func terms(
        for identifier: TaskIdentifier,
        proposed: [PermittedIdentifier: FailureRetry]
    ) -> FailureRetry? {
        terms(for: .exact(identifier), proposed: proposed)
    }

    private func terms(
        for identifier: PermittedIdentifier,
        proposed: [PermittedIdentifier: FailureRetry]
    ) -> FailureRetry? {
        let proposal = proposed.value(for: identifier)
        return switch own.value(for: identifier) ?? general {
        case .refuse: nil
        case .accept: proposal
        case .override(let values): (proposal ?? FailureRetry()).overridden(by: values)
        }
    }

    /// The proposals of a manifest and the terms in force.
    package struct Listing: Hashable, Sendable {
        package let identifier: PermittedIdentifier
        /// The terms that the manifest proposes; nil without a proposal.
        package let proposed: FailureRetry?
        /// The terms in force; nil when failed tasks of the identifier are not retried.
        package let inForce: FailureRetry?
    }

    /// The identifiers of the plugin with a proposal or with terms in force, sorted.
    package func listings(of entry: PluginEntry) -> [Listing] {
        Set(entry.permitted).union(entry.retries.keys).union(own.keys).sorted { $0.description < $1.description }
            .compactMap { identifier in
                let proposed = entry.retries.value(for: identifier)
                let inForce = terms(for: identifier, proposed: entry.retries)
                if proposed == nil, inForce == nil { return nil }
                return Listing(identifier: identifier, proposed: proposed, inForce: inForce)
            }
    }
}

extension Dictionary where Key == PermittedIdentifier {
    /// The value of the identifier itself, otherwise that of the longest pattern that covers the identifier.
    fileprivate func value(for identifier: PermittedIdentifier) -> Value? {
        if let value = self[identifier] { return value }
        guard case .exact(let name) = identifier else { return nil }
        let covering = filter { $0.key.covers(name) }
        return covering.max { $0.key.description.utf8.count < $1.key.description.utf8.count }?.value
    }
}
