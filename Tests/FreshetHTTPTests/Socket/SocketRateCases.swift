// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import WebSocketCases

@testable import FreshetHTTP

/// The rate limit of the server's sockets, which the client's do not have: PROTOCOL.md, section Socket.
///
/// The clock of the tests stands still, so that no further frame is admitted after the burst.
enum SocketRateCases {
    private static let burst = SocketLimits().burst

    static let all: [WebSocketCase] = {
        let ping = CaseFrame.ping("p")
        let pong = Array("p".utf8)
        let pings = [CaseFrame](repeating: ping, count: burst)
        let pongs = [[UInt8]](repeating: pong, count: burst)
        let start = CaseFrame.text("a", fin: false)
        let fragments = [start, .rest("b", fin: false), .rest("c")]
        return [
            WebSocketCase("R.1", "as many pings as the burst", pings, pongs: pongs),
            WebSocketCase("R.2", "one ping too many", pings + [ping], pongs: pongs, close: .failure(1008, at: burst)),
            WebSocketCase(
                "R.3",
                "a message after the burst",
                pings + [.text("a")],
                pongs: pongs,
                close: .failure(1008, at: burst)
            ),
            WebSocketCase(
                "R.4",
                "a first fragment after the burst",
                pings + [start],
                pongs: pongs,
                close: .failure(1008, at: burst)
            ),
            WebSocketCase(
                "R.5",
                "pongs count",
                [CaseFrame](repeating: .pong("p"), count: burst) + [ping],
                close: .failure(1008, at: burst)
            ),
            WebSocketCase(
                "R.6",
                "a message counts once, whatever its fragments",
                Array(pings.dropLast()) + fragments,
                messages: [.text("abc")],
                pongs: Array(pongs.dropLast())
            ),
            WebSocketCase(
                "R.7",
                "an empty message counts",
                Array(pings.dropLast()) + [.text(""), ping],
                messages: [.text("")],
                pongs: Array(pongs.dropLast()),
                close: .failure(1008, at: burst)
            ),
            WebSocketCase(
                "R.8",
                "a close after the burst is answered",
                pings + [.close(1000)],
                pongs: pongs,
                close: .reply(1000)
            ),
        ]
    }()
}
