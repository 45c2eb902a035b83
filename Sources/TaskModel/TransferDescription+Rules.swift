// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension TransferDescription {
    /// Description of the first flaw of an invalid transfer, with rule and remedy; nil when it is valid. The addresses
    /// are checked at each connection, by the transfer library.
    package var flaw: String? {
        flawOfURL ?? flawOfLabel ?? flawOfHeaders ?? (direction == .upload ? flawOfUpload : flawOfDownload)
    }

    private var flawOfURL: String? {
        if url.utf8.count > Self.longestURL {
            return "the URL has \(url.utf8.count) bytes; at most \(Self.longestURL) are allowed; shorten it"
        }
        if !url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            return "the URL has a space, a control character or a character beyond ASCII; escape it with %"
        }
        let scheme = url.firstRange(of: "://").map { url[..<$0.lowerBound].lowercased() }
        guard let scheme, ["http", "https"].contains(scheme) else {
            return "the URL begins with neither http:// nor https://; only these are allowed; use one of them"
        }
        let host = url.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        if host.contains("@") {
            // The description is in the ledger and in backups.
            return "the URL has a user name or a password; the ledger would keep it; send it in a secret header"
        }
        return host.isEmpty ? "the URL names no host; write it after \(scheme)://" : nil
    }

    private var flawOfLabel: String? {
        guard let label else { return nil }
        if label.utf8.count > Self.longestLabel {
            return "the label has \(label.utf8.count) bytes; at most \(Self.longestLabel) are allowed; shorten it"
        }
        return Self.hasControl(label) ? "the label has a control character; remove it" : nil
    }

    private var flawOfHeaders: String? {
        if headers.count > Self.mostHeaders {
            return "the transfer has \(headers.count) headers; at most \(Self.mostHeaders) are allowed; remove some"
        }
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if bytes > Self.longestHeaders {
            return "the headers have \(bytes) bytes; at most \(Self.longestHeaders) are allowed; shorten them"
        }
        return headers.lazy.compactMap(\.flaw).first
    }

    private var flawOfDownload: String? {
        if file != nil { return "a download names a file; only an upload has one; leave it out" }
        if method != nil { return "a download names a method; it always is GET; leave it out" }
        guard let sha256, !Self.isDigest(sha256) else { return nil }
        return "the SHA-256 is not 64 hexadecimal digits in lower case; write it as sha256sum prints it"
    }

    private var flawOfUpload: String? {
        if size != nil || sha256 != nil {
            return "an upload names an expected size or SHA-256; only a download has them; leave them out"
        }
        if let method, !Self.methods.contains(method) {
            return "the method is \(method.bounded(toBytes: 32).terminalSafe); only PUT and POST are allowed;"
                + " use one of them"
        }
        guard let file, !file.isEmpty else { return "the upload names no file; name a file of the container" }
        let names = file.split(separator: "/", omittingEmptySubsequences: false)
        if file.utf8.count > Self.longestPath || Self.hasControl(file) || names.contains(where: Self.leavesContainer) {
            return "the file of the upload is not a path within the container, such as reports/day.json; paths have at"
                + " most \(Self.longestPath) bytes, no empty part, no . or .., and no control character; correct it"
        }
        return nil
    }

    private static func leavesContainer(_ name: Substring) -> Bool { ["", ".", ".."].contains(name) }

    fileprivate static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

extension TransferDescription.Header {
    /// Headers that the transfer library sets itself, because resuming and the size of the body depend on them. The
    /// library refuses the same names (`spec.c`).
    package static let reserved: Set = [
        "host", "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
        "content-length", "content-range", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade",
        "expect", "proxy-authorization", "proxy-connection", "accept-encoding",
    ]

    fileprivate var flaw: String? {
        let shown = name.bounded(toBytes: 64).terminalSafe
        if name.isEmpty || !name.utf8.allSatisfy(Self.isOfToken) {
            return "the name of the header \"\(shown)\" is not a token of HTTP; use letters, digits and '-'"
        }
        if Self.reserved.contains(name.lowercased()) {
            return "the header \(shown) is set by the transfer itself; leave it out"
        }
        return TransferDescription.hasControl(value)
            ? "the value of the header \(shown) has a control character; remove it" : nil
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
