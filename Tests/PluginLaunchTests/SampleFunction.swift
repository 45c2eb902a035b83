// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A C function that records its arguments, with its expected record and result.
///
/// Tables of this type generate the C text from the kinds of arguments, independently of the code under test.
struct SampleFunction {
    let name: String
    let arguments: [FunctionArgument]
    let result: FunctionResult
    /// The value that the function returns, before conversion to the result's type.
    var returned: Int64 = 0
    /// The text that the function writes to its out-strings. `leftNumber` is the number for its out-numbers.
    var leftText = "left"
    var leftNumber: Int64 = 0

    var handler: FunctionBinding? {
        TaskIdentifier("com.example.sample.\(name)").map {
            FunctionBinding(identifier: $0, symbol: name, arguments: arguments, result: result)
        }
    }

    // MARK: C code

    /// The beginning of the C file; RECORD is the file to which each function appends one line in one write.
    static let prelude = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <inttypes.h>
        #include <stdbool.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        struct record { FILE *out; char *text; size_t size; };
        static void begin(struct record *r, const char *name) {
            r->out = open_memstream(&r->text, &r->size);
            fputs(name, r->out);
        }
        static void end(struct record *r) {
            fputc('\\n', r->out);
            fclose(r->out);
            int file = open(RECORD, O_WRONLY | O_CREAT | O_APPEND, 0600);
            if (write(file, r->text, r->size) != (ssize_t)r->size) abort();
            close(file);
            free(r->text);
        }
        static void put_bytes(struct record *r, const void *bytes, size_t count) {
            fputs(bytes ? " x" : " null", r->out);
            for (size_t i = 0; i < count; i++) fprintf(r->out, "%02x", ((const unsigned char *)bytes)[i]);
        }
        static void put_double(struct record *r, double value) {
            uint64_t bits;
            memcpy(&bits, &value, 8);
            fprintf(r->out, " d%016" PRIx64, bits);
        }

        """

    var code: String {
        var parameters: [String] = []
        var body: [String] = []
        for (index, argument) in arguments.enumerated() {
            let name = "a\(index)"
            switch argument {
            case .string, .containerPath, .setting:
                parameters.append("const char *\(name)")
                body.append("put_bytes(&r, \(name), strlen(\(name)));")
            case .int32: number("int32_t", "PRId32", name, &parameters, &body)
            case .uint32: number("uint32_t", "PRIu32", name, &parameters, &body)
            case .int64: number("int64_t", "PRId64", name, &parameters, &body)
            case .uint64: number("uint64_t", "PRIu64", name, &parameters, &body)
            case .double:
                parameters.append("double \(name)")
                body.append("put_double(&r, \(name));")
            case .bool:
                parameters.append("bool \(name)")
                body.append("fputs(\(name) == true ? \" true\" : \(name) == false ? \" false\" : \" neither\", r.out);")
            case .bytes, .payload:
                parameters += ["const void *\(name)", "size_t n\(index)"]
                body.append("put_bytes(&r, \(name), n\(index));")
                // The byte after the last one belongs to the caller and has to be 0.
                body.append("fputs(((const char *)\(name))[n\(index)] ? \" open\" : \"\", r.out);")
            case .cancelFlag:
                parameters.append("int32_t *\(name)")
                body.append("fprintf(r.out, \" flag%\" PRId32, *\(name));")
            case .remainingMilliseconds:
                parameters.append("int64_t \(name)")
                body.append("fputs(\(name) > 500000 && \(name) <= 600000 ? \" in-time\" : \" late\", r.out);")
            // Without a file of the host, a download is NULL.
            case .null, .download:
                parameters.append("void *\(name)")
                body.append("fputs(\(name) ? \" something\" : \" null\", r.out);")
            case .outString:
                parameters += ["char *\(name)", "size_t n\(index)"]
                body.append("fprintf(r.out, \" room%zu\", n\(index));")
                body.append("strncpy(\(name), \"\(leftText)\", n\(index));")
            case .outInt64:
                parameters.append("int64_t *\(name)")
                body.append("fprintf(r.out, \" was%\" PRId64, *\(name)); *\(name) = (int64_t)\(literal(leftNumber));")
            }
        }
        let list = parameters.isEmpty ? "void" : parameters.joined(separator: ", ")
        return """
            \(resultType) \(name)(\(list)) {
                struct record r;
                begin(&r, "\(name)");
                \(body.joined(separator: "\n    "))
                end(&r);
                \(returnStatement)
            }

            """
    }

    private func number(
        _ type: String,
        _ format: String,
        _ name: String,
        _ parameters: inout [String],
        _ body: inout [String]
    ) {
        parameters.append("\(type) \(name)")
        body.append("fprintf(r.out, \" %\" \(format), \(name));")
    }

    private func literal(_ value: Int64) -> String { "UINT64_C(\(UInt64(bitPattern: value)))" }

    private var resultType: String {
        switch result {
        case .void: "void"
        case .int32: "int32_t"
        case .int64: "int64_t"
        case .pointer: "void *"
        }
    }

    private var returnStatement: String {
        switch result {
        case .void: "return;"
        case .int32: "return (int32_t)\(literal(returned));"
        case .int64: "return (int64_t)\(literal(returned));"
        case .pointer: "return (void *)(uintptr_t)\(literal(returned));"
        }
    }

    // MARK: Expected values

    func record(payload: [UInt8], container: String, settings: [String: String]) -> String {
        let values = arguments.map { argument in
            switch argument {
            case .string(let text): hex(Array(text.utf8))
            case .containerPath: hex(Array(container.utf8))
            case .setting(let key): hex(Array((settings[key] ?? "").utf8))
            case .int32(let value): "\(value)"
            case .uint32(let value): "\(value)"
            case .int64(let value): "\(value)"
            case .uint64(let value): "\(value)"
            case .double(let value):
                "d" + String(repeating: "0", count: value.bitPattern.leadingZeroBitCount / 4).prefix(15)
                    + String(value.bitPattern, radix: 16)
            case .bool(let value): "\(value)"
            case .bytes(let bytes): hex(bytes)
            case .payload: hex(payload)
            case .cancelFlag: "flag0"
            case .remainingMilliseconds: "in-time"
            case .null, .download: "null"
            case .outString(let size): "room\(size)"
            case .outInt64: "was0"
            }
        }
        return ([name] + values).joined(separator: " ")
    }

    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: [UInt8(ascii: "x")] + bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }

    /// The text that the runner has to report for the call.
    var returnedText: String {
        let value =
            switch result {
            case .void: ""
            case .int32: " \(Int32(truncatingIfNeeded: returned))"
            case .int64: " \(returned)"
            case .pointer: returned == 0 ? " null" : " a pointer"
            }
        let outputs = arguments.compactMap { argument in
            switch argument {
            case .outString(let size): "; out-string \"\(leftText.prefix(size))\""
            case .outInt64: "; out-int64 \(leftNumber)"
            default: nil
            }
        }
        return "\(name) returned\(value)\(outputs.joined())"
    }

    var outcome: Bool {
        switch result {
        case .void: true
        case .pointer: returned != 0
        case .int64(let rule): follows(rule, returned)
        case .int32(let rule): follows(rule, Int64(Int32(truncatingIfNeeded: returned)))
        }
    }

    private func follows(_ rule: FunctionResult.SuccessRule, _ value: Int64) -> Bool {
        switch rule {
        case .zero: value == 0
        case .nonzero: value != 0
        case .nonnegative: value >= 0
        }
    }
}
