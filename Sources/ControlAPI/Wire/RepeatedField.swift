// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FoundationEssentials

/// Finds the first key that occurs twice in the object of a body. The JSON decoder accepts such an object and keeps
/// only one of the two values.
///
/// The scan needs valid JSON, which the decoder has checked, and compares only the keys of the outermost object.
enum RepeatedField {
    static func first(in body: Data) -> String? {
        let bytes = [UInt8](body)
        var seen: Set<String> = []
        var depth = 0
        var isKey = false
        var place = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isKey = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isKey = depth == 1
            case UInt8(ascii: "\""):
                let end = endOfText(in: bytes, from: place)
                if isKey {
                    let key = text(bytes[place...end])
                    if !seen.insert(key).inserted { return key }
                }
                (place, isKey) = (end, false)
            default: break
            }
            place += 1
        }
        return nil
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
        (try? WireCoding.decode(String.self, from: Data(quoted))) ?? String(decoding: quoted, as: UTF8.self)
    }
}
