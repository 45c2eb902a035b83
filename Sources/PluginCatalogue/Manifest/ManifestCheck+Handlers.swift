// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules for functions that a manifest binds to its identifiers.
extension ManifestCheck {
    /// Checks the handlers of the manifest.
    ///
    /// - Returns: the valid handlers, even when other handlers are invalid.
    func handlers(permitted: [Field<PermittedIdentifier>], modes: Set<BackgroundMode>) -> [FunctionBinding] {
        guard let drafts = draft.handlers, draft.role == .main else { return [] }
        if drafts.value.isEmpty, !problems.holdsErrors(under: drafts.key) {
            problems.report(
                .handlers,
                at: drafts,
                "binds no identifier to any function",
                remedy:
                    "remove the key, or write in place of []:"
                    + " [ { identifier: ..., symbol: ..., arguments: [], returns: void } ]"
            )
        }
        var bound: [TaskIdentifier: Int?] = [:]
        var (names, settings) = (names(of: permitted), namesOfSettings())
        let handlers = drafts.value.compactMap { handler in
            let identifier = handler.identifier.flatMap { boundIdentifier($0, permitted: &names, &bound) }
            let symbol = handler.symbol.flatMap(symbol)
            checkArguments(of: handler, &settings)
            guard let identifier, let symbol, let arguments = handler.arguments, let result = handler.result else {
                return FunctionBinding?.none
            }
            return FunctionBinding(
                identifier: identifier,
                symbol: symbol,
                arguments: arguments.value.map(\.value),
                result: result
            )
        }
        checkPermitted(permitted, bound: Set(bound.keys), at: drafts)
        checkModes(modes, at: drafts)
        return handlers
    }

    private func names(of permitted: [Field<PermittedIdentifier>]) -> ReferredNames {
        let names = permitted.compactMap { permitted in
            if case .exact(let name) = permitted.value { name.text } else { nil }
        }
        return ReferredNames(names, hasErrors: problems.holdsErrors(under: .permittedIdentifiers))
    }

    private func namesOfSettings() -> ReferredNames {
        let names = draft.settings.keys.sorted() + draft.secrets.sorted()
        return ReferredNames(names, hasErrors: problems.holdsErrors(under: .settings))
    }

    private func boundIdentifier(
        _ field: Field<String>,
        permitted: inout ReferredNames,
        _ bound: inout [TaskIdentifier: Int?]
    ) -> TaskIdentifier? {
        if field.value.hasSuffix(".*") {
            problems.report(
                .handlerIdentifier,
                at: field,
                "is the pattern \(field.value.inQuotes); a function is bound to one identifier",
                remedy: "write one handler for each identifier"
            )
            return nil
        }
        guard let identifier = TaskIdentifier(field.value) else {
            problems.reportIdentifier(field, isTask: true)
            return nil
        }
        if let line = bound[identifier] {
            problems.report(
                .handlerIdentifier,
                at: field,
                "is \(field.value.inQuotes), which is bound already\(line.map { " on line \($0)" } ?? "")",
                remedy: "remove one of the two"
            )
            return nil
        }
        bound.updateValue(field.position?.line, forKey: identifier)
        if permitted.contains(identifier.text) || permitted.hasErrors { return identifier }
        let nearest = permitted.nearest(to: identifier.text)
        problems.report(
            .handlerIdentifier,
            at: field,
            "is \(field.value.inQuotes), which permitted-identifiers does not list",
            remedy: nearest.map { "write \"\($0)\"" } ?? "add it to permitted-identifiers"
        )
        return nil
    }

    private func symbol(_ field: Field<String>) -> String? {
        guard let flaw = FunctionBinding.flaw(inSymbol: field.value) else { return field.value }
        problems.report(.handlerSymbol, at: field, "is \(field.value.inQuotes), \(flaw.rule)", remedy: flaw.remedy)
        return nil
    }

    private func checkArguments(of handler: HandlerDraft, _ settings: inout ReferredNames) {
        guard let arguments = handler.arguments else { return }
        if arguments.value.count > FunctionBinding.mostArguments {
            problems.report(
                .handlerArguments,
                at: arguments,
                "lists \(arguments.value.count) arguments; at most \(FunctionBinding.mostArguments) are allowed",
                remedy: "bind a function that takes fewer"
            )
        }
        for argument in arguments.value {
            guard case .setting(let key) = argument.value, !settings.contains(key), !settings.hasErrors else {
                continue
            }
            let nearest = settings.nearest(to: key)
            problems.report(
                .handlerArguments,
                at: argument,
                "is the setting \(key.inQuotes), which settings does not define",
                remedy: nearest.map { "write \"\($0)\"" } ?? "add it to settings, with its default value"
            )
        }
        if arguments.value.contains(where: { $0.value == .cancelFlag }) { return }
        problems.note(
            .noCancelFlag,
            at: handler.place,
            "passes no cancel-flag: when its task expires, the function is killed unless it returns within the grace"
                + " period",
            remedy: "add cancel-flag to the arguments if the function polls a flag; otherwise make sure that a kill is"
                + " harmless"
        )
    }

    /// Checks that every permitted identifier is bound to a function: a plugin without an entry function cannot run the
    /// tasks of an unbound identifier.
    private func checkPermitted(
        _ permitted: [Field<PermittedIdentifier>],
        bound: Set<TaskIdentifier>,
        at handlers: Field<[HandlerDraft]>
    ) {
        // A handler with a reported error may be the missing one.
        let isWhole = !problems.holdsErrors(under: handlers.key)
        for field in permitted {
            switch field.value {
            case .pattern:
                problems.report(
                    .handlerIdentifier,
                    at: field,
                    "is the pattern \(field.value.description.inQuotes), which cannot be bound to a function",
                    remedy: "name the identifiers one by one, and write a handler for each"
                )
            case .exact(let identifier) where isWhole && !bound.contains(identifier):
                problems.report(
                    .handlerIdentifier,
                    at: field,
                    "is \(identifier.text.inQuotes), which no handler binds to a function",
                    remedy: "add a handler for this identifier, or remove the identifier"
                )
            case .exact: break
            }
        }
    }

    private func checkModes(_ modes: Set<BackgroundMode>, at handlers: Field<[HandlerDraft]>) {
        if modes.contains(.remoteNotification) {
            problems.report(
                .handlers,
                at: handlers,
                "binds identifiers to functions, and a library with bound functions receives no pushes",
                remedy:
                    "remove remote-notification from background-modes, or handle the pushes in a plugin with an entry"
            )
        }
        guard modes.isEmpty, draft.modes?.value.isEmpty ?? true, !problems.holdsErrors(under: .backgroundModes) else {
            return
        }
        problems.report(
            .handlers,
            at: handlers,
            "binds identifiers to functions, but the manifest has no background mode in which they can run",
            remedy: "write background-modes: [processing], or background-modes: [fetch] for refresh tasks"
        )
    }
}
