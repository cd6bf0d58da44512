// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)))
struct `The server's metrics` {
    let server = ServerUnderTest()

    @Test func `metrics are served only on their own port, without request paths or email addresses`() async throws {
        var configuration = server.configuration
        configuration.operations.metrics = ListenAddress(port: 0)
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        try await server.run(configuration, onMetricsListening: { found.yield($0) }) { caller in
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            let device = Device(platform: "iOS 18.1", appVersion: "2.5.1")
            let grant = try await caller.signUp(device: device)
            let stranger = try await caller.signUp(
                "eve@example.com",
                device: Device(platform: "\"}x", appVersion: "evil")
            )
            let intent = Intent.random()
            #expect(try await caller.refresh(grant.refreshToken, intent).status == 200)
            #expect(try await caller.refresh(stranger.refreshToken, intent).status == 200)
            #expect(try await caller.refresh(grant.refreshToken, .random()).error == "400 invalid_grant fork")
            #expect(try await caller.send(.get, "/some/path/of/mine").status == 404)
            #expect(try await caller.send(.get, "/metrics").status == 404)
            let (data, _) = try await URLSession.shared.data(
                from: try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
            )
            let lines = Set(String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init))
            let bound = #"freshet_presentations_total{call="refresh",dialect="native",outcome="bound","#
            for line in [
                bound + #"platform="ios"} 1"#, bound + #"platform="other"} 1"#,
                #"freshet_reuse_total{cause="fork"} 1"#, #"freshet_reuse_total{cause="stale_holder"} 0"#,
                #"freshet_sign_outs_total{reason="fork"} 1"#, #"freshet_sign_outs_total{reason="logout"} 0"#,
                #"freshet_refreshes_by_version_total{version="2.5"} 2"#,
                #"freshet_refreshes_by_version_total{version="other"} 1"#,
                #"freshet_http_requests_total{route="none",status="4xx"} 2"#,
                #"freshet_http_requests_total{route="/v1/refresh",status="2xx"} 2"#,
                #"freshet_requests_turned_away_total{route="none",status="429"} 0"#,
                #"freshet_requests_turned_away_total{route="none",status="503"} 0"#,
                #"freshet_expired_presentations_total{reason="idle_timeout"} 0"#, "freshet_accept_failures_total 0",
                "freshet_lost_commits_total 0", "freshet_write_queue_length 0", "freshet_clock_trusted 1",
                "freshet_sockets 0", "freshet_refresh_seconds_count 3",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
            #expect(lines.contains { $0.hasPrefix("freshet_commit_seconds_bucket") })
            #expect(lines.contains { $0.hasPrefix("freshet_write_wait_seconds_sum") })
            #expect(!lines.contains { $0.contains("some/path") || $0.contains("evil") || $0.contains("ann@") })
        }
    }
}
