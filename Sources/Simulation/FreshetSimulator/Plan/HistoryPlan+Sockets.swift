// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

extension HistoryPlan {
    /// Draws whether the app's processes hold WebSockets.
    mutating func drawSockets() {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 70)
        // Of the served contracts, some have no socket. With sockets, a history takes four times as long.
        hasSockets = app == nil && random.number(in: 0...5) == 0
    }
}
