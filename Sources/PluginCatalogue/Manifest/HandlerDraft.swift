// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// One handler of a manifest, as its parts are read: each part is checked alone, not against the other parts. A part is
/// nil when it is missing or was reported as invalid.
struct HandlerDraft {
    /// Position of the handler in the file.
    let place: Field<Void>
    let identifier: Field<String>?
    let symbol: Field<String>?
    let arguments: Field<[Field<FunctionArgument>]>?
    let result: FunctionResult?

    init(_ mapping: DiagnosingMapping) {
        place = Field((), key: mapping.path, position: mapping.position)
        mapping.requirePresence(of: .handlersIdentifier, remedy: "write the task identifier that the function handles")
        identifier = mapping.string(.handlersIdentifier)
        mapping.requirePresence(of: .handlersSymbol, remedy: "write the name of the function, as nm -D prints it")
        symbol = mapping.string(.handlersSymbol)
        mapping.requirePresence(of: .handlersArguments, remedy: "write the arguments of the function; [] for none")
        arguments = mapping.arguments(.handlersArguments)
        mapping.requirePresence(of: .handlersReturns, remedy: "write the result of the function; void if it has none")
        result = mapping.result(.handlersReturns)
    }
}
