// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Dispatch

extension BGTaskScheduler {
    /// Registers a handler like ``register(forTaskWithIdentifier:using:launchHandler:)``, for code in the language mode
    /// of Swift 6: a handler that is isolated to an actor runs on its actor, whatever the queue.
    ///
    /// In that language mode, the process ends when a main-actor closure is called on another thread. The call has no
    /// last argument, as on Apple's platforms.
    ///
    /// Only a handler that is passed directly has its isolation. A handler that a protocol or a stored function of the
    /// type `(BGTask) -> Void` has passed on runs on `queue`. While a main-actor handler blocks the main thread, its
    /// expiration handler waits.
    ///
    /// - Parameters:
    ///   - identifier: an identifier that the manifest permits.
    ///   - queue: the queue of a handler without isolation.
    ///   - launchHandler: begins the work.
    ///   - isolation: distinguishes this overload.
    /// - Returns: whether the handler was registered.
    @available(swift, introduced: 6)
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String,
        using queue: DispatchQueue? = nil,
        launchHandler: @escaping @isolated(any) (BGTask) -> Void,
        _ isolation: Void = ()
    ) -> Bool {
        let (queue, handler) = Self.place(launchHandler, queue)
        // The open function: a subclass may override it.
        return register(forTaskWithIdentifier:using:launchHandler:)(identifier, queue, handler)
    }

    /// The queue of a handler, and the handler as a function that may be called there.
    private static func place(
        _ handler: @escaping @isolated(any) (BGTask) -> Void,
        _ queue: DispatchQueue?
    ) -> (DispatchQueue?, LaunchHandler.Function) {
        // `@isolated(any)` does not change the representation of a function.
        let function = unsafeBitCast(handler, to: LaunchHandler.Function.self)
        switch handler.isolation {
        case nil: return (queue, function)
        case is MainActor:
            return (
                .main,
                { task in
                    task.keepExpirationOnMainThread()
                    function(task)
                }
            )
        default:
            let isolated = UncheckedFunction(handler)
            return (queue, { task in Task { await isolated.call(task) } })
        }
    }
}
