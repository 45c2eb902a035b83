// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension SampleFunction {
    /// A function with a random signature, and with values at and between the extremes.
    static func random(named name: String, from dice: inout some RandomNumberGenerator) -> SampleFunction {
        let kinds = FunctionArgument.Kind.allCases
        // From no arguments to more than the registers of any machine.
        let count = Int.random(in: 0...FunctionBinding.mostArguments, using: &dice)
        var settings = ["directory", "pattern"]
        settings.shuffle(using: &dice)
        let arguments = (0..<count).map { _ in
            argument(kinds[Int.random(in: 0..<kinds.count, using: &dice)], setting: settings[0], &dice)
        }
        let rules = FunctionResult.SuccessRule.allCases
        let rule = rules[Int.random(in: 0..<rules.count, using: &dice)]
        let results: [FunctionResult] = [.void, .int32(rule), .int64(rule), .pointer]
        var function = SampleFunction(
            name: name,
            arguments: arguments,
            result: results[Int.random(in: 0..<results.count, using: &dice)]
        )
        function.returned = extreme(&dice)
        function.leftText = text(&dice)
        function.leftNumber = extreme(&dice)
        return function
    }

    private static func argument(
        _ kind: FunctionArgument.Kind,
        setting: String,
        _ dice: inout some RandomNumberGenerator
    ) -> FunctionArgument {
        let number: Int64 = extreme(&dice)
        switch kind {
        case .string: return .string(text(&dice))
        case .int32: return .int32(Int32(truncatingIfNeeded: number))
        case .uint32: return .uint32(UInt32(truncatingIfNeeded: number))
        case .int64: return .int64(number)
        case .uint64: return .uint64(UInt64(bitPattern: number))
        case .double: return .double(double(&dice))
        case .bool: return .bool(.random(using: &dice))
        case .bytes:
            return .bytes((0..<Int.random(in: 0...24, using: &dice)).map { _ in .random(in: 0...255, using: &dice) })
        case .cancelFlag: return .cancelFlag
        case .payload: return .payload
        case .containerPath: return .containerPath
        case .remainingMilliseconds: return .remainingMilliseconds
        case .setting: return .setting(setting)
        case .download: return .download("https://example.com/list.gz")
        case .null: return .null
        case .outString: return .outString(size: Int.random(in: 1...40, using: &dice))
        case .outInt64: return .outInt64
        }
    }

    /// A random number. One in four is at an edge of a type.
    private static func extreme(_ dice: inout some RandomNumberGenerator) -> Int64 {
        let edges: [Int64] = [0, 1, -1, .min, .max, Int64(Int32.min), Int64(Int32.max), Int64(UInt32.max), 128, 255]
        return Int.random(in: 0..<4, using: &dice) == 0
            ? edges[Int.random(in: 0..<edges.count, using: &dice)] : .random(in: .min ... .max, using: &dice)
    }

    private static func double(_ dice: inout some RandomNumberGenerator) -> Double {
        let edges: [Double] = [
            0, -0.0, 1, -1, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
            .leastNormalMagnitude, .pi,
        ]
        return Int.random(in: 0..<3, using: &dice) == 0
            ? edges[Int.random(in: 0..<edges.count, using: &dice)] : .random(in: -1e300...1e300, using: &dice)
    }

    /// A random text of letters, digits and a few signs, which have the same form in C, in the record and in the
    /// journal.
    private static func text(_ dice: inout some RandomNumberGenerator) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./ ")
        return String(
            (0..<Int.random(in: 0...30, using: &dice)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &dice)]
            }
        )
    }
}
