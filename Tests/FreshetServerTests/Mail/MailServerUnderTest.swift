// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// aiosmtpd, as `Tests/Backends/smtp.py` starts it; it ends with its standard input.
final class MailServerUnderTest: Sendable {
    /// What it says of itself and of each mail, a line each.
    struct Line: Decodable, Sendable {
        var port: Int?
        var login: Bool?
        var hanging: String?
        var from: String?
        var to: [String]?
        var tls: Bool?
        var user: String?
        var mail: String?
    }

    struct Silent: Error {}

    let port: Int
    let lines: AsyncStream<Line>
    private let input: Pipe
    private let ended: Task<Void, Never>

    init(_ arguments: [String] = []) async throws {
        let process = Process()
        process.executableURL =
            URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Scripts/backends").standardized
        process.arguments = ["start", "smtp"] + arguments
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        let (endings, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        self.input = input
        ended = Task { for await _ in endings {} }
        let (first, head) = AsyncStream.makeStream(of: Int.self)
        let (lines, rest) = AsyncStream.makeStream(of: Line.self)
        self.lines = lines
        Thread.detachNewThread {
            var text = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                text += data
                while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = try? JSONDecoder().decode(Line.self, from: text[text.startIndex..<end])
                    text = Data(text[text.index(after: end)...])
                    guard let line else { continue }
                    if let port = line.port { head.yield(port) } else { rest.yield(line) }
                }
            }
            head.finish()
            rest.finish()
        }
        guard let port = await first.first(where: { _ in true }) else { throw Silent() }
        self.port = port
    }

    func end() async {
        try? input.fileHandleForWriting.close()
        await ended.value
    }

    /// A certificate for 127.0.0.1 with its key, signed by itself, in `folder`.
    static func certificate(in folder: URL) throws -> (both: String, certificate: String) {
        let (key, certificate) = (folder.appending(path: "key.pem").path, folder.appending(path: "cert.pem").path)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=mail.test", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out",
            certificate,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let both = folder.appending(path: "both.pem")
        try (Data(contentsOf: URL(filePath: key)) + Data(contentsOf: URL(filePath: certificate))).write(to: both)
        return (both.path, certificate)
    }
}
