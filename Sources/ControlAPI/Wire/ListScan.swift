// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FoundationEssentials

/// Counts the elements of lists in a body without parsing the body. Of a body that is not valid JSON, the number has no
/// meaning.
enum ListScan {
    /// Number of elements of the longest list that is a member of the outermost object. A list with one element counts
    /// as empty.
    static func longestMember(of body: Data) -> Int { body.withUnsafeBytes(longestMember) }

    private static func longestMember(of body: UnsafeRawBufferPointer) -> Int {
        var (depth, commas, longest) = (0, 0, 0)
        var (isList, isText, isEscaped) = (false, false, false)
        for byte in body {
            if isText {
                if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 2 { (commas, isList) = (0, byte == UInt8(ascii: "[")) }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 2 && isList:
                commas += 1
                longest = max(longest, commas + 1)
            default: break
            }
        }
        return longest
    }
}
