// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import NIOSSL

extension Channel {
    /// Closes the connection without waiting for its peer.
    ///
    /// Unwritten data is dropped, and TLS sends no `close_notify`. A regular close of a TLS connection waits five
    /// seconds for the peer's `close_notify`.
    func closeImmediately() {
        eventLoop.execute { [self] in
            if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
                tls.close(promise: nil)
            } else {
                close(promise: nil)
            }
        }
    }
}
