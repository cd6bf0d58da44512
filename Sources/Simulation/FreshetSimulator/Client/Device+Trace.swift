// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import ProtocolTrace

    extension Device {
        /// Adds each record that the device stores to a trace.
        func traceRecords(to trace: TraceWriter) {
            record.didStore = { [unowned self] _ in
                trace.stored(
                    session.flatMap { TraceLine.Pair($0.refreshToken, $0.intent) },
                    pending: record.current?.stored?.pendingLogouts.compactMap(\.refreshToken) ?? [],
                    by: name,
                    isReverted: record.isReverting
                )
            }
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
            let traced: TraceLine.Exemption? =
                holder == .thief ? .thief : !isNative ? .plain : record.isAvailable ? nil : .storeless
            trace.sent(TraceLine.Pair(body.refreshToken, body.intent), path, by: name, as: traced)
        }
    }
#endif
