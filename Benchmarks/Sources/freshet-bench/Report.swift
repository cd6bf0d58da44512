// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// All figures of one run, for `--json` and for people.
struct Report: Codable {
    var machine: Machine
    var secondsPerRun: Double
    var rounds: Int
    var server: ServerBenchmark.Result?
    var sdk: SDKBenchmark.Result?

    /// Whether every request had the answer that was hoped for.
    var isSound: Bool {
        let rows = (server?.refresh ?? []) + (server?.verifiedGet ?? [])
        return rows.allSatisfy { $0.errors == 0 }
    }

    var text: String {
        var lines = [
            "Machine   \(machine.cores) cores, \(machine.cpu), \(machine.system)",
            "          \(machine.swift); load \(number(machine.load, 1)) before the start",
        ]
        if let server { lines += serverLines(server) }
        if let sdk { lines += sdkLines(sdk) }
        lines += ["", "How to read it"]
        lines += server == nil ? [] : Self.serverNotes
        lines += sdk == nil ? [] : Self.sdkNotes
        lines.append(
            "  Compare figures of one run only: machines that others use, too, drift by a third between runs."
        )
        return lines.joined(separator: "\n")
    }

    private func serverLines(_ server: ServerBenchmark.Result) -> [String] {
        var lines = [
            "",
            "Server    release build, SQLite; \(server.sessions) sessions; \(rounds == 1 ? "one run" : "medians of \(rounds) runs") of "
                + "\(number(secondsPerRun, 1)) s; \(number(server.residentMegabytes, 0)) MB resident at the end",
            "",
            row("", "connections", "a second", "CPU us each", "p50 ms", "p99 ms", "errors"),
        ]
        for (name, rows) in [("refresh", server.refresh), ("verified GET", server.verifiedGet)] {
            for figures in rows {
                lines.append(
                    row(
                        name,
                        "\(figures.connections)",
                        number(figures.perSecond, 0),
                        figures.serverMicroseconds.map { number($0, 1) } ?? "-",
                        number(figures.medianMilliseconds, 2),
                        number(figures.p99Milliseconds, 2),
                        "\(figures.errors)"
                    )
                )
            }
        }
        for figures in server.ceiling {
            lines.append(
                row(
                    "the load itself",
                    "\(figures.connections)",
                    number(figures.perSecond, 0),
                    number(figures.loadMicroseconds, 1),
                    number(figures.medianMilliseconds, 2),
                    number(figures.p99Milliseconds, 2),
                    "\(figures.errors)"
                )
            )
        }
        return lines
    }

    private func sdkLines(_ sdk: SDKBenchmark.Result) -> [String] {
        var lines = [
            "",
            "SDK       CPU microseconds a request",
            "",
            row("", "callers", "bare", "Session", "added", "quartiles", ""),
        ]
        for (name, rows) in [
            ("over URLSession", sdk.overURLSession), ("over data(for:)", sdk.overShortURLSession),
            ("over HTTPClient", sdk.overAsyncHTTPClient),
            ("over nothing", sdk.overNothing),
            ("the header alone", [sdk.headerAlone]), ("reply of 1 KB", [sdk.reply]), ("whole refresh", [sdk.refresh]),
        ] {
            for figures in rows {
                lines.append(
                    row(
                        name,
                        "\(figures.callers)",
                        number(figures.bareMicroseconds, 1),
                        number(figures.sessionMicroseconds, 1),
                        number(figures.addedMicroseconds, 1),
                        "\(number(figures.lowerQuartile, 1))..\(number(figures.upperQuartile, 1))",
                        ""
                    )
                )
            }
        }
        let (one, ofHundred) = (sdk.outbox.one, sdk.outbox.ofHundred)
        return lines + [
            "",
            "  a good token           \(number(sdk.alone.tokenMicroseconds, 2)) us",
            "  a caller in a crowd    \(number(sdk.alone.crowdMicroseconds, 1)) us",
            "  an idle session        \(number(sdk.alone.idleBytes / 1024, 1)) KB",
            "  an outbox item         \(number(one.cpuMicroseconds, 0)) us of CPU, \(number(one.elapsedMicroseconds, 0)) us in all",
            "  one of a hundred       \(number(ofHundred.cpuMicroseconds, 0)) us of CPU, \(number(ofHundred.elapsedMicroseconds, 0)) us in all",
            "",
        ]
            + sdk.waiting.map {
                "  waiting, \($0.transport.padding(toLength: 15, withPad: " ", startingAt: 0)) \(number($0.cores, 3)) of a core"
            }
    }

    private static let serverNotes = [
        "  refresh          every session sends the token that its last answer brought, with a new intent: a rotation each.",
        "                   A client also confirms once it has stored the token; that request is not in these figures.",
        "  verified GET     GET /v1/me with the session's newest access token.",
        "  CPU us each      user and system time of the server's process, divided by the answers.",
        "  the load itself  the load generator against a server that does nothing, with its own CPU. It shares the cores",
        "                   with the server, so on few cores a rate is that of both together; CPU us each is not.",
    ]

    private static let sdkNotes = [
        "  over URLSession  AuthSession.data(for:) beside URLSession by its delegate with the same header, in turn, against a process",
        "                   that answers at once. The work of URLSession wanders more than the SDK adds: see the quartiles.",
        "  over data(for:)  the same beside URLSession.data(for:), which on Linux stands still for ever if it is cancelled while",
        "                   the answer arrives, so that the SDK does not call it there.",
        "  over HTTPClient  the AsyncHTTPClient transport's execute(_:for:) beside HTTPClient's execute(_:) with the same header.",
        "  over nothing     the same beside a transport without a network: the SDK's own work alone.",
        "  the header alone what URLRequest.setValue(_:forHTTPHeaderField:) costs for such a token. The bare requests carry it",
        "                   from the beginning; an app without the SDK sets it for each request.",
        "  reply of 1 KB    a session whose contract looks into every answer beside one whose contract does not: decoding",
        "                   and classifying 1 KB of JSON.",
        "  whole refresh    AuthSession.refresh() with such an answer, stored in memory, without a network.",
        "  waiting          CPU time of this process over the time that passed, while one response does not come.",
        "  a good token     AuthSession.accessToken() while the token is good.",
        "  a caller in a crowd  what each of a thousand callers adds to the one refresh that they wait for, the",
        "                       caller's own task aside.",
        "  an idle session  resident memory for each of 2000 sessions that are signed in, with tokens of 400 bytes.",
        "  an outbox item   a request of 1 KB, durable when RequestOutbox.enqueue returns; then a hundred put down together.",
    ]

    private func row(_ cells: String...) -> String {
        let widths = [16, 11, 11, 12, 11, 16, 7]
        let padded = zip(cells, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + space : space + cell.0
        }
        let line = "  " + padded.joined(separator: " ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    private func number(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}
