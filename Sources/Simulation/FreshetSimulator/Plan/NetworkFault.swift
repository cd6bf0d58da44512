// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

/// A fault of the network or of a proxy, for one request.
package enum NetworkFault: String, CaseIterable, Codable, Sendable {
    /// The request does not reach the server.
    case requestLost
    /// The server processes the request; the client receives no response.
    case replyLost
    /// The client receives the first half of the response's body.
    case replyCut
    /// The client receives the page of a captive portal, and the server no request.
    case captivePortal
    /// A proxy answers 503, and the server receives no request.
    case unavailable
    /// The server receives the request once more, up to a day later.
    case repeated
}

/// The probabilities of faults in one history.
///
/// Each kind is off in half of the histories: many faults at once hide what one of them alone does.
struct NetworkFaultRates: Sendable {
    private(set) var perMille: [(fault: NetworkFault, rate: Int)]

    init(_ perMille: [(fault: NetworkFault, rate: Int)]) { self.perMille = perMille }

    init(_ random: inout SeededRandomStream) {
        var rates: [(NetworkFault, Int)] = []
        for fault in NetworkFault.allCases {
            let isOn = random.number(in: 0...1) == 1
            let rate = random.number(in: 10...150)
            if isOn { rates.append((fault, rate)) }
        }
        perMille = rates
    }

    /// The kinds that occur.
    var kinds: [NetworkFault] { perMille.map(\.fault) }

    /// Removes a kind.
    mutating func remove(_ fault: NetworkFault) { perMille.removeAll { $0.fault == fault } }

    /// Draws the fault of one request.
    func draw(_ random: inout SeededRandomStream) -> NetworkFault? {
        var place = random.number(in: 0...999)
        for (fault, rate) in perMille {
            if place < rate { return fault }
            place -= rate
        }
        return nil
    }
}
