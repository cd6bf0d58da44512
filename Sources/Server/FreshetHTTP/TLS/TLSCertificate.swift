// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Hummingbird
package import Logging
import NIOConcurrencyHelpers
import NIOSSL
import ServiceLifecycle

/// The server's certificate, reloaded when its files change, so that a renewal needs no restart.
package final class TLSCertificate: Service {
    /// The protocols by their ALPN names (RFC 7301), in order of preference.
    private static let protocols = ["h2", "http/1.1"]
    /// The interval at which the files are checked for changes.
    static let interval = Duration.seconds(2)

    private struct Loaded {
        var context: NIOSSLContext
        var fingerprint: [Fingerprint]
    }

    private struct Fingerprint: Equatable {
        var changed: Date?
        var size: Int?
        var file: Int?
        /// Owner and mode, as a key that others could read is used once that has changed.
        var owner: Int?
        var mode: Int?
    }

    private let files: TLSFiles
    private let log: Logger
    private let loaded: NIOLockedValueBox<Loaded>

    /// Loads the certificate and its key.
    ///
    /// - Throws: `StartupError` if certificate and key cannot be read or do not match.
    package init(_ files: TLSFiles, log: Logger) throws {
        self.files = files
        self.log = log
        loaded = NIOLockedValueBox(try Self.load(files))
    }

    /// The context for new connections.
    var context: NIOSSLContext { loaded.withLockedValue { $0.context } }

    func run() async throws {
        while true {
            do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) } } catch { return }
            reloadIfChanged()
        }
    }

    /// Reloads the files if they changed or `force` is set; an unusable certificate does not replace the current one.
    func reloadIfChanged(force: Bool = false) {
        let fingerprint = Self.fingerprint(files)
        guard force || loaded.withLockedValue({ $0.fingerprint }) != fingerprint else { return }
        do {
            let new = try Self.load(files)
            loaded.withLockedValue { $0 = new }
            log.notice("the certificate was replaced")
        } catch {
            loaded.withLockedValue { $0.fingerprint = fingerprint }
            log.error("the new certificate cannot be used; the old one stays in use", error: error)
        }
    }

    private static func load(_ files: TLSFiles) throws -> Loaded {
        let fingerprint = fingerprint(files)
        try checkReadability(of: files.certificate, setting: "tls-certificate")
        try checkReadability(of: files.key, setting: "tls-key")
        guard PrivateFiles.isClosedToOthers(files.key.path) else {
            throw PrivateFiles.UnsafeKeyFile(path: files.key.path)
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(files.certificate.path).map {
                NIOSSLCertificateSource.certificate($0)
            }
            let key = try NIOSSLPrivateKey(file: files.key.path, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain,
                privateKey: .privateKey(key)
            )
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = Self.protocols
            return Loaded(context: try NIOSSLContext(configuration: configuration), fingerprint: fingerprint)
        } catch {
            throw HTTPStartupError.unreadableCertificate(files.certificate.path)
        }
    }

    private static func checkReadability(of file: URL, setting: String) throws(HTTPStartupError) {
        guard access(file.path, R_OK) != 0 else { return }
        throw .unreadableFile(setting: setting, path: file.path, reason: String(cString: strerror(errno)))
    }

    private static func fingerprint(_ files: TLSFiles) -> [Fingerprint] {
        [files.certificate, files.key].map { file in
            let facts = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
            return Fingerprint(
                changed: facts?[.modificationDate] as? Date,
                size: facts?[.size] as? Int,
                file: facts?[.systemFileNumber] as? Int,
                owner: facts?[.ownerAccountID] as? Int,
                mode: facts?[.posixPermissions] as? Int
            )
        }
    }
}
