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
    let arguments: Field<[Field<DirectArgument>]>?
    let result: DirectResult?

    init(_ mapping: DiagnosingMapping) {
        place = Field((), key: mapping.path, position: mapping.position)
        mapping.requirePresence(of: "identifier", remedy: "write the task identifier that the function handles")
        identifier = mapping.string("identifier")
        mapping.requirePresence(of: "symbol", remedy: "write the name of the function, as nm -D prints it")
        symbol = mapping.string("symbol")
        mapping.requirePresence(of: "arguments", remedy: "write the arguments of the function; [] if it takes none")
        arguments = mapping.arguments("arguments")
        mapping.requirePresence(of: "returns", remedy: "write the result of the function; void if it has none")
        result = mapping.result("returns")
    }
}
