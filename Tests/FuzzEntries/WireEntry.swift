// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import RunnerWire
internal import TaskModel

/// Both directions of the socket between host and runner, and the consumers of the messages.
///
/// The first byte of an input selects the direction and the launch, the second one the pieces into which the stream is
/// cut. The stream follows.
package struct WireEntry: FuzzEntry {
    package init() {}

    package func problem(with bytes: [UInt8]) -> String? {
        guard bytes.count > 2 else { return nil }
        let stream = Array(bytes[2...])
        // Crash records of runners are read from a pipe.
        _ = try? LastWords(record: stream)
        var pieces = Pieces(seed: bytes[1])
        if bytes[0] & 1 == 0 { return ReceivingHost.problem(with: stream, launch: Int(bytes[0] >> 1), &pieces) }
        return ReceivingRunner.problem(with: stream, &pieces)
    }
}

/// Reproducible sizes, in bytes, of the pieces in which a decoder receives a stream. Seed 0 yields the size 1 only.
struct Pieces {
    private let seed: UInt8
    private var state: UInt64

    init(seed: UInt8) {
        self.seed = seed
        state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1
    }

    mutating func next() -> Int {
        if seed == 0 { return 1 }
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return 1 + Int(state >> 33) % (1 << (seed % 13))
    }

    /// Whether the receiver lets the next message wait: when the next size is a multiple of 4, so for about every
    /// fourth message, and never for seeds whose sizes are at most 2.
    mutating func refuses() -> Bool { next() % 4 == 0 }
}

/// The messages of a stream up to the first malformed frame, decoded from one piece or from many. Two are equal when
/// the frames of their messages are: a message with an argument that is not a number differs from itself.
struct DecodedStream<Message: WireMessage>: Equatable {
    var messages: [Message] = []
    var error: WireError?

    init(whole stream: [UInt8]) {
        var decoder = FrameDecoder<Message>()
        decoder.append(stream)
        drain(&decoder)
    }

    init(_ stream: [UInt8], in pieces: inout Pieces) {
        var decoder = FrameDecoder<Message>()
        var rest = stream[...]
        while !rest.isEmpty, error == nil {
            let piece = rest.prefix(pieces.next())
            rest = rest.dropFirst(piece.count)
            decoder.append(piece)
            drain(&decoder)
        }
    }

    private mutating func drain(_ decoder: inout FrameDecoder<Message>) {
        do throws(WireError) {
            while let message = try decoder.next() { messages.append(message) }
        } catch {
            self.error = error
        }
    }

    static func == (one: Self, other: Self) -> Bool { one.frames == other.frames && one.error == other.error }

    /// The frames of the messages; nil for a message that cannot be encoded.
    private var frames: [[UInt8]?] { messages.map { try? $0.frame() } }

    /// The first message that cannot be encoded, or whose frame decodes to another message; nil when there is none.
    var unstable: Message? {
        messages.first { message in
            guard let frame = try? message.frame() else { return true }
            let again = Self(whole: frame)
            return again.frames != [frame] || again.error != nil
        }
    }
}
