// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import NIOSSL

extension NIOSSLContext {
    /// The TLS of a gateway: the certificate chain and the private key in PEM files, and TLS 1.2 or newer. A client
    /// without ALPN is served as well.
    package static func gateway(certificate: String, key: String) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}
