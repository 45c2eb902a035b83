// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FoundationEssentials

/// Finds keys that occur twice in an object of a body. The JSON decoder accepts such an object and keeps only one of the
/// two values.
///
/// The scan needs valid JSON, which the decoder has checked.
struct RepeatedField {
    /// The first repeated key of the outermost object; nil without one.
    private var first: String?
    /// The first repeated key of each object in a list of the outermost object, by the object's index in the list.
    private var inElements: [Int: String] = [:]

    private var seen: Set<String> = []
    private var seenInElement: Set<String> = []
    private var depth = 0
    private var index = 0
    private var isKey = false

    /// The first repeated key of the outermost object; nil without one. Keys of inner objects are not compared.
    static func first(in body: Data) -> String? { Self(scanning: [UInt8](body)).first }

    /// The first repeated key of each object in the list of `body`, an object with one member, which is a list.
    static func inElements(of body: Data) -> [Int: String] { Self(scanning: [UInt8](body)).inElements }

    private init(scanning bytes: [UInt8]) {
        var place = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): enter()
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","):
                if depth == 2 { index += 1 }
                isKey = depth == 1 || depth == 3
            case UInt8(ascii: "\""):
                let end = Self.endOfText(in: bytes, from: place)
                if isKey { compare(Self.text(bytes[place...end])) }
                (place, isKey) = (end, false)
            default: break
            }
            place += 1
        }
    }

    private mutating func enter() {
        depth += 1
        if depth == 2 { index = 0 }
        if depth == 3 { seenInElement = [] }
        isKey = depth == 1 || depth == 3
    }

    private mutating func compare(_ key: String) {
        if depth == 1 {
            if !seen.insert(key).inserted, first == nil { first = key }
        } else if !seenInElement.insert(key).inserted, inElements[index] == nil {
            inElements[index] = key
        }
    }

    /// The index of the closing quote of the string that begins at `start`.
    private static func endOfText(in bytes: [UInt8], from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count - 1, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place, bytes.count - 1)
    }

    /// The decoded string. Decoding makes keys equal that are written with and without escapes.
    private static func text(_ quoted: ArraySlice<UInt8>) -> String {
        let plain = quoted.dropFirst().dropLast()
        if !plain.contains(UInt8(ascii: "\\")) { return String(decoding: plain, as: UTF8.self) }
        return (try? WireCoding.decode(String.self, from: Data(quoted))) ?? String(decoding: quoted, as: UTF8.self)
    }
}
