// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import TaskModel

/// Parses one of several known names. The thrown error suggests the nearest name.
enum WordArgument {
    static func value<Value>(_ text: String, among values: [Value], _ word: (Value) -> String) throws -> Value {
        if let value = values.first(where: { word($0) == text }) { return value }
        throw ValidationError("\"\(text)\" is unknown; \(NearestWord.remedy(for: text, among: values.map(word)))")
    }
}
