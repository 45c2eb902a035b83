// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A text, or one text for each of several variants of a file, by the name of the variant.
package enum TextVariants {
    case one(Field<String>)
    case each(Field<[(name: Field<String>, value: Field<String>)]>)

    /// The key of the value, with its position.
    package var place: Field<Void> {
        switch self {
        case .one(let text): text.map { _ in }
        case .each(let texts): texts.map { _ in }
        }
    }

    /// The texts of all variants, in the order of the file.
    package var texts: [Field<String>] {
        switch self {
        case .one(let text): [text]
        case .each(let texts): texts.value.map(\.value)
        }
    }

    /// The names of the variants, in the order of the file; nil for one text.
    package var names: [String]? {
        switch self {
        case .one: nil
        case .each(let texts): texts.value.map(\.name.value)
        }
    }

    /// The text of a variant; nil when the variant is missing. A text without variants is the text of each variant.
    package func text(of name: String) -> Field<String>? {
        switch self {
        case .one(let text): text
        case .each(let texts): texts.value.first { $0.name.value == name }?.value
        }
    }
}

extension DiagnosingMapping {
    /// Reads a text, or a mapping of free keys to texts; nil when the key is missing or its value was reported as
    /// invalid. Other values in the mapping are reported and omitted, and keys that begin with `x-` are ignored.
    package func variants(_ name: String) -> TextVariants? { node(name).flatMap(variants) }

    /// Reads a mapping of free keys to texts, or to mappings of free keys to texts, in the file's order; nil when the
    /// key is missing or its value was reported as invalid. Other values are reported and omitted.
    package func fieldsOfVariants(_ name: String) -> Field<[(name: Field<String>, value: TextVariants)]>? {
        node(name).flatMap { field in
            guard case .mapping(let entries) = field.value.content else {
                return mismatch(field, expected: "a mapping", remedy: "write { key: value }")
            }
            let fields = entries.compactMap { entry -> (name: Field<String>, value: TextVariants)? in
                let value = Field(entry.value, key: "\(field.key).\(entry.key)", position: entry.position)
                return variants(value).map { (Field(entry.key, key: value.key, position: entry.position), $0) }
            }
            return at(field, fields)
        }
    }

    private func variants(_ field: Field<YAMLNode>) -> TextVariants? {
        guard case .mapping(let entries) = field.value.content else {
            return string(field, expected: "text").map(TextVariants.one)
        }
        let fields = entries.compactMap { entry -> (name: Field<String>, value: Field<String>)? in
            if entry.key.hasPrefix("x-") { return nil }
            let value = Field(entry.value, key: "\(field.key).\(entry.key)", position: entry.position)
            return string(value, expected: "text").map { text in
                (Field(entry.key, key: value.key, position: entry.position), text)
            }
        }
        return .each(at(field, fields))
    }
}
