// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import SMTPRelay
import Testing

@testable import FreshetDatabase
@testable import FreshetServer
@testable import freshet

/// Floods of the mail queue, and theft from it.
///
/// The server believes loopback as a proxy, so that the attacks come from many addresses.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks on the mail queue` {
    private static func arguments(_ relay: SMTPRelay, _ more: [String] = []) -> [String] {
        [
            "--mail", "smtp://127.0.0.1:\(relay.port)", "--mail-from", "noreply@example.com", "--trusted-proxy",
            "127.0.0.1/32",
        ] + more
    }

    /// A relay that answers addresses of some domains otherwise.
    private static func relay(_ replies: [String: SMTPRelay.Reply]) async throws -> SMTPRelay {
        try await SMTPRelay { recipient in
            replies[recipient.split(separator: "@").last.map(String.init) ?? ""] ?? .accept
        }
    }

    @Test func `deferred mail requested from one IP address does not delay another user's code`() async throws {
        let relay = try await Self.relay(["slow.example": .refuse(451)])
        try await Attack.run(
            "300 codes from one address to addresses that the relay defers",
            serving: Self.arguments(relay)
        ) { server in
            let statuses = try await server.askForCodes((0..<300).map { ("u\($0)@slow.example", "198.51.100.7") })
            // Every answer is true: 202 for mail that is kept, 429 for the address's own share.
            try #require(Set(statuses).isSubset(of: [202, 429]), "\(Set(statuses))")
            let reply = try await server.askForCode("ann@example.com", from: "203.0.113.9")
            try #require(reply.status == 202, "\(reply.text)")
            let mail = try #require(await relay.mail(to: "ann@example.com"))
            try await server.signIn(reply, mail)
        }
        try await relay.stop()
    }

    @Test func `deferred mail requested from many networks does not delay another user's code`() async throws {
        let relay = try await Self.relay(["slow.example": .refuse(451)])
        try await Attack.run(
            "600 codes from as many IPv6 networks to addresses that the relay defers, with a queue of 128",
            serving: Self.arguments(relay, ["--mail-queue", "128"])
        ) { server in
            let networks = (0..<600).map { ("u\($0)@slow.example", "2001:db8:\(String($0, radix: 16))::1") }
            let statuses = try await server.askForCodes(networks)
            try #require(Set(statuses).isSubset(of: [202, 503]), "\(Set(statuses))")
            let reply = try await server.askForCode("ann@example.com", from: "203.0.113.9")
            try #require(reply.status == 202, "\(reply.text)")
            let mail = try #require(await relay.mail(to: "ann@example.com"))
            try await server.signIn(reply, mail)
        }
        try await relay.stop()
    }

    @Test func `a relay that hangs for one domain's recipients does not delay another domain's mail`() async throws {
        let relay = try await Self.relay(["hang.example": .hang])
        try await Attack.run(
            "40 codes to a domain that hangs, from as many addresses",
            serving: Self.arguments(relay)
        ) { server in
            let addresses = (0..<40).map { ("u\($0)@hang.example", "198.51.100.\($0)") }
            let statuses = try await server.askForCodes(addresses)
            try #require(Set(statuses) == [202])
            // Two of them hang at the relay now.
            for _ in 1...2 { _ = await relay.recipient { $0.hasSuffix("@hang.example") } }
            let reply = try await server.askForCode("ann@example.com", from: "203.0.113.9")
            try #require(reply.status == 202, "\(reply.text)")
            _ = try #require(await relay.mail(to: "ann@example.com"))
            await server.process.kill()
        }
        try await relay.stop()
    }

    @Test(arguments: ["SIGKILL", "SIGTERM"])
    func `an acknowledged sign-in code is mailed after the server is stopped and restarted`(signal: String) async throws
    {
        let relay = try await Self.relay(["example.com": .refuse(451)])
        let arguments = Self.arguments(relay)
        try await Attack.run("\(signal) between the answer 202 and the mail", serving: arguments) { server in
            let reply = try await server.askForCode("ann@example.com", from: "203.0.113.9")
            try #require(reply.status == 202, "\(reply.text)")
            _ = await relay.recipient { $0 == "ann@example.com" }
            if signal == "SIGKILL" { await server.process.kill() } else { await server.process.terminate() }
            relay.answer { _ in .accept }
            try await server.restarted(arguments) { next in
                let mail = try #require(await relay.mail(to: "ann@example.com"))
                try await next.signIn(reply, mail)
            }
        }
        try await relay.stop()
    }

    @Test func `a copy of the database contains neither the code nor the text of a queued mail`() async throws {
        // The relay sees the mail, and defers it afterwards.
        let relay = try await Self.relay(["example.com": .refuseMail(451)])
        try await Attack.run("codes in a stolen database", serving: Self.arguments(relay)) { server in
            let reply = try await server.askForCode("ann@example.com", from: "203.0.113.9")
            try #require(reply.status == 202, "\(reply.text)")
            let mail = try #require(await relay.mail(to: "ann@example.com"))
            let code = try #require(mail.code)
            let (rows, stored) = try server.storedBytes()
            try #require(rows == 1)
            for secret in [code, "is your code to sign in", "Your sign-in code"] {
                try #require(stored.range(of: Data(secret.utf8)) == nil, "\(secret)")
                let encoded = Data(secret.utf8).base64EncodedString().prefix { $0 != "=" }.dropLast(2)
                try #require(secret.utf8.count < 9 || stored.range(of: Data(encoded.utf8)) == nil)
            }
            try await server.signIn(reply, mail)
        }
        try await relay.stop()
    }

    @Test func `a relay that refuses mail is reported to every client, for known and unknown addresses`()
        async throws
    {
        let relay = try await SMTPRelay { _ in .refuseSender(550) }
        try await Attack.run(
            "asking a server whose relay refuses all mail which addresses have an account",
            serving: Self.arguments(relay)
        ) { server in
            try await server.signUp("ann@example.com")
            // The first mail shows the server that its relay refuses.
            try #require(try await server.askForCode("eve@example.com", from: "203.0.113.8").status == 202)
            _ = try await server.waitForLog("the mail relay takes no mail")
            for path in [NativePath.loginCode, NativePath.passwordReset] {
                for email in ["ann@example.com", "nobody@example.com"] {
                    let reply = try await server.askForCode(email, from: "203.0.113.9", at: path)
                    try #require(reply.status == 503, "\(path) \(reply.text)")
                    try #require(reply.string("error") == "unavailable")
                    try #require(reply.headers["retry-after"].flatMap(Int.init) ?? 0 > 0)
                }
            }
            try #require(try await server.send("GET", "/readyz").status == 200)
        }
        try await relay.stop()
    }
}

extension RunningServer {
    fileprivate func askForCode(
        _ email: String,
        from source: String,
        at path: String = NativePath.loginCode
    ) async throws -> Reply {
        try await send("POST", path, json: ["email": email], headers: ["X-Forwarded-For": source])
    }

    /// Asks for many codes, some at a time.
    fileprivate func askForCodes(_ requests: [(email: String, source: String)]) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            var statuses: [Int] = []
            for (index, request) in requests.enumerated() {
                if index >= 16, let status = try await group.next() { statuses.append(status) }
                group.addTask { try await askForCode(request.email, from: request.source).status }
            }
            for try await status in group { statuses.append(status) }
            return statuses
        }
    }

    /// Signs in with a mailed code.
    fileprivate func signIn(_ reply: Reply, _ mail: SMTPRelay.Mail) async throws {
        let attempt = try #require(reply.string("attempt"))
        let code = try #require(mail.code)
        let answer = try await send("POST", NativePath.loginCodeVerify, json: ["attempt": attempt, "code": code])
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Starts another server on the same data, as after a crash.
    fileprivate func restarted(
        _ arguments: [String],
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        let next = try ChildProcess(
            ["serve", "--port", "0", "--until-stdin-closes", "--data", folder.appending(path: "data").path] + arguments,
            program: Self.program,
            environment: database.merging(["FRESHET_PASSWORD_COST": "10"]) { $1 },
            keepsInputOpen: true
        )
        let first = await next.lines.first { _ in true }
        do {
            let address = try #require(first?.split(separator: " ").last.map(String.init), "it does not start again")
            try await body(RunningServer(address: address, folder: folder, process: next, database: database))
        } catch {
            await next.terminate()
            throw error
        }
        await next.terminate()
    }

    /// The number of queued mails, and all that a thief of the database has.
    fileprivate func storedBytes() throws -> (rows: Int64, Data) {
        if let address = database["FRESHET_DATABASE"] {
            let connection = try PostgresConnection(try PostgresConfiguration(address))
            var bytes = Data()
            for table in ["mail_queue", "code_attempts"] {
                let sql = "SELECT row_to_json(t)::text FROM \(table) t"
                for row in try connection.rows(sql, [], { try $0[0] as String }) { bytes += Data(row.utf8) }
            }
            // Bytes are hexadecimal in that text.
            for sealed in try connection.rows("SELECT sealed FROM mail_queue", [], { try $0[0] as Data }) {
                bytes += sealed
            }
            return (try connection.number("SELECT count(*) FROM mail_queue") ?? 0, bytes)
        }
        let file = folder.appending(path: "data/freshet.sqlite")
        let log = try Data(contentsOf: URL(filePath: file.path + "-wal"))
        let rows = try SQLiteDatabase(existingIn: folder.appending(path: "data"))
        defer { try? rows.detach() }
        return (
            try rows.readNow { try $0.number("SELECT count(*) FROM mail_queue") ?? 0 }, try Data(contentsOf: file) + log
        )
    }

    /// Waits until the server has logged a message.
    fileprivate func waitForLog(_ message: String) async throws -> String {
        let tail = try ChildProcess(["-n", "+1", "-f", log.path], program: URL(filePath: "/usr/bin/tail"))
        let line = await tail.lines.first { $0.contains(message) }
        await tail.kill()
        return try #require(line)
    }
}
