// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetWire
    import ProtocolTrace

    extension Device {
        /// The time in which a process has stored a sign-out again whose first write failed.
        private static let storeRetryTime = Duration.seconds(30)

        /// Checks each record that the device stores, and adds it to a trace.
        func observeRecords(_ journal: Journal, _ exchanges: ExchangeLog, _ trace: TraceWriter?) {
            record.didStore = { [unowned self] _ in
                checkGeneration(journal, exchanges)
                if let session {
                    if signedOut.contains(session.id), !record.isReverting {
                        journal.violation("\(name) stores session \(session.id) after its sign-out")
                    }
                    lastSession = session.id
                    generation.store(session.generation)
                    if let token = session.refreshToken {
                        exchanges.stored(token, isSlow: record.wasSlow(inLast: ExchangeLog.slowReadingTime))
                    }
                }
                trace?.stored(
                    session.flatMap { TraceLine.Pair($0.refreshToken, $0.intent) },
                    pending: record.current?.stored?.pendingLogouts.compactMap(\.refreshToken) ?? [],
                    by: name,
                    isReverted: record.isReverting
                )
            }
        }

        /// Checks that no process replaces a stored refresh token by an earlier generation, or by a sibling that the server has
        /// replaced, but for one that a late duplicate has replaced: the device knows only the order of its requests.
        private func checkGeneration(_ journal: Journal, _ exchanges: ExchangeLog) {
            let token = session?.refreshToken.flatMap { try? RefreshToken($0) }
            if let token, let last = lastToken, token.session == last.session, !record.isReverting,
                (token.generation, token.body.branch) < (last.generation, last.body.branch),
                token.generation < last.generation || !exchanges.wasIssuedLate(last)
            {
                journal.violation("\(name) replaces the stored refresh token by an earlier one")
            }
            lastToken = token
        }

        /// Adds a refresh token that a client of the device sends to a trace.
        ///
        /// - Parameters:
        ///   - body: The token.
        ///   - path: The native path with the request's purpose.
        ///   - holder: The owner of the token, or a thief.
        ///   - isNative: Whether the client has intents.
        ///   - trace: The trace.
        func traceToken(_ body: TokenBody, _ path: String, as holder: Holder, isNative: Bool, to trace: TraceWriter) {
            let isStoreless = record.wasUnavailable(inLast: Self.storeRetryTime)
            let traced: TraceLine.Exemption? =
                holder == .thief ? .thief : !isNative ? .plain : isStoreless ? .storeless : nil
            trace.sent(TraceLine.Pair(body.refreshToken, body.intent), path, by: name, as: traced)
        }
    }
#endif
