// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A message in one direction, with its encoding.
package protocol WireMessage: Sendable {
    /// Maximum number of bytes of a frame after its length field.
    static var frameLimit: Int { get }

    var frameType: UInt16 { get }
    func putFields(into frame: inout FrameWriter)
    init(frameType: UInt16, fields: inout FrameReader) throws(WireError)
}

extension WireMessage {
    /// Encodes the message as a frame. Throws when the frame exceeds `frameLimit`.
    package func frame() throws(WireError) -> [UInt8] {
        var writer = FrameWriter(type: frameType)
        putFields(into: &writer)
        return try writer.finished(limit: Self.frameLimit)
    }
}

/// Decodes a stream of bytes into messages, however the stream is cut into pieces. The decoder reads no input itself.
///
/// After a malformed frame the rest of the stream is unreliable: every later `next` throws the same error.
package struct FrameDecoder<Message: WireMessage>: Sendable {
    private var bytes: [UInt8] = []
    private var position = 0
    private var failure: WireError?

    package init() {}

    /// Number of buffered bytes, decoded or not. Less than two frames plus the bytes of one `append`, if all complete
    /// messages are decoded before each `append`.
    package var bufferedBytes: Int { bytes.count }

    package mutating func append(_ added: some Sequence<UInt8>) {
        if failure != nil { return }
        // Decoded bytes are removed once they are the larger part, so that a stream that is always cut within a frame
        // does not accumulate.
        if position > 0, position >= bytes.count - position {
            bytes.removeSubrange(..<position)
            position = 0
        }
        bytes.append(contentsOf: added)
    }

    /// Decodes the next complete message; nil until more bytes are appended.
    package mutating func next() throws(WireError) -> Message? {
        if let failure { throw failure }
        do {
            return try nextFrame()
        } catch {
            failure = error
            bytes = []
            position = 0
            throw error
        }
    }

    private mutating func nextFrame() throws(WireError) -> Message? {
        var header = FrameReader(bytes, in: position..<bytes.count)
        guard header.remaining >= FrameLayout.lengthSize else { return nil }
        let length = Int(try header.integer("frame length") as UInt32)
        guard length <= Message.frameLimit else {
            throw WireError(
                code: .tooLong,
                message: "the message is announced with \(length) bytes; at most \(Message.frameLimit) are allowed"
            )
        }
        guard header.remaining >= length else { return nil }
        let start = position + FrameLayout.lengthSize
        var fields = FrameReader(bytes, in: start..<start + length)
        let type: UInt16 = try fields.integer("frame type")
        let message = try Message(frameType: type, fields: &fields)
        try fields.finish()
        position = start + length
        return message
    }
}
